#include "lake/iceberg/commit.h"

#include <algorithm>
#include <memory>
#include <set>
#include <unordered_map>
#include <utility>

#include "base/endian.h"
#include "base/failpoint.h"
#include "io/clock.h"
#include "lake/attempts.h"
#include "lake/iceberg/manifest_merge.h"
#include "lake/iceberg/summary.h"

namespace lakestream::iceberg {
namespace {

// Other commits that may be faster, one after the other.
constexpr int kMaxCommitAttempts = 50;

using Paths = std::set<std::string, std::less<>>;
using LiveByPath = std::unordered_map<std::string_view, const LiveFile*>;

class Commit {
 public:
  Commit(const CommitContext& context, CommitRequest request)
      : context_(context), request_(std::move(request)) {
    for (const WrittenFiles* written : request_.files) {
      removed_paths_.insert(written->removed.begin(), written->removed.end());
      for (const auto* files : {&written->data, &written->deletes}) {
        for (const DataFile& file : *files) add(file, written->data_sequence);
      }
    }
  }

  Result<IcebergSnapshot> run() {
    std::array<uint8_t, 16> random = context_.files.names().bytes();
    id_ = load_le<int64_t>(random.data()) & INT64_MAX;
    for (Attempts attempts(context_.clock, kMaxCommitAttempts); attempts.next();) {
      ASSIGN_OR_RETURN(std::optional<IcebergSnapshot> made, attempt());
      if (made) return *std::move(made);
    }
    refused_ = true;
    return make_error(ErrorCode::kStorageException,
                      "{}: {} other commits were faster, try again later",
                      context_.files.location(),
                      kMaxCommitAttempts);
  }

  // Of a commit that is not.
  void remove_made() {
    for (const Changes& changes : changes_) {
      if (!changes.path.empty()) context_.files.remove(changes.path);
    }
    remove(&of_attempt_);
  }
  bool is_refused() const { return refused_; }

 private:
  // A manifest of new files, which every attempt uses.
  struct Changes {
    ManifestContent content;
    std::vector<ManifestEntry> entries = {};
    std::string path = {};
    int64_t length = 0;
  };

  void add(const DataFile& file, std::optional<int64_t> sequence) {
    auto content =
        file.content == FileContent::kData ? ManifestContent::kData : ManifestContent::kDeletes;
    auto changes = std::find_if(changes_.begin(), changes_.end(), [&](const Changes& candidate) {
      return candidate.content == content;
    });
    if (changes == changes_.end()) changes = changes_.insert(changes, Changes{.content = content});
    changes->entries.push_back({.sequence = sequence, .file = std::make_shared<DataFile>(file)});
  }

  // Nothing when another commit was faster.
  Result<std::optional<IcebergSnapshot>> attempt() {
    ASSIGN_OR_RETURN(LoadedTable base, load_same_table(context_.catalog, context_.path, uuid_));
    uuid_ = base.metadata.uuid;
    const IcebergSnapshot* latest = base.metadata.current_snapshot();
    RETURN_IF_ERROR(check_newest(base.metadata));
    RETURN_IF_ERROR(check_spec_is(base.metadata));
    RETURN_IF_ERROR(check_schema_is(base.metadata));
    RETURN_IF_ERROR(check_conflicts(base.metadata));
    ASSIGN_OR_RETURN(IcebergSnapshot next, write_snapshot_files(base.metadata));
    RETURN_IF_ERROR(failpoint("lake.after_manifests"));
    TableChange change{
        .requirements = {requirement::Uuid{uuid_},
                         requirement::RefSnapshot{
                             std::string(kMainBranch),
                             latest != nullptr ? std::optional(latest->id) : std::nullopt}},
        .updates = {update::AddSnapshot{next},
                    update::SetSnapshotRef{.name = std::string(kMainBranch),
                                           .snapshot_id = next.id,
                                           .others = retention_of_main(base.metadata)}}};
    if (request_.schema_id) {
      change.requirements.emplace_back(requirement::CurrentSchema{*request_.schema_id});
    }
    ASSIGN_OR_RETURN(CommitOutcome outcome, context_.catalog.commit(context_.path, base, change));
    if (outcome.kind == CommitOutcome::Kind::kUnknown) {
      ASSIGN_OR_RETURN(bool is_there, look_for(next, outcome.reason));
      if (!is_there) outcome.kind = CommitOutcome::Kind::kConflict;
    }
    if (outcome.kind == CommitOutcome::Kind::kConflict) {
      remove(&of_attempt_);
      return std::optional<IcebergSnapshot>();
    }
    RETURN_IF_ERROR(failpoint("lake.after_snapshot"));
    context_.live.advance(latest, next, live_files_of(next), removed_paths_);
    return std::optional(std::move(next));
  }

  static OtherMembers retention_of_main(const TableMetadata& metadata) {
    auto main = metadata.refs.find(kMainBranch);
    return main != metadata.refs.end() ? main->second.others : OtherMembers();
  }

  // After an answer was lost. Without the snapshot it may still come, or have come and expired,
  // unless the branch went another way from where it was to be put.
  Result<bool> look_for(const IcebergSnapshot& wanted, const std::string& reason) {
    Result<LoadedTable> now = load_same_table(context_.catalog, context_.path, uuid_);
    if (now && now->metadata.find_snapshot(wanted.id) != nullptr) return true;
    if (now && went_another_way(now->metadata, wanted)) return false;
    return make_error(ErrorCode::kStorageException,
                      "{}: whether snapshot {} is committed is not known: {}{}",
                      context_.files.location(),
                      wanted.id,
                      reason,
                      now ? "" : "; " + now.error().message());
  }

  // What lies behind a snapshot that is gone is not known.
  static bool went_another_way(const TableMetadata& metadata, const IcebergSnapshot& wanted) {
    const IcebergSnapshot* snapshot = metadata.current_snapshot();
    for (size_t i = 0; snapshot != nullptr && i < metadata.snapshots.size(); ++i) {
      if (snapshot->parent_id == wanted.parent_id) return true;
      snapshot = snapshot->parent_id ? metadata.find_snapshot(*snapshot->parent_id) : nullptr;
    }
    return false;
  }

  Result<IcebergSnapshot> write_snapshot_files(const TableMetadata& metadata) {
    const IcebergSnapshot* latest = metadata.current_snapshot();
    IcebergSnapshot next;
    next.id = id_;
    next.sequence = metadata.last_sequence + 1;
    // Time travel by time needs an order.
    next.time_ms = std::max(context_.clock.now().value(), metadata.last_updated_ms);
    next.schema_id = metadata.current_schema_id;
    std::vector<ManifestFile> base;
    if (latest != nullptr) {
      next.parent_id = latest->id;
      ASSIGN_OR_RETURN(base, context_.files.manifest_list(latest->manifest_list));
    }
    RETURN_IF_ERROR(write_changes(metadata));
    ASSIGN_OR_RETURN(base, without_removed(std::move(base), metadata, next.sequence));
    ASSIGN_OR_RETURN(
        MergedManifests merged,
        merge_manifests(context_.files, metadata, std::move(base), id_, next.sequence));
    of_attempt_.insert(of_attempt_.end(), merged.made.begin(), merged.made.end());
    std::vector<ManifestFile> lines = lines_of_changes(metadata, next.sequence);
    lines.insert(lines.end(), rewritten_.begin(), rewritten_.end());
    lines.insert(lines.end(), merged.lines.begin(), merged.lines.end());
    ASSIGN_OR_RETURN(next.manifest_list,
                     context_.files.write_manifest_list(lines,
                                                        {.snapshot_id = id_,
                                                         .parent_id = next.parent_id,
                                                         .sequence = next.sequence,
                                                         .sync = context_.files.names().bytes()}));
    of_attempt_.push_back(next.manifest_list);
    next.summary = summary_of(live_files_of(next), removals_, latest);
    for (const auto& [key, value] : request_.properties) next.summary.emplace(key, value);
    next.summary[std::string(kOperation)] = operation();
    next.summary[std::string(kCommitUser)] = request_.user;
    return next;
  }

  std::string operation() const {
    if (request_.replace) return "replace";
    auto has = [this](ManifestContent content) {
      return std::any_of(changes_.begin(), changes_.end(), [content](const Changes& changes) {
        return changes.content == content;
      });
    };
    bool has_deletes = has(ManifestContent::kDeletes) || !removed_paths_.empty();
    if (!has_deletes) return "append";
    return has(ManifestContent::kData) ? "overwrite" : "delete";
  }

  ManifestEncoding encoding_of(const TableMetadata& metadata, ManifestContent content) const {
    return {.schema = metadata.current_schema(),
            .spec = *metadata.find_spec(request_.spec_id),
            .content = content};
  }

  // Once for all attempts.
  Status write_changes(const TableMetadata& metadata) {
    for (Changes& changes : changes_) {
      if (!changes.path.empty()) continue;
      for (ManifestEntry& entry : changes.entries) entry.snapshot_id = id_;
      ASSIGN_OR_RETURN(ManifestFile line,
                       context_.files.write_manifest(
                           changes.entries, encoding_of(metadata, changes.content), id_, 0));
      changes.path = line.path;
      changes.length = line.length;
    }
    return ok();
  }

  std::vector<ManifestFile> lines_of_changes(const TableMetadata& metadata,
                                             int64_t sequence) const {
    std::vector<ManifestFile> lines;
    for (const Changes& changes : changes_) {
      lines.push_back(
          describe(changes.entries, encoding_of(metadata, changes.content), id_, sequence));
      lines.back().path = changes.path;
      lines.back().length = changes.length;
    }
    return lines;
  }

  std::vector<LiveFile> live_files_of(const IcebergSnapshot& snapshot) const {
    std::vector<LiveFile> files;
    for (const Changes& changes : changes_) {
      for (const ManifestEntry& entry : changes.entries) {
        files.push_back({.file = entry.file,
                         .snapshot_id = id_,
                         .sequence = entry.sequence.value_or(snapshot.sequence),
                         .file_sequence = snapshot.sequence,
                         .spec_id = request_.spec_id});
      }
    }
    return files;
  }

  // Writes manifests that name removed files anew, to rewritten_. The others.
  Result<std::vector<ManifestFile>> without_removed(std::vector<ManifestFile> lines,
                                                    const TableMetadata& metadata,
                                                    int64_t sequence) {
    rewritten_.clear();
    if (removals_.empty()) return lines;
    std::vector<ManifestFile> others;
    for (ManifestFile& line : lines) {
      if (line.added_files + line.existing_files == 0 || !may_have_removed(line)) {
        others.push_back(std::move(line));
        continue;
      }
      ASSIGN_OR_RETURN(Manifest manifest, context_.files.manifest(line, metadata));
      bool has_removed = false;
      std::vector<ManifestEntry> entries;
      for (ManifestEntry& entry : manifest.entries) {
        if (entry.status == EntryStatus::kDeleted) continue;
        bool is_removed = removed_paths_.contains(entry.file->path);
        has_removed |= is_removed;
        entry.status = is_removed ? EntryStatus::kDeleted : EntryStatus::kExisting;
        if (is_removed) entry.snapshot_id = id_;
        entries.push_back(std::move(entry));
      }
      if (!has_removed) {
        others.push_back(std::move(line));
        continue;
      }
      ManifestEncoding encoding{.schema = metadata.current_schema(),
                                .spec = *metadata.find_spec(line.spec_id),
                                .content = line.content};
      ASSIGN_OR_RETURN(ManifestFile made,
                       context_.files.write_manifest(entries, encoding, id_, sequence));
      of_attempt_.push_back(made.path);
      rewritten_.push_back(std::move(made));
    }
    return others;
  }

  bool may_have_removed(const ManifestFile& line) const {
    return std::any_of(removals_.begin(), removals_.end(), [&](const LiveFile& file) {
      const std::vector<std::string>& values = file.file->partition.values;
      std::vector<std::optional<std::string>> wanted(values.begin(), values.end());
      bool is_data = file.file->content == FileContent::kData;
      return is_data == (line.content == ManifestContent::kData) && may_contain(line, wanted);
    });
  }

  Status check_newest(const TableMetadata& metadata) {
    if (!request_.newest_known) return ok();
    const IcebergSnapshot* newest = newest_of(metadata, request_.user);
    std::optional<LakeSnapshotId> known = request_.newest_known->id;
    bool is_known = newest != nullptr ? known == LakeSnapshotId(newest->id) : !known;
    if (is_known) return ok();
    refused_ = true;
    return make_error(ErrorCode::kFencedTieringEpochException,
                      "{}: the newest snapshot of {} is {}, and not {} as its writer knew",
                      context_.files.location(),
                      request_.user,
                      newest != nullptr ? std::to_string(newest->id) : "none",
                      known ? fmt::to_string(*known) : "none");
  }

  Status check_spec_is(const TableMetadata& metadata) {
    if (changes_.empty() || metadata.default_spec_id == request_.spec_id) return ok();
    refused_ = true;
    return make_error(ErrorCode::kUnknownServerError,
                      "{}: its partition spec is {}, and not {} as its writer knew",
                      context_.files.location(),
                      metadata.default_spec_id,
                      request_.spec_id);
  }

  Status check_schema_is(const TableMetadata& metadata) {
    if (!request_.schema_id || metadata.current_schema_id == *request_.schema_id) return ok();
    refused_ = true;
    return make_error(ErrorCode::kUnknownServerError,
                      "{}: its schema is {}, and not {} as its writer knew",
                      context_.files.location(),
                      metadata.current_schema_id,
                      *request_.schema_id);
  }

  Status check_conflicts(const TableMetadata& metadata) {
    bool stands_on_files =
        std::any_of(request_.files.begin(), request_.files.end(), [](const WrittenFiles* written) {
          return !written->removed.empty() || !written->referenced.empty() ||
                 written->seen_sequence;
        });
    if (!stands_on_files) return ok();
    ASSIGN_OR_RETURN(std::shared_ptr<const LiveFiles> live,
                     context_.live.of(metadata, metadata.current_snapshot()));
    removals_.clear();
    LiveByPath by_path = files_by_path(*live);
    for (const WrittenFiles* written : request_.files) {
      Status fits = check_files(*written, *live, by_path);
      if (fits) continue;
      refused_ = true;
      return fail(std::move(fits).error().with_context(context_.files.location()));
    }
    return ok();
  }

  // Empty when nothing is looked for.
  LiveByPath files_by_path(const LiveFiles& live) const {
    LiveByPath by_path;
    bool is_asked = std::any_of(request_.files.begin(), request_.files.end(), [](const auto* of) {
      return !of->removed.empty() || !of->referenced.empty();
    });
    if (!is_asked) return by_path;
    for (const auto& [tuple, bucket] : live.buckets) {
      for (const auto* files : {&bucket->data, &bucket->deletes}) {
        for (const LiveFile& file : *files) by_path.emplace(file.file->path, &file);
      }
    }
    return by_path;
  }

  // Holds what was written against the live files, and notes what it removes.
  Status check_files(const WrittenFiles& written,
                     const LiveFiles& live,
                     const LiveByPath& by_path) {
    for (const auto* files : {&written.data, &written.deletes}) {
      for (const DataFile& file : *files) RETURN_IF_ERROR(check_bucket(written, file, live));
    }
    for (const std::string& path : written.referenced) {
      if (by_path.contains(path)) continue;
      return make_error(ErrorCode::kUnknownServerError,
                        "file {}, of which rows are to be deleted, is no longer there",
                        path);
    }
    std::set<PartitionTuple> buckets;
    for (const std::string& path : written.removed) {
      auto file = by_path.find(path);
      if (file == by_path.end()) {
        return make_error(ErrorCode::kUnknownServerError,
                          "file {} is to be removed and is no longer there",
                          path);
      }
      removals_.push_back(*file->second);
      buckets.insert(file->second->file->partition);
    }
    if (!written.data_sequence) return ok();
    for (const PartitionTuple& tuple : buckets) {
      RETURN_IF_ERROR(check_new_deletes(*live.buckets.at(tuple), *written.data_sequence));
    }
    return ok();
  }

  // Rows that were read for a rewrite may have been deleted since. Those deleted by a key are still
  // deleted afterwards, as the rewrite counts as old as what it has read.
  static Status check_new_deletes(const BucketFiles& bucket, int64_t seen) {
    for (const LiveFile& file : bucket.deletes) {
      if (file.file->content != FileContent::kPositionDeletes || file.sequence <= seen) continue;
      return make_error(ErrorCode::kUnknownServerError,
                        "rows that were rewritten may be deleted by file {}, which is newer",
                        file.file->path);
    }
    return ok();
  }

  static Status check_bucket(const WrittenFiles& written,
                             const DataFile& added,
                             const LiveFiles& live) {
    if (!written.seen_sequence) return ok();
    auto bucket = live.buckets.find(added.partition);
    if (bucket == live.buckets.end()) return ok();
    for (const auto* files : {&bucket->second->data, &bucket->second->deletes}) {
      // By rising sequence.
      if (files->empty() || files->back().sequence <= *written.seen_sequence) continue;
      return make_error(ErrorCode::kUnknownServerError,
                        "the bucket of file {} has newer files than its writer knew, such as {}",
                        added.path,
                        files->back().file->path);
    }
    return ok();
  }

  void remove(std::vector<std::string>* paths) const {
    for (const std::string& path : *paths) context_.files.remove(path);
    paths->clear();
  }

  const CommitContext& context_;
  CommitRequest request_;
  int64_t id_ = 0;
  std::string uuid_;  // of the table
  std::vector<Changes> changes_;
  Paths removed_paths_;
  std::vector<LiveFile> removals_;
  std::vector<ManifestFile> rewritten_;  // of this attempt
  std::vector<std::string> of_attempt_;  // files
  bool refused_ = false;
};

}  // namespace

Result<IcebergSnapshot> commit_files(const CommitContext& context, CommitRequest request) {
  Commit commit(context, std::move(request));
  Result<IcebergSnapshot> made = commit.run();
  if (!made && commit.is_refused()) commit.remove_made();
  return made;
}

const IcebergSnapshot* newest_of(const TableMetadata& metadata, std::string_view user) {
  for (const IcebergSnapshot* snapshot : metadata.history()) {
    auto of = snapshot->summary.find(kCommitUser);
    if (of != snapshot->summary.end() && of->second == user) return snapshot;
  }
  return nullptr;
}

Result<LoadedTable> load_same_table(IcebergCatalog& catalog,
                                    const TablePath& path,
                                    const std::string& uuid) {
  ASSIGN_OR_RETURN(std::optional<LoadedTable> table, catalog.load_table(path));
  if (!table) {
    return make_error(ErrorCode::kUnknownServerError, "{}: there is no lake table any more", path);
  }
  if (!uuid.empty() && table->metadata.uuid != uuid) {
    return make_error(
        ErrorCode::kUnknownServerError, "{}: the lake table was dropped and created anew", path);
  }
  return *std::move(table);
}

}  // namespace lakestream::iceberg
