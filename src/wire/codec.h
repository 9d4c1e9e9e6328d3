#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

// The one codec behind all messages: it walks a constant table of a message's fields (number, kind,
// label, place in the struct), so that the generated code is data and two lines a message. Private
// to wire; others call X::decode and X::encode of messages.h.
//
// Decoding follows proto2: unknown fields are skipped, the last value of a singular field wins,
// numbers may come packed or one by one, a missing required field is an error. Beyond proto2 it
// refuses groups, a field with a wrong wire type, nesting deeper than kNestingMax, and a payload
// whose structs would take far more memory than its bytes (kDecodedBytesBase,
// kDecodedBytesPerByte).
//
// Thread rule: pure functions over constant tables.
//
//   ProduceLogRequest request;
//   RETURN_IF_ERROR(decode_message(kProduceLogRequestInfo, &request, payload));
//   BytesChain bytes = encode_message(kProduceLogRequestInfo, &request);
namespace lakestream::wire {

// The Java client nests a condition of n parts n compounds deep, which are two messages each.
inline constexpr int kNestingMax = 1000;
// Structs in repeated fields may take this much memory: base + per byte of payload.
inline constexpr size_t kDecodedBytesBase = size_t{16} << 20;
inline constexpr size_t kDecodedBytesPerByte = 4;
// Byte fields at least this long are shared when encoding, shorter ones are copied.
inline constexpr size_t kShareBytesMin = 1024;

enum class FieldKind : uint8_t {
  kInt32,
  kInt64,
  kBool,
  kFloat,
  kDouble,
  kString,
  kBytes,
  kChain,
  kMessage,
};

enum class FieldLabel : uint8_t { kRequired, kOptional, kRepeated, kPacked };

struct MessageInfo;

// Reaches the messages in a std::optional or std::vector without knowing their type.
struct ContainerOps {
  size_t element_bytes;
  void* (*add)(void* container);  // a fresh element; replaces the one of an optional
  void (*reserve)(void* container, size_t count);
  size_t (*count)(const void* container);
  const void* (*first)(const void* container);  // the elements stand in a row
};

struct FieldInfo {
  uint8_t number;
  FieldKind kind;
  FieldLabel label;
  uint16_t offset;
  const char* name;
  const MessageInfo* message = nullptr;    // of kMessage
  const ContainerOps* elements = nullptr;  // of kMessage that is optional or repeated
};

struct MessageInfo {
  const char* name;
  std::span<const FieldInfo> fields;  // in the order of their numbers, at most 64
  uint64_t required;                  // bit i: fields[i] is required
};

template <typename Message>
inline constexpr ContainerOps kOptionalOps = {
    .element_bytes = 0,
    .add = [](void* to) -> void* { return &static_cast<std::optional<Message>*>(to)->emplace(); },
    .reserve = [](void*, size_t) {},
    .count = [](const void* in) -> size_t {
      return static_cast<const std::optional<Message>*>(in)->has_value() ? 1 : 0;
    },
    .first = [](const void* in) -> const void* {
      return &**static_cast<const std::optional<Message>*>(in);
    },
};

template <typename Message>
inline constexpr ContainerOps kVectorOps = {
    .element_bytes = sizeof(Message),
    .add = [](void* to) -> void* {
      return &static_cast<std::vector<Message>*>(to)->emplace_back();
    },
    .reserve = [](void* in, size_t n) { static_cast<std::vector<Message>*>(in)->reserve(n); },
    .count = [](const void* in) { return static_cast<const std::vector<Message>*>(in)->size(); },
    .first = [](const void* in) -> const void* {
      return static_cast<const std::vector<Message>*>(in)->data();
    },
};

// Requires: message points to a fresh struct of the type that info describes.
Status decode_message(const MessageInfo& info, void* message, const Bytes& payload);
BytesChain encode_message(const MessageInfo& info, const void* message);

template <typename Message>
Result<Message> decode_as(const MessageInfo& info, const Bytes& payload) {
  Result<Message> message;
  Status status = decode_message(info, &*message, payload);
  if (!status) [[unlikely]]
    message = fail(std::move(status).error());
  return message;
}

}  // namespace lakestream::wire
