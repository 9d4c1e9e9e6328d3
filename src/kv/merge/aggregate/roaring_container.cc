#include "kv/merge/aggregate/roaring_container.h"

#include <bit>
#include <cstring>

#include "base/endian.h"

namespace lakestream {
namespace {

constexpr uint32_t kValues = 65536;
constexpr size_t kRunBytes = 4;  // first value, count - 1

using Words = std::array<uint64_t, kRoaringBitsBytes / 8>;

uint16_t number_at(std::span<const uint8_t> bytes, size_t index) {
  return load_le<uint16_t>(bytes.data() + 2 * index);
}

// The kind that takes the fewest bytes.
RoaringKind best_kind(uint32_t cardinality, uint32_t runs) {
  size_t plain = cardinality <= kRoaringArrayMax ? size_t{2} * cardinality : kRoaringBitsBytes;
  if (2 + kRunBytes * runs < plain) return RoaringKind::kRuns;
  return cardinality <= kRoaringArrayMax ? RoaringKind::kArray : RoaringKind::kBits;
}

struct Counts {
  uint32_t cardinality = 0;
  uint32_t runs = 0;
};

// Inlined, so that it is compiled for the processor of its caller.
[[gnu::always_inline]] inline Counts count_words(const uint8_t* bits) {
  Counts counts;
  uint64_t before = 0;  // whether the bit before the word is set
  for (size_t i = 0; i < kRoaringBitsBytes; i += 8) {
    auto word = load_le<uint64_t>(bits + i);
    uint64_t starts = word & ~(word << 1 | before);
    counts.cardinality += static_cast<uint32_t>(__builtin_popcountll(word));
    counts.runs += static_cast<uint32_t>(__builtin_popcountll(starts));
    before = word >> 63;
  }
  return counts;
}

#if defined(__x86_64__)
[[gnu::target("popcnt")]] Counts count_with_instruction(const uint8_t* bits) {
  return count_words(bits);
}
#endif

Counts count_bits(const uint8_t* bits) {
#if defined(__x86_64__)
  static const bool has_instruction = __builtin_cpu_supports("popcnt") != 0;
  if (has_instruction) return count_with_instruction(bits);
#endif
  return count_words(bits);
}

// Empty unless the values ascend.
std::optional<Counts> count_array(std::span<const uint8_t> array) {
  size_t count = array.size() / 2;
  uint32_t runs = 1;
  bool ascends = true;
  int before = count == 0 ? 0 : number_at(array, 0);
  for (size_t i = 1; i < count; ++i) {
    int value = number_at(array, i);
    ascends &= value > before;
    runs += value != before + 1 ? 1U : 0U;
    before = value;
  }
  if (!ascends) return std::nullopt;
  return Counts{.cardinality = static_cast<uint32_t>(count), .runs = runs};
}

// Empty unless the runs ascend and stay in range.
std::optional<Counts> count_runs(std::span<const uint8_t> runs) {
  size_t count = runs.size() / kRunBytes;
  Counts counts{.cardinality = 0, .runs = static_cast<uint32_t>(count)};
  uint32_t end = 0;  // of the runs so far
  for (size_t i = 0; i < count; ++i) {
    uint32_t first = number_at(runs, 2 * i);
    uint32_t length = number_at(runs, 2 * i + 1) + 1U;
    if (first < end || first + length > kValues) return std::nullopt;
    if (i != 0 && first == end) --counts.runs;
    end = first + length;
    counts.cardinality += length;
  }
  return counts;
}

void set_range(uint32_t first, uint32_t end, Words* words) {
  uint64_t head = ~uint64_t{0} << first % 64;
  uint64_t tail = ~uint64_t{0} >> (63 - (end - 1) % 64);
  size_t word = first / 64;
  size_t last = (end - 1) / 64;
  if (word == last) {
    (*words)[word] |= head & tail;
    return;
  }
  (*words)[word++] |= head;
  while (word < last) (*words)[word++] = ~uint64_t{0};
  (*words)[last] |= tail;
}

void add(const RoaringContainer& container, Words* words) {
  std::span<const uint8_t> bytes = container.bytes;
  switch (container.form.kind) {
    case RoaringKind::kBits:
      for (size_t i = 0; i < words->size(); ++i) {
        (*words)[i] |= load_le<uint64_t>(bytes.data() + 8 * i);
      }
      return;
    case RoaringKind::kArray:
      for (size_t i = 0; i < bytes.size() / 2; ++i) {
        uint16_t value = number_at(bytes, i);
        (*words)[value / 64] |= uint64_t{1} << value % 64;
      }
      return;
    case RoaringKind::kRuns:
      for (size_t i = 0; i < bytes.size() / kRunBytes; ++i) {
        uint32_t first = number_at(bytes, 2 * i);
        set_range(first, first + number_at(bytes, 2 * i + 1) + 1U, words);
      }
      return;
  }
}

// The first position at or after `from` whose bit is `set`, or 65536.
uint32_t find_bit(const Words& words, uint32_t from, bool set) {
  if (from >= kValues) return kValues;
  uint64_t flip = set ? 0 : ~uint64_t{0};
  size_t word = from / 64;
  uint64_t bits = (words[word] ^ flip) & (~uint64_t{0} << from % 64);
  while (bits == 0) {
    if (++word == words.size()) return kValues;
    bits = words[word] ^ flip;
  }
  return static_cast<uint32_t>(word * 64) + static_cast<uint32_t>(std::countr_zero(bits));
}

// The values of both arrays, in order. Requires: room for them all.
uint32_t merge_arrays(std::span<const uint8_t> a, std::span<const uint8_t> b, uint8_t* out) {
  size_t i = 0;
  size_t j = 0;
  size_t count = 0;
  while (2 * i < a.size() && 2 * j < b.size()) {
    uint16_t x = number_at(a, i);
    uint16_t y = number_at(b, j);
    store_le(out + 2 * count++, x < y ? x : y);
    i += x <= y ? 1 : 0;
    j += y <= x ? 1 : 0;
  }
  for (std::span<const uint8_t> rest : {a.subspan(2 * i), b.subspan(2 * j)}) {
    if (!rest.empty()) std::memcpy(out + 2 * count, rest.data(), rest.size());
    count += rest.size() / 2;
  }
  return static_cast<uint32_t>(count);
}

void write_runs(const Words& words, uint32_t runs, ByteWriter* out) {
  out->put(static_cast<uint16_t>(runs));
  for (uint32_t first = find_bit(words, 0, true); first < kValues;) {
    uint32_t end = find_bit(words, first, false);
    out->put(static_cast<uint16_t>(first));
    out->put(static_cast<uint16_t>(end - first - 1));
    first = find_bit(words, end, true);
  }
}

void write_array(const Words& words, uint32_t cardinality, ByteWriter* out) {
  uint8_t* to = out->extend(size_t{2} * cardinality);
  for (size_t i = 0; i < words.size(); ++i) {
    for (uint64_t bits = words[i]; bits != 0; bits &= bits - 1) {
      store_le(to, static_cast<uint16_t>(i * 64 + static_cast<size_t>(std::countr_zero(bits))));
      to += 2;
    }
  }
}

RoaringForm write_words(const Words& words, ByteWriter* out) {
  Counts counts = count_bits(reinterpret_cast<const uint8_t*>(words.data()));
  RoaringForm form{best_kind(counts.cardinality, counts.runs), counts.cardinality};
  switch (form.kind) {
    case RoaringKind::kRuns:
      write_runs(words, counts.runs, out);
      break;
    case RoaringKind::kBits:
      out->put_bytes({reinterpret_cast<const uint8_t*>(words.data()), kRoaringBitsBytes});
      break;
    case RoaringKind::kArray:
      write_array(words, counts.cardinality, out);
      break;
  }
  return form;
}

}  // namespace

std::optional<std::span<const uint8_t>> RoaringReader::take(size_t count) {
  if (count > bytes_.size()) return std::nullopt;
  std::span<const uint8_t> taken = bytes_.first(count);
  bytes_ = bytes_.subspan(count);
  return taken;
}

std::optional<RoaringContainer> read_container(RoaringKind kind,
                                               uint32_t cardinality,
                                               RoaringReader* reader) {
  std::optional<std::span<const uint8_t>> bytes;
  std::optional<Counts> counts;
  if (kind == RoaringKind::kRuns) {
    auto count = reader->get<uint16_t>();
    if (!count) return std::nullopt;
    bytes = reader->take(kRunBytes * *count);
    if (bytes) counts = count_runs(*bytes);
  } else if (cardinality <= kValues) {
    bytes = reader->take(kind == RoaringKind::kBits ? kRoaringBitsBytes : size_t{2} * cardinality);
    if (bytes)
      counts = kind == RoaringKind::kBits ? count_bits(bytes->data()) : count_array(*bytes);
    if (counts && counts->cardinality != cardinality) return std::nullopt;
  }
  if (!counts || counts->cardinality == 0) return std::nullopt;
  return RoaringContainer{{kind, counts->cardinality}, counts->runs, *bytes};
}

RoaringForm write_container(const RoaringContainer& container,
                            RoaringScratch* scratch,
                            ByteWriter* out) {
  RoaringForm form = container.form;
  bool joined =
      form.kind != RoaringKind::kRuns || container.runs * kRunBytes == container.bytes.size();
  if (joined && form.kind == best_kind(form.cardinality, container.runs)) {
    if (form.kind == RoaringKind::kRuns) out->put(static_cast<uint16_t>(container.runs));
    out->put_bytes(container.bytes);
    return form;
  }
  scratch->words.fill(0);
  add(container, &scratch->words);
  return write_words(scratch->words, out);
}

RoaringForm write_union(const RoaringContainer& a,
                        const RoaringContainer& b,
                        RoaringScratch* scratch,
                        ByteWriter* out) {
  if (a.form.kind == RoaringKind::kArray && b.form.kind == RoaringKind::kArray &&
      a.form.cardinality + b.form.cardinality <= kRoaringArrayMax) {
    auto* merged = reinterpret_cast<uint8_t*>(scratch->words.data());
    uint32_t count = merge_arrays(a.bytes, b.bytes, merged);
    std::span<const uint8_t> array(merged, size_t{2} * count);
    auto counts = count_array(array);
    if (counts && best_kind(count, counts->runs) == RoaringKind::kArray) {
      out->put_bytes(array);
      return {RoaringKind::kArray, count};
    }
  }
  scratch->words.fill(0);
  add(a, &scratch->words);
  add(b, &scratch->words);
  return write_words(scratch->words, out);
}

}  // namespace lakestream
