#include "tablet/api/tablet_apis.h"

namespace lakestream {

Task<Result<wire::InitWriterResponse>> init_writer(TabletApiContext* tablets,
                                                   wire::InitWriterRequest,
                                                   rpc::RequestContext context) {
  auto job = [tablets] { return tablets->writer_ids.next(); };
  Result<WriterId> id = co_await call_on(*context.shard, tablets->ids_home, std::move(job));
  if (!id) co_return fail(std::move(id).error());
  wire::InitWriterResponse response;
  response.writer_id = id->value();
  co_return response;
}

}  // namespace lakestream
