#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "client/types.h"
#include "format/byte_writer.h"
#include "format/keys.h"
#include "format/value.h"

// Where rows of one primary-key table belong: the bytes of their key and the bucket. KeyPlan is
// what the table says (immutable), KeyScratch the memory of one who asks.
//
// Thread rule: KeyPlan any thread; a KeyScratch belongs to one.
//
//   ASSIGN_OR_RETURN(auto keys, KeyPlan::make(*table));
//   KeyScratch scratch;
//   ASSIGN_OR_RETURN(KeyPlace place, keys->place_of_key(values, &scratch));
namespace lakestream::client {

struct KeyScratch {
  ByteWriter key;
  ByteWriter bucket_key;
  std::vector<Value> row;
};

struct KeyPlace {
  BucketId bucket;
  std::span<const uint8_t> key;  // in the scratch, until its next use
};

class KeyPlan {
 public:
  // Errors: kNonPrimaryKeyTableException; kInvalidTableException for a partitioned table.
  static Result<std::shared_ptr<const KeyPlan>> make(const TableMetadata& table);

  const TableInfo& table() const { return table_; }
  size_t bucket_count() const { return bucket_count_; }
  // The columns of the primary key, in its order.
  const Schema& key_schema() const { return key_.schema; }
  // The columns of the bucket key, in its order. Absent when the table has no prefix lookups.
  const Schema* prefix_schema() const { return prefix_ ? &prefix_->schema : nullptr; }

  // Of a row of all columns of the table. Errors: kUnknownServerError for a value that a key can
  // not have.
  Result<KeyPlace> place_of_row(std::span<const Value> row, KeyScratch* scratch) const;
  // Of values of key_schema(). Errors: also for other values.
  Result<KeyPlace> place_of_key(std::span<const Value> key, KeyScratch* scratch) const;
  // Of values of prefix_schema(); the key begins with the bytes. Requires: there is one.
  Result<KeyPlace> place_of_prefix(std::span<const Value> prefix, KeyScratch* scratch) const;

 private:
  // Some columns of the table.
  struct Part {
    Schema schema;
    std::vector<DataType> types;
    std::vector<size_t> positions;  // in the row
  };
  static Result<Part> part_of(const Schema& schema, std::span<const size_t> positions);
  Status spread(const Part& part, std::span<const Value> values, KeyScratch* scratch) const;
  Result<BucketId> bucket_of(std::span<const Value> row, KeyScratch* scratch) const;

  TableInfo table_;
  TableKeys keys_;
  Part key_;
  std::optional<Part> prefix_;
  size_t bucket_count_ = 0;
};

}  // namespace lakestream::client
