#include "lake/paimon/manifest_merge.h"

#include <algorithm>
#include <utility>

#include "base/config.h"

namespace lakestream::paimon {
namespace {

int64_t size_option(const PaimonSchema& schema, std::string_view key, int64_t otherwise) {
  auto option = schema.options.find(key);
  if (option == schema.options.end()) return otherwise;
  Result<int64_t> size = parse_memory_size(option->second);
  return size && *size > 0 ? *size : otherwise;
}

class Merger {
 public:
  Merger(const TableFiles& files,
         const ManifestSettings& settings,
         std::span<const DataType> partition_types)
      : files_(files), settings_(settings), types_(partition_types) {}

  // Neighbours that together have the target's size, and the rest if it is many.
  Status merge_neighbours(std::vector<ManifestFile> manifests) {
    std::vector<ManifestFile> group;
    int64_t bytes = 0;
    for (ManifestFile& manifest : manifests) {
      bytes += manifest.size;
      group.push_back(std::move(manifest));
      if (bytes < settings_.target_bytes) continue;
      RETURN_IF_ERROR(merge(std::move(group)));
      group = {};
      bytes = 0;
    }
    if (static_cast<int64_t>(group.size()) >= settings_.merge_count_min) {
      return merge(std::move(group));
    }
    keep(std::move(group));
    return ok();
  }

  // Writes what is left of the group, in files of about the target's size.
  Status merge(std::vector<ManifestFile> group) {
    if (group.size() == 1) {
      keep(std::move(group));
      return ok();
    }
    std::vector<ManifestEntry> entries;
    int64_t bytes = 0;
    for (const ManifestFile& file : group) {
      ASSIGN_OR_RETURN(Manifest manifest, files_.manifest(file.name));
      if (manifest.has_unknown_parts) {
        keep(std::move(group));
        return ok();
      }
      bytes += file.size;
      entries.insert(entries.end(),
                     std::make_move_iterator(manifest.entries.begin()),
                     std::make_move_iterator(manifest.entries.end()));
    }
    auto before = static_cast<int64_t>(entries.size());
    entries = merge_entries(std::move(entries));
    auto parts = static_cast<size_t>(bytes / settings_.target_bytes + 1);
    // Entries are of about one size, and some are gone.
    size_t step = std::max<size_t>(1, static_cast<size_t>(before) / parts + 1);
    for (size_t begin = 0; begin < entries.size(); begin += step) {
      size_t count = std::min(step, entries.size() - begin);
      RETURN_IF_ERROR(write(std::span(entries).subspan(begin, count)));
    }
    return ok();
  }

  void remove_made() {
    for (const std::string& name : merged_.made) (void)files_.remove_manifest(name);
  }
  MergedManifests finish() && { return std::move(merged_); }

 private:
  void keep(std::vector<ManifestFile> group) {
    merged_.files.insert(merged_.files.end(),
                         std::make_move_iterator(group.begin()),
                         std::make_move_iterator(group.end()));
  }

  Status write(std::span<const ManifestEntry> entries) {
    ManifestFile file = describe(entries, types_);
    ASSIGN_OR_RETURN(NamedFile written, files_.write_manifest(entries, settings_.codec));
    file.name = written.name;
    file.size = written.size;
    merged_.made.push_back(written.name);
    merged_.files.push_back(std::move(file));
    return ok();
  }

  const TableFiles& files_;
  const ManifestSettings& settings_;
  std::span<const DataType> types_;
  MergedManifests merged_;
};

}  // namespace

ManifestSettings manifest_settings(const PaimonSchema& schema) {
  ManifestSettings settings;
  settings.target_bytes = size_option(schema, "manifest.target-file-size", settings.target_bytes);
  settings.rewrite_bytes =
      size_option(schema, "manifest.full-compaction-threshold-size", settings.rewrite_bytes);
  if (auto option = schema.options.find("manifest.merge-min-count");
      option != schema.options.end()) {
    Result<int64_t> count = parse_integer(option->second);
    if (count && *count > 1) settings.merge_count_min = *count;
  }
  if (auto option = schema.options.find("manifest.compression"); option != schema.options.end()) {
    if (option->second == "none" || option->second == "null") {
      settings.codec = avro::AvroCodec::kNull;
    } else if (option->second == "deflate") {
      settings.codec = avro::AvroCodec::kDeflate;
    }
  }
  return settings;
}

Result<MergedManifests> merge_manifests(const TableFiles& files,
                                        std::vector<ManifestFile> manifests,
                                        const ManifestSettings& settings,
                                        std::span<const DataType> partition_types) {
  int64_t unsettled = 0;  // bytes of manifests that are small or remove files
  for (const ManifestFile& file : manifests) {
    if (file.deleted_files > 0 || file.size < settings.target_bytes) unsettled += file.size;
  }
  Merger merger(files, settings, partition_types);
  Status merged = unsettled >= settings.rewrite_bytes
                      ? merger.merge(std::move(manifests))
                      : merger.merge_neighbours(std::move(manifests));
  if (!merged) {
    merger.remove_made();
    return fail(std::move(merged).error());
  }
  return std::move(merger).finish();
}

}  // namespace lakestream::paimon
