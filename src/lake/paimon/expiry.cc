#include "lake/paimon/expiry.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

#include "base/config.h"
#include "base/failpoint.h"
#include "io/clock.h"
#include "io/object_store.h"
#include "lake/paimon/live_files.h"
#include "lake/paimon/partitions.h"
#include "table/json_reader.h"

namespace lakestream::paimon {
namespace {

constexpr std::string_view kMinOption = "snapshot.num-retained.min";
constexpr std::string_view kMaxOption = "snapshot.num-retained.max";
constexpr std::string_view kTimeOption = "snapshot.time-retained";
constexpr std::string_view kLimitOption = "snapshot.expire.limit";
// With them a changelog lives longer than its snapshots.
constexpr std::string_view kChangelogOptions[] = {
    "changelog.num-retained.min", "changelog.num-retained.max", "changelog.time-retained"};

struct Retention {
  int64_t min = 10;
  int64_t max = INT32_MAX;
  int64_t limit = 50;  // snapshots a run
  std::chrono::milliseconds time = std::chrono::hours(1);
};

tl::unexpected<Error> wrong(std::string_view key, std::string_view value) {
  return make_error(ErrorCode::kInvalidTableException,
                    "option {} of the table is '{}', which is no value of it",
                    key,
                    value);
}

Status read_count(const PaimonSchema& schema, std::string_view key, int64_t* count) {
  auto option = schema.options.find(key);
  if (option == schema.options.end()) return ok();
  Result<int64_t> value = parse_integer(option->second);
  if (!value || *value < 1) return wrong(key, option->second);
  *count = *value;
  return ok();
}

Result<Retention> retention_of(const PaimonSchema& schema) {
  Retention retention;
  RETURN_IF_ERROR(read_count(schema, kMinOption, &retention.min));
  RETURN_IF_ERROR(read_count(schema, kMaxOption, &retention.max));
  RETURN_IF_ERROR(read_count(schema, kLimitOption, &retention.limit));
  if (auto option = schema.options.find(kTimeOption); option != schema.options.end()) {
    Result<std::chrono::milliseconds> time = parse_duration(option->second);
    if (!time) return wrong(kTimeOption, option->second);
    retention.time = *time;
  }
  if (retention.max < retention.min) {
    return make_error(ErrorCode::kInvalidTableException,
                      "option {} is {}, less than {}, {}",
                      kMaxOption,
                      retention.max,
                      kMinOption,
                      retention.min);
  }
  return retention;
}

// A file that is gone or damaged counts as empty: an earlier run may have removed it.
template <typename T>
Result<T> or_empty(Result<T> result) {
  if (result || result.error().code() != ErrorCode::kUnknownServerError) return result;
  return T();
}

class Expiry {
 public:
  Expiry(const TableFiles& files, Partitioning partitioning)
      : files_(files), partitioning_(std::move(partitioning)) {}

  // Removes [begin, end).
  Result<std::vector<std::string>> run(int64_t begin, int64_t end) {
    ASSIGN_OR_RETURN(std::optional<PaimonSnapshot> last, files_.snapshot(end));
    if (!last) return std::vector<std::string>();  // another one is at it
    RETURN_IF_ERROR(keep(*last));
    RETURN_IF_ERROR(keep_tags());
    std::vector<PaimonSnapshot> expired;
    for (int64_t id = begin; id < end; ++id) {
      ASSIGN_OR_RETURN(std::optional<PaimonSnapshot> snapshot, files_.snapshot(id));
      if (snapshot) expired.push_back(*std::move(snapshot));
    }
    // What a snapshot removed, the ones before it needed.
    for (const PaimonSnapshot& snapshot : expired) {
      if (snapshot.id != begin) RETURN_IF_ERROR(collect_removed(snapshot));
      RETURN_IF_ERROR(collect_changelog(snapshot));
      RETURN_IF_ERROR(collect_manifests(snapshot));
    }
    RETURN_IF_ERROR(collect_removed(*last));

    ASSIGN_OR_RETURN(size_t data, remove_paths(data_, kept_data_));
    RETURN_IF_ERROR(failpoint("lake.after_expired_data"));
    size_t manifests = 0;
    for (const std::string& name : manifests_) {
      if (kept_manifests_.contains(name)) continue;
      RETURN_IF_ERROR(files_.remove_manifest(name));
      ++manifests;
    }
    RETURN_IF_ERROR(failpoint("lake.after_expired_manifests"));
    for (const PaimonSnapshot& snapshot : expired) {
      RETURN_IF_ERROR(files_.remove_snapshot(snapshot.id));
      RETURN_IF_ERROR(failpoint("lake.after_expired_snapshot"));
    }
    files_.set_earliest_hint(end);
    return std::vector<std::string>{
        fmt::format("{} snapshots before {} are gone, with {} data files and {} of metadata",
                    expired.size(),
                    end,
                    data,
                    manifests)};
  }

 private:
  // All that a snapshot stands on.
  Status keep(const PaimonSnapshot& snapshot) {
    kept_manifests_.insert(snapshot.base_manifest_list);
    kept_manifests_.insert(snapshot.delta_manifest_list);
    ASSIGN_OR_RETURN(std::vector<ManifestFile> manifests, files_.manifests_of(snapshot));
    for (ManifestFile& manifest : manifests) kept_manifests_.insert(std::move(manifest.name));
    ASSIGN_OR_RETURN(LiveFiles live, live_files(files_, snapshot));
    for (const auto& [place, entries] : live) {
      for (const ManifestEntry& entry : *entries) {
        RETURN_IF_ERROR(add_paths(entry, &kept_data_));
      }
    }
    return ok();
  }

  Status keep_tags() {
    ASSIGN_OR_RETURN(std::vector<PaimonSnapshot> tags, files_.tags());
    for (const PaimonSnapshot& tag : tags) RETURN_IF_ERROR(keep(tag));
    return ok();
  }

  Status add_paths(const ManifestEntry& entry, std::set<std::string>* paths) const {
    ASSIGN_OR_RETURN(FilePlace place,
                     partitioning_.place_of(entry.partition, entry.bucket, entry.total_buckets));
    std::string path = entry.foreign.external_path ? *entry.foreign.external_path
                                                   : files_.data_path(place, entry.file.name);
    std::string folder = path.substr(0, path.find_last_of('/'));
    for (const std::string& extra : entry.foreign.extra_files) {
      paths->insert(object_path(folder, extra));
    }
    paths->insert(std::move(path));
    return ok();
  }

  Status collect_removed(const PaimonSnapshot& snapshot) {
    ASSIGN_OR_RETURN(std::vector<ManifestFile> manifests,
                     or_empty(files_.manifest_list(snapshot.delta_manifest_list)));
    for (const ManifestFile& file : manifests) {
      ASSIGN_OR_RETURN(Manifest manifest, or_empty(files_.manifest(file.name)));
      for (const ManifestEntry& entry : manifest.entries) {
        if (entry.kind == EntryKind::kDelete) RETURN_IF_ERROR(add_paths(entry, &data_));
      }
    }
    return ok();
  }

  Status collect_changelog(const PaimonSnapshot& snapshot) {
    if (!snapshot.changelog_manifest_list) return ok();
    ASSIGN_OR_RETURN(std::vector<ManifestFile> manifests,
                     or_empty(files_.manifest_list(*snapshot.changelog_manifest_list)));
    for (const ManifestFile& file : manifests) {
      ASSIGN_OR_RETURN(Manifest manifest, or_empty(files_.manifest(file.name)));
      for (const ManifestEntry& entry : manifest.entries) {
        if (entry.kind == EntryKind::kAdd) RETURN_IF_ERROR(add_paths(entry, &data_));
      }
      manifests_.insert(file.name);
    }
    manifests_.insert(*snapshot.changelog_manifest_list);
    return ok();
  }

  Status collect_manifests(const PaimonSnapshot& snapshot) {
    for (const std::string& list : {snapshot.base_manifest_list, snapshot.delta_manifest_list}) {
      ASSIGN_OR_RETURN(std::vector<ManifestFile> manifests, or_empty(files_.manifest_list(list)));
      for (ManifestFile& manifest : manifests) manifests_.insert(std::move(manifest.name));
      manifests_.insert(list);
    }
    return ok();
  }

  Result<size_t> remove_paths(const std::set<std::string>& paths,
                              const std::set<std::string>& kept) const {
    size_t count = 0;
    for (const std::string& path : paths) {
      if (kept.contains(path)) continue;
      RETURN_IF_ERROR(files_.objects().remove(path));
      ++count;
    }
    return count;
  }

  const TableFiles& files_;
  Partitioning partitioning_;
  std::set<std::string> kept_manifests_;  // names
  std::set<std::string> manifests_;
  std::set<std::string> kept_data_;  // paths
  std::set<std::string> data_;
};

// The first snapshot that is not old. Requires: earliest <= latest.
Result<int64_t> end_of(const TableFiles& files,
                       const Retention& retention,
                       int64_t earliest,
                       int64_t latest,
                       int64_t now_ms) {
  int64_t end = std::min(latest - retention.min + 1, earliest + retention.limit);
  // Those beyond the greatest number go at any age, the others when the next one is old enough.
  int64_t id = std::max(latest - retention.max + 1, earliest);
  for (; id < end; ++id) {
    ASSIGN_OR_RETURN(std::optional<PaimonSnapshot> next, files.snapshot(id + 1));
    if (next && next->time_ms >= now_ms - retention.time.count()) return id;
  }
  return end;
}

// The smallest snapshot that a reader still wants, as it has noted.
Result<int64_t> wanted_by_consumers(const TableFiles& files) {
  int64_t wanted = INT64_MAX;
  ASSIGN_OR_RETURN(std::vector<ObjectInfo> consumers,
                   files.objects().list(files.folder("consumer")));
  for (const ObjectInfo& consumer : consumers) {
    ASSIGN_OR_RETURN(std::optional<Bytes> text, files.objects().get(consumer.path));
    if (!text) continue;
    ASSIGN_OR_RETURN(JsonDocument document,
                     JsonDocument::parse(text->view(), ErrorCode::kUnknownServerError));
    ASSIGN_OR_RETURN(int64_t next, document.root().int64_at("nextSnapshot"));
    wanted = std::min(wanted, next);
  }
  return wanted;
}

// Why the snapshots are left to Paimon's own tools, or nothing.
Result<std::optional<std::string>> why_left(const TableFiles& files,
                                            const PaimonSchema& schema,
                                            const PaimonSnapshot& latest) {
  for (std::string_view key : kChangelogOptions) {
    if (schema.options.contains(key)) {
      return std::optional(fmt::format("snapshots are left to Paimon: the table has {}", key));
    }
  }
  if (latest.index_manifest) {
    return std::optional<std::string>("snapshots are left to Paimon: the table has index files");
  }
  ASSIGN_OR_RETURN(std::vector<ObjectInfo> branches, files.objects().list(files.folder("branch")));
  if (!branches.empty()) {
    return std::optional<std::string>("snapshots are left to Paimon: the table has branches");
  }
  return std::optional<std::string>();
}

}  // namespace

Status check_retention(const PaimonSchema& schema) {
  ASSIGN_OR_RETURN([[maybe_unused]] Retention retention, retention_of(schema));
  return ok();
}

Result<std::vector<std::string>> expire(const TableFiles& files,
                                        Clock& clock,
                                        const PaimonSchema& schema,
                                        std::optional<int64_t> keep_from) {
  ASSIGN_OR_RETURN(Retention retention, retention_of(schema));
  ASSIGN_OR_RETURN(std::optional<PaimonSnapshot> latest, files.latest_snapshot());
  ASSIGN_OR_RETURN(std::optional<int64_t> earliest, files.earliest_snapshot_id());
  if (!latest || !earliest || *earliest >= latest->id) return std::vector<std::string>();
  ASSIGN_OR_RETURN(int64_t end,
                   end_of(files, retention, *earliest, latest->id, clock.now().value()));
  ASSIGN_OR_RETURN(int64_t wanted, wanted_by_consumers(files));
  end = std::min({end, wanted, keep_from.value_or(INT64_MAX)});
  if (end <= *earliest) return std::vector<std::string>();
  ASSIGN_OR_RETURN(std::optional<std::string> left, why_left(files, schema, *latest));
  if (left) return std::vector<std::string>{*std::move(left)};
  ASSIGN_OR_RETURN(Partitioning partitioning, Partitioning::of(schema));
  return Expiry(files, std::move(partitioning)).run(*earliest, end);
}

}  // namespace lakestream::paimon
