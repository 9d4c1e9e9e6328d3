#include "lake/iceberg/manifest_merge.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/config.h"

namespace lakestream::iceberg {
namespace {

constexpr std::string_view kEnabled = "commit.manifest-merge.enabled";
constexpr std::string_view kMinCount = "commit.manifest.min-count-to-merge";
constexpr std::string_view kTargetBytes = "commit.manifest.target-size-bytes";

// Of a manifest that is made of others: a commit must not take long.
constexpr int64_t kMaxEntries = 1000;

struct Settings {
  bool enabled = true;
  int64_t min_count = 100;
  int64_t target_bytes = int64_t{8} << 20;
};

// A value that is none counts as not given: it must not stop a commit.
Settings settings_of(const Properties& properties) {
  Settings settings;
  auto number = [&](std::string_view key, int64_t least, int64_t* value) {
    auto option = properties.find(key);
    if (option == properties.end()) return;
    Result<int64_t> parsed = parse_integer(option->second);
    if (parsed && *parsed >= least) *value = *parsed;
  };
  auto enabled = properties.find(kEnabled);
  settings.enabled = enabled == properties.end() || enabled->second != "false";
  number(kMinCount, 2, &settings.min_count);
  number(kTargetBytes, 1, &settings.target_bytes);
  return settings;
}

class Merger {
 public:
  Merger(const MetadataFiles& files,
         const TableMetadata& metadata,
         int64_t snapshot_id,
         int64_t sequence)
      : files_(files),
        metadata_(metadata),
        settings_(settings_of(metadata.properties)),
        snapshot_id_(snapshot_id),
        sequence_(sequence) {}

  // Manifests of one kind.
  Status merge_kind(std::vector<ManifestFile> lines) {
    std::vector<ManifestFile> small;
    for (ManifestFile& line : lines) {
      bool is_small = settings_.enabled && files_in(line) < kMaxEntries / 2 &&
                      line.length < settings_.target_bytes / 2;
      (is_small ? small : merged_.lines).push_back(std::move(line));
    }
    if (static_cast<int64_t>(small.size()) >= settings_.min_count) {
      std::stable_sort(small.begin(), small.end(), [](const auto& a, const auto& b) {
        return files_in(a) < files_in(b);
      });
      auto end = small.begin() + static_cast<long>(group_size(small));
      std::vector<ManifestFile> group(std::make_move_iterator(small.begin()),
                                      std::make_move_iterator(end));
      small.erase(small.begin(), end);
      RETURN_IF_ERROR(merge(std::move(group)));
    }
    keep(std::move(small));
    return ok();
  }

  void remove_made() {
    for (const std::string& path : merged_.made) files_.remove(path);
  }
  MergedManifests finish() && { return std::move(merged_); }

 private:
  static int64_t files_in(const ManifestFile& line) {
    return int64_t{line.added_files} + line.existing_files;
  }

  // Of the first ones that may become one.
  size_t group_size(const std::vector<ManifestFile>& lines) const {
    int64_t bytes = 0;
    int64_t entries = 0;
    size_t count = 0;
    for (const ManifestFile& line : lines) {
      bytes += line.length;
      entries += files_in(line);
      if (bytes > settings_.target_bytes || entries > kMaxEntries) break;
      ++count;
    }
    return count;
  }

  Status merge(std::vector<ManifestFile> group) {
    std::vector<ManifestEntry> entries;
    std::vector<ManifestFile> kept;
    for (ManifestFile& line : group) {
      ASSIGN_OR_RETURN(Manifest manifest, files_.manifest(line, metadata_));
      if (manifest.has_unknown_parts) {
        kept.push_back(std::move(line));
        continue;
      }
      for (ManifestEntry& entry : manifest.entries) {
        if (entry.status == EntryStatus::kDeleted) continue;
        entry.status = EntryStatus::kExisting;
        entries.push_back(std::move(entry));
      }
    }
    if (!entries.empty()) {
      ManifestEncoding encoding{.schema = metadata_.current_schema(),
                                .spec = *metadata_.find_spec(group[0].spec_id),
                                .content = group[0].content};
      ASSIGN_OR_RETURN(ManifestFile made,
                       files_.write_manifest(entries, encoding, snapshot_id_, sequence_));
      merged_.made.push_back(made.path);
      merged_.lines.push_back(std::move(made));
    }
    keep(std::move(kept));
    return ok();
  }

  void keep(std::vector<ManifestFile> lines) {
    merged_.lines.insert(merged_.lines.end(),
                         std::make_move_iterator(lines.begin()),
                         std::make_move_iterator(lines.end()));
  }

  const MetadataFiles& files_;
  const TableMetadata& metadata_;
  Settings settings_;
  int64_t snapshot_id_;
  int64_t sequence_;
  MergedManifests merged_;
};

}  // namespace

Result<MergedManifests> merge_manifests(const MetadataFiles& files,
                                        const TableMetadata& metadata,
                                        std::vector<ManifestFile> lines,
                                        int64_t snapshot_id,
                                        int64_t sequence) {
  std::map<std::pair<ManifestContent, int32_t>, std::vector<ManifestFile>> kinds;
  for (ManifestFile& line : lines) {
    if (line.added_files + line.existing_files == 0) continue;
    kinds[{line.content, line.spec_id}].push_back(std::move(line));
  }
  Merger merger(files, metadata, snapshot_id, sequence);
  for (auto& [kind, of_kind] : kinds) {
    Status merged = merger.merge_kind(std::move(of_kind));
    if (merged) continue;
    merger.remove_made();
    return fail(std::move(merged).error());
  }
  return std::move(merger).finish();
}

}  // namespace lakestream::iceberg
