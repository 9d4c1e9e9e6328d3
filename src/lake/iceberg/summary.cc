#include "lake/iceberg/summary.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string_view>

#include "base/config.h"

namespace lakestream::iceberg {
namespace {

constexpr std::string_view kChangedPartitions = "changed-partition-count";

struct Counts {
  int64_t data_files = 0;
  int64_t records = 0;
  int64_t bytes = 0;
  int64_t delete_files = 0;
  int64_t position_delete_files = 0;
  int64_t position_deletes = 0;
  int64_t equality_delete_files = 0;
  int64_t equality_deletes = 0;
};

Counts counts_of(std::span<const LiveFile> files) {
  Counts counts;
  for (const LiveFile& live : files) {
    const DataFile& file = *live.file;
    counts.bytes += file.bytes;
    switch (file.content) {
      case FileContent::kData:
        ++counts.data_files;
        counts.records += file.rows;
        continue;
      case FileContent::kPositionDeletes:
        ++counts.position_delete_files;
        counts.position_deletes += file.rows;
        break;
      case FileContent::kEqualityDeletes:
        ++counts.equality_delete_files;
        counts.equality_deletes += file.rows;
        break;
    }
    ++counts.delete_files;
  }
  return counts;
}

// How a count is named where it was added, where it was removed, and in total; empty: nowhere.
struct Name {
  int64_t Counts::*count;
  std::string_view added;
  std::string_view removed;
  std::string_view total;
};
constexpr std::array<Name, 8> kNames = {{
    {&Counts::data_files, "added-data-files", "deleted-data-files", "total-data-files"},
    {&Counts::records, "added-records", "deleted-records", "total-records"},
    {&Counts::bytes, "added-files-size", "removed-files-size", "total-files-size"},
    {&Counts::delete_files, "added-delete-files", "removed-delete-files", "total-delete-files"},
    {&Counts::position_delete_files,
     "added-position-delete-files",
     "removed-position-delete-files",
     ""},
    {&Counts::position_deletes,
     "added-position-deletes",
     "removed-position-deletes",
     "total-position-deletes"},
    {&Counts::equality_delete_files,
     "added-equality-delete-files",
     "removed-equality-delete-files",
     ""},
    {&Counts::equality_deletes,
     "added-equality-deletes",
     "removed-equality-deletes",
     "total-equality-deletes"},
}};

// Nothing where the snapshot before does not say.
std::optional<int64_t> total_before(const IcebergSnapshot* base, std::string_view name) {
  if (base == nullptr) return 0;
  auto total = base->summary.find(name);
  if (total == base->summary.end()) return std::nullopt;
  Result<int64_t> count = parse_integer(total->second);
  return count ? std::optional(*count) : std::nullopt;
}

}  // namespace

Properties summary_of(std::span<const LiveFile> added,
                      std::span<const LiveFile> removed,
                      const IcebergSnapshot* base) {
  Counts plus = counts_of(added);
  Counts minus = counts_of(removed);
  Properties summary;
  auto put = [&](std::string_view name, int64_t count) {
    summary[std::string(name)] = std::to_string(count);
  };
  for (const Name& name : kNames) {
    int64_t more = plus.*name.count;
    int64_t less = minus.*name.count;
    if (more > 0) put(name.added, more);
    if (less > 0) put(name.removed, less);
    std::optional<int64_t> before =
        name.total.empty() ? std::nullopt : total_before(base, name.total);
    if (before) put(name.total, *before + more - less);
  }
  std::set<PartitionTuple> partitions;
  for (std::span<const LiveFile> files : {added, removed}) {
    for (const LiveFile& file : files) partitions.insert(file.file->partition);
  }
  put(kChangedPartitions, static_cast<int64_t>(partitions.size()));
  return summary;
}

bool is_counter(std::string_view name) {
  return name == kChangedPartitions || std::ranges::any_of(kNames, [&](const Name& known) {
           return name == known.added || name == known.removed || name == known.total;
         });
}

}  // namespace lakestream::iceberg
