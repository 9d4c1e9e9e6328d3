#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

// Rows of the primary-key buckets of one shard in memory, so that a lookup or an update of a row in
// use needs no search in the engine. Rows lie one behind the other in segments; when memory is used
// up the oldest segment is taken again, and of its rows only those that were found since stay.
//
// RowCacheBudget is the memory of all caches of a server. Half of it is theirs in equal parts, the
// other half goes to those that ask first.
//
// Thread rule: a RowCache is shard-local; a RowCacheBudget belongs to all.
//
//   uint32_t bucket = cache.new_bucket();
//   cache.put(bucket, "key", {"va", "lue"}, RowCache::Room::kMake);
//   cache.find(bucket, keys, values);  // views until the next put
//   cache.erase(bucket, "key");
namespace lakestream {

class RowCacheBudget {
 public:
  RowCacheBudget(uint64_t bytes, size_t caches);

 private:
  friend class RowCache;
  // `held` is what the cache has already.
  bool take(uint64_t bytes, uint64_t held);
  void give_back(uint64_t bytes, uint64_t held);
  uint64_t above_own(uint64_t held) const { return held > own_ ? held - own_ : 0; }

  uint64_t own_;  // of each cache
  uint64_t common_;
  std::atomic<uint64_t> common_used_{0};
};

class RowCache {
 public:
  enum class Room : uint8_t {
    kIfFree,  // a new row is kept while there is free memory
    kMake,    // older rows make room
  };

  explicit RowCache(std::shared_ptr<RowCacheBudget> budget);
  ~RowCache();
  RowCache(const RowCache&) = delete;
  RowCache& operator=(const RowCache&) = delete;

  // For the rows of one life of a bucket; those of earlier ones are never found again.
  uint32_t new_bucket() { return ++last_bucket_; }

  // Values of the keys; one without data where the key is not here. Good until the next put.
  void find(uint32_t bucket,
            std::span<const std::string_view> keys,
            std::span<std::string_view> values);
  // The value is the parts in a row. A row that is here is replaced, whatever `room` says.
  void put(uint32_t bucket, std::string_view key, std::array<std::string_view, 2> value, Room room);
  void erase(uint32_t bucket, std::string_view key);

  uint64_t bytes() const { return held_; }
  uint64_t hits() const { return hits_; }
  uint64_t misses() const { return misses_; }

 private:
  struct Entry {
    uint32_t bucket;
    uint32_t tag;  // of the hash
    uint16_t key_size;
    uint16_t value_size;
    uint8_t table;
    bool hot;  // found since it was written
  };
  struct Hash {
    uint32_t tag;
    uint8_t table;
  };
  // Open addressing with linear probing. A slot is the tag and a place, or 0.
  struct Table {
    std::vector<uint64_t> slots;
    size_t count = 0;
  };
  struct Segment {
    std::unique_ptr<uint64_t[]> words;
    uint32_t number = 0;  // what places are made of
    uint32_t used = 0;    // words
  };

  static Hash hash_of(uint32_t bucket, std::string_view key);
  static size_t words_of(size_t key_size, size_t value_size);
  Entry& entry_at(uint32_t place);
  static std::string_view key_of(const Entry& entry);
  static uint8_t* value_of(Entry& entry);
  static void prefetch_slot(const Table& table, uint32_t tag);
  void prefetch_entry(const Table& table, uint32_t tag);
  // The slot of the key; nullptr without one.
  uint64_t* find_slot(Hash hash, uint32_t bucket, std::string_view key);
  static uint64_t* slot_of_place(Table& table, uint32_t tag, uint32_t place);
  static void insert_slot(Table& table, uint32_t tag, uint32_t place);
  static void erase_slot(Table& table, uint64_t* slot);
  void grow(Table& table);

  bool has_room(size_t words) const;
  bool add_segment();
  void reuse_oldest();
  void drop_oldest();
  void forget_rows(Segment& segment, bool keep_hot);

  std::shared_ptr<RowCacheBudget> budget_;
  uint64_t held_ = 0;
  uint64_t hits_ = 0;
  uint64_t misses_ = 0;
  uint32_t last_bucket_ = 0;
  std::array<Table, 64> tables_;  // many, so that each grows in a short time
  std::deque<Segment> segments_;  // oldest first; the last one is written to
  std::vector<uint64_t*> words_;  // of segments, by number
  std::vector<uint32_t> free_numbers_;
  std::vector<uint64_t> kept_;  // of the segment that is taken again
};

}  // namespace lakestream
