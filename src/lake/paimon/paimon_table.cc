#include "lake/paimon/paimon_table.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "base/failpoint.h"
#include "base/logging.h"
#include "io/clock.h"
#include "io/env.h"
#include "io/object_store.h"
#include "lake/paimon/append_writer.h"
#include "lake/paimon/commit.h"
#include "lake/paimon/compaction.h"
#include "lake/paimon/expiry.h"
#include "lake/paimon/key_writer.h"
#include "lake/paimon/lake_files.h"
#include "lake/paimon/live_files.h"
#include "lake/paimon/orphans.h"
#include "lake/paimon/partition_expiry.h"
#include "lake/paimon/partitions.h"
#include "lake/paimon/reader.h"
#include "lake/paimon/scan_plan.h"
#include "lake/paimon/table_files.h"
#include "lake/paimon/table_settings.h"

namespace lakestream::paimon {
namespace {

LakeSnapshot lake_snapshot_of(const PaimonSnapshot& snapshot) {
  return LakeSnapshot{.id = LakeSnapshotId(snapshot.id),
                      .order = snapshot.id,
                      .time = TimestampMs(snapshot.time_ms),
                      .user = snapshot.commit_user,
                      .operation = snapshot.commit_kind,
                      .properties = snapshot.properties,
                      .total_rows = snapshot.total_records};
}

class PaimonTable final : public LakeTable {
 public:
  PaimonTable(PaimonTableOptions options, Partitioning partitioning, TableSettings settings)
      : env_(options.env),
        names_(std::move(options.names)),
        files_(options.objects, *names_, std::move(options.root)),
        live_(files_),
        schema_(std::make_shared<const PaimonSchema>(std::move(options.schema))),
        columns_(std::move(options.columns)),
        partitioning_(std::move(partitioning)),
        settings_(settings) {}

  Result<std::unique_ptr<LakeWriter>> open_writer(LakeBucket bucket) override {
    int32_t count = schema_->bucket_count();
    if (count > 0 && (bucket.bucket.value() < 0 || bucket.bucket.value() >= count)) {
      return make_error(ErrorCode::kUnknownServerError,
                        "{}: bucket {} is none of its {}",
                        files_.root(),
                        bucket.bucket,
                        count);
    }
    ASSIGN_OR_RETURN(std::string row, partitioning_.row_of(bucket.partition));
    // A table that does not tell buckets apart has one.
    int32_t physical = count > 0 ? bucket.bucket.value() : 0;
    ASSIGN_OR_RETURN(FilePlace place, partitioning_.place_of(row, physical, count));
    ASSIGN_OR_RETURN(std::shared_ptr<const KnownLive> live, newest_live());
    int64_t next = next_sequence(live->files, {row, physical});
    if (schema_->has_primary_key()) {
      return make_key_writer({.place = write_place(std::move(place)),
                              .columns = columns_,
                              .bucket = bucket.bucket,
                              .next_sequence = next});
    }
    return make_append_writer({.place = write_place(std::move(place)),
                               .columns = columns_,
                               .bucket = bucket.bucket,
                               .next_sequence = next});
  }

  Result<LakeSnapshot> commit(const std::vector<LakeFiles>& files,
                              const LakeCommitTag& tag) override {
    CommitRequest request{
        .user = tag.user, .properties = tag.properties, .newest_known = tag.newest_known};
    for (const LakeFiles& part : files) {
      if (const WrittenFiles* written = written_files(part)) request.files.push_back(written);
    }
    ASSIGN_OR_RETURN(PaimonSnapshot made,
                     commit_files(files_, live_, env_.clock, std::move(request)));
    return lake_snapshot_of(made);
  }

  void abort(const std::vector<LakeFiles>& files) override {
    for (const LakeFiles& part : files) {
      if (const WrittenFiles* written = written_files(part)) remove_written(*written);
    }
  }

  Result<std::optional<LakeSnapshot>> latest_snapshot() override {
    ASSIGN_OR_RETURN(std::optional<PaimonSnapshot> latest, files_.latest_snapshot());
    if (!latest) return std::optional<LakeSnapshot>();
    return std::optional(lake_snapshot_of(*latest));
  }

  Result<std::optional<LakeSnapshot>> latest_snapshot_of(std::string_view user) override {
    ASSIGN_OR_RETURN(std::optional<PaimonSnapshot> latest, files_.latest_snapshot());
    ASSIGN_OR_RETURN(std::optional<PaimonSnapshot> snapshot,
                     files_.newest_of(std::move(latest), user));
    if (!snapshot) return std::optional<LakeSnapshot>();
    return std::optional(lake_snapshot_of(*snapshot));
  }

  Result<std::optional<LakeSnapshot>> snapshot(LakeSnapshotId id) override {
    ASSIGN_OR_RETURN(std::optional<PaimonSnapshot> snapshot, files_.snapshot(id.value()));
    if (!snapshot) return std::optional<LakeSnapshot>();
    return std::optional(lake_snapshot_of(*snapshot));
  }

  // Ids are in order.
  Result<std::optional<int64_t>> order_of(LakeSnapshotId id) override { return id.value(); }

  Result<std::vector<LakeSnapshot>> snapshots() override {
    std::vector<LakeSnapshot> all;
    ASSIGN_OR_RETURN(std::optional<PaimonSnapshot> snapshot, files_.latest_snapshot());
    while (snapshot) {
      all.push_back(lake_snapshot_of(*snapshot));
      ASSIGN_OR_RETURN(snapshot, files_.snapshot(snapshot->id - 1));
    }
    std::reverse(all.begin(), all.end());
    return all;
  }

  Result<LakeScan> plan(LakeSnapshotId id, const LakeScanRequest& request) override {
    ASSIGN_OR_RETURN(std::optional<PaimonSnapshot> snapshot, files_.snapshot(id.value()));
    if (!snapshot) {
      return make_error(ErrorCode::kLakeSnapshotNotExist,
                        "{}: there is no snapshot {}, it may have expired",
                        files_.root(),
                        id);
    }
    ASSIGN_OR_RETURN(std::shared_ptr<const KnownLive> live, live_.of(snapshot));
    LakeScan scan;
    scan.snapshot = lake_snapshot_of(*snapshot);
    RETURN_IF_ERROR(
        plan_splits(files_, *schema_, partitioning_, live->files, request.partitions, &scan));
    return scan;
  }

  Result<std::unique_ptr<LakeReader>> open_reader(const LakeSplit& split,
                                                  const LakeScanRequest& request) override {
    ASSIGN_OR_RETURN(std::vector<ReaderColumn> columns, reader_columns(request.columns));
    return make_reader({.objects = files_.objects(),
                        .schema = schema_,
                        .columns = std::move(columns),
                        .files = split.files,
                        .needs_merge = split.needs_merge});
  }

  Result<std::vector<std::string>> keep_up(const LakeUpkeep& upkeep) override {
    std::vector<std::string> done;
    if (upkeep.compact) {
      ASSIGN_OR_RETURN(done, compact());
    }
    auto add = [&](std::vector<std::string> steps) {
      done.insert(done.end(), steps.begin(), steps.end());
    };
    if (upkeep.expire) {
      std::optional<int64_t> keep_from;
      if (upkeep.keep_from) keep_from = upkeep.keep_from->value();
      ASSIGN_OR_RETURN(std::optional<PaimonSchema> newest, files_.latest_schema());
      const PaimonSchema& schema = newest ? *newest : *schema_;
      ASSIGN_OR_RETURN(std::vector<std::string> partitions, expire_partitions(schema));
      add(std::move(partitions));
      ASSIGN_OR_RETURN(std::vector<std::string> snapshots,
                       expire(files_, env_.clock, schema, keep_from));
      add(std::move(snapshots));
    }
    if (upkeep.orphans_before) {
      ASSIGN_OR_RETURN(std::vector<std::string> orphans,
                       remove_orphans(files_, *upkeep.orphans_before));
      add(std::move(orphans));
    }
    return done;
  }

 private:
  WritePlace write_place(FilePlace place) const {
    return WritePlace{.objects = files_.objects(),
                      .clock = env_.clock,
                      .schema = schema_,
                      .table = files_.root(),
                      .place = std::move(place),
                      .uuid = names_->uuid()};
  }

  Result<std::shared_ptr<const KnownLive>> newest_live() {
    ASSIGN_OR_RETURN(std::optional<PaimonSnapshot> latest, files_.latest_snapshot());
    return live_.of(latest);
  }

  void remove_written(const WrittenFiles& written) {
    for (const auto* files : {&written.added, &written.changelog}) {
      for (const DataFile& file : *files) {
        std::string path = files_.data_path(written.place, file.name);
        Status removed = files_.objects().remove(path);
        if (!removed) LOG_WARN("lake", "file left behind", KV("path", path));
      }
    }
  }

  Result<std::vector<ReaderColumn>> reader_columns(const std::vector<std::string>& names) const {
    std::vector<std::string> wanted = names;
    if (wanted.empty()) {
      for (const PaimonField& field : schema_->fields) wanted.push_back(field.name);
    }
    std::vector<ReaderColumn> columns;
    for (const std::string& name : wanted) {
      std::optional<size_t> index = schema_->index_of(name);
      if (!index) {
        return make_error(
            ErrorCode::kUnknownServerError, "{}: it has no column {}", files_.root(), name);
      }
      const Column* own = columns_.find(name);
      columns.push_back({name, own != nullptr ? own->type : schema_->fields[*index].type});
    }
    return columns;
  }

  Result<std::vector<std::string>> compact() {
    ASSIGN_OR_RETURN(std::shared_ptr<const KnownLive> live, newest_live());
    std::vector<WrittenFiles> made;
    Status rewritten = rewrite(live->files, &made);
    if (rewritten) rewritten = failpoint("lake.after_compaction");
    if (!rewritten) {
      for (const WrittenFiles& written : made) remove_written(written);
      return fail(std::move(rewritten).error());
    }
    if (made.empty()) return std::vector<std::string>();
    CommitRequest request{.kind = std::string(kCompactCommit),
                          .user = std::string(kLakeUpkeepUser)};
    size_t before = 0;
    size_t after = 0;
    for (const WrittenFiles& written : made) {
      request.files.push_back(&written);
      before += written.removed.size();
      after += written.added.size();
    }
    Result<PaimonSnapshot> committed = commit_files(files_, live_, env_.clock, std::move(request));
    if (committed) {
      return std::vector<std::string>{
          fmt::format("{} files became {}, as of snapshot {}", before, after, committed->id)};
    }
    if (committed.error().code() != ErrorCode::kUnknownServerError) {
      return fail(std::move(committed).error());
    }
    for (const WrittenFiles& written : made) remove_written(written);
    return std::vector<std::string>{
        fmt::format("a compaction was given up: {}", committed.error().message())};
  }

  Result<std::vector<std::string>> expire_partitions(const PaimonSchema& schema) {
    ASSIGN_OR_RETURN(std::shared_ptr<const KnownLive> live, newest_live());
    ASSIGN_OR_RETURN(std::vector<WrittenFiles> gone,
                     expired_partitions(schema, partitioning_, live->files, env_.clock.now()));
    if (gone.empty()) return std::vector<std::string>();
    CommitRequest request{.kind = std::string(kOverwriteCommit),
                          .user = std::string(kLakeUpkeepUser)};
    std::set<std::string> partitions;
    for (const WrittenFiles& removed : gone) {
      request.files.push_back(&removed);
      partitions.insert(removed.place.partition);
    }
    ASSIGN_OR_RETURN(PaimonSnapshot committed,
                     commit_files(files_, live_, env_.clock, std::move(request)));
    return std::vector<std::string>{fmt::format(
        "{} partitions are too old and gone, as of snapshot {}", partitions.size(), committed.id)};
  }

  Status rewrite(const LiveFiles& live, std::vector<WrittenFiles>* made) {
    for (const auto& [place, entries] : live) {
      std::vector<DataFile> data_files;
      for (const ManifestEntry& entry : *entries) data_files.push_back(entry.file);
      ASSIGN_OR_RETURN(
          FilePlace file_place,
          partitioning_.place_of(place.first, place.second, entries->front().total_buckets));
      if (!schema_->has_primary_key()) {
        for (std::vector<DataFile>& group : append_compactions(settings_, std::move(data_files))) {
          ASSIGN_OR_RETURN(WrittenFiles written,
                           compact_append(write_place(file_place), std::move(group)));
          made->push_back(std::move(written));
        }
      } else if (wants_key_compaction(settings_, data_files)) {
        ASSIGN_OR_RETURN(WrittenFiles written,
                         compact_keys(write_place(file_place), std::move(data_files)));
        made->push_back(std::move(written));
      }
    }
    return ok();
  }

  Env& env_;
  std::shared_ptr<FileNames> names_;
  TableFiles files_;
  LiveCache live_;
  std::shared_ptr<const PaimonSchema> schema_;
  Schema columns_;  // ours
  Partitioning partitioning_;
  TableSettings settings_;
};

}  // namespace

Result<std::shared_ptr<LakeTable>> open_paimon_table(PaimonTableOptions options) {
  Result<TableSettings> settings = table_settings(options.schema);
  if (!settings) return fail(std::move(settings).error().with_context(options.root));
  ASSIGN_OR_RETURN(Partitioning partitioning, Partitioning::of(options.schema));
  std::shared_ptr<LakeTable> table = std::make_shared<PaimonTable>(
      std::move(options), std::move(partitioning), *std::move(settings));
  return table;
}

}  // namespace lakestream::paimon
