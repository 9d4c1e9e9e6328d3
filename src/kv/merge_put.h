#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "kv/kv.h"
#include "kv/merge/merger.h"

// The merge of one put: record after record, each sees the rows that those before it left. Writes
// go to the tablet's prepared batch and buffer, rows of the changelog to the table's builder.
//
// Thread rule: lives on the stack of KvTablet::prepare().
//
//   Merge merge(tablet, table, put, merger);
//   merge.use(load, position);
//   RETURN_IF_ERROR(merge.run());
namespace lakestream {

class KvTablet::Merge {
 public:
  Merge(KvTablet& tablet, KvTable& table, const KvPut& put, const RowMerger& merger);
  // Where the rows are that the buffer does not have.
  void use(const KvLoad& load, size_t position);
  Status run();

 private:
  Status merge_record(const KvRecord& record, size_t index);
  Status upsert(std::string_view key, std::span<const uint8_t> encoded, size_t index);
  Status remove(std::string_view key, size_t index);
  Status check_schema();
  Status check_key_size(std::string_view key);
  Status check_key(std::string_view key, Row row);
  // Empty when the key has no row.
  Result<std::optional<Row>> old_row(std::string_view key, size_t index);
  Status log_change(ChangeType change, Row row);
  Status log_update(std::optional<Row> old, Row row);
  Result<Row> fill_auto_increment(Row row);
  Status write_merged(std::string_view key, Row row);
  void write(Write write);

  KvTablet& tablet_;
  KvTable& table_;
  const KvPut& put_;
  const RowMerger& merger_;
  Batch& batch_;
  const KvLoad* load_ = nullptr;
  size_t load_first_ = 0;
  bool reads_old_;
  Arena arena_;  // of the record at hand
  ByteWriter scratch_;
};

}  // namespace lakestream
