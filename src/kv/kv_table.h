#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "format/batch_builder.h"
#include "format/byte_writer.h"
#include "format/keys.h"
#include "format/rows.h"
#include "format/value.h"
#include "table/options.h"
#include "table/schema.h"

// What puts and reads of a primary-key table need again and again, prepared once for a state of its
// metadata: codecs of all schemas, the key encoders, the changelog builder and the mergers that
// writers asked for. Stored values are a schema id of two bytes and the row in the key-value format
// of the table.
//
// Thread rule: shard-local; decode_row(), encode_row() and encode_key() from any thread.
//
//   ASSIGN_OR_RETURN(auto table, KvTable::make(std::move(spec)));
//   ASSIGN_OR_RETURN(Row row, table->decode_row(schema_id, bytes, &arena));
//   ASSIGN_OR_RETURN(const RowMerger* merger, table->merger({}, false));
namespace lakestream {

class RowMerger;

inline constexpr size_t kSchemaIdBytes = 2;  // in front of the row of a stored value

struct KvTableSpec {
  std::string name;                                  // for messages
  std::vector<std::pair<SchemaId, Schema>> schemas;  // ascending; the last one is the table's
  TableOptions options;
  std::vector<std::string> partition_keys;
  std::vector<std::string> bucket_keys;
};

class KvTable {
 public:
  // Errors: kInvalidTableException when it is no primary-key table.
  static Result<std::shared_ptr<KvTable>> make(KvTableSpec spec);
  KvTable(KvTableSpec spec, TableKeys keys);
  ~KvTable();

  const std::string& name() const { return spec_.name; }
  const Schema& schema() const { return spec_.schemas.back().second; }
  SchemaId schema_id() const { return spec_.schemas.back().first; }
  const TableOptions& options() const { return spec_.options; }
  const TableKeys& keys() const { return keys_; }
  DeleteBehavior delete_behavior() const {
    return spec_.options.delete_behavior.value_or(DeleteBehavior::kAllow);
  }
  bool logs_old_rows() const { return spec_.options.changelog_image == ChangelogImage::kFull; }
  // Position of the auto-increment column.
  std::optional<size_t> auto_increment() const { return auto_increment_; }

  // A row that was written under `schema`, as one of the table's schema. Errors:
  // kUnknownServerError for an unknown schema and for bytes that are no such row.
  Result<std::span<const Value>> decode_row(SchemaId schema,
                                            std::span<const uint8_t> row,
                                            Arena* arena) const;
  // A stored value.
  Result<std::span<const Value>> decode_value(std::string_view value, Arena* arena) const;
  Status encode_row(std::span<const Value> row, ByteWriter* out) const;
  Status encode_key(std::span<const Value> row, ByteWriter* out) const;
  // nullptr when the table has no such schema.
  const Schema* find_schema(SchemaId schema) const;

  // Good until the next call. Errors: as make_merger(), and kInvalidTargetColumn when
  // the writer would set the auto-increment column.
  Result<const RowMerger*> merger(std::span<const int32_t> target_columns, bool overwrite);
  // Empty between two uses; after an error reset_changelog().
  BatchBuilder& changelog() { return *changelog_; }
  void reset_changelog();
  const BatchOptions& changelog_options() const { return changelog_options_; }

 private:
  struct Reader {
    RowCodec codec;
    RowAlignment alignment;
  };
  Status check_target_columns(std::span<const int32_t> columns) const;
  RowFormat row_format() const;

  // Writers of one table set few different sets of columns; more than this many start over.
  static constexpr size_t kMergersMax = 64;

  KvTableSpec spec_;
  TableKeys keys_;
  std::map<SchemaId, Reader> readers_;
  std::optional<RowCodec> codec_;
  std::optional<size_t> auto_increment_;
  BatchOptions changelog_options_;
  std::optional<BatchBuilder> changelog_;
  std::map<std::pair<std::vector<int32_t>, bool>, std::unique_ptr<const RowMerger>> mergers_;
};

}  // namespace lakestream
