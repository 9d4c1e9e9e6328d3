#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <arrow/record_batch.h>

#include "base/check.h"
#include "format/arrow_schema.h"
#include "io/env.h"
#include "io/object_store.h"
#include "io/real_env.h"
#include "lake/lake.h"

// Writes tables of each shape into a warehouse, prints the rows of one, or goes on with one that
// others have written to:
//
//   lake_tables write WAREHOUSE
//   lake_tables read WAREHOUSE TABLE      "id name" a line, sorted
//   lake_tables go-on WAREHOUSE TABLE     one more row, a compaction, an expiry
namespace lakestream {
namespace {

template <typename T>
T must(Result<T> result) {
  CHECK(result.has_value(), result ? "" : result.error().message());
  return *std::move(result);
}
void must(Status status) { CHECK(status.has_value(), status ? "" : status.error().message()); }

struct Row {
  int64_t id;
  std::string name;
  ChangeType change = ChangeType::kAppend;
};

TableDescriptor descriptor(bool keys, int32_t buckets, std::vector<std::string> bucket_keys) {
  SchemaBuilder schema;
  schema.column("id", DataType::bigint()).column("name", DataType::string());
  if (keys) schema.primary_key({"id"});
  TableDescriptor table;
  table.schema = must(schema.build());
  table.distribution = Distribution{.bucket_count = buckets, .bucket_keys = std::move(bucket_keys)};
  table.properties = {{"table.datalake.enabled", "true"}};
  return must(normalize(std::move(table)));
}

// Partitioned by one column of a type.
TableDescriptor partitioned(DataType type) {
  TableDescriptor table;
  table.schema = must(SchemaBuilder()
                          .column("id", DataType::bigint())
                          .column("name", DataType::string())
                          .column("part", type.not_null())
                          .build());
  table.partition_keys = {"part"};
  table.distribution = Distribution{.bucket_count = 1, .bucket_keys = {}};
  return must(normalize(std::move(table)));
}

class Tables {
 public:
  explicit Tables(std::string warehouse)
      : store_(make_local_object_store(real_.env().disk)),
        format_(must(make_lake_format(LakeFormatKind::kPaimon,
                                      {.catalog = {{"warehouse", std::move(warehouse)}}},
                                      real_.env(),
                                      *store_))) {}

  LakeFormat& format() { return *format_; }
  static TablePath path(const std::string& name) { return {"db", name}; }

  std::shared_ptr<LakeTable> open(const std::string& name, const TableDescriptor& table) {
    return must(format_->open_table(path(name), table));
  }
  std::shared_ptr<LakeTable> create(const std::string& name, const TableDescriptor& table) {
    must(format_->create_table(path(name), table, LakeTableUse::kNewTable));
    return open(name, table);
  }

  static LakeFiles write(LakeTable& lake,
                         const TableDescriptor& table,
                         const std::vector<Row>& rows,
                         LakeBucket bucket = {},
                         Value third = {}) {
    ArrowAppender appender(table.schema);
    LakeRows made;
    for (const Row& row : rows) {
      std::vector<Value> values = {Value::integer(row.id), Value::bytes(row.name)};
      if (table.schema.size() > 2) values.push_back(third);
      must(appender.append(values));
      if (table.has_primary_key()) made.changes.push_back(row.change);
    }
    made.rows = must(appender.finish());
    made.base_offset = Offset(100);
    made.timestamp = TimestampMs(1'768'467'000'000);
    std::unique_ptr<LakeWriter> writer = must(lake.open_writer(std::move(bucket)));
    must(writer->write(made));
    return must(writer->finish());
  }
  static void commit(LakeTable& lake, const std::vector<LakeFiles>& files) {
    must(lake.commit(files, {.properties = {{"fluss-offsets", "/r/a.offsets"}}}));
  }

 private:
  RealEnv real_{1};
  std::unique_ptr<ObjectStore> store_;
  std::unique_ptr<LakeFormat> format_;
};

void write_logs(Tables& tables) {
  TableDescriptor plain = descriptor(false, 1, {});
  std::shared_ptr<LakeTable> log = tables.create("log", plain);
  Tables::commit(*log, {Tables::write(*log, plain, {{1, "a"}, {2, "b"}})});
  Tables::commit(*log, {});
  TableDescriptor wider = plain;
  wider.schema = must(SchemaBuilder(plain.schema).column("more", DataType::integer()).build());
  must(tables.format().alter_table(Tables::path("log"), plain, wider));
  log = tables.open("log", wider);
  Tables::commit(*log, {Tables::write(*log, wider, {{3, "c"}}, {}, Value::integer(7))});

  TableDescriptor buckets = descriptor(false, 3, {"id"});
  std::shared_ptr<LakeTable> bucketed = tables.create("buckets", buckets);
  // Buckets of the keys as Paimon hashes them.
  Tables::commit(*bucketed,
                 {Tables::write(*bucketed, buckets, {{42, "x"}}, {.bucket = BucketId(0)}),
                  Tables::write(*bucketed, buckets, {{1, "y"}}, {.bucket = BucketId(1)})});
}

void write_keys(Tables& tables) {
  using enum ChangeType;
  TableDescriptor keys = descriptor(true, 1, {});
  for (std::string name : {"keys", "compacted"}) {
    std::shared_ptr<LakeTable> lake = tables.create(name, keys);
    for (int64_t i = 0; i < 40; ++i) {
      std::string text = fmt::format("v{}", i);
      std::vector<Row> rows = {{i % 10, text, i < 10 ? kInsert : kUpdateAfter}};
      if (i == 39) rows.push_back({3, "gone", kDelete});
      Tables::commit(*lake, {Tables::write(*lake, keys, rows)});
    }
    if (name == "keys") continue;
    for (const std::string& step : must(lake->keep_up({.compact = true}))) {
      std::fprintf(stderr, "%s\n", step.c_str());
    }
    Tables::commit(*lake, {Tables::write(*lake, keys, {{99, "late", kInsert}})});
  }
}

void write_partitions(Tables& tables) {
  struct Partition {
    std::string name;
    DataType type;
    std::string text;
    Value value;
  };
  const Partition partitions[] = {
      {"by_text", DataType::string(), "eu-1", Value::bytes("eu-1")},
      {"by_date", DataType::date(), "2026-11-30", Value::integer(20'787)},
      {"by_int", DataType::integer(), "-7", Value::integer(-7)},
      {"by_bool", DataType::boolean(), "true", Value::boolean(true)},
      {"by_time",
       DataType::timestamp(3),
       "2026-11-30-12-34-56_7",
       Value::timestamp(1'796'042'096'700, 0)},
      {"by_double", DataType::double_(), "1_5", Value::double_(1.5)},
  };
  for (const Partition& partition : partitions) {
    TableDescriptor table = partitioned(partition.type);
    std::shared_ptr<LakeTable> lake = tables.create(partition.name, table);
    LakeBucket bucket{.partition = {partition.text}};
    Tables::commit(*lake,
                   {Tables::write(*lake, table, {{1, "a"}, {2, "b"}}, bucket, partition.value)});
  }
}

TableDescriptor descriptor_of(const std::string& name) {
  bool keys = name == "keys" || name == "compacted";
  return descriptor(keys, name == "buckets" ? 3 : 1, {});
}

void go_on(Tables& tables, const std::string& name) {
  TableDescriptor table = descriptor_of(name);
  std::shared_ptr<LakeTable> lake = tables.open(name, table);
  Tables::commit(*lake, {Tables::write(*lake, table, {{1000, "ours", ChangeType::kInsert}})});
  for (const std::string& step : must(lake->keep_up({.compact = true, .expire = true}))) {
    std::fprintf(stderr, "%s\n", step.c_str());
  }
}

void print_rows(Tables& tables, const std::string& name) {
  TableDescriptor table = descriptor_of(name);
  std::shared_ptr<LakeTable> lake = tables.open(name, table);
  LakeScanRequest request{.columns = {"id", "name"}};
  std::vector<std::string> rows;
  LakeSnapshot latest = must(lake->latest_snapshot()).value();
  for (const LakeSplit& split : must(lake->plan(latest.id, request)).splits) {
    std::unique_ptr<LakeReader> reader = must(lake->open_reader(split, request));
    while (std::shared_ptr<arrow::RecordBatch> batch = must(reader->next())) {
      ArrowRows values = must(ArrowRows::make(batch, table.schema));
      Arena arena;
      for (int64_t i = 0; i < values.size(); ++i) {
        std::span<const Value> row = must(values.row(i, &arena));
        rows.push_back(fmt::format("{} {}", row[0].as_integer(), row[1].as_bytes()));
      }
    }
  }
  std::sort(rows.begin(), rows.end());
  for (const std::string& row : rows) std::printf("%s\n", row.c_str());
}

}  // namespace
}  // namespace lakestream

int main(int count, char** words) {
  using lakestream::Tables;
  std::string command = count > 2 ? words[1] : "";
  if (command == "write" && count == 3) {
    Tables tables(words[2]);
    lakestream::write_logs(tables);
    lakestream::write_keys(tables);
    lakestream::write_partitions(tables);
    return 0;
  }
  if (command == "read" && count == 4) {
    Tables tables(words[2]);
    lakestream::print_rows(tables, words[3]);
    return 0;
  }
  if (command == "go-on" && count == 4) {
    Tables tables(words[2]);
    lakestream::go_on(tables, words[3]);
    return 0;
  }
  std::fprintf(stderr, "usage: lake_tables write WAREHOUSE | read|go-on WAREHOUSE TABLE\n");
  return 2;
}
