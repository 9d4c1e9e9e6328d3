#include <charconv>

#include "log/log.h"

namespace lakestream {
namespace {

// "name-17" into "name" and 17; with a mark before the number, "name-p17".
struct Numbered {
  std::string_view name;
  int64_t number = 0;
};

std::optional<Numbered> split_number(std::string_view text, std::string_view separator) {
  size_t at = text.rfind(separator);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view digits = text.substr(at + separator.size());
  Numbered result{text.substr(0, at), 0};
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), result.number);
  bool whole = error == std::errc() && end == digits.data() + digits.size();
  if (!whole || result.number < 0) return std::nullopt;
  return result;
}

}  // namespace

std::string table_directory(const LogPath& path) {
  std::string directory =
      fmt::format("{}/{}-{}", path.table.table.database, path.table.table.table, path.bucket.table);
  if (path.table.partition && path.bucket.partition) {
    directory += fmt::format("/{}-p{}", *path.table.partition, *path.bucket.partition);
  }
  return directory;
}

std::string log_directory(const LogPath& path) {
  return fmt::format("{}/log-{}", table_directory(path), path.bucket.bucket);
}

std::optional<LogPath> parse_log_directory(std::string_view directory) {
  std::vector<std::string_view> names;
  for (size_t begin = 0; begin <= directory.size();) {
    size_t end = std::min(directory.find('/', begin), directory.size());
    names.push_back(directory.substr(begin, end - begin));
    begin = end + 1;
  }
  if (names.size() != 3 && names.size() != 4) return std::nullopt;
  auto table = split_number(names[1], "-");
  auto bucket = split_number(names.back(), "-");
  if (!table || !bucket || bucket->name != "log" || bucket->number > INT32_MAX) {
    return std::nullopt;
  }
  LogPath path{
      .table = {{std::string(names[0]), std::string(table->name)}, std::nullopt},
      .bucket = {
          TableId(table->number), std::nullopt, BucketId(static_cast<int32_t>(bucket->number))}};
  if (names.size() == 4) {
    auto partition = split_number(names[2], "-p");
    if (!partition) return std::nullopt;
    path.table.partition = std::string(partition->name);
    path.bucket.partition = PartitionId(partition->number);
  }
  return path;
}

}  // namespace lakestream
