#include "log/file_names.h"

#include <array>
#include <charconv>

#include <fmt/format.h>

namespace lakestream::log_internal {
namespace {

constexpr size_t kDigits = 20;
constexpr std::array<std::string_view, 4> kSuffixes = {
    ".log", ".index", ".timeindex", ".writer_snapshot"};

}  // namespace

std::string file_path(std::string_view directory, Offset offset, FileKind kind) {
  return fmt::format(
      "{}/{:020}{}", directory, offset.value(), kSuffixes[static_cast<size_t>(kind)]);
}

std::optional<FileName> parse_file_name(std::string_view name) {
  if (name.size() <= kDigits) return std::nullopt;
  int64_t offset = 0;
  auto [end, error] = std::from_chars(name.data(), name.data() + kDigits, offset);
  if (error != std::errc() || end != name.data() + kDigits || offset < 0) return std::nullopt;
  if (name[0] == '-') return std::nullopt;
  for (size_t kind = 0; kind < kSuffixes.size(); ++kind) {
    if (name.substr(kDigits) == kSuffixes[kind]) {
      return FileName{Offset(offset), static_cast<FileKind>(kind)};
    }
  }
  return std::nullopt;
}

}  // namespace lakestream::log_internal
