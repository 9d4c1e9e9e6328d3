#include <algorithm>
#include <string_view>
#include <utility>

#include "base/logging.h"
#include "coordinator/coordinator.h"

namespace lakestream::coordinator {
namespace {

std::string_view name_of(ServerTag tag) {
  return tag == ServerTag::kPermanentOffline ? "PERMANENT_OFFLINE" : "TEMPORARY_OFFLINE";
}

}  // namespace

std::vector<ServerId> Coordinator::assignable_servers() const {
  std::vector<ServerId> servers = live_servers();
  std::erase_if(servers, [this](ServerId server) {
    auto tag = server_tags_.tags.find(server);
    return tag != server_tags_.tags.end() && tag->second == ServerTag::kPermanentOffline;
  });
  return servers;
}

std::vector<ServerId> Coordinator::servers_of_racks(const std::vector<std::string>& racks) const {
  std::vector<ServerId> servers;
  for (const ServerNode& node : catalog_->tablet_servers()) {
    bool is_named = node.rack && std::find(racks.begin(), racks.end(), *node.rack) != racks.end();
    if (is_named) servers.push_back(node.id);
  }
  return servers;
}

Task<Status> Coordinator::add_server_tag(ServerSelection servers, ServerTag tag) {
  CO_ASSIGN_OR_RETURN(Event event, co_await begin_event());
  for (const std::string& rack : servers.racks) {
    if (!servers_of_racks({rack}).empty()) continue;
    co_return make_error(
        ErrorCode::kServerNotExistException, "there is no live server in rack '{}'", rack);
  }
  std::vector<ServerId> named = servers_of_racks(servers.racks);
  named.insert(named.end(), servers.ids.begin(), servers.ids.end());
  ServerTagsRecord next = server_tags_;
  for (ServerId server : named) {
    if (!is_live(server)) {
      co_return make_error(
          ErrorCode::kServerNotExistException, "there is no live server {}", server);
    }
    auto [known, is_new] = next.tags.emplace(server, tag);
    if (is_new || known->second == tag) continue;
    co_return make_error(ErrorCode::kSeverTagAlreadyExistException,
                         "server {} has tag {}; remove it before {} is added",
                         server,
                         name_of(known->second),
                         name_of(tag));
  }
  co_return co_await write_server_tags(std::move(next));
}

Task<Status> Coordinator::remove_server_tag(ServerSelection servers, ServerTag tag) {
  CO_ASSIGN_OR_RETURN(Event event, co_await begin_event());
  std::vector<ServerId> named = servers_of_racks(servers.racks);
  named.insert(named.end(), servers.ids.begin(), servers.ids.end());
  ServerTagsRecord next = server_tags_;
  for (ServerId server : named) {
    auto known = next.tags.find(server);
    if (known == next.tags.end()) continue;
    if (known->second != tag) {
      co_return make_error(ErrorCode::kSeverTagNotExistException,
                           "server {} has tag {}, not {}",
                           server,
                           name_of(known->second),
                           name_of(tag));
    }
    next.tags.erase(known);
  }
  co_return co_await write_server_tags(std::move(next));
}

// Requires: in an event.
Task<Status> Coordinator::write_server_tags(ServerTagsRecord next) {
  if (next == server_tags_) co_return ok();
  std::vector<MetaOp> ops;
  if (next.tags.empty()) {
    ops.push_back(MetaOp::remove(paths::kServerTags, kAnyVersion));
  } else if (server_tags_.tags.empty()) {
    ops.push_back(MetaOp::create(paths::kServerTags, encode(next)));
  } else {
    ops.push_back(MetaOp::put(paths::kServerTags, encode(next), kAnyVersion));
  }
  CO_RETURN_IF_ERROR(co_await writer_.commit(std::move(ops)));
  server_tags_ = std::move(next);
  LOG_INFO("coordinator", "server tags", KV("servers", server_tags_.tags.size()));
  co_return ok();
}

}  // namespace lakestream::coordinator
