#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <vector>

#include "io/random.h"
#include "wire/api.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data,
                                          size_t size,
                                          size_t max_size,
                                          unsigned int seed);

// Changes of frames that keep them frames: another API or version, fields of messages taken out,
// doubled, moved, given borders as values, nested ones as well. Half of the time libFuzzer changes
// bytes as it does anyhow.
namespace lakestream::wire {
namespace {

using Input = std::vector<uint8_t>;

constexpr size_t kHeaderBytes = 8;  // i16 key, i16 version, i32 request id

enum WireType : uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

// Where a field begins, its content and its end.
struct Field {
  size_t begin = 0;
  size_t content = 0;
  size_t end = 0;
  uint8_t type = 0;
};

std::optional<uint64_t> read_varint(const Input& input, size_t* at) {
  uint64_t value = 0;
  for (int shift = 0; shift < 64 && *at < input.size(); shift += 7) {
    uint8_t byte = input[(*at)++];
    value |= uint64_t{byte & 0x7fU} << shift;
    if (byte < 0x80) return value;
  }
  return std::nullopt;
}

Input varint(uint64_t value) {
  Input bytes;
  for (; value >= 0x80; value >>= 7) bytes.push_back(static_cast<uint8_t>(value | 0x80));
  bytes.push_back(static_cast<uint8_t>(value));
  return bytes;
}

// Empty when the input is no message.
std::vector<Field> fields_of(const Input& message) {
  std::vector<Field> fields;
  for (size_t at = 0; at < message.size();) {
    Field field{.begin = at};
    auto key = read_varint(message, &at);
    if (!key) return {};
    field.type = static_cast<uint8_t>(*key & 7);
    field.content = at;
    uint64_t size = field.type == kFixed64 ? 8 : 4;
    if (field.type == kVarint) {
      if (!read_varint(message, &at)) return {};
      size = 0;
    } else if (field.type == kBytes) {
      auto length = read_varint(message, &at);
      if (!length) return {};
      field.content = at;
      size = *length;
    } else if (field.type != kFixed64 && field.type != kFixed32) {
      return {};
    }
    if (size > message.size() - at) return {};
    field.end = at + size;
    at = field.end;
    fields.push_back(field);
  }
  return fields;
}

Input piece(const Input& from, size_t begin, size_t end) {
  return {from.begin() + static_cast<ptrdiff_t>(begin), from.begin() + static_cast<ptrdiff_t>(end)};
}

Input replaced(const Input& message, size_t begin, size_t end, const Input& by) {
  Input made = piece(message, 0, begin);
  made.insert(made.end(), by.begin(), by.end());
  made.insert(made.end(), message.begin() + static_cast<ptrdiff_t>(end), message.end());
  return made;
}

uint64_t border(Random* random) {
  static constexpr auto kBorders = std::to_array<uint64_t>({0,
                                                            1,
                                                            2,
                                                            127,
                                                            128,
                                                            0x7fff'ffff,
                                                            0x8000'0000,
                                                            0xffff'ffff,
                                                            INT64_MAX,
                                                            1ULL << 63,
                                                            UINT64_MAX});
  return kBorders[random->below(kBorders.size())];
}

Input change_message(const Input& message, Random* random, int depth);

Input change_content(const Input& message, const Field& field, Random* random, int depth) {
  if (field.type == kVarint) {
    return replaced(message, field.content, field.end, varint(border(random)));
  }
  Input content = piece(message, field.content, field.end);
  if (field.type != kBytes) {
    for (uint8_t& byte : content) byte = static_cast<uint8_t>(random->below(256));
    return replaced(message, field.content, field.end, content);
  }
  if (depth < 8 && !fields_of(content).empty() && random->below(4) != 0) {
    content = change_message(content, random, depth + 1);
  } else {
    size_t size = content.size();
    content.resize(size + 16);
    content.resize(LLVMFuzzerMutate(content.data(), size, content.size()));
  }
  size_t head = field.begin;
  (void)read_varint(message, &head);  // the key stays
  Input again = varint(content.size());
  again.insert(again.end(), content.begin(), content.end());
  return replaced(message, head, field.end, again);
}

Input change_message(const Input& message, Random* random, int depth) {
  std::vector<Field> fields = fields_of(message);
  if (fields.empty()) {  // begins one
    Input made = varint(random->below(20) << 3 | (random->below(2) == 0 ? kVarint : kBytes));
    made.push_back(0);
    made.insert(made.end(), message.begin(), message.end());
    return made;
  }
  const Field& field = fields[random->below(fields.size())];
  const Field& other = fields[random->below(fields.size())];
  switch (random->below(6)) {
    case 0:
      return replaced(message, field.begin, field.end, {});
    case 1:
      return replaced(message, other.begin, other.begin, piece(message, field.begin, field.end));
    case 2: {  // under another number
      Input key = varint((1 + random->below(20)) << 3 | field.type);
      size_t behind = field.begin;
      (void)read_varint(message, &behind);
      return replaced(message, field.begin, behind, key);
    }
    default:
      return change_content(message, field, random, depth);
  }
}

int16_t random_key(Random* random) {
  auto first = static_cast<int16_t>(ApiKey::kApiVersions);
  auto last = static_cast<int16_t>(ApiKey::kRemoveServerTagByRack);
  return static_cast<int16_t>(
      first + static_cast<int16_t>(random->below(static_cast<uint64_t>(last - first + 1))));
}

Input change_frame(const Input& frame, Random* random) {
  Input head = piece(frame, 0, kHeaderBytes);
  if (random->below(16) == 0) {
    auto key = static_cast<uint16_t>(random_key(random));
    head[0] = static_cast<uint8_t>(key >> 8);
    head[1] = static_cast<uint8_t>(key);
  }
  if (random->below(16) == 0) head[3] ^= 1;  // a request becomes a response
  Input body = change_message(piece(frame, kHeaderBytes, frame.size()), random, 0);
  head.insert(head.end(), body.begin(), body.end());
  return head;
}

}  // namespace
}  // namespace lakestream::wire

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data,
                                          size_t size,
                                          size_t max_size,
                                          unsigned int seed) {
  using namespace lakestream::wire;
  lakestream::Random random(seed);
  if (size < kHeaderBytes || random.below(2) == 0) return LLVMFuzzerMutate(data, size, max_size);
  Input changed = change_frame(Input(data, data + size), &random);
  changed.resize(std::min(changed.size(), max_size));
  std::ranges::copy(changed, data);
  return changed.size();
}
