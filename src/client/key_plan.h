#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "client/partition_namer.h"
#include "client/types.h"
#include "format/byte_writer.h"
#include "format/keys.h"
#include "format/value.h"

// Where rows of one primary-key table belong: their partition and bucket, and the bytes of their
// key. KeyPlan is
// what the table says (immutable), KeyScratch the memory of one who asks.
//
// Thread rule: KeyPlan any thread; a KeyScratch belongs to one.
//
//   ASSIGN_OR_RETURN(auto keys, KeyPlan::make(*table));
//   KeyScratch scratch;
//   ASSIGN_OR_RETURN(KeyPlace place, keys->place_of_key(values, &scratch));
//   ASSIGN_OR_RETURN(BucketId bucket, keys->bucket_of(place.bucket_key, bucket_count));
namespace lakestream::client {

struct KeyScratch {
  ByteWriter key;
  ByteWriter bucket_key;
  std::vector<Value> row;
};

// In the scratch, until its next use.
struct KeyPlace {
  std::span<const uint8_t> key;
  std::span<const uint8_t> bucket_key;
  std::span<const Value>
      row;  // of all columns; null are at least those that are no part of the key
};

class KeyPlan {
 public:
  // Errors: kNonPrimaryKeyTableException.
  static Result<std::shared_ptr<const KeyPlan>> make(const TableMetadata& table);

  const TableInfo& table() const { return table_; }
  // The columns of the primary key, in its order.
  const Schema& key_schema() const { return key_.schema; }
  // The columns of prefix lookups: the partition keys, then the bucket key, in their order. Absent
  // when the table has no prefix lookups.
  const Schema* prefix_schema() const { return prefix_ ? &prefix_->schema : nullptr; }

  // Of a row of all columns of the table. Errors: kUnknownServerError for a value that a key can
  // not have.
  Result<KeyPlace> place_of_row(std::span<const Value> row, KeyScratch* scratch) const;
  // Of values of key_schema(). Errors: also for other values.
  Result<KeyPlace> place_of_key(std::span<const Value> key, KeyScratch* scratch) const;
  // Of values of prefix_schema(); the key begins with the bytes. Requires: there is one.
  Result<KeyPlace> place_of_prefix(std::span<const Value> prefix, KeyScratch* scratch) const;
  const PartitionNamer& partitions() const { return partitions_; }
  Result<BucketId> bucket_of(std::span<const uint8_t> bucket_key, size_t bucket_count) const;

 private:
  // Some columns of the table.
  struct Part {
    Schema schema;
    std::vector<DataType> types;
    std::vector<size_t> positions;  // in the row
  };
  static Result<Part> part_of(const Schema& schema, std::span<const size_t> positions);
  Result<std::span<const uint8_t>> encode_bucket_key(std::span<const Value> row,
                                                     KeyScratch* scratch) const;
  Status spread(const Part& part, std::span<const Value> values, KeyScratch* scratch) const;

  TableInfo table_;
  PartitionNamer partitions_;
  TableKeys keys_;
  Part key_;
  std::optional<Part> prefix_;
};

}  // namespace lakestream::client
