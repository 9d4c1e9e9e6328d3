#include "table/path.h"

#include <cstdint>

namespace lakestream {
namespace {

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-';
}

Status check_new_name(ErrorCode code, std::string_view thing, std::string_view name) {
  if (std::optional<std::string> reason = why_no_name(name)) {
    return make_error(code, "{} '{}': {}", thing, name, *reason);
  }
  if (name.starts_with(kReservedNamePrefix)) {
    return make_error(code,
                      "{} '{}': names that start with '{}' are reserved, choose another",
                      thing,
                      name,
                      kReservedNamePrefix);
  }
  return ok();
}

// Puts a value into a hash; the steps are those of SplitMix64, so that small ids spread over all
// bits.
size_t mix(size_t seed, size_t value) {
  uint64_t z = seed + value + 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

}  // namespace

std::optional<std::string> why_no_name(std::string_view text) {
  if (text.empty()) return "a name must not be empty";
  if (text.size() > kMaxNameLength) {
    return fmt::format(
        "a name has at most {} characters, this one {}", kMaxNameLength, text.size());
  }
  if (text == "." || text == "..") return "'.' and '..' are no names";
  for (char c : text) {
    if (!is_name_character(c)) return "only letters, digits, '_' and '-' are allowed";
  }
  return std::nullopt;
}

Status check_new_database_name(std::string_view name) {
  return check_new_name(ErrorCode::kInvalidDatabaseException, "database name", name);
}

Status check_new_table_name(std::string_view name) {
  return check_new_name(ErrorCode::kInvalidTableException, "table name", name);
}

Status check_new_table_path(const TablePath& path) {
  RETURN_IF_ERROR(check_new_database_name(path.database));
  return check_new_table_name(path.table);
}

Status check_producer_id(std::string_view id) {
  std::optional<std::string> reason = why_no_name(id);
  if (!reason) return ok();
  return make_error(ErrorCode::kInvalidProducerIdException, "producer id '{}': {}", id, *reason);
}

}  // namespace lakestream

size_t std::hash<lakestream::TablePath>::operator()(
    const lakestream::TablePath& path) const noexcept {
  std::hash<std::string> text;
  return lakestream::mix(lakestream::mix(0, text(path.database)), text(path.table));
}

size_t std::hash<lakestream::PhysicalTablePath>::operator()(
    const lakestream::PhysicalTablePath& path) const noexcept {
  size_t table = std::hash<lakestream::TablePath>()(path.table);
  return path.partition ? lakestream::mix(table, std::hash<std::string>()(*path.partition)) : table;
}

size_t std::hash<lakestream::TableBucket>::operator()(
    const lakestream::TableBucket& bucket) const noexcept {
  int64_t partition = bucket.partition ? bucket.partition->value() : -1;
  size_t seed = lakestream::mix(0, static_cast<size_t>(bucket.table.value()));
  seed = lakestream::mix(seed, static_cast<size_t>(partition));
  return lakestream::mix(seed, static_cast<size_t>(bucket.bucket.value()));
}
