#include "log/log_files.h"

#include <algorithm>

#include "log/file_names.h"
#include "log/segment_index.h"

namespace lakestream::log_internal {

Result<LogFiles> list_log_files(Disk& disk, const std::string& directory) {
  ASSIGN_OR_RETURN(std::vector<DirectoryEntry> entries, disk.list(directory));
  LogFiles files;
  std::map<Offset, uint64_t> offset_points;
  std::map<Offset, uint64_t> time_points;
  for (const DirectoryEntry& entry : entries) {
    std::optional<FileName> name = parse_file_name(entry.name);
    if (!name || entry.is_directory) {
      if (entry.name == kManifestName) continue;
      bool ours = !entry.is_directory && entry.name.ends_with(kTemporarySuffix);
      (ours ? files.strays : files.unknown).push_back(entry.name);
      continue;
    }
    switch (name->kind) {
      case FileKind::kLog:
        files.segments[name->offset].size = entry.size;
        break;
      case FileKind::kIndex:
        offset_points[name->offset] = entry.size / kIndexEntryBytes;
        break;
      case FileKind::kTimeIndex:
        time_points[name->offset] = entry.size / kTimeIndexEntryBytes;
        break;
      case FileKind::kWriterSnapshot:
        files.snapshots.push_back(name->offset);
        break;
    }
  }
  auto note_orphans = [&](const std::map<Offset, uint64_t>& indexes, FileKind kind) {
    for (const auto& [base, points] : indexes) {
      if (files.segments.contains(base)) continue;
      files.strays.push_back(file_path("", base, kind).substr(1));
    }
  };
  note_orphans(offset_points, FileKind::kIndex);
  note_orphans(time_points, FileKind::kTimeIndex);
  for (auto& [base, segment] : files.segments) {
    segment.index_points = static_cast<size_t>(std::min(offset_points[base], time_points[base]));
  }
  return files;
}

Status remove_segment(Disk& disk, const std::string& directory, Offset base) {
  RETURN_IF_ERROR(disk.remove(file_path(directory, base, FileKind::kIndex)));
  RETURN_IF_ERROR(disk.remove(file_path(directory, base, FileKind::kTimeIndex)));
  return disk.remove(file_path(directory, base, FileKind::kLog));
}

Status write_writer_snapshot(Disk& disk,
                             const std::string& directory,
                             Offset offset,
                             const Bytes& content) {
  std::string path = file_path(directory, offset, FileKind::kWriterSnapshot);
  ASSIGN_OR_RETURN(std::unique_ptr<File> file, disk.open(path, OpenMode::kCreate));
  RETURN_IF_ERROR(file->truncate(0));
  return file->write_at(0, {&content, 1});
}

}  // namespace lakestream::log_internal
