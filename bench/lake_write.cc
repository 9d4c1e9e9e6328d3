// How fast rows of a log become data files of a lake table, beside the Parquet library alone: 20
// columns of the usual kinds, in batches as a scanner gets them; the lake table has three more.
// Then the same for a table with a primary key, whose rows are sorted, and in Paimon written twice.
//
//   build/release/bench/lake_write
//
// Peer: the writer of the Parquet library for the same Arrow batches, with the same codec (zstd,
// level 1) and the same row groups, into memory, in this process.

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <arrow/record_batch.h>
#include <fmt/format.h>
#include <unistd.h>

#include "io/object_store.h"
#include "io/real_env.h"
#include "lake/batches.h"
#include "lake/iceberg/data/data.h"
#include "lake/paimon/append_writer.h"
#include "lake/paimon/key_writer.h"
#include "support/support.h"
#include "support/twenty_columns.h"

namespace lakestream::bench {
namespace {

constexpr int kRuns = 3;
constexpr int64_t kRows = 1'000'000;
constexpr double kTarget = 0.70;

// Takes objects and forgets them: what a disk costs is another question.
class Nowhere final : public ObjectStore {
 public:
  Status put(const std::string&, const Bytes& content) override {
    bytes_ += content.size();
    return ok();
  }
  Result<bool> put_if_absent(const std::string&, const Bytes&) override { return true; }
  Result<uint64_t> put_file(const std::string&, const std::string&) override { return uint64_t{0}; }
  Result<std::optional<Bytes>> get(const std::string&) override { return std::optional<Bytes>(); }
  Result<std::optional<Bytes>> get_range(const std::string&, uint64_t, uint64_t) override {
    return std::optional<Bytes>();
  }
  Result<std::optional<uint64_t>> get_file(const std::string&, const std::string&) override {
    return std::optional<uint64_t>();
  }
  Result<std::vector<ObjectInfo>> list(const std::string&) override {
    return std::vector<ObjectInfo>();
  }
  Result<std::vector<std::string>> list_stale(const std::string&, TimestampMs) override {
    return std::vector<std::string>();
  }
  Status remove(const std::string&) override { return ok(); }
  Status remove_prefix(const std::string&) override { return ok(); }

  uint64_t take_bytes() { return std::exchange(bytes_, 0); }

 private:
  uint64_t bytes_ = 0;
};

// A lake table that takes rows.
class Lake {
 public:
  explicit Lake(Schema schema) : schema_(std::move(schema)) {}
  virtual ~Lake() = default;

  // Bytes of files.
  Result<uint64_t> write(const RecordBatches& batches) {
    ASSIGN_OR_RETURN(std::unique_ptr<LakeWriter> writer, open_writer());
    LakeRows rows;
    rows.timestamp = TimestampMs(1'796'000'000'000);
    for (const auto& batch : batches) {
      rows.rows = batch;
      RETURN_IF_ERROR(writer->write(rows));
      rows.base_offset = Offset(rows.base_offset.value() + batch->num_rows());
    }
    ASSIGN_OR_RETURN(LakeFiles files, writer->finish());
    return objects_.take_bytes();
  }

 protected:
  virtual Result<std::unique_ptr<LakeWriter>> open_writer() = 0;

  Schema schema_;
  RealEnv env_{1};
  Nowhere objects_;
};

class PaimonLake final : public Lake {
 public:
  explicit PaimonLake(const Schema& schema) : Lake(schema) {
    lake_.primary_keys = schema.primary_key();
    lake_.options = {{"file.block-size", "1 gb"}, {"target-file-size", "1 gb"}};
    if (schema.has_primary_key()) {
      lake_.options["changelog-producer"] = "input";
      lake_.options["write-buffer-size"] = "256 mb";
    }
    for (const Column& column : schema.columns()) add(column.name, column.type);
    add(std::string(kLakeBucketColumn), DataType::integer());
    add(std::string(kLakeOffsetColumn), DataType::bigint());
    add(std::string(kLakeTimestampColumn), DataType::timestamp_ltz(3));
  }

 private:
  void add(std::string name, DataType type) {
    lake_.fields.push_back({++lake_.highest_field_id, std::move(name), std::move(type)});
  }
  Result<std::unique_ptr<LakeWriter>> open_writer() override {
    paimon::WritePlace place{.objects = objects_,
                             .clock = env_.env().clock,
                             .schema = std::make_shared<paimon::PaimonSchema>(lake_),
                             .table = "/lake/db.db/t",
                             .place = {},
                             .uuid = "u"};
    return schema_.has_primary_key()
               ? paimon::make_key_writer({std::move(place), schema_, BucketId(0), 0})
               : paimon::make_append_writer({std::move(place), schema_, BucketId(0), 0});
  }

  paimon::PaimonSchema lake_;
};

class IcebergLake final : public Lake {
 public:
  explicit IcebergLake(const Schema& schema) : Lake(schema) {
    for (const Column& column : schema.columns()) add(column.name, column.type);
    if (schema.has_primary_key()) lake_.identifier_ids = {1};
    add(std::string(kLakeBucketColumn), DataType::integer().not_null());
    add(std::string(kLakeOffsetColumn), DataType::bigint().not_null());
    add(std::string(kLakeTimestampColumn), DataType::timestamp_ltz(6).not_null());
  }

 private:
  void add(std::string name, const DataType& type) {
    int32_t id = ++highest_id_;
    lake_.fields.push_back(
        {id, std::move(name), !type.nullable(), iceberg::iceberg_type_of(type, &highest_id_)});
  }
  Result<std::unique_ptr<LakeWriter>> open_writer() override {
    iceberg::WriterOptions options{
        .place = {.objects = objects_,
                  .schema = std::make_shared<iceberg::IcebergSchema>(lake_),
                  .spec = {},
                  .properties = {{"write.parquet.row-group-size-bytes", "1000000000"},
                                 {"write.target-file-size-bytes", "1000000000"}},
                  .partition = {},
                  .folder = "/lake/db/t/data/__bucket=0",
                  .uuid = "u"},
        .columns = schema_,
        .bucket = BucketId(0),
        .run_bytes = uint64_t{256} << 20};
    return schema_.has_primary_key() ? iceberg::open_key_writer(std::move(options), {})
                                     : iceberg::open_append_writer(std::move(options));
  }

  iceberg::IcebergSchema lake_;
  int32_t highest_id_ = 0;
};

struct Measured {
  std::vector<double> seconds;
  double cpu = 0;  // of all runs
  uint64_t bytes = 0;
};

template <typename Write>
Status measure(Measured* measured, const Write& write) {
  double begin = seconds_now();
  double cpu = cpu_seconds_of(getpid());
  ASSIGN_OR_RETURN(measured->bytes, write());
  measured->cpu += cpu_seconds_of(getpid()) - cpu;
  measured->seconds.push_back(seconds_now() - begin);
  return ok();
}

void print(const std::string& name, const Measured& measured, double input_bytes) {
  Spread seconds = spread_of(measured.seconds);
  std::printf("%-46s %6.0f %6.0f %6.0f %11.0f %8.3f %9.1f\n",
              name.c_str(),
              input_bytes / seconds.max / 1e6,
              input_bytes / seconds.median / 1e6,
              input_bytes / seconds.min / 1e6,
              static_cast<double>(kRows) / seconds.median,
              measured.cpu / kRuns / static_cast<double>(kRows) * 1e6,
              static_cast<double>(measured.bytes) / 1e6);
  std::fflush(stdout);
}

template <typename Format>
Status compare(const char* format, int64_t batch_rows, bool has_key) {
  ASSIGN_OR_RETURN(Schema schema, twenty_columns(has_key));
  ASSIGN_OR_RETURN(RecordBatches batches, twenty_column_batches(schema, kRows, batch_rows));
  double input_bytes = 0;
  for (const auto& batch : batches) input_bytes += static_cast<double>(batch_bytes(*batch));
  Format lake(schema);
  Measured peer;
  Measured ours;
  // In turn, so that what else the machine does is the same for both.
  for (int run = 0; run < kRuns; ++run) {
    RETURN_IF_ERROR(measure(&peer, [&] { return write_parquet(batches); }));
    RETURN_IF_ERROR(measure(&ours, [&] { return lake.write(batches); }));
  }
  const char* kind = has_key ? "by key" : "append";
  print(fmt::format("Parquet alone, batches of {} rows", batch_rows), peer, input_bytes);
  print(fmt::format("{} {}, batches of {} rows", format, kind, batch_rows), ours, input_bytes);
  double ratio = spread_of(peer.seconds).median / spread_of(ours.seconds).median;
  std::printf("  ratio %.2f%s; of processor time %.2f\n",
              ratio,
              has_key ? "" : at_least(ratio, kTarget).c_str(),
              peer.cpu / ours.cpu);
  return ok();
}

Status run() {
  std::printf("%-46s %6s %6s %6s %11s %8s %9s\n",
              "lake_write",
              "MB/s",
              "median",
              "max",
              "rows/s",
              "CPU s/M",
              "file MB");
  for (int64_t batch_rows : {10'000, 1'000, 100}) {
    RETURN_IF_ERROR(compare<PaimonLake>("Paimon", batch_rows, false));
    RETURN_IF_ERROR(compare<IcebergLake>("Iceberg", batch_rows, false));
  }
  RETURN_IF_ERROR(compare<PaimonLake>("Paimon", 10'000, true));
  return compare<IcebergLake>("Iceberg", 10'000, true);
}

}  // namespace
}  // namespace lakestream::bench

int main() { return lakestream::bench::finish("lake_write", lakestream::bench::run()); }
