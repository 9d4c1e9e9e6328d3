#include "tablet/api/tablet_apis.h"

#include "catalog/table_check.h"

namespace lakestream {
namespace {

template <wire::ApiKey key>
using Function = Task<Result<typename wire::ApiTraits<key>::Response>> (*)(
    TabletApiContext*, typename wire::ApiTraits<key>::Request, rpc::RequestContext);

template <wire::ApiKey key>
void add(rpc::ApiTable& apis, TabletApiContext& tablets, Function<key> function) {
  apis.add<key>([&tablets, function](typename wire::ApiTraits<key>::Request request,
                                     rpc::RequestContext context) {
    return function(&tablets, std::move(request), std::move(context));
  });
}

}  // namespace

Status check_readable(const TabletApiContext& tablets,
                      const rpc::RequestContext& context,
                      TableId table) {
  if (!tablets.authorizer.is_enabled()) return ok();
  return check_table(tablets.authorizer,
                     tablets.catalog.on(*context.shard),
                     context.session.get(),
                     security::Operation::kRead,
                     table);
}

void register_tablet_apis(rpc::ApiTable& apis, TabletApiContext& context) {
  add<wire::ApiKey::kProduceLog>(apis, context, produce_log);
  add<wire::ApiKey::kPutKv>(apis, context, put_kv);
  add<wire::ApiKey::kLookup>(apis, context, lookup);
  add<wire::ApiKey::kPrefixLookup>(apis, context, prefix_lookup);
  add<wire::ApiKey::kScanKv>(apis, context, scan_kv);
  add<wire::ApiKey::kFetchLog>(apis, context, fetch_log);
  add<wire::ApiKey::kListOffsets>(apis, context, list_offsets);
  add<wire::ApiKey::kLimitScan>(apis, context, limit_scan);
  add<wire::ApiKey::kGetTableStats>(apis, context, get_table_stats);
  add<wire::ApiKey::kInitWriter>(apis, context, init_writer);
}

}  // namespace lakestream
