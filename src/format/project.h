#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "format/batch.h"
#include "table/schema.h"

// Projection rewrites ARROW batches to a subset of their columns without decoding them: a new
// header and new Arrow metadata in one small allocation, then slices of the source's change types
// and buffers, so compressed buffers stay as they are. The checksum is computed anew; schema id,
// offsets and writer stay. Prepared once for a schema and a set of columns; a batch costs
// O(selected columns).
//
// Only the front of a batch and the bytes of the selected columns are looked at, so a batch can be
// projected that is not in memory as a whole: begin() tells what has to be read, finish() puts it
// together. apply() does both for a batch that is.
//
// A batch that was written under an older schema lacks the columns that were added after it. They
// come as nulls, so that a projection has the same columns whatever the schema of the batch.
//
// Thread rule: immutable, any thread.
//
//   ASSIGN_OR_RETURN(Projection projection, Projection::make(schema, columns));
//   ASSIGN_OR_RETURN(BytesChain projected, projection.apply(batch));
namespace lakestream {

// A batch on its way through a projection.
struct ProjectedBatch {
  // Set: nothing was done yet, so many bytes of the source's front are needed.
  size_t front_needed = 0;
  MutableBytes front;              // header and metadata, without the checksum
  std::vector<BatchRange> ranges;  // what follows, ascending parts of the source
  bool has_changes = false;        // the first range is that of the change types
  Bytes nulls;                     // the columns that the source lacks, after all ranges
  size_t size = 0;                 // with everything
};

class Projection {
 public:
  // `columns` are positions in the row: ascending, without duplicates, at least one. Errors:
  // kInvalidColumnProjection.
  static Result<Projection> make(const Schema& schema, std::span<const int32_t> columns);
  // The same for batches of `written`, an older schema of the table: positions are those of
  // `schema`, which begins with the columns of `written`.
  static Result<Projection> make(const Schema& schema,
                                 const Schema& written,
                                 std::span<const int32_t> columns);

  const std::vector<int32_t>& columns() const;
  // The batch with the selected columns. A batch without records comes back as it is. The chain
  // shares the owner of the batch. Requires: the batch is of ARROW format and of the schema given
  // to make(). Errors: kUnknownServerError when the batch is not what its schema says, and when the
  // nulls of absent columns would take too much memory.
  Result<BytesChain> apply(const BatchView& batch) const;

  // The same in two steps. `front` is the beginning of the batch. Errors as above, and when the
  // front says that the batch has another size.
  Result<ProjectedBatch> begin(std::span<const uint8_t> front, size_t batch_size) const;
  // Requires: `parts` are the bytes of begun.ranges, one each.
  static BytesChain finish(ProjectedBatch begun, std::vector<Bytes> parts);

 private:
  struct Plan;
  explicit Projection(std::shared_ptr<const Plan> plan) : plan_(std::move(plan)) {}

  std::shared_ptr<const Plan> plan_;
};

}  // namespace lakestream
