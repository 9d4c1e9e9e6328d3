#include <utility>

#include "coordinator/api/write_apis.h"

namespace lakestream::coordinator {
namespace {

using TagChange = Task<Status> (Coordinator::*)(ServerSelection, ServerTag);

Result<ServerTag> to_tag(int32_t number) {
  auto tag = static_cast<ServerTag>(number);
  if (tag == ServerTag::kPermanentOffline || tag == ServerTag::kTemporaryOffline) return tag;
  return make_error(ErrorCode::kUnknownServerError,
                    "server tag {}: there are PERMANENT_OFFLINE (0) and TEMPORARY_OFFLINE (1)",
                    number);
}

ServerSelection to_selection(const std::vector<int32_t>& ids) {
  ServerSelection selection;
  for (int32_t id : ids) selection.ids.emplace_back(id);
  return selection;
}

Task<Status> change_tag(rpc::RequestContext call,
                        Coordinator* coordinator,
                        TagChange change,
                        ServerSelection servers,
                        int32_t number) {
  CO_ASSIGN_OR_RETURN(ServerTag tag, to_tag(number));
  auto job = [coordinator, change, tag, servers = std::move(servers)]() mutable {
    return (coordinator->*change)(std::move(servers), tag);
  };
  co_return co_await call_on(*call.shard, coordinator->shard(), std::move(job));
}

}  // namespace

Task<Result<wire::AddServerTagResponse>> add_server_tag_api(wire::AddServerTagRequest request,
                                                            rpc::RequestContext call,
                                                            Coordinator* coordinator) {
  CO_RETURN_IF_ERROR(co_await change_tag(std::move(call),
                                         coordinator,
                                         &Coordinator::add_server_tag,
                                         to_selection(request.server_ids),
                                         request.server_tag));
  co_return wire::AddServerTagResponse{};
}

Task<Result<wire::RemoveServerTagResponse>> remove_server_tag_api(
    wire::RemoveServerTagRequest request, rpc::RequestContext call, Coordinator* coordinator) {
  CO_RETURN_IF_ERROR(co_await change_tag(std::move(call),
                                         coordinator,
                                         &Coordinator::remove_server_tag,
                                         to_selection(request.server_ids),
                                         request.server_tag));
  co_return wire::RemoveServerTagResponse{};
}

Task<Result<wire::AddServerTagByRackResponse>> add_server_tag_by_rack_api(
    wire::AddServerTagByRackRequest request, rpc::RequestContext call, Coordinator* coordinator) {
  ServerSelection servers{{}, std::move(request.racks)};
  CO_RETURN_IF_ERROR(co_await change_tag(std::move(call),
                                         coordinator,
                                         &Coordinator::add_server_tag,
                                         std::move(servers),
                                         request.server_tag));
  co_return wire::AddServerTagByRackResponse{};
}

Task<Result<wire::RemoveServerTagByRackResponse>> remove_server_tag_by_rack_api(
    wire::RemoveServerTagByRackRequest request,
    rpc::RequestContext call,
    Coordinator* coordinator) {
  ServerSelection servers{{}, std::move(request.racks)};
  CO_RETURN_IF_ERROR(co_await change_tag(std::move(call),
                                         coordinator,
                                         &Coordinator::remove_server_tag,
                                         std::move(servers),
                                         request.server_tag));
  co_return wire::RemoveServerTagByRackResponse{};
}

}  // namespace lakestream::coordinator
