// What upserts of a lake table with a primary key cost, by format and by the way that old versions
// of keys go: rows a second of processor time when they are written, when all rows are read with
// what has to be merged, when the table is compacted, and when it is read then. A bucket of a
// million rows of 20 columns, and ten commits of keys from all over it.
//
//   build/release/bench/lake_upsert
//
// Without a peer: the numbers stand beside each other.

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <arrow/record_batch.h>
#include <unistd.h>

#include "io/object_store.h"
#include "io/random.h"
#include "io/real_env.h"
#include "lake/lake.h"
#include "support/support.h"
#include "support/twenty_columns.h"

namespace lakestream::bench {
namespace {

constexpr int64_t kRows = 1'000'000;
constexpr int64_t kBatchRows = 50'000;
constexpr int kCommits = 10;
constexpr int64_t kUpserts = 50'000;  // a commit

struct Way {
  const char* name;
  LakeFormatKind format;
  const char* deletes;
};

// One table, and how much of the processor each thing that is done to it takes.
class Table {
 public:
  Status open(const Way& way, const std::string& warehouse) {
    ASSIGN_OR_RETURN(descriptor_.schema, twenty_columns(true));
    descriptor_.distribution = Distribution{.bucket_count = 1, .bucket_keys = {}};
    ASSIGN_OR_RETURN(descriptor_, normalize(std::move(descriptor_)));
    if (*way.deletes != '\0') {
      descriptor_.properties["table.lakestream.iceberg.deletes"] = way.deletes;
    }
    TablePath path{"db", way.name};
    Properties catalog = {{"warehouse", warehouse}};
    if (way.format == LakeFormatKind::kIceberg) catalog["type"] = "hadoop";
    ASSIGN_OR_RETURN(format_,
                     make_lake_format(way.format, {.catalog = catalog}, env_.env(), *objects_));
    RETURN_IF_ERROR(format_->create_table(path, descriptor_, LakeTableUse::kNewTable));
    ASSIGN_OR_RETURN(table_, format_->open_table(path, descriptor_));
    return ok();
  }
  const Schema& schema() const { return descriptor_.schema; }

  Status commit(const RecordBatches& batches) {
    ASSIGN_OR_RETURN(std::unique_ptr<LakeWriter> writer,
                     table_->open_writer({.partition = {}, .bucket = BucketId(0)}));
    LakeRows rows;
    rows.timestamp = TimestampMs(1'796'000'000'000);
    rows.base_offset = next_;
    for (const auto& batch : batches) {
      rows.rows = batch;
      rows.changes.assign(static_cast<size_t>(batch->num_rows()), ChangeType::kUpdateAfter);
      RETURN_IF_ERROR(writer->write(rows));
      rows.base_offset = Offset(rows.base_offset.value() + batch->num_rows());
    }
    next_ = rows.base_offset;
    ASSIGN_OR_RETURN(LakeFiles files, writer->finish());
    RETURN_IF_ERROR(table_->commit({std::move(files)}, {}));
    return ok();
  }
  Result<int64_t> read() {
    ASSIGN_OR_RETURN(std::optional<LakeSnapshot> snapshot, table_->latest_snapshot());
    ASSIGN_OR_RETURN(LakeScan scan, table_->plan(snapshot->id, {}));
    int64_t count = 0;
    for (const LakeSplit& split : scan.splits) {
      ASSIGN_OR_RETURN(std::unique_ptr<LakeReader> reader, table_->open_reader(split, {}));
      while (true) {
        ASSIGN_OR_RETURN(std::shared_ptr<arrow::RecordBatch> rows, reader->next());
        if (rows == nullptr) break;
        count += rows->num_rows();
      }
    }
    return count;
  }
  Status compact() {
    RETURN_IF_ERROR(table_->keep_up({.compact = true}));
    return ok();
  }

 private:
  RealEnv env_{1};
  std::unique_ptr<ObjectStore> objects_ = make_local_object_store(env_.env().disk);
  TableDescriptor descriptor_;
  std::unique_ptr<LakeFormat> format_;
  std::shared_ptr<LakeTable> table_;
  Offset next_;
};

// Rows that the table has, some of each batch; their keys lie anywhere.
RecordBatches upserts(const RecordBatches& base, Random* random) {
  RecordBatches batches;
  int64_t of_each = kUpserts / static_cast<int64_t>(base.size());
  for (const auto& batch : base) {
    auto first = static_cast<int64_t>(random->below(static_cast<uint64_t>(kBatchRows - of_each)));
    batches.push_back(batch->Slice(first, of_each));
  }
  return batches;
}

template <typename Call>
Result<double> cpu_of(const Call& call) {
  double begin = cpu_seconds_of(getpid());
  RETURN_IF_ERROR(call());
  return cpu_seconds_of(getpid()) - begin;
}

Status measure(const Way& way, const std::string& warehouse) {
  Table table;
  RETURN_IF_ERROR(table.open(way, warehouse));
  ASSIGN_OR_RETURN(RecordBatches base, twenty_column_batches(table.schema(), kRows, kBatchRows));
  ASSIGN_OR_RETURN(double first, cpu_of([&] { return table.commit(base); }));
  RETURN_IF_ERROR(table.compact());
  Random random(1);
  double upsert = 0;
  for (int i = 0; i < kCommits; ++i) {
    RecordBatches batches = upserts(base, &random);
    ASSIGN_OR_RETURN(double seconds, cpu_of([&] { return table.commit(batches); }));
    upsert += seconds;
  }
  ASSIGN_OR_RETURN(double read, cpu_of([&] { return table.read(); }));
  ASSIGN_OR_RETURN(double compaction, cpu_of([&] { return table.compact(); }));
  ASSIGN_OR_RETURN(double after, cpu_of([&] { return table.read(); }));
  auto rate = [](int64_t rows, double seconds) {
    return static_cast<double>(rows) / std::max(seconds, 1e-3) / 1e3;
  };
  std::printf("%-28s %10.0f %10.0f %10.0f %10.0f %10.0f\n",
              way.name,
              rate(kRows, first),
              rate(kCommits * kUpserts, upsert),
              rate(kRows, read),
              rate(kRows, compaction),
              rate(kRows, after));
  std::fflush(stdout);
  return ok();
}

Status run() {
  ScratchDirectory scratch;
  std::printf("%-28s %10s %10s %10s %10s %10s   k rows a second of processor time\n",
              "lake_upsert",
              "first",
              "upserts",
              "read",
              "compact",
              "read then");
  for (const Way& way : {Way{"paimon", LakeFormatKind::kPaimon, ""},
                         Way{"iceberg_equality", LakeFormatKind::kIceberg, "equality"},
                         Way{"iceberg_position", LakeFormatKind::kIceberg, "position"}}) {
    RETURN_IF_ERROR(measure(way, scratch.path()));
  }
  return ok();
}

}  // namespace
}  // namespace lakestream::bench

int main() { return lakestream::bench::finish("lake_upsert", lakestream::bench::run()); }
