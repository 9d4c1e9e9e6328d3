#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "client/key_plan.h"
#include "client/types.h"
#include "client/write_plan.h"
#include "format/byte_writer.h"
#include "format/kv_batch.h"
#include "format/rows.h"
#include "format/value.h"

// How rows and keys of one primary-key table become KV batches: UpsertPlan is what the table and
// the chosen columns say (immutable), KvGather the records of one bucket that wait to become a
// batch.
//
// Thread rule: UpsertPlan any thread; a KvGather belongs to one.
//
//   ASSIGN_OR_RETURN(auto plan, UpsertPlan::make(*table, {"id", "city"}));
//   ASSIGN_OR_RETURN(UpsertPlan::Record record, plan->record_of(row, &scratch));
//   gather.append(record);
namespace lakestream::client {

struct UpsertScratch {
  KeyScratch key;
  ByteWriter row;
  std::vector<Value> values;
};

class UpsertPlan {
 public:
  // In the scratch, until its next use.
  struct Record {
    KeyPlace place;
    std::span<const uint8_t> row;  // empty: a removal
  };

  // Rows have the columns named, or all. Errors: those of KeyPlan; kInvalidTargetColumn for columns
  // that can not be written.
  static Result<std::shared_ptr<const UpsertPlan>> make(const TableMetadata& table,
                                                        const std::vector<std::string>& columns);

  const KeyPlan& keys() const { return *keys_; }
  SchemaId schema_id() const { return keys_->table().schema_id; }
  // Of the rows.
  const Schema& schema() const { return rows_; }
  // Positions in the table's schema, ascending; empty when rows have all columns.
  const std::vector<int32_t>& target_columns() const { return target_columns_; }

  // Errors: kUnknownServerError for values that do not fit their columns.
  Result<Record> record_of(std::span<const Value> row, UpsertScratch* scratch) const;
  Result<Record> removal_of(std::span<const Value> key, UpsertScratch* scratch) const;

 private:
  UpsertPlan(std::shared_ptr<const KeyPlan> keys, RowCodec codec)
      : keys_(std::move(keys)), codec_(std::move(codec)) {}
  Status choose(const std::vector<std::string>& columns);

  std::shared_ptr<const KeyPlan> keys_;
  RowCodec codec_;  // of all columns
  Schema rows_;
  std::vector<DataType> types_;    // of the rows
  std::vector<size_t> positions_;  // of their columns in the table's schema
  std::vector<int32_t> target_columns_;
};

class KvGather : public Gather {
 public:
  explicit KvGather(SchemaId schema_id) : builder_(schema_id) {}

  void append(const UpsertPlan::Record& record) {
    if (record.row.empty()) {
      builder_.remove(record.place.key);
    } else {
      builder_.upsert(record.place.key, record.row);
    }
  }

  int32_t row_count() const override { return builder_.record_count(); }
  size_t bytes() const override { return row_count() == 0 ? 0 : builder_.size(); }
  bool is_costly() const override { return false; }
  Result<Bytes> finish(const BatchWriter& writer) override { return builder_.finish(writer); }

 private:
  KvBatchBuilder builder_;
};

// As with_writer(), of a KV batch.
Bytes kv_with_writer(const Bytes& batch, const BatchWriter& writer);

}  // namespace lakestream::client
