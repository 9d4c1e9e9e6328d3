#pragma once

#include <map>
#include <memory>
#include <span>
#include <vector>

#include "catalog/catalog.h"
#include "format/batch_shape.h"
#include "format/project.h"
#include "kv/kv_table.h"
#include "log/log.h"
#include "table/options.h"
#include "tablet/read_counters.h"

// What requests need to know about a table again and again, prepared once: the shapes of its
// batches, the projections that readers ask for, and how a primary-key table keeps its rows.
//
// Thread rule: shard-local.
//
//   ASSIGN_OR_RETURN(auto context, TableContext::make(catalog.on(shard).find_table(id)));
//   ASSIGN_OR_RETURN(const Projection* projection, context->projection(schema_id, columns));
namespace lakestream {

class TableContext final : public SchemaShapes {
 public:
  // Errors: kInvalidConfigException for stored options that cannot be read.
  static Result<std::shared_ptr<TableContext>> make(std::shared_ptr<const TableEntry> table);
  TableContext(std::shared_ptr<const TableEntry> table, TableOptions options);

  const TableEntry& table() const { return *table_; }
  const TableOptions& options() const { return options_; }
  const std::shared_ptr<const TableEntry>& entry() const { return table_; }
  const BatchShape* find(SchemaId schema) const override;

  // The projection of batches of `schema` to these columns of the latest schema. Errors:
  // kInvalidColumnProjection, also when the log format cannot be projected; kSchemaNotExist.
  Result<const Projection*> projection(SchemaId schema, std::span<const int32_t> columns);

  // Of the replicas of this shard.
  ReadCounters& reads() { return reads_; }

  bool has_primary_key() const { return table_->descriptor.has_primary_key(); }
  // Errors: kNonPrimaryKeyTableException for a table without primary key.
  Result<std::shared_ptr<KvTable>> shared_kv();
  // Lives as long as the context.
  Result<KvTable*> kv();

 private:
  // Readers of one table ask for few different sets; more than this many start over.
  static constexpr size_t kProjectionsMax = 64;

  std::shared_ptr<const TableEntry> table_;
  TableOptions options_;
  std::map<SchemaId, BatchShape> shapes_;
  std::map<std::pair<SchemaId, std::vector<int32_t>>, Projection> projections_;
  ReadCounters reads_;
  std::shared_ptr<KvTable> kv_;  // once it is asked for
};

}  // namespace lakestream
