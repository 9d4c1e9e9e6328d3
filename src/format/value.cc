#include "format/value.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <new>

namespace lakestream {
namespace {

constexpr size_t kBlockBytes = 16 * 1024;
constexpr size_t kAlignment = alignof(Value);

constexpr std::array<Int128, 39> make_powers() {
  std::array<Int128, 39> powers{};
  powers[0] = 1;
  for (size_t i = 1; i < powers.size(); ++i) powers[i] = powers[i - 1] * 10;
  return powers;
}
constexpr std::array<Int128, 39> kPowers = make_powers();

}  // namespace

bool operator==(const Value& a, const Value& b) {
  if (a.kind_ != b.kind_) return false;
  switch (a.kind_) {
    case Value::Kind::kNull:
      return true;
    case Value::Kind::kBoolean:
    case Value::Kind::kInteger:
      return a.integer_ == b.integer_;
    case Value::Kind::kFloat:
      return std::bit_cast<uint32_t>(a.float_value_) == std::bit_cast<uint32_t>(b.float_value_);
    case Value::Kind::kDouble:
      return std::bit_cast<uint64_t>(a.double_value_) == std::bit_cast<uint64_t>(b.double_value_);
    case Value::Kind::kBytes:
      return a.as_bytes() == b.as_bytes();
    case Value::Kind::kDecimal:
      return a.decimal_ == b.decimal_;
    case Value::Kind::kTimestamp:
      return a.timestamp_.ms == b.timestamp_.ms && a.timestamp_.ns == b.timestamp_.ns;
    case Value::Kind::kArray:
    case Value::Kind::kMap:
    case Value::Kind::kRow:
      return std::ranges::equal(a.items(), b.items());
  }
  return false;
}

Value::Kind value_kind_of(const DataType& type) {
  switch (type.root()) {
    case TypeRoot::kBoolean:
      return Value::Kind::kBoolean;
    case TypeRoot::kTinyint:
    case TypeRoot::kSmallint:
    case TypeRoot::kInteger:
    case TypeRoot::kBigint:
    case TypeRoot::kDate:
    case TypeRoot::kTime:
      return Value::Kind::kInteger;
    case TypeRoot::kFloat:
      return Value::Kind::kFloat;
    case TypeRoot::kDouble:
      return Value::Kind::kDouble;
    case TypeRoot::kChar:
    case TypeRoot::kString:
    case TypeRoot::kBinary:
    case TypeRoot::kBytes:
      return Value::Kind::kBytes;
    case TypeRoot::kDecimal:
      return Value::Kind::kDecimal;
    case TypeRoot::kTimestamp:
    case TypeRoot::kTimestampLtz:
      return Value::Kind::kTimestamp;
    case TypeRoot::kArray:
      return Value::Kind::kArray;
    case TypeRoot::kMap:
      return Value::Kind::kMap;
    case TypeRoot::kRow:
      return Value::Kind::kRow;
  }
  return Value::Kind::kNull;
}

Int128 power_of_ten(int32_t digits) {
  CHECK(digits >= 0 && digits <= kMaxDecimalPrecision, "digits of a decimal");
  return kPowers[static_cast<size_t>(digits)];
}

std::span<Value> Arena::values(size_t count) {
  if (count == 0) return {};
  auto* first = reinterpret_cast<Value*>(take(count * sizeof(Value)));
  std::uninitialized_default_construct_n(first, count);
  return {first, count};
}

std::string_view Arena::copy(std::string_view text) {
  if (text.empty()) return {};
  std::byte* memory = take(text.size());
  std::memcpy(memory, text.data(), text.size());
  return {reinterpret_cast<const char*>(memory), text.size()};
}

void Arena::clear() {
  if (blocks_.size() > 1) blocks_.resize(1);
  used_ = 0;
}

std::byte* Arena::take(size_t size) {
  size = (size + kAlignment - 1) / kAlignment * kAlignment;
  if (blocks_.empty() || blocks_.back().size - used_ < size) {
    size_t block = std::max(kBlockBytes, size);
    static_assert(__STDCPP_DEFAULT_NEW_ALIGNMENT__ >= kAlignment);
    blocks_.push_back({std::make_unique_for_overwrite<std::byte[]>(block), block});
    used_ = 0;
  }
  used_ += size;
  return blocks_.back().memory.get() + (used_ - size);
}

}  // namespace lakestream
