#include "kv/row_cache.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <utility>

#include "base/check.h"

namespace lakestream {
namespace {

constexpr size_t kSegmentWords = 16 << 10;
constexpr size_t kSegmentBytes = kSegmentWords * sizeof(uint64_t);
constexpr uint32_t kSegmentNumbersMax = (1u << 18) - 1;  // a place plus one has 32 bits
constexpr size_t kRowWordsMax = kSegmentWords / 16;
// Of a segment that is taken again: the rest is for the rows that need it.
constexpr size_t kKeptWordsMax = kSegmentWords / 2;
constexpr size_t kTableSlotsMin = 64;
constexpr size_t kGroup = 16;  // keys whose memory is fetched at the same time

uint32_t tag_of(uint64_t slot) { return static_cast<uint32_t>(slot >> 32); }
uint32_t place_of(uint64_t slot) { return static_cast<uint32_t>(slot) - 1; }
uint64_t make_slot(uint32_t tag, uint32_t place) { return uint64_t{tag} << 32 | (place + 1); }

}  // namespace

RowCacheBudget::RowCacheBudget(uint64_t bytes, size_t caches)
    : own_(bytes / 2 / std::max<size_t>(caches, 1)), common_(bytes / 2) {}

bool RowCacheBudget::take(uint64_t bytes, uint64_t held) {
  uint64_t more = above_own(held + bytes) - above_own(held);
  if (more == 0) return true;
  if (common_used_.fetch_add(more, std::memory_order_relaxed) + more <= common_) return true;
  common_used_.fetch_sub(more, std::memory_order_relaxed);
  return false;
}

void RowCacheBudget::give_back(uint64_t bytes, uint64_t held) {
  common_used_.fetch_sub(above_own(held) - above_own(held - bytes), std::memory_order_relaxed);
}

RowCache::RowCache(std::shared_ptr<RowCacheBudget> budget) : budget_(std::move(budget)) {}

RowCache::~RowCache() { budget_->give_back(held_, held_); }

RowCache::Hash RowCache::hash_of(uint32_t bucket, std::string_view key) {
  uint64_t hash = std::hash<std::string_view>()(key) ^ (bucket * 0x9e3779b97f4a7c15u);
  hash *= 0xbf58476d1ce4e5b9u;
  hash ^= hash >> 29;
  return {static_cast<uint32_t>(hash), static_cast<uint8_t>(hash >> 58)};
}

size_t RowCache::words_of(size_t key_size, size_t value_size) {
  return (sizeof(Entry) + key_size + value_size + 7) / 8;
}

RowCache::Entry& RowCache::entry_at(uint32_t place) {
  uint64_t* word = words_[place / kSegmentWords] + place % kSegmentWords;
  return *reinterpret_cast<Entry*>(word);
}

std::string_view RowCache::key_of(const Entry& entry) {
  return {reinterpret_cast<const char*>(&entry + 1), entry.key_size};
}

uint8_t* RowCache::value_of(Entry& entry) {
  return reinterpret_cast<uint8_t*>(&entry + 1) + entry.key_size;
}

uint64_t* RowCache::find_slot(Hash hash, uint32_t bucket, std::string_view key) {
  Table& table = tables_[hash.table];
  if (table.slots.empty()) return nullptr;
  size_t mask = table.slots.size() - 1;
  for (size_t i = hash.tag & mask; table.slots[i] != 0; i = (i + 1) & mask) {
    if (tag_of(table.slots[i]) != hash.tag) continue;
    const Entry& entry = entry_at(place_of(table.slots[i]));
    if (entry.bucket == bucket && key_of(entry) == key) return &table.slots[i];
  }
  return nullptr;
}

uint64_t* RowCache::slot_of_place(Table& table, uint32_t tag, uint32_t place) {
  size_t mask = table.slots.size() - 1;
  for (size_t i = tag & mask; table.slots[i] != 0; i = (i + 1) & mask) {
    if (place_of(table.slots[i]) == place) return &table.slots[i];
  }
  return nullptr;
}

void RowCache::insert_slot(Table& table, uint32_t tag, uint32_t place) {
  size_t mask = table.slots.size() - 1;
  size_t i = tag & mask;
  while (table.slots[i] != 0) i = (i + 1) & mask;
  table.slots[i] = make_slot(tag, place);
  ++table.count;
}

// Moves those that stand behind it to where a search would look for them first.
void RowCache::erase_slot(Table& table, uint64_t* slot) {
  size_t mask = table.slots.size() - 1;
  size_t hole = static_cast<size_t>(slot - table.slots.data());
  for (size_t i = (hole + 1) & mask; table.slots[i] != 0; i = (i + 1) & mask) {
    size_t home = tag_of(table.slots[i]) & mask;
    if (((i - home) & mask) < ((i - hole) & mask)) continue;
    table.slots[hole] = table.slots[i];
    hole = i;
  }
  table.slots[hole] = 0;
  --table.count;
}

void RowCache::grow(Table& table) {
  size_t size = std::max(kTableSlotsMin, table.slots.size() * 2);
  uint64_t more = (size - table.slots.size()) * sizeof(uint64_t);
  while (!budget_->take(more, held_)) {
    if (segments_.empty()) return;
    drop_oldest();
  }
  held_ += more;
  std::vector<uint64_t> old = std::exchange(table.slots, std::vector<uint64_t>(size));
  table.count = 0;
  for (uint64_t slot : old) {
    if (slot != 0) insert_slot(table, tag_of(slot), place_of(slot));
  }
}

void RowCache::prefetch_slot(const Table& table, uint32_t tag) {
  if (!table.slots.empty()) __builtin_prefetch(&table.slots[tag & (table.slots.size() - 1)]);
}

void RowCache::prefetch_entry(const Table& table, uint32_t tag) {
  if (table.slots.empty()) return;
  size_t mask = table.slots.size() - 1;
  for (size_t i = tag & mask; table.slots[i] != 0; i = (i + 1) & mask) {
    if (tag_of(table.slots[i]) != tag) continue;
    const char* entry = reinterpret_cast<const char*>(&entry_at(place_of(table.slots[i])));
    __builtin_prefetch(entry);
    __builtin_prefetch(entry + 64);
    return;
  }
}

void RowCache::find(uint32_t bucket,
                    std::span<const std::string_view> keys,
                    std::span<std::string_view> values) {
  for (size_t begin = 0; begin < keys.size(); begin += kGroup) {
    size_t count = std::min(kGroup, keys.size() - begin);
    std::array<Hash, kGroup> hashes;
    for (size_t i = 0; i < count; ++i) {
      hashes[i] = hash_of(bucket, keys[begin + i]);
      prefetch_slot(tables_[hashes[i].table], hashes[i].tag);
    }
    for (size_t i = 0; i < count; ++i) prefetch_entry(tables_[hashes[i].table], hashes[i].tag);
    for (size_t i = 0; i < count; ++i) {
      values[begin + i] = {};
      const uint64_t* slot = find_slot(hashes[i], bucket, keys[begin + i]);
      if (slot == nullptr) {
        ++misses_;
        continue;
      }
      ++hits_;
      Entry& entry = entry_at(place_of(*slot));
      if (!entry.hot) entry.hot = true;
      values[begin + i] = {reinterpret_cast<const char*>(value_of(entry)), entry.value_size};
    }
  }
}

bool RowCache::has_room(size_t words) const {
  return !segments_.empty() && segments_.back().used + words <= kSegmentWords;
}

bool RowCache::add_segment() {
  if (free_numbers_.empty() && words_.size() >= kSegmentNumbersMax) return false;
  if (!budget_->take(kSegmentBytes, held_)) return false;
  held_ += kSegmentBytes;
  Segment segment;
  segment.words = std::make_unique_for_overwrite<uint64_t[]>(kSegmentWords);
  if (free_numbers_.empty()) {
    segment.number = static_cast<uint32_t>(words_.size());
    words_.push_back(segment.words.get());
  } else {
    segment.number = free_numbers_.back();
    free_numbers_.pop_back();
    words_[segment.number] = segment.words.get();
  }
  segments_.push_back(std::move(segment));
  return true;
}

// Rows of the segment leave the tables; hot ones come again at its beginning, as not hot.
void RowCache::forget_rows(Segment& segment, bool keep_hot) {
  kept_.clear();
  uint32_t first = segment.number * static_cast<uint32_t>(kSegmentWords);
  for (uint32_t at = 0; at < segment.used;) {
    Entry& entry = entry_at(first + at);
    size_t words = words_of(entry.key_size, entry.value_size);
    Table& table = tables_[entry.table];
    uint64_t* slot = slot_of_place(table, entry.tag, first + at);
    if (slot != nullptr) {
      if (keep_hot && entry.hot && kept_.size() + words <= kKeptWordsMax) {
        *slot = make_slot(entry.tag, first + static_cast<uint32_t>(kept_.size()));
        entry.hot = false;
        const uint64_t* from = segment.words.get() + at;
        kept_.insert(kept_.end(), from, from + words);
      } else {
        erase_slot(table, slot);
      }
    }
    at += static_cast<uint32_t>(words);
  }
  std::copy(kept_.begin(), kept_.end(), segment.words.get());
  segment.used = static_cast<uint32_t>(kept_.size());
}

void RowCache::reuse_oldest() {
  forget_rows(segments_.front(), true);
  segments_.push_back(std::move(segments_.front()));
  segments_.pop_front();
}

void RowCache::drop_oldest() {
  forget_rows(segments_.front(), false);
  free_numbers_.push_back(segments_.front().number);
  segments_.pop_front();
  budget_->give_back(kSegmentBytes, held_);
  held_ -= kSegmentBytes;
}

void RowCache::put(uint32_t bucket,
                   std::string_view key,
                   std::array<std::string_view, 2> value,
                   Room room) {
  Hash hash = hash_of(bucket, key);
  Table& table = tables_[hash.table];
  size_t value_size = value[0].size() + value[1].size();
  auto write = [&value](uint8_t* to) {
    for (std::string_view part : value) to = std::copy(part.begin(), part.end(), to);
  };
  uint64_t* slot = find_slot(hash, bucket, key);
  if (slot != nullptr) {
    Entry& entry = entry_at(place_of(*slot));
    if (entry.value_size == value_size) return write(value_of(entry));
    erase_slot(table, slot);
    room = Room::kMake;
  }
  size_t words = words_of(key.size(), value_size);
  if (words > kRowWordsMax) return;
  if (!has_room(words) && !add_segment()) {
    if (room == Room::kIfFree || segments_.empty()) return;
    reuse_oldest();
  }
  if (table.count * 4 >= table.slots.size() * 3) grow(table);
  // Growing may have taken the memory away.
  if (!has_room(words) || table.count * 4 >= table.slots.size() * 3) return;
  Segment& segment = segments_.back();
  uint32_t place = segment.number * static_cast<uint32_t>(kSegmentWords) + segment.used;
  segment.used += static_cast<uint32_t>(words);
  Entry& entry = entry_at(place);
  entry = {.bucket = bucket,
           .tag = hash.tag,
           .key_size = static_cast<uint16_t>(key.size()),
           .value_size = static_cast<uint16_t>(value_size),
           .table = hash.table,
           .hot = false};
  std::copy(key.begin(), key.end(), reinterpret_cast<uint8_t*>(&entry + 1));
  write(value_of(entry));
  insert_slot(table, hash.tag, place);
}

void RowCache::erase(uint32_t bucket, std::string_view key) {
  Hash hash = hash_of(bucket, key);
  uint64_t* slot = find_slot(hash, bucket, key);
  if (slot != nullptr) erase_slot(tables_[hash.table], slot);
}

}  // namespace lakestream
