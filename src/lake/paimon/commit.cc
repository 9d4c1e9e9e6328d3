#include "lake/paimon/commit.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "base/failpoint.h"
#include "io/clock.h"
#include "lake/attempts.h"
#include "lake/paimon/manifest_merge.h"
#include "lake/paimon/partitions.h"

namespace lakestream::paimon {
namespace {

// Other commits that may be faster, one after the other.
constexpr int kMaxCommitAttempts = 50;

struct List {
  std::optional<NamedFile> file;
  int64_t rows = 0;
};

class Commit {
 public:
  Commit(const TableFiles& files, LiveCache& live, Clock& clock, CommitRequest request)
      : files_(files), live_(live), clock_(clock), request_(std::move(request)) {}

  Result<PaimonSnapshot> run() {
    ASSIGN_OR_RETURN(std::optional<PaimonSchema> schema, files_.latest_schema());
    if (!schema) {
      return make_error(
          ErrorCode::kUnknownServerError, "{}: there is no table any more", files_.root());
    }
    schema_ = *std::move(schema);
    settings_ = manifest_settings(schema_);
    ASSIGN_OR_RETURN(Partitioning partitioning, Partitioning::of(schema_));
    partition_types_ = partitioning.types();
    for (Attempts attempts(clock_, kMaxCommitAttempts); attempts.next();) {
      ASSIGN_OR_RETURN(std::optional<PaimonSnapshot> made, attempt());
      if (made) return *std::move(made);
    }
    return make_error(ErrorCode::kStorageException,
                      "{}: {} other commits were faster, try again later",
                      files_.root(),
                      kMaxCommitAttempts);
  }

  // Of a commit that is not.
  void remove_made() {
    for (const std::string& name : made_) (void)files_.remove_manifest(name);
    made_.clear();
  }
  bool is_refused() const { return refused_; }

 private:
  // Nothing when another commit was faster.
  Result<std::optional<PaimonSnapshot>> attempt() {
    ASSIGN_OR_RETURN(std::optional<PaimonSnapshot> latest, files_.latest_snapshot());
    RETURN_IF_ERROR(check_newest(latest));
    RETURN_IF_ERROR(check_conflicts(latest));
    RETURN_IF_ERROR(write_changes());
    std::vector<ManifestFile> base;
    if (latest) {
      ASSIGN_OR_RETURN(base, files_.manifests_of(*latest));
    }
    ASSIGN_OR_RETURN(MergedManifests merged,
                     merge_manifests(files_, std::move(base), settings_, partition_types_));
    std::vector<std::string> of_attempt = std::move(merged.made);
    ASSIGN_OR_RETURN(NamedFile list, files_.write_manifest_list(merged.files, settings_.codec));
    of_attempt.push_back(list.name);

    RETURN_IF_ERROR(failpoint("lake.after_manifests"));
    PaimonSnapshot next = next_snapshot(latest, list);
    ASSIGN_OR_RETURN(bool added, files_.add_snapshot(next));
    if (!added) {
      for (const std::string& name : of_attempt) (void)files_.remove_manifest(name);
      return std::optional<PaimonSnapshot>();
    }
    RETURN_IF_ERROR(failpoint("lake.after_snapshot"));
    live_.advance(latest, next, changes_);
    files_.set_latest_hint(next.id);
    if (next.id == 1) files_.set_earliest_hint(1);
    return std::optional(std::move(next));
  }

  PaimonSnapshot next_snapshot(const std::optional<PaimonSnapshot>& latest,
                               const NamedFile& base) const {
    PaimonSnapshot next;
    next.id = latest ? latest->id + 1 : 1;
    next.schema_id = schema_.id;
    next.base_manifest_list = base.name;
    next.base_manifest_list_size = base.size;
    next.delta_manifest_list = delta_->file->name;
    next.delta_manifest_list_size = delta_->file->size;
    if (changelog_->file) {
      next.changelog_manifest_list = changelog_->file->name;
      next.changelog_manifest_list_size = changelog_->file->size;
      next.changelog_records = changelog_->rows;
    }
    next.commit_user = request_.user;
    next.commit_kind = request_.kind;
    next.properties = request_.properties;
    next.time_ms = clock_.now().value();
    next.delta_records = delta_->rows;
    next.total_records = delta_->rows;
    if (latest) {
      // Time travel by time needs an order.
      next.time_ms = std::max(next.time_ms, latest->time_ms);
      next.total_records += latest->total_records;
      next.index_manifest = latest->index_manifest;
      next.watermark = latest->watermark;
      next.next_row_id = latest->next_row_id;
      if (latest->schema_id == next.schema_id) next.statistics = latest->statistics;
    }
    return next;
  }

  // The manifests of this commit and their lists, once for all attempts.
  Status write_changes() {
    if (delta_) return ok();
    changes_ = removals_;
    std::vector<ManifestEntry> changelog;
    int64_t rows = 0;
    for (const ManifestEntry& removal : removals_) rows -= removal.file.rows;
    for (const WrittenFiles* written : request_.files) {
      for (const DataFile& file : written->added) {
        changes_.push_back(entry_of(written->place, file));
        rows += file.rows;
      }
      for (const DataFile& file : written->changelog) {
        changelog.push_back(entry_of(written->place, file));
      }
    }
    ASSIGN_OR_RETURN(NamedFile delta, write_list(changes_));
    List changelog_list;
    if (!changelog.empty()) {
      ASSIGN_OR_RETURN(changelog_list.file, write_list(changelog));
      for (const ManifestEntry& entry : changelog) changelog_list.rows += entry.file.rows;
    }
    delta_ = List{.file = std::move(delta), .rows = rows};
    changelog_ = std::move(changelog_list);
    return ok();
  }

  static ManifestEntry entry_of(const FilePlace& place, const DataFile& file) {
    return ManifestEntry{.kind = EntryKind::kAdd,
                         .partition = place.partition,
                         .bucket = place.bucket,
                         .total_buckets = place.total_buckets,
                         .file = file};
  }

  // A list of one manifest, or of none.
  Result<NamedFile> write_list(const std::vector<ManifestEntry>& entries) {
    std::vector<ManifestFile> lines;
    if (!entries.empty()) {
      lines.push_back(describe(entries, partition_types_));
      ASSIGN_OR_RETURN(NamedFile manifest, files_.write_manifest(entries, settings_.codec));
      made_.push_back(manifest.name);
      lines.back().name = manifest.name;
      lines.back().size = manifest.size;
      lines.back().schema_id = schema_.id;
    }
    ASSIGN_OR_RETURN(NamedFile list, files_.write_manifest_list(lines, settings_.codec));
    made_.push_back(list.name);
    return list;
  }

  Status check_newest(const std::optional<PaimonSnapshot>& latest) {
    if (!request_.newest_known) return ok();
    ASSIGN_OR_RETURN(std::optional<PaimonSnapshot> newest, files_.newest_of(latest, request_.user));
    std::optional<LakeSnapshotId> known = request_.newest_known->id;
    bool is_known = newest ? known == LakeSnapshotId(newest->id) : !known;
    if (is_known) return ok();
    refused_ = true;
    return make_error(ErrorCode::kFencedTieringEpochException,
                      "{}: the newest snapshot of {} is {}, and not {} as its writer knew",
                      files_.root(),
                      request_.user,
                      newest ? fmt::to_string(newest->id) : "none",
                      known ? fmt::to_string(*known) : "none");
  }

  Status check_conflicts(const std::optional<PaimonSnapshot>& latest) {
    bool stands_on_files =
        std::any_of(request_.files.begin(), request_.files.end(), [&](const WrittenFiles* written) {
          return !written->removed.empty() ||
                 (schema_.has_primary_key() && !written->added.empty());
        });
    if (!stands_on_files) return ok();
    ASSIGN_OR_RETURN(std::shared_ptr<const KnownLive> known, live_.of(latest));
    const LiveFiles& live = known->files;
    removals_.clear();
    for (const WrittenFiles* written : request_.files) {
      BucketPlace place{written->place.partition, written->place.bucket};
      auto found = live.find(place);
      static const std::vector<ManifestEntry> kNone;
      const std::vector<ManifestEntry>& entries = found == live.end() ? kNone : *found->second;
      Status fits = check_bucket(*written, entries);
      if (fits) continue;
      refused_ = true;
      return fail(std::move(fits).error().with_context(
          fmt::format("{}/{}", files_.root(), written->place.folder)));
    }
    return ok();
  }

  // Holds what was written against the live files of its bucket, and notes what it removes.
  Status check_bucket(const WrittenFiles& written, const std::vector<ManifestEntry>& live) {
    std::set<std::string_view> removed;
    for (const DataFile& file : written.removed) {
      auto entry = std::find_if(live.begin(), live.end(), [&](const ManifestEntry& candidate) {
        return candidate.file.name == file.name && candidate.file.level == file.level;
      });
      if (entry == live.end()) {
        return make_error(ErrorCode::kUnknownServerError,
                          "file {} is to be removed and is no longer there",
                          file.name);
      }
      removed.insert(entry->file.name);
      removals_.push_back(*entry);
      removals_.back().kind = EntryKind::kDelete;
    }
    if (!schema_.has_primary_key()) return ok();
    for (const DataFile& file : written.added) {
      for (const ManifestEntry& entry : live) {
        if (removed.contains(entry.file.name)) continue;
        if (file.level == 0 && !file.compacted && file.min_sequence <= entry.file.max_sequence) {
          return make_error(ErrorCode::kUnknownServerError,
                            "file {} begins at number {}, the bucket has {} already",
                            file.name,
                            file.min_sequence,
                            entry.file.max_sequence);
        }
        if (file.level > 0 && file.level == entry.file.level) {
          return make_error(ErrorCode::kUnknownServerError,
                            "file {} is of level {}, where the bucket has {}",
                            file.name,
                            file.level,
                            entry.file.name);
        }
      }
    }
    return ok();
  }

  const TableFiles& files_;
  LiveCache& live_;
  Clock& clock_;
  CommitRequest request_;
  PaimonSchema schema_;
  ManifestSettings settings_;
  std::vector<DataType> partition_types_;
  std::vector<ManifestEntry> removals_;
  std::vector<ManifestEntry> changes_;  // of the data files
  std::optional<List> delta_;
  std::optional<List> changelog_;
  std::vector<std::string> made_;  // for all attempts
  bool refused_ = false;
};

}  // namespace

Result<PaimonSnapshot> commit_files(const TableFiles& files,
                                    LiveCache& live,
                                    Clock& clock,
                                    CommitRequest request) {
  Commit commit(files, live, clock, std::move(request));
  Result<PaimonSnapshot> made = commit.run();
  if (!made && commit.is_refused()) commit.remove_made();
  return made;
}

}  // namespace lakestream::paimon
