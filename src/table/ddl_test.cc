#include "table/ddl.h"

#include <gtest/gtest.h>

#include "table/json.h"
#include "table/test_util.h"

namespace lakestream {
namespace {

Result<Statement> parse(std::string_view sql) { return parse_ddl(SqlText{sql}); }

// The message of a refusal, without its code.
std::string refusal(std::string_view sql) {
  Result<Statement> statement = parse(sql);
  return statement ? "accepted" : statement.error().message();
}

template <typename T>
T parsed(std::string_view sql) {
  Result<Statement> statement = parse(sql);
  EXPECT_TRUE(statement) << sql << ": " << statement.error().message();
  if (!statement || !std::holds_alternative<T>(*statement)) {
    ADD_FAILURE() << "another statement: " << sql;
    return T();
  }
  return std::get<T>(*std::move(statement));
}

std::string type_text(std::string_view sql) {
  Result<DataType> type = parse_sql_type(sql);
  return type ? type->to_string() : type.error().message();
}

TEST(DdlErrorTest, TellsPlaceAndExpectedWord) {
  EXPECT_EQ(refusal(""),
            "line 1, column 1: expected CREATE, DROP, ALTER, SHOW, DESCRIBE or USE, found the end");
  EXPECT_EQ(refusal("CREATE TABEL t"),
            "line 1, column 8: expected TABLE or DATABASE, found 'TABEL'");
  EXPECT_EQ(refusal("DROP VIEW v"), "line 1, column 6: expected TABLE or DATABASE, found 'VIEW'");
  EXPECT_EQ(
      refusal("SHOW"),
      "line 1, column 5: expected DATABASES, TABLES, PARTITIONS or CREATE TABLE, found the end");
  EXPECT_EQ(refusal("CREATE TABLE t"), "line 1, column 15: expected '(' or LIKE, found the end");
  EXPECT_EQ(refusal("CREATE TABLE t ()"), "line 1, column 17: expected a column name, found ')'");
  EXPECT_EQ(refusal("CREATE TABLE t (\n  a INT,\n  b\n)"),
            "line 4, column 1: expected a type (BOOLEAN, TINYINT, SMALLINT, INT, BIGINT, FLOAT, "
            "DOUBLE, DECIMAL, CHAR, STRING, BINARY, BYTES, DATE, TIME, TIMESTAMP, TIMESTAMP_LTZ, "
            "ARRAY, MAP, ROW), found ')'");
  EXPECT_EQ(refusal("CREATE TABLE t (a INT NOT x)"),
            "line 1, column 23: expected ')', found 'NOT'");
  EXPECT_EQ(refusal("CREATE TABLE t (a INT) WITH ('k' 'v')"),
            "line 1, column 34: expected '=', found the text 'v'");
  EXPECT_EQ(refusal("CREATE TABLE t (a INT) WITH (k = 'v')"),
            "line 1, column 30: expected a key in single quotes, found 'k'");
  EXPECT_EQ(refusal("CREATE TABLE t (a INT) WITH ('k' = 1)"),
            "line 1, column 36: expected a value in single quotes, found '1'");
  EXPECT_EQ(refusal("CREATE TABLE t (a INT) WITH ('k' = '1', 'k' = '2')"),
            "line 1, column 41: key 'k' is there twice, remove one");
  EXPECT_EQ(refusal("CREATE TABLE t (a INT) PARTITIONED (a)"),
            "line 1, column 36: expected BY, found '('");
  EXPECT_EQ(refusal("CREATE TABLE t (a INT) ENGINE = x"),
            "line 1, column 24: expected the end of the statement, found 'ENGINE'");
  EXPECT_EQ(refusal("DROP TABLE t u"),
            "line 1, column 14: expected the end of the statement, found 'u'");
  EXPECT_EQ(refusal("DROP TABLE `` "), "line 1, column 12: expected a table name, found ''");
  EXPECT_EQ(refusal("ALTER TABLE t"),
            "line 1, column 14: expected ADD, DROP, RENAME, SET or RESET, found the end");
  EXPECT_EQ(refusal("ALTER TABLE t ADD c INT NOT NULL"),
            "line 1, column 19: column 'c' is NOT NULL, a new column must be nullable");
  EXPECT_EQ(refusal("ALTER TABLE t DROP x"),
            "line 1, column 20: expected COLUMN or PARTITION, found 'x'");
  EXPECT_EQ(refusal("CREATE TABLE t (a INT, PRIMARY KEY (a), PRIMARY KEY (a))"),
            "line 1, column 41: the primary key is there already, remove one");
}

TEST(DdlErrorTest, TextThatCannotBeCut) {
  EXPECT_EQ(refusal("USE `a"), "line 1, column 5: expected ` that ends the text");
  EXPECT_EQ(refusal("USE 'a''"), "line 1, column 5: expected ' that ends the text");
  EXPECT_EQ(refusal("USE /* a"), "line 1, column 5: this comment is not closed, expected */");
  EXPECT_EQ(refusal("USE \xff"), "line 1, column 5: the text is not UTF-8");
  EXPECT_EQ(refusal("USE \xc0\x80"), "line 1, column 5: the text is not UTF-8");
  EXPECT_EQ(refusal("USE \xed\xa0\x80"), "line 1, column 5: the text is not UTF-8");
  // A column counts characters.
  EXPECT_EQ(refusal("USE `ä€😀` x"),
            "line 1, column 11: expected the end of the statement, found 'x'");
}

TEST(DdlErrorTest, TheTableItselfIsChecked) {
  EXPECT_EQ(refusal("CREATE TABLE t (a INT, a INT)"),
            "column 'a' is there twice, column names must differ");
  EXPECT_EQ(refusal("CREATE TABLE t (a INT, PRIMARY KEY (b))"),
            "primary key column 'b' is not a column of the table");
  EXPECT_EQ(refusal("CREATE TABLE t (a INT) PARTITIONED BY (b)"),
            "partition key 'b' is not a column of the table");
  EXPECT_EQ(refusal("CREATE TABLE t (a INT) WITH ('bucket.num' = 'x')"),
            "option 'bucket.num': 'x' is no number of buckets");
  EXPECT_EQ(refusal("CREATE TABLE t (a INT) WITH ('bucket.num' = '4294967297')"),
            "option 'bucket.num': '4294967297' is no number of buckets");
  EXPECT_EQ(refusal("CREATE TABLE t (a INT) WITH ('bucket.key' = 'a,')"),
            "option 'bucket.key': 'a,' is no list of columns, write 'a,b'");
  EXPECT_EQ(refusal("CREATE TABLE t (a INT) WITH ('bucket.key' = 'b')"),
            "bucket key 'b' is not a column of the table");
  EXPECT_EQ(refusal("CREATE TABLE t (a INT) WITH ('fields.b.agg' = 'sum')"),
            "option 'fields.b.agg' names no column of the table");
  EXPECT_EQ(refusal("CREATE TABLE t (a INT) WITH ('fields.a.agg' = 'median')"),
            "option 'fields.a.agg': 'median' is no aggregate function");
}

TEST(DdlTypeTest, TypesAndTheirOtherNames) {
  EXPECT_EQ(type_text("boolean"), "BOOLEAN");
  EXPECT_EQ(type_text("TINYINT NULL"), "TINYINT");
  EXPECT_EQ(type_text("INTEGER NOT NULL"), "INT NOT NULL");
  EXPECT_EQ(type_text("DOUBLE PRECISION"), "DOUBLE");
  EXPECT_EQ(type_text("DEC"), "DECIMAL(10, 0)");
  EXPECT_EQ(type_text("NUMERIC(5)"), "DECIMAL(5, 0)");
  EXPECT_EQ(type_text("DECIMAL(38,18)"), "DECIMAL(38, 18)");
  EXPECT_EQ(type_text("CHAR"), "CHAR(1)");
  EXPECT_EQ(type_text("VARCHAR(2147483647)"), "STRING");
  EXPECT_EQ(type_text("VARBINARY(2147483647)"), "BYTES");
  EXPECT_EQ(type_text("TIME"), "TIME(0)");
  EXPECT_EQ(type_text("TIMESTAMP"), "TIMESTAMP(6)");
  EXPECT_EQ(type_text("TIMESTAMP(3) WITHOUT TIME ZONE"), "TIMESTAMP(3)");
  EXPECT_EQ(type_text("TIMESTAMP(9) WITH LOCAL TIME ZONE NOT NULL"), "TIMESTAMP_LTZ(9) NOT NULL");
  EXPECT_EQ(type_text("TIMESTAMP_LTZ"), "TIMESTAMP_LTZ(6)");
  EXPECT_EQ(type_text("MAP<STRING NOT NULL, ARRAY<ROW<a INT COMMENT 'x', `b c` DATE>>>"),
            "MAP<STRING NOT NULL, ARRAY<ROW<`a` INT COMMENT 'x', `b c` DATE>>>");
  EXPECT_EQ(type_text("ROW(a INT 'x')"), "ROW<`a` INT COMMENT 'x'>");
  EXPECT_EQ(type_text("ROW<>"), "ROW<>");
}

TEST(DdlTypeTest, TypesThatAreNone) {
  EXPECT_EQ(type_text("VARCHAR(10)"),
            "line 1, column 8: a limit of length is not kept, use STRING");
  EXPECT_EQ(type_text("VARCHAR"), "line 1, column 8: a limit of length is not kept, use STRING");
  EXPECT_EQ(type_text("DECIMAL(39, 1)"),
            "line 1, column 1: precision 39 of DECIMAL is outside 1..38");
  EXPECT_EQ(type_text("TIME(99999999999)"), "line 1, column 6: 99999999999 does not fit 32 bits");
  EXPECT_EQ(type_text("ARRAY<INT"), "line 1, column 10: expected '>', found the end");
  EXPECT_EQ(type_text("ROW<a INT, a INT>"),
            "line 1, column 1: ROW has two fields 'a', field names must differ");
  EXPECT_EQ(type_text("TIMESTAMP WITH TIME ZONE"),
            "line 1, column 16: expected LOCAL, found 'TIME'");
  std::string deep;
  for (int i = 0; i < 1000; ++i) deep += "ARRAY<";
  EXPECT_EQ(type_text(deep), "line 1, column 391: type is nested deeper than 64 levels");
}

TEST(DdlTest, Databases) {
  auto create = parsed<CreateDatabase>(
      "create database if not exists `my db` comment 'it''s mine' with ('k' = 'v', 'l'='w');");
  EXPECT_EQ(create.name, "my db");
  EXPECT_TRUE(create.if_not_exists);
  EXPECT_EQ(create.descriptor, (DatabaseDescriptor{"it's mine", {{"k", "v"}, {"l", "w"}}}));
  EXPECT_FALSE(parsed<CreateDatabase>("CREATE DATABASE d").if_not_exists);
  auto drop = parsed<DropDatabase>("DROP DATABASE IF EXISTS d CASCADE");
  EXPECT_TRUE(drop.if_exists && drop.cascade);
  EXPECT_FALSE(parsed<DropDatabase>("DROP DATABASE d RESTRICT").cascade);
  parsed<ShowDatabases>("SHOW DATABASES");
  EXPECT_EQ(parsed<UseDatabase>("USE \"d\"\"x\"").name, "d\"x");
}

// The statement of the documentation of the Flink catalog has the parts that the official client
// sends for it.
TEST(DdlTest, CreateTableMakesTheDescriptor) {
  auto create = parsed<CreateTable>(R"(
      CREATE TABLE IF NOT EXISTS db.orders ( -- all orders
        `order_id` BIGINT COMMENT 'row id',
        item STRING,
        /* money */ total DECIMAL(10, 2),
        dt STRING,
        PRIMARY KEY (order_id, dt) NOT ENFORCED
      ) COMMENT 'orders' PARTITIONED BY (dt)
      WITH ('bucket.num' = '4', 'table.auto-partition.enabled' = 'true', 'owner' = 'me'))");
  EXPECT_EQ(create.name, (TableName{"db", "orders"}));
  EXPECT_TRUE(create.if_not_exists);
  EXPECT_EQ(to_json(create.descriptor),
            R"({"version":1,"schema":{"version":1,"columns":[)"
            R"({"name":"order_id","data_type":{"type":"BIGINT","nullable":false},)"
            R"("comment":"row id","id":0},)"
            R"({"name":"item","data_type":{"type":"STRING"},"id":1},)"
            R"({"name":"total","data_type":{"type":"DECIMAL","precision":10,"scale":2},"id":2},)"
            R"({"name":"dt","data_type":{"type":"STRING","nullable":false},"id":3}],)"
            R"("primary_key":["order_id","dt"],"highest_field_id":3},"comment":"orders",)"
            R"("partition_key":["dt"],"bucket_key":["order_id"],"bucket_count":4,)"
            R"("properties":{"table.auto-partition.enabled":"true"},)"
            R"("custom_properties":{"owner":"me"}})");
}

TEST(DdlTest, WithKeysGoWhereTheyBelong) {
  TableDescriptor table =
      parsed<CreateTable>(
          "CREATE TABLE t (k INT, total BIGINT, names STRING, n INT, CONSTRAINT p PRIMARY KEY (k)) "
          "WITH ('bucket.key' = ' k ', 'auto-increment.fields' = 'n', 'fields.total.agg' = 'SUM', "
          "'fields.names.agg' = 'string-agg', 'fields.names.string-agg.delimiter' = ';', "
          "'fields.k.kind' = 'sequence', 'table.merge-engine' = 'aggregation')")
          .descriptor;
  EXPECT_EQ(table.bucket_keys(), std::vector<std::string>{"k"});
  EXPECT_EQ(table.schema.auto_increment_columns(), std::vector<std::string>{"n"});
  EXPECT_EQ(table.schema.column(1).agg, (AggFunction{AggType::kSum, {}}));
  EXPECT_EQ(table.schema.column(2).agg, (AggFunction{AggType::kStringAgg, {{"delimiter", ";"}}}));
  EXPECT_EQ(table.properties, (Properties{{"table.merge-engine", "aggregation"}}));
  EXPECT_EQ(table.custom_properties, (Properties{{"fields.k.kind", "sequence"}}));
  EXPECT_EQ(parsed<CreateTable>("CREATE TABLE t (k INT)").descriptor.distribution, std::nullopt);
}

TEST(DdlTest, LikeTakesOverAndOverrides) {
  auto like =
      parsed<CreateTableLike>("CREATE TABLE t LIKE d.u WITH ('bucket.num'='2','table.a'='1')");
  EXPECT_EQ(like.name, (TableName{std::nullopt, "t"}));
  EXPECT_EQ(like.source, (TableName{"d", "u"}));
  TableDescriptor source =
      parsed<CreateTable>(
          "CREATE TABLE u (k INT, v INT, n INT, PRIMARY KEY (k)) WITH ('bucket.num' = "
          "'8', 'auto-increment.fields' = 'n', 'fields.v.agg' = 'max', 'table.a' = "
          "'0', 'x' = 'y')")
          .descriptor;
  TableDescriptor made = *apply_with(source, like.with);
  EXPECT_EQ(made.schema, source.schema);
  EXPECT_EQ(made.distribution, (Distribution{2, {"k"}}));
  EXPECT_EQ(made.properties, (Properties{{"table.a", "1"}}));
  EXPECT_EQ(made.custom_properties, (Properties{{"x", "y"}}));
}

TEST(DdlTest, TablesAreDroppedAndShown) {
  auto drop = parsed<DropTable>("DROP TABLE IF EXISTS d.t");
  EXPECT_TRUE(drop.if_exists);
  EXPECT_EQ(drop.name, (TableName{"d", "t"}));
  EXPECT_EQ(parsed<ShowTables>("SHOW TABLES").database, std::nullopt);
  EXPECT_EQ(parsed<ShowTables>("SHOW TABLES IN d").database, "d");
  EXPECT_EQ(parsed<DescribeTable>("DESC t").name.table, "t");
  EXPECT_EQ(parsed<DescribeTable>("DESCRIBE d.t").name.database, "d");
  EXPECT_EQ(parsed<ShowCreateTable>("SHOW CREATE TABLE t").name.table, "t");
}

TEST(DdlTest, TablesAreAltered) {
  auto add = parsed<AddColumns>("ALTER TABLE t ADD c INT COMMENT 'x'");
  ASSERT_EQ(add.columns.size(), 1u);
  EXPECT_EQ(add.columns[0], (Column{"c", DataType::integer(), "x", {}, kUnknownFieldId}));
  EXPECT_EQ(parsed<AddColumns>("ALTER TABLE t ADD (c INT, partition DATE)").columns.size(), 2u);
  EXPECT_EQ(parsed<AddColumns>("ALTER TABLE t ADD COLUMN c INT").columns[0].name, "c");
  EXPECT_EQ(parsed<AddColumns>("ALTER TABLE t ADD COLUMN (c INT, d DATE)").columns.size(), 2u);
  EXPECT_EQ(parsed<AddColumns>("ALTER TABLE t ADD `column` INT").columns[0].name, "column");
  EXPECT_EQ(parsed<AddColumns>("ALTER TABLE t ADD partition DATE").columns[0].name, "partition");
  EXPECT_EQ(parsed<DropColumn>("ALTER TABLE t DROP COLUMN c").column, "c");
  auto rename = parsed<RenameColumn>("ALTER TABLE t RENAME COLUMN a TO b");
  EXPECT_EQ(rename.column + rename.new_name, "ab");
  EXPECT_EQ(parsed<SetOptions>("ALTER TABLE t SET ('a' = '1', 'b' = '')").options,
            (Properties{{"a", "1"}, {"b", ""}}));
  EXPECT_EQ(parsed<ResetOptions>("ALTER TABLE t RESET ('a', 'b')").keys,
            (std::vector<std::string>{"a", "b"}));
}

TEST(DdlTest, Partitions) {
  PartitionSpec spec = {{"dt", "2026"}, {"r", "eu"}};
  auto add =
      parsed<AddPartition>("ALTER TABLE t ADD IF NOT EXISTS PARTITION (dt='2026', r = 'eu')");
  EXPECT_TRUE(add.if_not_exists);
  EXPECT_EQ(add.partition, spec);
  EXPECT_FALSE(parsed<AddPartition>("ALTER TABLE t ADD PARTITION (dt='2026')").if_not_exists);
  auto drop = parsed<DropPartition>("ALTER TABLE t DROP IF EXISTS PARTITION (dt='2026', r='eu')");
  EXPECT_TRUE(drop.if_exists);
  EXPECT_EQ(drop.partition, spec);
  EXPECT_TRUE(parsed<ShowPartitions>("SHOW PARTITIONS t").partition.empty());
  EXPECT_EQ(parsed<ShowPartitions>("SHOW PARTITIONS d.t PARTITION (dt='2026')").partition,
            (PartitionSpec{{"dt", "2026"}}));
}

TEST(SplitSqlTest, SemicolonsInTextsAndCommentsDoNotSplit) {
  Result<std::vector<SqlText>> parts =
      split_sql("; USE a ;\n -- x;y\n SELECT ';', \"a;b\" /* ; */ ;; show tables  ");
  ASSERT_TRUE(parts);
  ASSERT_EQ(parts->size(), 3u);
  EXPECT_EQ((*parts)[0].text, "USE a");
  EXPECT_EQ((*parts)[1].text, "SELECT ';', \"a;b\"");
  EXPECT_EQ((*parts)[1].line, 3);
  EXPECT_EQ((*parts)[1].column, 2);
  EXPECT_TRUE(is_ddl((*parts)[0]));
  EXPECT_FALSE(is_ddl((*parts)[1]));
  EXPECT_TRUE(is_ddl((*parts)[2]));
  EXPECT_TRUE(split_sql("  -- nothing")->empty());
}

// Errors in a statement tell its place in the whole text.
TEST(SplitSqlTest, PlacesAreThoseOfTheWholeText) {
  std::vector<SqlText> parts = *split_sql("USE a;\n\n  DROP x");
  EXPECT_EQ(parse_ddl(parts[1]).error().message(),
            "line 3, column 8: expected TABLE or DATABASE, found 'x'");
}

TEST(ShowCreateTableTest, TextIsTheStatement) {
  TableDescriptor table =
      parsed<CreateTable>(
          "CREATE TABLE t (`a b` INT COMMENT 'it''s', s STRING, PRIMARY KEY (s)) "
          "COMMENT 'c' WITH ('bucket.num'='3', 'table.log.ttl'='1 d', 'x'='y')")
          .descriptor;
  EXPECT_EQ(show_create_table(TableName{"d", "t"}, table),
            "CREATE TABLE `d`.`t` (\n"
            "  `a b` INT COMMENT 'it''s',\n"
            "  `s` STRING NOT NULL,\n"
            "  PRIMARY KEY (`s`) NOT ENFORCED\n"
            ")\n"
            "COMMENT 'c'\n"
            "WITH (\n"
            "  'bucket.key' = 's',\n"
            "  'bucket.num' = '3',\n"
            "  'table.log.ttl' = '1 d',\n"
            "  'x' = 'y'\n"
            ")");
  EXPECT_EQ(show_create_table(TableName{std::nullopt, "t"},
                              parsed<CreateTable>("CREATE TABLE t (a INT)").descriptor),
            "CREATE TABLE `t` (\n  `a` INT\n)");
}

// Every part of a descriptor survives the way to text and back.
TEST(ShowCreateTableTest, TextReadsBack) {
  for (std::string_view sql :
       {"CREATE TABLE t (k INT, total BIGINT, names STRING, n INT, PRIMARY KEY (k)) WITH "
        "('bucket.num' = '2', 'auto-increment.fields' = 'n', 'fields.names.agg' = 'listagg', "
        "'fields.names.listagg.delimiter' = '''', 'fields.total.agg' = 'sum', 'my key' = 'a=b')",
        "CREATE TABLE t (a ROW<x INT, y ROW<z STRING COMMENT 'q'>>, b MAP<STRING NOT NULL, "
        "ARRAY<DECIMAL(20, 4)>> NOT NULL, c TIMESTAMP_LTZ(9), d CHAR(7), e BINARY(2), f TIME(3)) "
        "PARTITIONED BY (d, f) WITH ('bucket.num' = '7', 'bucket.key' = 'c,e')",
        "CREATE TABLE t (`select` INT COMMENT 'a', `ä``b` DOUBLE NOT NULL) COMMENT ''"}) {
    TableDescriptor table = parsed<CreateTable>(sql).descriptor;
    std::string text = show_create_table(TableName{"d", "t"}, table);
    auto again = parsed<CreateTable>(text);
    EXPECT_EQ(again.name, (TableName{"d", "t"}));
    EXPECT_EQ(to_json(again.descriptor), to_json(table)) << text;
  }
}

// Other clients leave keys of the schema in the custom properties; the schema is right.
TEST(ShowCreateTableTest, SchemaWinsOverCustomProperties) {
  TableDescriptor table =
      parsed<CreateTable>("CREATE TABLE t (a INT) WITH ('bucket.num'='3')").descriptor;
  table.custom_properties["bucket.num"] = "9";
  EXPECT_NE(show_create_table(TableName{std::nullopt, "t"}, table).find("'bucket.num' = '3'"),
            std::string::npos);
}

}  // namespace
}  // namespace lakestream
