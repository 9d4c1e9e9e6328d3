#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"
#include "format/arrow_schema.h"
#include "format/batch.h"
#include "format/decode.h"
#include "kv/engine.h"
#include "kv/kv_table.h"

// Brings an engine up to the changelog: the batches from its mark on, in order. What it leaves is
// what the puts had left, but for values of auto-increment columns that were reserved and not used:
// those are given up.
//
// Thread rule: one thread at a time; it blocks, so run it on the pool.
//
//   KvReplay replay(*table, *engine);
//   for each batch from engine->mark().applied: RETURN_IF_ERROR(replay.add(batch));
//   RETURN_IF_ERROR(replay.finish());
namespace lakestream {

class KvReplay {
 public:
  // Both must outlive it.
  KvReplay(const KvTable& table, KvEngine& engine);

  // Where the next batch has to begin.
  Offset next_offset() const { return mark_.applied; }
  // Errors: kUnknownServerError for a batch that is no changelog of the table,
  // kKvStorageException.
  Status add(const BatchView& batch);
  Status finish();

 private:
  struct Form {
    BatchDecoder decoder;
    SchemaAlignment alignment;
  };
  struct State {
    std::string value;
    bool removed = false;
  };
  Result<const Form*> form_of(SchemaId schema);
  Status add_row(ChangeType change, std::span<const Value> row);
  Status write();

  static constexpr size_t kBytesMax = 4 << 20;  // gathered before they are written

  const KvTable& table_;
  KvEngine& engine_;
  KvMark mark_;
  std::map<SchemaId, Form> forms_;
  std::map<std::string, State, std::less<>> states_;
  size_t bytes_ = 0;
  Arena arena_;
  ByteWriter key_;
  ByteWriter value_;
};

}  // namespace lakestream
