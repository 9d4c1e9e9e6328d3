#include "lake/iceberg/expiry.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

#include "base/config.h"
#include "base/failpoint.h"
#include "base/letter_case.h"
#include "base/logging.h"
#include "io/clock.h"
#include "io/object_store.h"
#include "lake/attempts.h"
#include "table/json_reader.h"
#include "table/json_writer.h"

namespace lakestream::iceberg {
namespace {

constexpr std::string_view kMaxAge = "history.expire.max-snapshot-age-ms";
constexpr std::string_view kMinCount = "history.expire.min-snapshots-to-keep";
// The same of one branch.
constexpr std::string_view kRefMaxAge = "max-snapshot-age-ms";
constexpr std::string_view kRefMinCount = "min-snapshots-to-keep";
// Off where other tables may have the same files.
constexpr std::string_view kRemoval = "gc.enabled";
constexpr std::string_view kNote = "lakestream-expiry.json";
constexpr int kMaxAttempts = 10;

struct Retention {
  int64_t max_age_ms = std::chrono::milliseconds(std::chrono::hours(5 * 24)).count();
  int64_t min_count = 1;
};

Status read_count(const Properties& properties, std::string_view key, int64_t* count) {
  auto option = properties.find(key);
  if (option == properties.end()) return ok();
  Result<int64_t> value = parse_integer(option->second);
  if (value && *value >= 1) {
    *count = *value;
    return ok();
  }
  return make_error(ErrorCode::kInvalidTableException,
                    "option {} of the table is '{}', which is no value of it",
                    key,
                    option->second);
}

Result<Retention> retention_of(const Properties& properties) {
  Retention retention;
  RETURN_IF_ERROR(read_count(properties, kMaxAge, &retention.max_age_ms));
  RETURN_IF_ERROR(read_count(properties, kMinCount, &retention.min_count));
  return retention;
}

// As the branch has it; a value that is none counts as not given.
Retention of_branch(Retention retention, const SnapshotRef& branch) {
  for (const auto& [name, text] : branch.others) {
    Result<int64_t> value = parse_integer(text);
    if (!value || *value < 1) continue;
    if (name == kRefMaxAge) retention.max_age_ms = *value;
    if (name == kRefMinCount) retention.min_count = *value;
  }
  return retention;
}

// Snapshots that stay.
std::set<int64_t> kept_snapshots(const TableMetadata& metadata,
                                 const Retention& retention,
                                 int64_t now_ms,
                                 int64_t keep_from_sequence) {
  std::set<int64_t> kept;
  auto is_wanted = [&](const IcebergSnapshot& snapshot, int64_t max_age_ms) {
    return snapshot.time_ms >= now_ms - max_age_ms || snapshot.sequence >= keep_from_sequence;
  };
  std::set<int64_t> in_branches;
  for (const auto& [name, ref] : metadata.refs) {
    kept.insert(ref.snapshot_id);
    if (ref.type != "branch") continue;
    Retention own = of_branch(retention, ref);
    const IcebergSnapshot* snapshot = metadata.find_snapshot(ref.snapshot_id);
    // A damaged document may go round in circles.
    auto count = static_cast<int64_t>(metadata.snapshots.size());
    for (int64_t i = 0; snapshot != nullptr && i < count; ++i) {
      // What is older than one that goes does too: a reader of the log would miss it.
      if (i >= own.min_count && !is_wanted(*snapshot, own.max_age_ms)) break;
      kept.insert(snapshot->id);
      snapshot = snapshot->parent_id ? metadata.find_snapshot(*snapshot->parent_id) : nullptr;
    }
    snapshot = metadata.find_snapshot(ref.snapshot_id);
    while (snapshot != nullptr && in_branches.insert(snapshot->id).second) {
      snapshot = snapshot->parent_id ? metadata.find_snapshot(*snapshot->parent_id) : nullptr;
    }
  }
  // Of no branch, such as ones that were rolled back, or wait to be published.
  for (const IcebergSnapshot& snapshot : metadata.snapshots) {
    bool is_loose = !in_branches.contains(snapshot.id);
    if (is_loose && is_wanted(snapshot, retention.max_age_ms)) kept.insert(snapshot.id);
  }
  return kept;
}

// A file that is gone or damaged counts as empty: an earlier run may have removed it.
template <typename T>
Result<T> or_empty(Result<T> result) {
  if (result || result.error().code() != ErrorCode::kUnknownServerError) return result;
  return T();
}

// The files of snapshots that are gone and of no other one.
class Removal {
 public:
  Removal(const MetadataFiles& files, const TableMetadata& metadata)
      : files_(files), metadata_(metadata) {}

  // Paths of manifest lists. What was removed, in words.
  Result<std::string> run(const std::vector<std::string>& lists) {
    RETURN_IF_ERROR(find_kept());
    std::vector<ManifestFile> gone;
    std::set<std::string> seen;
    for (const std::string& list : lists) {
      ASSIGN_OR_RETURN(std::vector<ManifestFile> lines, or_empty(files_.manifest_list(list)));
      for (ManifestFile& line : lines) {
        if (kept_paths_.contains(line.path) || !seen.insert(line.path).second) continue;
        gone.push_back(std::move(line));
      }
    }
    ASSIGN_OR_RETURN(size_t data, remove_data(gone));
    RETURN_IF_ERROR(failpoint("lake.after_expired_data"));
    for (const ManifestFile& line : gone) RETURN_IF_ERROR(files_.objects().remove(line.path));
    RETURN_IF_ERROR(failpoint("lake.after_expired_manifests"));
    for (const std::string& list : lists) {
      RETURN_IF_ERROR(files_.objects().remove(list));
      RETURN_IF_ERROR(failpoint("lake.after_expired_snapshot"));
    }
    return fmt::format("{} snapshots are gone, with {} data files and {} of metadata",
                       lists.size(),
                       data,
                       gone.size() + lists.size());
  }

 private:
  Status find_kept() {
    for (const IcebergSnapshot& snapshot : metadata_.snapshots) {
      ASSIGN_OR_RETURN(std::vector<ManifestFile> lines,
                       files_.manifest_list(snapshot.manifest_list));
      for (ManifestFile& line : lines) {
        if (kept_paths_.insert(line.path).second) kept_.push_back(std::move(line));
      }
    }
    return ok();
  }

  Result<size_t> remove_data(const std::vector<ManifestFile>& gone) {
    std::set<std::string> paths;
    for (const ManifestFile& line : gone) {
      ASSIGN_OR_RETURN(Manifest manifest, or_empty(files_.manifest(line, metadata_)));
      for (const ManifestEntry& entry : manifest.entries) {
        if (entry.status != EntryStatus::kDeleted) paths.insert(entry.file->path);
      }
    }
    for (const ManifestFile& line : kept_) {
      if (paths.empty()) return 0;
      ASSIGN_OR_RETURN(Manifest manifest, files_.manifest(line, metadata_));
      for (const ManifestEntry& entry : manifest.entries) {
        if (entry.status != EntryStatus::kDeleted) paths.erase(entry.file->path);
      }
    }
    for (const std::string& path : paths) RETURN_IF_ERROR(files_.objects().remove(path));
    return paths.size();
  }

  const MetadataFiles& files_;
  const TableMetadata& metadata_;
  std::vector<ManifestFile> kept_;
  std::set<std::string> kept_paths_;
};

class Expiry {
 public:
  Expiry(const CommitContext& context, const std::string& uuid)
      : context_(context), uuid_(uuid), note_(context.files.path_of(kNote)) {}

  Result<std::vector<std::string>> run(std::optional<int64_t> keep_from) {
    std::vector<std::string> done;
    ASSIGN_OR_RETURN(LoadedTable table, load());
    if (shares_files(table.metadata)) {
      return std::vector<std::string>{
          fmt::format("snapshots are left: the table has {} = false", kRemoval)};
    }
    RETURN_IF_ERROR(end_last_run(table.metadata, &done));
    for (Attempts attempts(context_.clock, kMaxAttempts); attempts.next();) {
      int64_t keep_from_sequence = INT64_MAX;
      if (keep_from) {
        const IcebergSnapshot* first = table.metadata.find_snapshot(*keep_from);
        if (first == nullptr) return done;
        keep_from_sequence = first->sequence;
      }
      ASSIGN_OR_RETURN(Retention retention, retention_of(table.metadata.properties));
      std::set<int64_t> kept = kept_snapshots(
          table.metadata, retention, context_.clock.now().value(), keep_from_sequence);
      std::vector<IcebergSnapshot> old;
      for (const IcebergSnapshot& snapshot : table.metadata.snapshots) {
        if (!kept.contains(snapshot.id)) old.push_back(snapshot);
      }
      if (old.empty()) return done;
      RETURN_IF_ERROR(write_note(old));
      ASSIGN_OR_RETURN(bool is_committed, commit(table, old));
      ASSIGN_OR_RETURN(table, load());
      if (!is_committed) continue;
      RETURN_IF_ERROR(end_last_run(table.metadata, &done));
      return done;
    }
    return make_error(ErrorCode::kStorageException,
                      "{}: {} other commits were faster, try again later",
                      context_.files.location(),
                      kMaxAttempts);
  }

 private:
  Result<LoadedTable> load() const {
    return load_same_table(context_.catalog, context_.path, uuid_);
  }

  // False when another commit was faster.
  Result<bool> commit(const LoadedTable& table, const std::vector<IcebergSnapshot>& old) {
    TableChange change{.requirements = {requirement::Uuid{uuid_}}};
    for (const auto& [name, ref] : table.metadata.refs) {
      change.requirements.push_back(requirement::RefSnapshot{name, ref.snapshot_id});
    }
    update::RemoveSnapshots removal;
    for (const IcebergSnapshot& snapshot : old) removal.ids.push_back(snapshot.id);
    change.updates = {std::move(removal)};
    ASSIGN_OR_RETURN(CommitOutcome outcome, context_.catalog.commit(context_.path, table, change));
    if (outcome.kind != CommitOutcome::Kind::kUnknown) {
      return outcome.kind == CommitOutcome::Kind::kDone;
    }
    return make_error(ErrorCode::kStorageException,
                      "{}: whether snapshots are gone is not known: {}",
                      context_.files.location(),
                      outcome.reason);
  }

  Status write_note(const std::vector<IcebergSnapshot>& old) {
    JsonWriter json;
    json.begin_object().field("version", 1).field("table-uuid", uuid_);
    json.key("snapshots").begin_array();
    for (const IcebergSnapshot& snapshot : old) {
      json.begin_object()
          .field("snapshot-id", snapshot.id)
          .field("manifest-list", snapshot.manifest_list)
          .end_object();
    }
    json.end_array().end_object();
    return context_.files.objects().put(note_, Bytes::copy_of(std::move(json).finish()));
  }

  // Removes the files of snapshots in the note that are gone, and then the note.
  Status end_last_run(const TableMetadata& metadata, std::vector<std::string>* done) {
    ASSIGN_OR_RETURN(std::optional<Bytes> note, context_.files.objects().get(note_));
    if (!note) return ok();
    Result<std::vector<std::string>> lists = lists_in(note->view(), metadata, uuid_);
    if (!lists) {
      LOG_WARN("lake", "note of an expiry is damaged", KV("error", lists.error().to_string()));
    } else if (!lists->empty()) {
      ASSIGN_OR_RETURN(std::string sentence, Removal(context_.files, metadata).run(*lists));
      done->push_back(std::move(sentence));
    }
    return context_.files.objects().remove(note_);
  }

  // Nothing of a note of another table that had the folder before.
  static Result<std::vector<std::string>> lists_in(std::string_view note,
                                                   const TableMetadata& metadata,
                                                   const std::string& uuid) {
    ASSIGN_OR_RETURN(JsonDocument document,
                     JsonDocument::parse(note, ErrorCode::kUnknownServerError));
    ASSIGN_OR_RETURN(std::string of, document.root().text_at("table-uuid"));
    if (of != uuid) return std::vector<std::string>();
    ASSIGN_OR_RETURN(JsonValue snapshots, document.root().at("snapshots"));
    ASSIGN_OR_RETURN(std::vector<JsonValue> items, snapshots.items());
    std::vector<std::string> lists;
    for (const JsonValue& item : items) {
      ASSIGN_OR_RETURN(int64_t id, item.int64_at("snapshot-id"));
      ASSIGN_OR_RETURN(std::string list, item.text_at("manifest-list"));
      if (metadata.find_snapshot(id) == nullptr) lists.push_back(std::move(list));
    }
    return lists;
  }

  const CommitContext& context_;
  const std::string& uuid_;
  std::string note_;  // its path
};

}  // namespace

Status check_retention(const Properties& properties) {
  ASSIGN_OR_RETURN([[maybe_unused]] Retention retention, retention_of(properties));
  return ok();
}

bool shares_files(const TableMetadata& metadata) {
  auto removal = metadata.properties.find(kRemoval);
  // As Java reads it: what is not "true" in any case is false.
  return removal != metadata.properties.end() && !same_letters(removal->second, "true");
}

Result<std::vector<std::string>> expire(const CommitContext& context,
                                        const std::string& uuid,
                                        std::optional<int64_t> keep_from) {
  return Expiry(context, uuid).run(keep_from);
}

}  // namespace lakestream::iceberg
