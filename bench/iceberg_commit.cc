// How long commits and plans of an Iceberg table of many data files take, on the local disk: one
// data file a commit, with the bounds of 20 columns, from 10,000 files on.
//
//   build/release/bench/iceberg_commit
//
// Lines: a commit by a process that has the table's files in memory, the first one of a process,
// and a plan, by a process that has them and by one that has not.

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/endian.h"
#include "io/env.h"
#include "io/object_store.h"
#include "io/real_env.h"
#include "lake/iceberg/lake_files.h"
#include "lake/lake.h"
#include "support/support.h"
#include "support/twenty_columns.h"

namespace lakestream::bench {
namespace {

constexpr int kFiles = 10'000;
constexpr int kFilesOfACommit = 100;  // of those before
constexpr int kCommits = 250;         // that are measured
constexpr int kPlans = 5;
constexpr int kBuckets = 16;
constexpr double kCommitTarget = 0.200;  // seconds
constexpr double kPlanTarget = 0.300;

iceberg::DataFile data_file(int number) {
  iceberg::DataFile file;
  file.path = fmt::format(
      "/lake/bench/t/data/__bucket={}/00000-0-{:032x}-00001.parquet", number % kBuckets, number);
  file.partition.bucket = number % kBuckets;
  file.rows = 10'000;
  file.bytes = 1'000'000;
  for (int32_t id = 1; id <= 23; ++id) {
    std::string bound(8, '\0');
    store_le<int64_t>(reinterpret_cast<uint8_t*>(bound.data()), number * 10'000 + id);
    file.metrics.push_back({.id = id,
                            .bytes = 40'000 + number,
                            .values = 10'000,
                            .nulls = 0,
                            .lower = bound,
                            .upper = bound});
  }
  file.sort_order_id = 1;
  file.split_offsets = {4};
  return file;
}

class Table {
 public:
  explicit Table(const std::string& warehouse)
      : objects_(make_local_object_store(env_.env().disk)), warehouse_(warehouse) {}

  Status open() {
    ASSIGN_OR_RETURN(format_,
                     make_lake_format(LakeFormatKind::kIceberg,
                                      {.catalog = {{"warehouse", warehouse_}}},
                                      env_.env(),
                                      *objects_));
    TableDescriptor table;
    ASSIGN_OR_RETURN(table.schema, twenty_columns(false));
    table.distribution = Distribution{.bucket_count = kBuckets, .bucket_keys = {}};
    TablePath path{"bench", "t"};
    RETURN_IF_ERROR(format_->create_table(path, table, LakeTableUse::kExistingTable));
    ASSIGN_OR_RETURN(table_, format_->open_table(path, table));
    return ok();
  }

  // Of so many new files: its seconds.
  Result<double> commit(int count) {
    iceberg::WrittenFiles written;
    for (int i = 0; i < count; ++i) written.data.push_back(data_file(next_++));
    double begin = seconds_now();
    ASSIGN_OR_RETURN([[maybe_unused]] LakeSnapshot made,
                     table_->commit({iceberg::to_lake_files(std::move(written))}, {}));
    return seconds_now() - begin;
  }

  Result<double> plan(size_t* files) {
    double begin = seconds_now();
    ASSIGN_OR_RETURN(std::optional<LakeSnapshot> newest, table_->latest_snapshot());
    ASSIGN_OR_RETURN(LakeScan scan, table_->plan(newest->id, {}));
    double seconds = seconds_now() - begin;
    *files = 0;
    for (const LakeSplit& split : scan.splits) *files += split.files.size();
    return seconds;
  }

 private:
  RealEnv env_{1};
  std::unique_ptr<ObjectStore> objects_;
  std::string warehouse_;
  std::unique_ptr<LakeFormat> format_;
  std::shared_ptr<LakeTable> table_;
  static inline int next_ = 0;
};

void print(const char* name, const std::vector<double>& seconds, double target) {
  Spread spread = spread_of(seconds);
  std::printf("%-34s %8.1f %8.1f %8.1f%s\n",
              name,
              spread.min * 1e3,
              spread.median * 1e3,
              spread.max * 1e3,
              at_most(spread.max * 1e3, target * 1e3, "ms").c_str());
  std::fflush(stdout);
}

Status run() {
  ScratchDirectory scratch;
  Table table(scratch.path());
  RETURN_IF_ERROR(table.open());
  for (int i = 0; i < kFiles; i += kFilesOfACommit) {
    ASSIGN_OR_RETURN([[maybe_unused]] double seconds, table.commit(kFilesOfACommit));
  }
  std::printf("milliseconds                        least   median     most\n");
  std::vector<double> commits;
  for (int i = 0; i < kCommits; ++i) {
    ASSIGN_OR_RETURN(double seconds, table.commit(1));
    commits.push_back(seconds);
  }
  print("commit of one file", commits, kCommitTarget);
  std::vector<double> first_commits;
  std::vector<double> first_plans;
  std::vector<double> plans;
  size_t files = 0;
  for (int i = 0; i < kPlans; ++i) {
    Table fresh(scratch.path());
    RETURN_IF_ERROR(fresh.open());
    ASSIGN_OR_RETURN(double seconds, fresh.plan(&files));
    first_plans.push_back(seconds);
    ASSIGN_OR_RETURN(seconds, fresh.plan(&files));
    plans.push_back(seconds);
    Table other(scratch.path());
    RETURN_IF_ERROR(other.open());
    ASSIGN_OR_RETURN(seconds, other.commit(1));
    first_commits.push_back(seconds);
  }
  print("first commit of a process", first_commits, kCommitTarget);
  print(fmt::format("first plan, of {} files", files).c_str(), first_plans, kPlanTarget);
  print("next plan", plans, kPlanTarget);
  return ok();
}

}  // namespace
}  // namespace lakestream::bench

int main() { return lakestream::bench::finish("iceberg_commit", lakestream::bench::run()); }
