#include "lake/iceberg/catalog/sql_catalog.h"

#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/failpoint.h"
#include "io/clock.h"
#include "io/env.h"
#include "io/object_store.h"
#include "lake/file_names.h"
#include "lake/iceberg/catalog/catalog_options.h"
#include "lake/iceberg/catalog/sqlite_database.h"
#include "lake/iceberg/metadata_document.h"

namespace lakestream::iceberg {
namespace {

// As Java's JdbcCatalog and pyiceberg make them. Databases of before views have no iceberg_type.
constexpr std::string_view kCreateTables =
    "CREATE TABLE IF NOT EXISTS iceberg_tables ("
    "catalog_name VARCHAR(255) NOT NULL, table_namespace VARCHAR(255) NOT NULL, "
    "table_name VARCHAR(255) NOT NULL, metadata_location VARCHAR(1000), "
    "previous_metadata_location VARCHAR(1000), iceberg_type VARCHAR(5), "
    "PRIMARY KEY (catalog_name, table_namespace, table_name))";
constexpr std::string_view kCreateNamespaces =
    "CREATE TABLE IF NOT EXISTS iceberg_namespace_properties ("
    "catalog_name VARCHAR(255) NOT NULL, namespace VARCHAR(255) NOT NULL, "
    "property_key VARCHAR(255), property_value VARCHAR(1000), "
    "PRIMARY KEY (catalog_name, namespace, property_key))";
constexpr std::string_view kAddNamespace =
    "INSERT OR IGNORE INTO iceberg_namespace_properties "
    "(catalog_name, namespace, property_key, property_value) VALUES (?, ?, 'exists', 'true')";
constexpr std::string_view kNamespaceLocation =
    "SELECT property_value FROM iceberg_namespace_properties "
    "WHERE catalog_name = ? AND namespace = ? AND property_key = 'location'";
constexpr std::string_view kHasTypes = "SELECT iceberg_type FROM iceberg_tables";
constexpr std::string_view kIsTable = " AND (iceberg_type = 'TABLE' OR iceberg_type IS NULL)";
constexpr std::string_view kFind =
    "SELECT metadata_location FROM iceberg_tables "
    "WHERE catalog_name = ? AND table_namespace = ? AND table_name = ?";
constexpr std::string_view kAdd =
    "INSERT INTO iceberg_tables (catalog_name, table_namespace, table_name, metadata_location, "
    "iceberg_type) VALUES (?, ?, ?, ?, 'TABLE')";
constexpr std::string_view kAddWithoutType =
    "INSERT INTO iceberg_tables (catalog_name, table_namespace, table_name, metadata_location) "
    "VALUES (?, ?, ?, ?)";
constexpr std::string_view kReplace =
    "UPDATE iceberg_tables SET metadata_location = ?, previous_metadata_location = ? "
    "WHERE catalog_name = ? AND table_namespace = ? AND table_name = ? AND metadata_location = ?";

// 12 of "/lake/db/t/metadata/00012-5e1c….metadata.json"; nothing of other names.
std::optional<int64_t> number_of(std::string_view file) {
  std::string_view name = file.substr(file.find_last_of('/') + 1);
  size_t dash = name.find('-');
  int64_t number = 0;
  auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  bool is_number = error == std::errc() && dash != std::string_view::npos &&
                   end == name.data() + dash && number >= 0;
  return is_number ? std::optional(number) : std::nullopt;
}

class SqlCatalog final : public IcebergCatalog {
 public:
  SqlCatalog(
      std::string file, std::string name, std::string warehouse, Env& env, ObjectStore& objects)
      : file_(std::move(file)),
        name_(std::move(name)),
        warehouse_(std::move(warehouse)),
        env_(env),
        objects_(objects),
        names_(env.random.fork()),
        cache_(objects) {}

  Status create_namespace(const std::string& name) override {
    ASSIGN_OR_RETURN(SqliteDatabase database, open());
    ASSIGN_OR_RETURN(SqlResult added, database.run(kAddNamespace, {name_, name}));
    if (added.outcome == SqlResult::Outcome::kUnknown) return unknown(added);
    return ok();
  }

  Result<std::optional<LoadedTable>> load_table(const TablePath& path) override {
    ASSIGN_OR_RETURN(SqliteDatabase database, open());
    ASSIGN_OR_RETURN(std::optional<std::string> file, find(database, path));
    if (!file) return std::optional<LoadedTable>();
    ASSIGN_OR_RETURN(TableMetadata metadata, cache_.read(*file));
    return std::optional(
        LoadedTable{.metadata = std::move(metadata), .metadata_file = *std::move(file)});
  }

  Result<std::optional<LoadedTable>> create_table(const TablePath& path,
                                                  const NewTable& table) override {
    ASSIGN_OR_RETURN(SqliteDatabase database, open());
    ASSIGN_OR_RETURN(std::optional<std::string> there, find(database, path));
    if (there) return std::optional<LoadedTable>();
    ASSIGN_OR_RETURN(std::string location, location_of_new(database, path));
    LoadedTable made;
    made.metadata = first_metadata(table, names_.uuid(), location, env_.clock.now().value());
    ASSIGN_OR_RETURN(made.metadata_file, write(made.metadata, 0));
    std::string_view add = database.understands(kHasTypes) ? kAdd : kAddWithoutType;
    Result<SqlResult> added =
        database.run(add, {name_, path.database, path.table, made.metadata_file});
    if (added && added->outcome == SqlResult::Outcome::kUnknown) return unknown(*added);
    if (added && added->outcome == SqlResult::Outcome::kDone) return std::optional(std::move(made));
    (void)objects_.remove(made.metadata_file);
    if (!added) return fail(std::move(added).error());
    return std::optional<LoadedTable>();
  }

  Result<CommitOutcome> commit(const TablePath& path,
                               const LoadedTable& base,
                               const TableChange& change) override {
    using Kind = CommitOutcome::Kind;
    if (auto broken = broken_requirement(change.requirements, base.metadata)) {
      return CommitOutcome{.kind = Kind::kConflict, .reason = *std::move(broken)};
    }
    ASSIGN_OR_RETURN(
        TableMetadata next,
        next_version(change, base.metadata, base.metadata_file, env_.clock.now().value()));
    ASSIGN_OR_RETURN(std::string file, write(next, number_of(base.metadata_file).value_or(-1) + 1));
    RETURN_IF_ERROR(failpoint("iceberg.after_metadata"));
    Result<SqlResult> replaced = replace(path, base.metadata_file, file);
    if (replaced && replaced->outcome == SqlResult::Outcome::kUnknown) {
      return CommitOutcome{.kind = Kind::kUnknown, .reason = std::move(replaced->reason)};
    }
    if (!replaced || replaced->changed == 0) {
      (void)objects_.remove(file);
      if (!replaced) return fail(std::move(replaced).error());
      return CommitOutcome{
          .kind = Kind::kConflict,
          .reason = fmt::format("{} is not its metadata any more", base.metadata_file)};
    }
    remove_old_metadata(objects_, base.metadata, next);
    return CommitOutcome{
        .table = LoadedTable{.metadata = std::move(next), .metadata_file = std::move(file)}};
  }

 private:
  // A connection a call: no file is kept locked, and calls need not take turns.
  Result<SqliteDatabase> open() {
    ASSIGN_OR_RETURN(SqliteDatabase database, SqliteDatabase::open(file_));
    for (std::string_view create : {kCreateTables, kCreateNamespaces}) {
      ASSIGN_OR_RETURN(SqlResult created, database.run(create));
      if (created.outcome == SqlResult::Outcome::kUnknown) return unknown(created);
    }
    return database;
  }

  static tl::unexpected<Error> unknown(const SqlResult& result) {
    return make_error(ErrorCode::kStorageException, "{}", result.reason);
  }

  // The metadata file of a table.
  Result<std::optional<std::string>> find(SqliteDatabase& database, const TablePath& path) {
    std::string sql(kFind);
    if (database.understands(kHasTypes)) sql += kIsTable;
    ASSIGN_OR_RETURN(SqlResult found, database.run(sql, {name_, path.database, path.table}));
    if (found.outcome != SqlResult::Outcome::kDone) return unknown(found);
    if (found.rows.empty()) return std::optional<std::string>();
    return found.rows[0][0];
  }

  // Whose namespace may have a place of its own. A folder with files in it may be that of a table
  // that has another name now.
  Result<std::string> location_of_new(SqliteDatabase& database, const TablePath& path) {
    ASSIGN_OR_RETURN(SqlResult found, database.run(kNamespaceLocation, {name_, path.database}));
    bool has_place = !found.rows.empty() && found.rows[0][0];
    std::string place = has_place ? *found.rows[0][0] : object_path(warehouse_, path.database);
    std::string location = object_path(place, path.table);
    ASSIGN_OR_RETURN(std::vector<ObjectInfo> files, objects_.list(location));
    return files.empty() ? location : fmt::format("{}-{}", location, names_.uuid());
  }

  Result<SqlResult> replace(const TablePath& path,
                            const std::string& before,
                            const std::string& after) {
    ASSIGN_OR_RETURN(SqliteDatabase database, open());
    return database.run(kReplace, {after, before, name_, path.database, path.table, before});
  }

  Result<std::string> write(const TableMetadata& metadata, int64_t number) {
    std::string file = object_path(
        metadata.location, fmt::format("metadata/{:05}-{}.metadata.json", number, names_.uuid()));
    std::string text = to_json(metadata);
    RETURN_IF_ERROR(objects_.put(file, Bytes::copy_of(text)));
    cache_.add(file, text, metadata);
    return file;
  }

  std::string file_;
  std::string name_;  // of the catalog in the database
  std::string warehouse_;
  Env& env_;
  ObjectStore& objects_;
  FileNames names_;
  MetadataCache cache_;
};

// The file of a URI as Java (jdbc:sqlite:/a.db) or SQLAlchemy (sqlite:////a.db) have it.
Result<std::string> sqlite_file(const std::string& uri) {
  std::string_view file = uri;
  constexpr std::array<std::string_view, 2> kPrefixes = {"jdbc:sqlite:", "sqlite:///"};
  for (std::string_view prefix : kPrefixes) {
    if (!file.starts_with(prefix)) continue;
    file.remove_prefix(prefix.size());
    if (file.starts_with("file:")) file.remove_prefix(5);
    file = file.substr(0, file.find('?'));
    if (file.starts_with('/')) return std::string(file);
  }
  return make_error(ErrorCode::kInvalidConfigException,
                    "iceberg catalog: uri '{}' is no SQLite database with an absolute path; use "
                    "jdbc:sqlite:/path/of.db or sqlite:////path/of.db",
                    uri);
}

}  // namespace

Result<std::unique_ptr<IcebergCatalog>> make_sql_catalog(const Properties& options,
                                                         Env& env,
                                                         ObjectStore& objects) {
  ASSIGN_OR_RETURN(std::string warehouse, warehouse_of(options));
  ASSIGN_OR_RETURN(std::string uri, required_option(options, "uri"));
  ASSIGN_OR_RETURN(std::string file, sqlite_file(uri));
  auto name = options.find("name");
  std::unique_ptr<IcebergCatalog> catalog = std::make_unique<SqlCatalog>(
      std::move(file),
      name == options.end() ? std::string(kDefaultCatalogName) : name->second,
      std::move(warehouse),
      env,
      objects);
  return catalog;
}

}  // namespace lakestream::iceberg
