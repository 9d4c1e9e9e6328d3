#include "lake/iceberg/catalog/sql_catalog.h"

#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>

#include "io/object_store.h"
#include "io/real_env.h"
#include "lake/iceberg/catalog/catalog_test_support.h"
#include "lake/iceberg/catalog/sqlite_database.h"

namespace lakestream::iceberg {
namespace {

const TablePath kPath{"db", "t"};

TableChange set_property(const LoadedTable& base, const std::string& value) {
  return {.requirements = {requirement::Uuid{base.metadata.uuid}},
          .updates = {update::SetProperties{{{"a", value}}}}};
}

class SqlCatalogs : public testing::Test {
 protected:
  SqlCatalogs() {
    EXPECT_NE(mkdtemp(folder_.data()), nullptr);
    file_ = folder_ + "/catalog.db";
  }
  ~SqlCatalogs() override { std::filesystem::remove_all(folder_); }

  std::unique_ptr<IcebergCatalog> catalog(const std::string& uri = {}, Properties more = {}) {
    more["uri"] = uri.empty() ? "jdbc:sqlite:" + file_ : uri;
    more["warehouse"] = folder_ + "/lake/";
    auto made = make_sql_catalog(more, real_.env(), *objects_);
    EXPECT_TRUE(made.has_value()) << made.error().to_string();
    return std::move(made).value();
  }
  std::string sql(std::string_view statement) {
    auto database = SqliteDatabase::open(file_);
    Result<SqlResult> result = database->run(statement);
    if (!result) return result.error().to_string();
    return result->rows.empty() ? "" : result->rows[0][0].value_or("null");
  }
  size_t metadata_files() { return objects_->list(folder_ + "/lake/db/t/metadata").value().size(); }

  std::string folder_ = testing::TempDir() + "sqlXXXXXX";
  std::string file_;
  RealEnv real_{1};
  std::unique_ptr<ObjectStore> objects_ = make_local_object_store(real_.env().disk);
};

// Proves that a table is found as it was made, by both spellings of the database, and made once.
TEST_F(SqlCatalogs, MakesAndLoads) {
  auto jdbc = catalog();
  EXPECT_FALSE(jdbc->load_table(kPath).value());
  ASSERT_TRUE(jdbc->create_namespace("db").has_value());
  ASSERT_TRUE(jdbc->create_namespace("db").has_value());
  std::optional<LoadedTable> made = jdbc->create_table(kPath, one_column()).value();
  ASSERT_TRUE(made);
  EXPECT_EQ(made->metadata.location, folder_ + "/lake/db/t");
  EXPECT_TRUE(made->metadata_file.starts_with(folder_ + "/lake/db/t/metadata/00000-"));
  EXPECT_FALSE(jdbc->create_table(kPath, one_column()).value());
  auto sqlalchemy = catalog("sqlite:///" + file_);
  std::optional<LoadedTable> loaded = sqlalchemy->load_table(kPath).value();
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->metadata, made->metadata);
  EXPECT_EQ(sql("SELECT catalog_name || table_namespace || table_name || iceberg_type "
                "FROM iceberg_tables"),
            "fluss-iceberg-catalogdbtTABLE");
  EXPECT_EQ(sql("SELECT property_value FROM iceberg_namespace_properties"), "true");
  // Catalogs of other names know nothing of it.
  EXPECT_FALSE(catalog({}, {{"name", "other"}})->load_table(kPath).value());
}

// Proves that the files of a table with another name now are not those of its successor.
TEST_F(SqlCatalogs, ARenamedTableKeepsItsFolder) {
  auto made = catalog();
  ASSERT_TRUE(made->create_table(kPath, one_column()).value());
  EXPECT_EQ(sql("UPDATE iceberg_tables SET table_name = 'old'"), "");
  std::optional<LoadedTable> next = made->create_table(kPath, one_column()).value();
  ASSERT_TRUE(next);
  EXPECT_TRUE(next->metadata.location.starts_with(folder_ + "/lake/db/t-"));
  EXPECT_EQ(made->load_table(kPath).value()->metadata.location, next->metadata.location);
  EXPECT_EQ(metadata_files(), 1U);
}

// Proves that of two who change the same state one is told so, and leaves no file behind.
TEST_F(SqlCatalogs, Commits) {
  auto first = catalog();
  LoadedTable base = first->create_table(kPath, one_column()).value().value();
  CommitOutcome done = first->commit(kPath, base, set_property(base, "2")).value();
  ASSERT_EQ(done.kind, CommitOutcome::Kind::kDone);
  EXPECT_EQ(done.table->metadata.properties.at("a"), "2");
  EXPECT_NE(done.table->metadata_file.find("/metadata/00001-"), std::string::npos);
  EXPECT_EQ(done.table->metadata.metadata_log.size(), 1u);
  EXPECT_EQ(sql("SELECT previous_metadata_location FROM iceberg_tables"), base.metadata_file);

  auto second = catalog();
  CommitOutcome late = second->commit(kPath, base, set_property(base, "3")).value();
  EXPECT_EQ(late.kind, CommitOutcome::Kind::kConflict);
  EXPECT_EQ(metadata_files(), 2u);
  TableChange of_another = set_property(*done.table, "4");
  of_another.requirements = {requirement::Uuid{"another"}};
  EXPECT_EQ(second->commit(kPath, *done.table, of_another).value().kind,
            CommitOutcome::Kind::kConflict);
  EXPECT_EQ(second->load_table(kPath).value()->metadata.properties.at("a"), "2");
  sql("DELETE FROM iceberg_tables");
  EXPECT_EQ(second->commit(kPath, *done.table, set_property(*done.table, "5")).value().kind,
            CommitOutcome::Kind::kConflict);
}

// Proves that a database of before there were views is used as it is, that views are no tables, and
// that a namespace may have a place of its own.
TEST_F(SqlCatalogs, OtherDatabases) {
  sql("CREATE TABLE iceberg_tables (catalog_name VARCHAR(255) NOT NULL, "
      "table_namespace VARCHAR(255) NOT NULL, table_name VARCHAR(255) NOT NULL, "
      "metadata_location VARCHAR(1000), previous_metadata_location VARCHAR(1000), "
      "PRIMARY KEY (catalog_name, table_namespace, table_name))");
  ASSERT_TRUE(catalog()->create_table(kPath, one_column()).value());
  EXPECT_TRUE(catalog()->load_table(kPath).value());
  sql("ALTER TABLE iceberg_tables ADD COLUMN iceberg_type VARCHAR(5)");
  EXPECT_TRUE(catalog()->load_table(kPath).value());
  sql("UPDATE iceberg_tables SET iceberg_type = 'VIEW'");
  EXPECT_FALSE(catalog()->load_table(kPath).value());
  EXPECT_FALSE(catalog()->create_table(kPath, one_column()).value());
  sql("INSERT INTO iceberg_namespace_properties VALUES "
      "('fluss-iceberg-catalog', 'far', 'location', '" +
      folder_ + "/far')");
  EXPECT_EQ(catalog()->create_table({"far", "t"}, one_column()).value()->metadata.location,
            folder_ + "/far/t");
}

// Proves that metadata which is gone, a file that is no database and wrong options are named.
TEST_F(SqlCatalogs, Errors) {
  LoadedTable made = catalog()->create_table(kPath, one_column()).value().value();
  ASSERT_TRUE(objects_->remove(made.metadata_file).has_value());
  auto gone = catalog()->load_table(kPath);
  ASSERT_FALSE(gone);
  EXPECT_NE(gone.error().message().find(made.metadata_file), std::string::npos);
  auto no_folder = catalog("jdbc:sqlite:" + folder_ + "/none/c.db")->load_table(kPath);
  ASSERT_FALSE(no_folder);
  EXPECT_EQ(no_folder.error().code(), ErrorCode::kStorageException);
  EXPECT_NE(no_folder.error().message().find("make its folder"), std::string::npos);
  for (const Properties& options :
       {Properties{{"uri", "jdbc:sqlite:/a.db"}},
        Properties{{"warehouse", "/lake"}},
        Properties{{"warehouse", "ftp://lake"}, {"uri", "jdbc:sqlite:/a.db"}},
        Properties{{"warehouse", "/lake"}, {"uri", "jdbc:sqlite::memory:"}},
        Properties{{"warehouse", "/lake"}, {"uri", "jdbc:postgresql://host/db"}}}) {
    auto refused = make_sql_catalog(options, real_.env(), *objects_);
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().code(), ErrorCode::kInvalidConfigException);
  }
}

}  // namespace
}  // namespace lakestream::iceberg
