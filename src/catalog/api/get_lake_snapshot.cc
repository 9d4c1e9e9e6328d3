#include <utility>

#include "catalog/api/lake_apis.h"
#include "catalog/api/lookup.h"
#include "catalog/lake_snapshots.h"
#include "io/pool.h"

namespace lakestream {
namespace {

// The last snapshot, the last readable one, or the one with the id.
struct Wanted {
  TableId table;
  std::optional<LakeSnapshotId> id;
  bool readable = false;
};

using Found = std::optional<LakeInlineRecord>;

// Nothing when there is no such snapshot.
Result<Found> read_wanted(ObjectStore& objects,
                          const LakeTableRecord& record,
                          const Wanted& wanted) {
  if (record.single) {
    bool is_it = !wanted.id || *wanted.id == record.single->id;
    return is_it ? Found(record.single) : Found();
  }
  for (auto at = record.snapshots.rbegin(); at != record.snapshots.rend(); ++at) {
    if (wanted.id && at->id != *wanted.id) continue;
    if (wanted.readable && !at->readable_path) continue;
    const std::string& path = wanted.readable ? *at->readable_path : at->tiered_path;
    ASSIGN_OR_RETURN(LakeOffsets offsets, read_lake_offsets(objects, wanted.table, path));
    return Found(LakeInlineRecord{at->id, std::move(offsets)});
  }
  return Found();
}

Result<Found> find_wanted(MetaStore& store, ObjectStore& objects, const Wanted& wanted) {
  std::optional<LakeTableRecord> before;
  for (;;) {
    ASSIGN_OR_RETURN(std::optional<LakeTableRecord> record, load_lake_table(store, wanted.table));
    if (!record) return Found();
    Result<Found> found = read_wanted(objects, *record, wanted);
    bool gone = !found && found.error().code() == ErrorCode::kLakeSnapshotNotExist;
    // A commit in between may have put another one in its place.
    if (!gone || record == before) return found;
    before = std::move(record);
  }
}

tl::unexpected<Error> no_snapshot(const TablePath& path, const Wanted& wanted) {
  std::string what = wanted.id         ? fmt::format("lake snapshot {}", *wanted.id)
                     : wanted.readable ? "lake snapshot that can be read"
                                       : "lake snapshot";
  return make_error(ErrorCode::kLakeSnapshotNotExist,
                    "table {} (id {}) has no {}{}",
                    path,
                    wanted.table,
                    what,
                    wanted.id ? "" : " yet");
}

}  // namespace

Task<Result<wire::GetLakeSnapshotResponse>> get_lake_snapshot(wire::GetLakeSnapshotRequest request,
                                                              rpc::RequestContext call,
                                                              const CatalogContext* context) {
  CO_ASSIGN_OR_RETURN(auto table,
                      require_table(context->catalog.on(*call.shard), request.table_path));
  Wanted wanted{table->id, std::nullopt, request.readable.value_or(false)};
  if (request.snapshot_id) wanted.id = LakeSnapshotId(*request.snapshot_id);
  if (wanted.id && wanted.readable) {
    co_return make_error(ErrorCode::kUnknownServerError,
                         "snapshot {} of table {}: ask for a snapshot by its id or for the last "
                         "readable one, not for both",
                         *wanted.id,
                         table->path);
  }
  MetaStore* store = context->store;
  ObjectStore* objects = context->objects;
  auto find = [store, objects, wanted] { return find_wanted(*store, *objects, wanted); };
  Result<Found> found = co_await run_on_pool(*context->pool, *call.shard, std::move(find));
  if (!found) co_return fail(std::move(found).error());
  if (!*found) co_return no_snapshot(table->path, wanted);
  wire::GetLakeSnapshotResponse response;
  response.table_id = table->id.value();
  response.snapshot_id = (*found)->id.value();
  for (const auto& [bucket, offset] : (*found)->offsets) {
    wire::PbLakeSnapshotForBucket entry;
    if (bucket.partition) entry.partition_id = bucket.partition->value();
    entry.bucket_id = bucket.bucket.value();
    entry.log_offset = offset.value();
    response.bucket_snapshots.push_back(std::move(entry));
  }
  co_return response;
}

}  // namespace lakestream
