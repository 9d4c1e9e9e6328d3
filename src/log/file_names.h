#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/ids.h"

// The names inside a log's directory. A segment is three files with one 20-digit name, its base
// offset; a writer snapshot has the offset it describes: the state before that offset is appended.
//
//   00000000000000000300.log              batches
//   00000000000000000300.index            big-endian i32 relative offset, i32 position
//   00000000000000000300.timeindex        big-endian i64 commit time, i32 relative offset
//   00000000000000000300.writer_snapshot  writer_states.h
//   log.state                             log_manifest.h
//
// Thread rule: pure functions.
//
//   std::string path = file_path(directory, Offset(300), FileKind::kLog);
namespace lakestream::log_internal {

enum class FileKind { kLog, kIndex, kTimeIndex, kWriterSnapshot };

inline constexpr std::string_view kManifestName = "log.state";
inline constexpr std::string_view kTemporarySuffix = ".tmp";

std::string file_path(std::string_view directory, Offset offset, FileKind kind);

struct FileName {
  Offset offset;
  FileKind kind;
};
// Empty for a name of another form.
std::optional<FileName> parse_file_name(std::string_view name);

}  // namespace lakestream::log_internal
