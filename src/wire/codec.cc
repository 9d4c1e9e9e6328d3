#include "wire/codec.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/endian.h"
#include "wire/parts.h"
#include "wire/utf8.h"

// The tag of a field on the wire is number * 8 + wire type, a varint like every other integer.
namespace lakestream::wire {
namespace {

enum WireType : uint32_t { kVarint = 0, kFixed64 = 1, kDelimited = 2, kFixed32 = 5 };

constexpr size_t kVarintBytesMax = 10;

uint32_t wire_type_of(FieldKind kind) {
  switch (kind) {
    case FieldKind::kInt32:
    case FieldKind::kInt64:
    case FieldKind::kBool:
      return kVarint;
    case FieldKind::kFloat:
      return kFixed32;
    case FieldKind::kDouble:
      return kFixed64;
    default:
      return kDelimited;
  }
}

// nullptr when the varint is cut off or does not fit 64 bits.
const uint8_t* read_varint(const uint8_t* at, const uint8_t* end, uint64_t* value) {
  if (at < end && *at < 0x80) [[likely]] {
    *value = *at;
    return at + 1;
  }
  uint64_t result = 0;
  for (size_t i = 0; i < kVarintBytesMax && at < end; ++i) {
    const uint64_t byte = *at++;
    if (i == kVarintBytesMax - 1 && byte > 1) return nullptr;
    result |= (byte & 0x7f) << (7 * i);
    if (byte < 0x80) {
      *value = result;
      return at;
    }
  }
  return nullptr;
}

// One field as it stands on the wire: a number, or the range of a delimited one.
struct Raw {
  uint32_t field = 0;
  uint32_t type = 0;
  uint64_t number = 0;
  const uint8_t* data = nullptr;
  size_t size = 0;
};

// The place behind the field; nullptr when it is cut off, a group, or no field at all.
const uint8_t* read_raw(const uint8_t* at, const uint8_t* end, Raw* raw) {
  uint64_t tag = 0;
  at = read_varint(at, end, &tag);
  if (at == nullptr || tag < 8 || tag > UINT32_MAX) return nullptr;
  raw->field = static_cast<uint32_t>(tag >> 3);
  raw->type = static_cast<uint32_t>(tag & 7);
  const auto left = static_cast<size_t>(end - at);
  switch (raw->type) {
    case kVarint:
      return read_varint(at, end, &raw->number);
    case kFixed64:
      if (left < 8) return nullptr;
      raw->number = load_le<uint64_t>(at);
      return at + 8;
    case kFixed32:
      if (left < 4) return nullptr;
      raw->number = load_le<uint32_t>(at);
      return at + 4;
    case kDelimited: {
      uint64_t size = 0;
      at = read_varint(at, end, &size);
      if (at == nullptr || size > static_cast<uint64_t>(end - at)) return nullptr;
      raw->data = at;
      raw->size = size;
      return at + size;
    }
    default:
      return nullptr;
  }
}

class Decoder {
 public:
  explicit Decoder(const Bytes& payload)
      : payload_(payload), budget_(kDecodedBytesBase + kDecodedBytesPerByte * payload.size()) {}

  // False when the message breaks a rule; error() then says which.
  bool message(const MessageInfo& info, uint8_t* to, const uint8_t* at, const uint8_t* end);
  Error error() { return std::move(*error_); }

 private:
  bool store(const MessageInfo& info, const FieldInfo& field, uint8_t* to, const Raw& raw);
  bool store_delimited(const MessageInfo& info,
                       const FieldInfo& field,
                       uint8_t* to,
                       const Raw& raw);
  bool store_packed(const MessageInfo& info, const FieldInfo& field, uint8_t* to, const Raw& raw);
  // run_end: where a run of elements may end when this is the first one, else nullptr.
  bool admit(const MessageInfo& info,
             const FieldInfo& field,
             uint8_t* to,
             const Raw& raw,
             const uint8_t* run_end);
  Bytes slice(const Raw& raw) const {
    return payload_.slice(static_cast<size_t>(raw.data - payload_.data()), raw.size);
  }
  bool refuse(const MessageInfo& info, const FieldInfo* field, std::string_view rule);

  const Bytes& payload_;
  size_t budget_;
  int depth_ = 0;
  std::optional<Error> error_;
};

bool Decoder::refuse(const MessageInfo& info, const FieldInfo* field, std::string_view rule) {
  error_ = Error(ErrorCode::kUnknownServerError,
                 field == nullptr
                     ? fmt::format("message {}: {}", info.name, rule)
                     : fmt::format("message {}: field {} {}", info.name, field->name, rule));
  return false;
}

// Fields usually come in the order of their numbers, so the search starts where the last one was
// found.
const FieldInfo* find_field(const MessageInfo& info, uint32_t number, const FieldInfo* last) {
  const FieldInfo* first = info.fields.data();
  const FieldInfo* end = first + info.fields.size();
  for (const FieldInfo* field = last; field < end; ++field) {
    if (field->number == number) return field;
  }
  for (const FieldInfo* field = first; field < last; ++field) {
    if (field->number == number) return field;
  }
  return nullptr;
}

bool Decoder::message(const MessageInfo& info, uint8_t* to, const uint8_t* at, const uint8_t* end) {
  if (++depth_ > kNestingMax) return refuse(info, nullptr, "messages nested deeper than allowed");
  const FieldInfo* last = info.fields.data();
  uint64_t seen = 0;
  while (at < end) {
    Raw raw;
    at = read_raw(at, end, &raw);
    if (at == nullptr) [[unlikely]] {
      return refuse(info, nullptr, "is cut off or holds what is no field of protobuf");
    }
    const FieldInfo* field = find_field(info, raw.field, last);
    if (field == nullptr) continue;
    const uint64_t bit = uint64_t{1} << (field - info.fields.data());
    uint8_t* place = to + field->offset;
    if (field->label == FieldLabel::kRepeated && raw.type == kDelimited) {
      const uint8_t* run_end = (seen & bit) == 0 ? end : nullptr;
      if (!admit(info, *field, place, raw, run_end)) return false;
    }
    if (!store(info, *field, place, raw)) return false;
    seen |= bit;
    last = field;
  }
  --depth_;
  const uint64_t missing = info.required & ~seen;
  if (missing == 0) [[likely]]
    return true;
  return refuse(info,
                &info.fields[static_cast<size_t>(std::countr_zero(missing))],
                "is missing though it is required");
}

template <typename T>
void put(FieldLabel label, uint8_t* to, T value) {
  if (label == FieldLabel::kRequired) {
    *reinterpret_cast<T*>(to) = std::move(value);
  } else if (label == FieldLabel::kOptional) {
    *reinterpret_cast<std::optional<T>*>(to) = std::move(value);
  } else if constexpr (!std::is_same_v<T, bool>) {
    reinterpret_cast<std::vector<T>*>(to)->push_back(std::move(value));
  }
}

bool Decoder::store(const MessageInfo& info, const FieldInfo& field, uint8_t* to, const Raw& raw) {
  if (raw.type == kDelimited) return store_delimited(info, field, to, raw);
  if (raw.type != wire_type_of(field.kind)) [[unlikely]] {
    return refuse(info, &field, "has a wire type that its type does not allow");
  }
  switch (field.kind) {
    case FieldKind::kInt32:
      put(field.label, to, static_cast<int32_t>(raw.number));
      return true;
    case FieldKind::kInt64:
      put(field.label, to, static_cast<int64_t>(raw.number));
      return true;
    case FieldKind::kBool:
      put(field.label, to, raw.number != 0);
      return true;
    case FieldKind::kFloat:
      put(field.label, to, std::bit_cast<float>(static_cast<uint32_t>(raw.number)));
      return true;
    default:
      put(field.label, to, std::bit_cast<double>(raw.number));
      return true;
  }
}

bool Decoder::store_delimited(const MessageInfo& info,
                              const FieldInfo& field,
                              uint8_t* to,
                              const Raw& raw) {
  switch (field.kind) {
    case FieldKind::kString: {
      // Others get to see it in answers, which they could not read.
      std::string text(reinterpret_cast<const char*>(raw.data), raw.size);
      if (!is_utf8(text)) return refuse(info, &field, "is no UTF-8");
      put(field.label, to, std::move(text));
      return true;
    }
    case FieldKind::kBytes:
      put(field.label, to, slice(raw));
      return true;
    case FieldKind::kChain:
      put(field.label, to, BytesChain(slice(raw)));
      return true;
    case FieldKind::kMessage: {
      void* element = field.elements == nullptr ? to : field.elements->add(to);
      return message(*field.message, static_cast<uint8_t*>(element), raw.data, raw.data + raw.size);
    }
    default:
      return store_packed(info, field, to, raw);
  }
}

bool Decoder::store_packed(const MessageInfo& info,
                           const FieldInfo& field,
                           uint8_t* to,
                           const Raw& raw) {
  const bool is_list = field.label == FieldLabel::kRepeated || field.label == FieldLabel::kPacked;
  if (!is_list || wire_type_of(field.kind) != kVarint) [[unlikely]] {
    return refuse(info, &field, "has a wire type that its type does not allow");
  }
  const uint8_t* end = raw.data + raw.size;
  for (const uint8_t* at = raw.data; at < end;) {
    uint64_t number = 0;
    at = read_varint(at, end, &number);
    if (at == nullptr) return refuse(info, &field, "holds a packed number that is cut off");
    if (field.kind == FieldKind::kInt32) {
      put(field.label, to, static_cast<int32_t>(number));
    } else {
      put(field.label, to, static_cast<int64_t>(number));
    }
  }
  return true;
}

size_t element_bytes_of(const FieldInfo& field) {
  switch (field.kind) {
    case FieldKind::kMessage:
      return field.elements->element_bytes;
    case FieldKind::kString:
      return sizeof(std::string);
    case FieldKind::kBytes:
      return sizeof(Bytes);
    default:
      return 0;  // numbers take at most eight bytes for one
  }
}

void reserve_elements(const FieldInfo& field, uint8_t* to, size_t count) {
  if (field.kind == FieldKind::kMessage) {
    field.elements->reserve(to, count);
  } else if (field.kind == FieldKind::kString) {
    reinterpret_cast<std::vector<std::string>*>(to)->reserve(count);
  } else {
    reinterpret_cast<std::vector<Bytes>*>(to)->reserve(count);
  }
}

// How many fields with this number stand in a row, `first` being the one that was just read.
size_t count_run(const Raw& first, const uint8_t* end) {
  size_t count = 1;
  Raw next;
  const uint8_t* at = first.data + first.size;
  while ((at = read_raw(at, end, &next)) != nullptr && next.field == first.field) ++count;
  return count;
}

// Charges one element of a repeated field to the budget. The elements usually stand in a row, so at
// the first one a look ahead finds how many there are and the vector grows only once.
bool Decoder::admit(const MessageInfo& info,
                    const FieldInfo& field,
                    uint8_t* to,
                    const Raw& raw,
                    const uint8_t* run_end) {
  const size_t element_bytes = element_bytes_of(field);
  if (element_bytes == 0) return true;
  const size_t count = run_end == nullptr ? 1 : count_run(raw, run_end);
  if (count > budget_ / element_bytes) [[unlikely]] {
    return refuse(info, &field, "has more elements than a payload of this size may bring");
  }
  if (count > 1) reserve_elements(field, to, count);
  budget_ -= element_bytes;
  return true;
}

// As Decoder::message goes through a message, without storing anything.
size_t parts_of(const MessageInfo& info, const uint8_t* at, const uint8_t* end, int depth) {
  size_t parts = 0;
  const FieldInfo* last = info.fields.data();
  Raw raw;
  while (depth < kNestingMax && at < end && (at = read_raw(at, end, &raw)) != nullptr) {
    const FieldInfo* field = find_field(info, raw.field, last);
    if (field == nullptr) continue;
    last = field;
    // A number ends with a byte below 0x80.
    if (raw.type == kDelimited && wire_type_of(field->kind) == kVarint) {
      parts += static_cast<size_t>(
          std::count_if(raw.data, raw.data + raw.size, [](uint8_t byte) { return byte < 0x80; }));
    } else if (field->label == FieldLabel::kRepeated || field->label == FieldLabel::kPacked) {
      ++parts;
    }
    if (field->kind == FieldKind::kMessage && raw.type == kDelimited) {
      parts += parts_of(*field->message, raw.data, raw.data + raw.size, depth + 1);
    }
  }
  return parts;
}

// What both passes of the encoder do: go through the fields that are set, in the order of their
// numbers. A pass takes varint, fixed, text, bytes, chain, packed and message.
template <typename T, typename Use>
void each(const FieldInfo& field, const uint8_t* from, Use use) {
  if (field.label == FieldLabel::kRequired) {
    use(*reinterpret_cast<const T*>(from));
  } else if (field.label == FieldLabel::kOptional) {
    const auto& value = *reinterpret_cast<const std::optional<T>*>(from);
    if (value.has_value()) use(*value);
  } else if constexpr (!std::is_same_v<T, bool>) {
    for (const T& value : *reinterpret_cast<const std::vector<T>*>(from)) use(value);
  }
}

template <typename T, typename Pass>
void visit_integers(const FieldInfo& field, const uint8_t* from, Pass& pass) {
  if (field.label == FieldLabel::kPacked) {
    const auto& values = *reinterpret_cast<const std::vector<T>*>(from);
    if (!values.empty()) pass.packed(field, std::span<const T>(values));
  } else {
    // Negative numbers of both widths are sign-extended to ten bytes, as proto2 has it.
    each<T>(field, from, [&](T value) {
      pass.varint(field, static_cast<uint64_t>(static_cast<int64_t>(value)));
    });
  }
}

template <typename Pass>
void visit_messages(const FieldInfo& field, const uint8_t* from, Pass& pass) {
  if (field.elements == nullptr) {
    pass.message(field, from);
    return;
  }
  const size_t count = field.elements->count(from);
  if (count == 0) return;
  const auto* element = static_cast<const uint8_t*>(field.elements->first(from));
  for (size_t i = 0; i < count; ++i, element += field.elements->element_bytes) {
    pass.message(field, element);
  }
}

template <typename Pass>
void visit_fields(const MessageInfo& info, const uint8_t* message, Pass& pass) {
  for (const FieldInfo& field : info.fields) {
    const uint8_t* from = message + field.offset;
    switch (field.kind) {
      case FieldKind::kInt32:
        visit_integers<int32_t>(field, from, pass);
        break;
      case FieldKind::kInt64:
        visit_integers<int64_t>(field, from, pass);
        break;
      case FieldKind::kBool:
        each<bool>(field, from, [&](bool value) { pass.varint(field, value ? 1 : 0); });
        break;
      case FieldKind::kFloat:
        each<float>(field, from, [&](float value) { pass.fixed(field, value); });
        break;
      case FieldKind::kDouble:
        each<double>(field, from, [&](double value) { pass.fixed(field, value); });
        break;
      case FieldKind::kString:
        each<std::string>(field, from, [&](const std::string& value) { pass.text(field, value); });
        break;
      case FieldKind::kBytes:
        each<Bytes>(field, from, [&](const Bytes& value) { pass.bytes(field, value); });
        break;
      case FieldKind::kChain:
        each<BytesChain>(field, from, [&](const BytesChain& value) { pass.bytes(field, value); });
        break;
      case FieldKind::kMessage:
        visit_messages(field, from, pass);
        break;
    }
  }
}

uint64_t tag_of(const FieldInfo& field, uint32_t wire_type) {
  return uint64_t{field.number} << 3 | wire_type;
}

size_t varint_bytes(uint64_t value) {
  return static_cast<size_t>(std::bit_width(value | 1) + 6) / 7;
}

size_t tag_bytes(const FieldInfo& field) { return field.number < 16 ? 1 : 2; }

// Lengths of the delimited fields whose content has to be measured, in the order of their start:
// the first pass notes them, the second one reads them, so nothing is measured twice at any depth.
class Lengths {
 public:
  size_t start() {
    if (count_ >= kInline) more_.push_back(0);
    return count_++;
  }
  size_t& operator[](size_t index) {
    return index < kInline ? inline_[index] : more_[index - kInline];
  }

 private:
  static constexpr size_t kInline = 64;
  std::array<size_t, kInline> inline_;
  std::vector<size_t> more_;
  size_t count_ = 0;
};

// First pass: how long the message is, and how much of it is shared instead of copied.
class SizePass {
 public:
  explicit SizePass(Lengths& lengths) : lengths_(lengths) {}

  void varint(const FieldInfo& field, uint64_t value) {
    size_ += tag_bytes(field) + varint_bytes(value);
  }
  template <typename T>
  void fixed(const FieldInfo& field, T) {
    size_ += tag_bytes(field) + sizeof(T);
  }
  void text(const FieldInfo& field, const std::string& value) { delimited(field, value.size()); }
  template <typename T>
  void bytes(const FieldInfo& field, const T& value) {
    delimited(field, value.size());
    if (value.size() >= kShareBytesMin) shared_ += value.size();
  }
  template <typename T>
  void packed(const FieldInfo& field, std::span<const T> values) {
    size_t size = 0;
    for (T value : values) size += varint_bytes(static_cast<uint64_t>(static_cast<int64_t>(value)));
    lengths_[lengths_.start()] = size;
    delimited(field, size);
  }
  void message(const FieldInfo& field, const uint8_t* from) {
    const size_t index = lengths_.start();
    const size_t outer = std::exchange(size_, 0);
    visit_fields(*field.message, from, *this);
    const size_t inner = std::exchange(size_, outer);
    lengths_[index] = inner;
    delimited(field, inner);
  }

  size_t size() const { return size_; }
  size_t copied() const { return size_ - shared_; }

 private:
  void delimited(const FieldInfo& field, size_t size) {
    size_ += tag_bytes(field) + varint_bytes(size) + size;
  }

  Lengths& lengths_;
  size_t size_ = 0;
  size_t shared_ = 0;
};

// Second pass: writes into memory of exactly the size that the first one found. Where shared bytes
// come, what was written before them and they themselves become parts of the chain.
class WritePass {
 public:
  WritePass(Lengths& lengths, size_t copied)
      : lengths_(lengths),
        size_(copied),
        slab_(MutableBytes::allocate(copied)),
        at_(slab_.data()) {}

  void varint(const FieldInfo& field, uint64_t value) {
    write_varint(tag_of(field, kVarint));
    write_varint(value);
  }
  template <typename T>
  void fixed(const FieldInfo& field, T value) {
    write_varint(tag_of(field, sizeof(T) == 4 ? kFixed32 : kFixed64));
    write(&value, sizeof(T));
  }
  void text(const FieldInfo& field, const std::string& value) {
    delimited(field, value.size());
    write(value.data(), value.size());
  }
  void bytes(const FieldInfo& field, const Bytes& value) {
    delimited(field, value.size());
    if (value.size() >= kShareBytesMin) {
      share({&value, 1});
    } else {
      write(value.data(), value.size());
    }
  }
  void bytes(const FieldInfo& field, const BytesChain& value) {
    delimited(field, value.size());
    if (value.size() >= kShareBytesMin) {
      share(value.parts());
    } else {
      for (const Bytes& part : value.parts()) write(part.data(), part.size());
    }
  }
  template <typename T>
  void packed(const FieldInfo& field, std::span<const T> values) {
    delimited(field, lengths_[next_++]);
    for (T value : values) write_varint(static_cast<uint64_t>(static_cast<int64_t>(value)));
  }
  void message(const FieldInfo& field, const uint8_t* from) {
    delimited(field, lengths_[next_++]);
    visit_fields(*field.message, from, *this);
  }

  BytesChain finish() && {
    CHECK(at_ == slab_.data() + size_, "an encoded message has the size that was measured");
    const Bytes copied = std::move(slab_).freeze();
    BytesChain chain;
    size_t done = 0;
    for (const Shared& shared : shared_) {
      chain.append(copied.slice(done, shared.position - done));
      for (const Bytes& part : shared.parts) chain.append(part);
      done = shared.position;
    }
    chain.append(copied.slice(done));
    return chain;
  }

 private:
  struct Shared {
    size_t position;  // in the slab
    std::span<const Bytes> parts;
  };

  void share(std::span<const Bytes> parts) {
    shared_.push_back({static_cast<size_t>(at_ - slab_.data()), parts});
  }

  void write(const void* from, size_t size) {
    if (size > 0) std::memcpy(at_, from, size);
    at_ += size;
  }
  void write_varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7) *at_++ = static_cast<uint8_t>(value | 0x80);
    *at_++ = static_cast<uint8_t>(value);
  }
  void delimited(const FieldInfo& field, size_t size) {
    write_varint(tag_of(field, kDelimited));
    write_varint(size);
  }

  Lengths& lengths_;
  size_t next_ = 0;
  size_t size_;
  MutableBytes slab_;
  uint8_t* at_;
  std::vector<Shared> shared_;
};

}  // namespace

Status decode_message(const MessageInfo& info, void* message, const Bytes& payload) {
  Decoder decoder(payload);
  if (decoder.message(info, static_cast<uint8_t*>(message), payload.begin(), payload.end())) {
    return ok();
  }
  return fail(decoder.error());
}

size_t count_parts(const MessageInfo& info, const Bytes& payload) {
  return parts_of(info, payload.begin(), payload.end(), 0);
}

BytesChain encode_message(const MessageInfo& info, const void* message) {
  const auto* from = static_cast<const uint8_t*>(message);
  Lengths lengths;
  SizePass sizes(lengths);
  visit_fields(info, from, sizes);
  if (sizes.size() == 0) return {};
  WritePass writer(lengths, sizes.copied());
  visit_fields(info, from, writer);
  return std::move(writer).finish();
}

}  // namespace lakestream::wire
