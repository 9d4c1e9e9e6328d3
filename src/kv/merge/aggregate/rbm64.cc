// rbm64: the union of 64-bit Roaring bitmaps as Java's Roaring64Bitmap.serialize() writes them. It
// is not the portable 64-bit format. All little-endian unless said:
//
//   u8 0: empty, and nothing else; 1:
//   u64 keys
//   a radix tree over the keys, depth first, children in the order of their bytes:
//     u8 type (0..3: up to 4, 16, 48, 256 children; 4: leaf) · u16 children · u8 n · n bytes prefix
//     type 0: 4 bytes of the children, in reverse, 0 for none
//     type 1: twice 8 bytes, each in reverse
//     type 2: for each byte the child's index or 255, each 8 in reverse
//     type 3: 256 bits
//     leaf: the high 48 bits of its values, big-endian · u64 (list << 32) + place of its container
//   u32 lists; of each u8 -2 · u32 places; of each place u8 0: empty; 1:
//     u8 kind · u32 cardinality · the container
//   u64 containers · u32 last list · u32 last place in it

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "base/endian.h"
#include "kv/merge/aggregate/aggregate.h"
#include "kv/merge/aggregate/roaring_union.h"

namespace lakestream {
namespace {

constexpr size_t kKeyBytes = 6;
constexpr uint8_t kWholeList = 0xfe;
constexpr uint8_t kNoChild = 0xff;

enum class NodeType : uint8_t { k4, k16, k48, k256, kLeaf };

size_t body_bytes(NodeType type) {
  constexpr std::array<size_t, 5> kBytes = {4, 16, 256, 32, kKeyBytes + 8};
  return kBytes[static_cast<size_t>(type)];
}

uint8_t byte_of(uint64_t key, size_t depth) {
  return static_cast<uint8_t>(key >> 8 * (kKeyBytes - 1 - depth));
}

struct Leaf {
  uint64_t key = 0;
  uint64_t place = 0;  // of its container
};

// Leaves have their whole key, so the nodes above them are only passed over.
std::optional<std::vector<Leaf>> read_leaves(RoaringReader* reader) {
  std::vector<Leaf> leaves;
  for (uint64_t nodes = 1; nodes != 0; --nodes) {
    auto type = reader->get<uint8_t>();
    auto children = reader->get<uint16_t>();
    auto prefix = reader->get<uint8_t>();
    if (!type || !children || !prefix || *type > static_cast<uint8_t>(NodeType::kLeaf)) {
      return std::nullopt;
    }
    auto body = reader->take(*prefix) ? reader->take(body_bytes(NodeType{*type})) : std::nullopt;
    if (!body) return std::nullopt;
    if (NodeType{*type} != NodeType::kLeaf) {
      nodes += *children;
      continue;
    }
    Leaf leaf;
    for (size_t i = 0; i < kKeyBytes; ++i) leaf.key = leaf.key << 8 | (*body)[i];
    leaf.place = load_le<uint64_t>(body->data() + kKeyBytes);
    if (!leaves.empty() && leaf.key <= leaves.back().key) return std::nullopt;
    leaves.push_back(leaf);
  }
  return leaves;
}

struct Placed {
  uint64_t place = 0;  // what leaves call it by
  RoaringContainer container;
  bool used = false;
};

// Appends the containers of a list, whose places begin at `first`. False when there is no list.
bool read_list(uint64_t first, RoaringReader* reader, std::vector<Placed>* containers) {
  auto mark = reader->get<uint8_t>();
  auto places = reader->get<uint32_t>();
  if (!mark || !places) return false;
  for (uint32_t i = 0; i < *places; ++i) {
    auto filled = reader->get<uint8_t>();
    if (!filled || *filled > 1) return false;
    if (*filled == 0) continue;
    auto kind = reader->get<uint8_t>();
    auto cardinality = reader->get<uint32_t>();
    if (!kind || *kind > static_cast<uint8_t>(RoaringKind::kArray) || !cardinality) return false;
    auto container = read_container(RoaringKind{*kind}, *cardinality, reader);
    if (!container) return false;
    containers->push_back({.place = first + i, .container = *container});
  }
  return true;
}

// A container belongs to one leaf, so what is read can not be larger than its bytes.
std::optional<RoaringContainer> take_container(uint64_t place, std::span<Placed> containers) {
  auto found = std::ranges::lower_bound(containers, place, {}, &Placed::place);
  if (found == containers.end() || found->place != place || found->used) return std::nullopt;
  found->used = true;
  return found->container;
}

std::optional<std::vector<RoaringPart>> read_bitmap(std::span<const uint8_t> bytes) {
  RoaringReader reader(bytes);
  auto filled = reader.get<uint8_t>();
  if (!filled || *filled > 1) return std::nullopt;
  std::vector<RoaringPart> parts;
  if (*filled == 0) return parts;
  if (!reader.get<uint64_t>()) return std::nullopt;
  auto leaves = read_leaves(&reader);
  auto lists = leaves ? reader.get<uint32_t>() : std::nullopt;
  if (!lists) return std::nullopt;
  std::vector<Placed> containers;
  for (uint64_t list = 0; list < *lists; ++list) {
    if (!read_list(list << 32, &reader, &containers)) return std::nullopt;
  }
  for (const Leaf& leaf : *leaves) {
    auto container = take_container(leaf.place, containers);
    if (!container) return std::nullopt;
    parts.push_back({leaf.key, *container});
  }
  return parts;
}

void write_leaf(uint64_t key, uint64_t place, ByteWriter* out) {
  out->put(NodeType::kLeaf);
  out->put<uint16_t>(0);
  out->put<uint8_t>(0);
  for (size_t i = 0; i < kKeyBytes; ++i) out->put(byte_of(key, i));
  out->put(place);
}

// The bytes of the children in a node.
void write_children(NodeType type, std::span<const uint8_t> children, ByteWriter* out) {
  uint8_t* body = out->extend(body_bytes(type));
  std::fill_n(body, body_bytes(type), type == NodeType::k48 ? kNoChild : uint8_t{0});
  for (size_t i = 0; i < children.size(); ++i) {
    uint8_t child = children[i];
    switch (type) {
      case NodeType::k4:
        body[3 - i] = child;
        break;
      case NodeType::k16:
        body[i / 8 * 8 + 7 - i % 8] = child;
        break;
      case NodeType::k48:
        body[child / 8 * 8 + 7 - child % 8] = static_cast<uint8_t>(i);
        break;
      default:
        body[child / 8] = static_cast<uint8_t>(body[child / 8] | 1U << child % 8);
        break;
    }
  }
}

NodeType node_type_for(size_t children) {
  if (children <= 4) return NodeType::k4;
  if (children <= 16) return NodeType::k16;
  return children <= 48 ? NodeType::k48 : NodeType::k256;
}

// The tree over `parts`, which agree in the first `depth` bytes of their keys. `first` is the
// place of the first part's container.
void write_tree(std::span<const RoaringUnion::Part> parts,
                uint64_t first,
                size_t depth,
                ByteWriter* out) {
  if (parts.size() == 1) return write_leaf(parts[0].key, first, out);
  size_t fork = depth;
  while (byte_of(parts.front().key, fork) == byte_of(parts.back().key, fork)) ++fork;
  std::array<uint8_t, 256> children;
  size_t count = 0;
  for (const RoaringUnion::Part& part : parts) {
    uint8_t child = byte_of(part.key, fork);
    if (count == 0 || children[count - 1] != child) children[count++] = child;
  }
  NodeType type = node_type_for(count);
  out->put(type);
  out->put(static_cast<uint16_t>(count));
  out->put(static_cast<uint8_t>(fork - depth));
  for (size_t i = depth; i < fork; ++i) out->put(byte_of(parts[0].key, i));
  write_children(type, std::span(children).first(count), out);
  for (size_t begin = 0; begin < parts.size();) {
    size_t end = begin + 1;
    while (end < parts.size() && byte_of(parts[end].key, fork) == byte_of(parts[begin].key, fork)) {
      ++end;
    }
    write_tree(parts.subspan(begin, end - begin), first + begin, fork + 1, out);
    begin = end;
  }
}

void write_bitmap(const RoaringUnion& bitmap, ByteWriter* out) {
  auto count = static_cast<uint32_t>(bitmap.parts.size());
  out->put<uint8_t>(count == 0 ? 0 : 1);
  if (count == 0) return;
  out->put<uint64_t>(count);
  write_tree(bitmap.parts, 0, 0, out);
  out->put<uint32_t>(1);
  out->put(kWholeList);
  out->put(count);
  for (const RoaringUnion::Part& part : bitmap.parts) {
    out->put<uint8_t>(1);
    out->put(part.form.kind);
    out->put(part.form.cardinality);
    out->put_bytes(bitmap.bytes_of(part));
  }
  out->put<uint64_t>(count);
  out->put<uint32_t>(0);
  out->put<uint32_t>(count - 1);
}

Result<Value> unite(const Aggregate& /*self*/,
                    const Value& old,
                    const Value& update,
                    Arena* arena) {
  constexpr RoaringFormat kFormat = {"64-bit", read_bitmap, write_bitmap};
  return unite_bitmaps(kFormat, old, update, arena);
}

}  // namespace

Aggregate make_rbm64(const AggFunction& /*function*/, const DataType& /*type*/) {
  return {.combine = unite};
}

}  // namespace lakestream
