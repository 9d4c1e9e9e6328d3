#include "lake/iceberg/iceberg_table.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/config.h"
#include "base/failpoint.h"
#include "io/clock.h"
#include "io/env.h"
#include "io/object_store.h"
#include "lake/iceberg/commit.h"
#include "lake/iceberg/data/data.h"
#include "lake/iceberg/expiry.h"
#include "lake/iceberg/lake_files.h"
#include "lake/iceberg/live_files.h"
#include "lake/iceberg/metadata_files.h"
#include "lake/iceberg/orphans.h"
#include "lake/iceberg/scan_plan.h"
#include "lake/iceberg/summary.h"

namespace lakestream::iceberg {
namespace {

constexpr std::string_view kDataPath = "write.data.path";

LakeSnapshot lake_snapshot_of(const IcebergSnapshot& snapshot) {
  LakeSnapshot made{.id = LakeSnapshotId(snapshot.id),
                    .order = snapshot.sequence,
                    .time = TimestampMs(snapshot.time_ms)};
  for (const auto& [key, value] : snapshot.summary) {
    if (key == kCommitUser) {
      made.user = value;
    } else if (key == kOperation) {
      made.operation = value;
    } else if (!is_counter(key)) {
      made.properties[key] = value;
    }
  }
  auto total = snapshot.summary.find(kTotalRecords);
  if (total != snapshot.summary.end()) {
    Result<int64_t> rows = parse_integer(total->second);
    if (rows) made.total_rows = *rows;
  }
  return made;
}

class IcebergTable final : public LakeTable {
 public:
  explicit IcebergTable(IcebergTableOptions options)
      : env_(options.env),
        names_(std::move(options.names)),
        catalog_(std::move(options.catalog)),
        path_(std::move(options.path)),
        files_(options.objects, *names_, options.loaded.metadata.location),
        live_(files_),
        opened_(std::move(options.loaded.metadata)),
        schema_(std::make_shared<const IcebergSchema>(opened_.current_schema())),
        columns_(std::move(options.columns)) {}

  Result<std::unique_ptr<LakeWriter>> open_writer(LakeBucket bucket) override {
    RETURN_IF_ERROR(check_bucket(bucket));
    PartitionTuple tuple{.values = std::move(bucket.partition), .bucket = bucket.bucket.value()};
    WriterOptions options{
        .place = write_place(tuple), .columns = columns_, .bucket = bucket.bucket};
    if (!schema_->has_primary_key()) return open_append_writer(std::move(options));
    ASSIGN_OR_RETURN(LoadedTable now, load());
    ASSIGN_OR_RETURN(std::shared_ptr<const LiveFiles> live,
                     live_.of(now.metadata, now.metadata.current_snapshot()));
    return open_key_writer(std::move(options), live->files_of(tuple));
  }

  Result<LakeSnapshot> commit(const std::vector<LakeFiles>& files,
                              const LakeCommitTag& tag) override {
    CommitRequest request{.spec_id = opened_.default_spec_id,
                          .user = tag.user,
                          .properties = tag.properties,
                          .newest_known = tag.newest_known};
    for (const LakeFiles& part : files) {
      if (const WrittenFiles* written = written_files(part)) request.files.push_back(written);
    }
    ASSIGN_OR_RETURN(IcebergSnapshot made, commit_files(context(), std::move(request)));
    return lake_snapshot_of(made);
  }

  void abort(const std::vector<LakeFiles>& files) override {
    for (const LakeFiles& part : files) {
      const WrittenFiles* written = written_files(part);
      if (written != nullptr) remove_written(files_.objects(), *written);
    }
  }

  Result<std::optional<LakeSnapshot>> latest_snapshot() override {
    ASSIGN_OR_RETURN(LoadedTable now, load());
    return optional_of(now.metadata.current_snapshot());
  }

  Result<std::optional<LakeSnapshot>> latest_snapshot_of(std::string_view user) override {
    ASSIGN_OR_RETURN(LoadedTable now, load());
    return optional_of(newest_of(now.metadata, user));
  }

  Result<std::optional<LakeSnapshot>> snapshot(LakeSnapshotId id) override {
    ASSIGN_OR_RETURN(LoadedTable now, load());
    return optional_of(now.metadata.find_snapshot(id.value()));
  }

  Result<std::optional<int64_t>> order_of(LakeSnapshotId id) override {
    ASSIGN_OR_RETURN(std::optional<LakeSnapshot> known, snapshot(id));
    return known ? std::optional(known->order) : std::nullopt;
  }

  Result<std::vector<LakeSnapshot>> snapshots() override {
    ASSIGN_OR_RETURN(LoadedTable now, load());
    std::vector<LakeSnapshot> all;
    for (const IcebergSnapshot* snapshot : now.metadata.history()) {
      all.push_back(lake_snapshot_of(*snapshot));
    }
    std::reverse(all.begin(), all.end());
    return all;
  }

  Result<LakeScan> plan(LakeSnapshotId id, const LakeScanRequest& request) override {
    ASSIGN_OR_RETURN(LoadedTable now, load());
    const IcebergSnapshot* snapshot = now.metadata.find_snapshot(id.value());
    if (snapshot == nullptr) {
      return make_error(ErrorCode::kLakeSnapshotNotExist,
                        "{}: there is no snapshot {}, it may have expired",
                        files_.location(),
                        id);
    }
    LakeScan scan;
    scan.snapshot = lake_snapshot_of(*snapshot);
    RETURN_IF_ERROR(plan_splits(files_, live_, now.metadata, *snapshot, request.partitions, &scan));
    return scan;
  }

  Result<std::unique_ptr<LakeReader>> open_reader(const LakeSplit& split,
                                                  const LakeScanRequest& request) override {
    ASSIGN_OR_RETURN(std::vector<ReaderColumn> columns, reader_columns(request.columns));
    return open_split_reader({.objects = files_.objects(),
                              .schema = schema_,
                              .columns = std::move(columns),
                              .split = split});
  }

  Result<std::vector<std::string>> keep_up(const LakeUpkeep& upkeep) override {
    std::vector<std::string> done;
    if (upkeep.compact) {
      ASSIGN_OR_RETURN(done, compact());
    }
    if (upkeep.expire) {
      std::optional<int64_t> keep_from;
      if (upkeep.keep_from) keep_from = upkeep.keep_from->value();
      ASSIGN_OR_RETURN(auto expired, expire(context(), opened_.uuid, keep_from));
      done.insert(done.end(), expired.begin(), expired.end());
    }
    if (upkeep.orphans_before) {
      ASSIGN_OR_RETURN(auto removed,
                       remove_orphans(context(), opened_.uuid, *upkeep.orphans_before));
      done.insert(done.end(), removed.begin(), removed.end());
    }
    return done;
  }

 private:
  CommitContext context() {
    return {
        .catalog = *catalog_, .path = path_, .files = files_, .live = live_, .clock = env_.clock};
  }

  Result<LoadedTable> load() { return load_same_table(*catalog_, path_, opened_.uuid); }

  static std::optional<LakeSnapshot> optional_of(const IcebergSnapshot* snapshot) {
    if (snapshot == nullptr) return std::nullopt;
    return lake_snapshot_of(*snapshot);
  }

  Status check_bucket(const LakeBucket& bucket) const {
    const IcebergPartitionSpec& spec = opened_.default_spec();
    if (bucket.partition.size() + 1 != spec.fields.size()) {
      return make_error(ErrorCode::kPartitionSpecInvalidException,
                        "{}: ({}) has {} values, and the table {} partition keys",
                        files_.location(),
                        fmt::join(bucket.partition, ", "),
                        bucket.partition.size(),
                        spec.fields.size() - 1);
    }
    std::optional<int32_t> count = bucket_count_of(spec.fields.back().transform);
    if (bucket.bucket.value() >= 0 && bucket.bucket.value() < count.value_or(INT32_MAX)) {
      return ok();
    }
    return make_error(ErrorCode::kUnknownServerError,
                      "{}: bucket {} is none of its {}",
                      files_.location(),
                      bucket.bucket,
                      count.value_or(INT32_MAX));
  }

  WritePlace write_place(const PartitionTuple& tuple) const {
    auto path = opened_.properties.find(kDataPath);
    std::string data =
        path != opened_.properties.end() ? path->second : object_path(files_.location(), "data");
    return WritePlace{.objects = files_.objects(),
                      .schema = schema_,
                      .spec = opened_.default_spec(),
                      .sort_order_id = opened_.default_sort_order_id,
                      .properties = opened_.properties,
                      .partition = tuple,
                      .folder = object_path(data, partition_folder(opened_.default_spec(), tuple)),
                      .uuid = names_->uuid()};
  }

  Result<std::vector<ReaderColumn>> reader_columns(const std::vector<std::string>& names) const {
    std::vector<ReaderColumn> columns;
    auto add = [&](const NestedField& field) {
      const Column* own = columns_.find(field.name);
      std::optional<DataType> type = data_type_of(field.type, !field.required);
      if (!type) return false;
      columns.push_back({field.id, field.name, own != nullptr ? own->type : *std::move(type)});
      return true;
    };
    if (names.empty()) {
      for (const NestedField& field : schema_->fields) add(field);
    }
    for (const std::string& name : names) {
      const NestedField* field = schema_->find(std::string_view(name));
      if (field != nullptr && add(*field)) continue;
      return make_error(ErrorCode::kUnknownServerError,
                        "{}: it has no column {} that could be read",
                        files_.location(),
                        name);
    }
    return columns;
  }

  Result<std::vector<std::string>> compact() {
    ASSIGN_OR_RETURN(LoadedTable now, load());
    if (std::optional<std::string> why = columns_to_lose(now.metadata)) {
      return std::vector<std::string>{fmt::format("nothing is compacted: {}", *why)};
    }
    ASSIGN_OR_RETURN(std::shared_ptr<const LiveFiles> live,
                     live_.of(now.metadata, now.metadata.current_snapshot()));
    std::vector<WrittenFiles> made;
    Status rewritten = rewrite(*live, &made);
    if (!rewritten) {
      remove(made);
      return fail(std::move(rewritten).error());
    }
    if (made.empty()) return std::vector<std::string>();
    RETURN_IF_ERROR(failpoint("lake.after_compaction"));
    CommitRequest request{.spec_id = opened_.default_spec_id,
                          .replace = true,
                          .schema_id = opened_.current_schema_id,
                          .user = std::string(kLakeUpkeepUser)};
    size_t before = 0;
    size_t after = 0;
    for (const WrittenFiles& written : made) {
      request.files.push_back(&written);
      before += written.removed.size();
      after += written.data.size();
    }
    Result<IcebergSnapshot> committed = commit_files(context(), std::move(request));
    if (committed) {
      return std::vector<std::string>{
          fmt::format("{} files became {}, as of snapshot {}", before, after, committed->id)};
    }
    if (committed.error().code() != ErrorCode::kUnknownServerError) {
      return fail(std::move(committed).error());
    }
    remove(made);
    return std::vector<std::string>{
        fmt::format("a compaction was given up: {}", committed.error().message())};
  }

  // Columns of others, whose values a rewrite would leave out.
  std::optional<std::string> columns_to_lose(const TableMetadata& now) const {
    if (now.current_schema_id != opened_.current_schema_id) {
      return "columns changed since the table was opened";
    }
    for (const NestedField& field : schema_->fields) {
      if (data_type_of(field.type, true)) continue;
      return fmt::format(
          "column {} is {}, which is not written", field.name, to_string(field.type));
    }
    return std::nullopt;
  }

  Status rewrite(const LiveFiles& live, std::vector<WrittenFiles>* made) {
    for (const auto& [tuple, bucket] : live.buckets) {
      ASSIGN_OR_RETURN(WrittenFiles written,
                       compact_bucket(write_place(tuple), live.files_of(tuple), live.sequence));
      if (!written.removed.empty()) made->push_back(std::move(written));
    }
    return ok();
  }

  void remove(const std::vector<WrittenFiles>& made) const {
    for (const WrittenFiles& written : made) remove_written(files_.objects(), written);
  }

  Env& env_;
  std::shared_ptr<FileNames> names_;
  std::shared_ptr<IcebergCatalog> catalog_;
  TablePath path_;
  MetadataFiles files_;
  LiveCache live_;
  TableMetadata opened_;  // as it was then
  std::shared_ptr<const IcebergSchema> schema_;
  Schema columns_;  // ours
};

// Columns that would stay empty in what is written here have to be optional.
Status check_columns(const IcebergSchema& schema, const Schema& ours) {
  if (!schema.has_system_columns()) {
    return make_error(ErrorCode::kInvalidTableException,
                      "its last columns are not {}, {} and {}",
                      kLakeBucketColumn,
                      kLakeOffsetColumn,
                      kLakeTimestampColumn);
  }
  for (size_t i = 0; i + 3 < schema.fields.size(); ++i) {
    const NestedField& field = schema.fields[i];
    if (!field.required || ours.find(field.name) != nullptr) continue;
    return make_error(ErrorCode::kInvalidTableException,
                      "column {} is required, and our table has no such column",
                      field.name);
  }
  return ok();
}

}  // namespace

Result<std::shared_ptr<LakeTable>> open_iceberg_table(IcebergTableOptions options) {
  const TableMetadata& metadata = options.loaded.metadata;
  Status fits = check_columns(metadata.current_schema(), options.columns);
  if (fits) fits = check_spec(metadata.default_spec(), metadata.current_schema());
  if (!fits) return fail(std::move(fits).error().with_context(metadata.location));
  std::shared_ptr<LakeTable> table = std::make_shared<IcebergTable>(std::move(options));
  return table;
}

}  // namespace lakestream::iceberg
