#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <utility>

#include "base/bytes.h"
#include "base/result.h"
#include "io/network.h"
#include "io/shard.h"
#include "io/task.h"
#include "rpc/held_bytes.h"
#include "security/principal.h"
#include "wire/api.h"
#include "wire/messages.h"

// The handlers of a server, one an API. What is registered is what ApiVersions advertises.
//
// Thread rule: filled before the server starts, immutable afterwards. A handler runs on the shard
// of the connection (RequestContext::shard) and is called from all shards at the same time.
//
//   Task<Result<wire::TableExistsResponse>> table_exists(wire::TableExistsRequest request,
//                                                        rpc::RequestContext context);
//   apis.add<wire::ApiKey::kTableExists>(table_exists);
namespace lakestream::rpc {

// Ends waits whose answer nobody can receive any more. Shard-local; outlives the handlers.
class Cancellation {
 public:
  using Place = std::list<UniqueFunction<void()>>::iterator;
  Place on_cancel(UniqueFunction<void()> act) {
    if (cancelled_) act();
    return acts_.insert(acts_.end(), std::move(act));
  }
  void forget(Place place) { acts_.erase(place); }
  bool is_cancelled() const { return cancelled_; }
  void cancel() {
    if (std::exchange(cancelled_, true)) return;
    for (auto& act : acts_) act();
  }

 private:
  bool cancelled_ = false;
  std::list<UniqueFunction<void()>> acts_;
};

struct RequestContext {
  Shard* shard = nullptr;  // where the handler runs
  int16_t api_version = 0;
  Address peer;
  // Who asks; null for this process itself, which may everything.
  std::shared_ptr<const security::Session> session;
  Cancellation* cancellation = nullptr;  // of the connection; null for a caller in the same process
  HeldBytes* held = nullptr;             // of all connections; null for such a caller
};

class ApiTable {
 public:
  template <wire::ApiKey key>
  using Handler = std::function<Task<Result<typename wire::ApiTraits<key>::Response>>(
      typename wire::ApiTraits<key>::Request, RequestContext)>;
  // Says whether who asks may ask that.
  template <wire::ApiKey key>
  using Guard =
      std::function<Status(const typename wire::ApiTraits<key>::Request&, const RequestContext&)>;

  template <wire::ApiKey key>
  void add(Handler<key> handler) {
    auto typed = std::make_shared<Typed<key>>();
    typed->handler = std::move(handler);
    Entry entry;
    entry.info = wire::find_api(static_cast<int16_t>(key));
    CHECK(entry.info != nullptr && entry.info->served, "an API of the table");
    entry.typed = typed;
    entry.encoded = [typed](Bytes payload, RequestContext context) {
      return run_encoded<key>(typed.get(), std::move(payload), std::move(context));
    };
    entries_[static_cast<int16_t>(key)] = std::move(entry);
  }

  // Asked before the handler. Requires: the API was added, and this process serves nobody yet.
  template <wire::ApiKey key>
  void guard(Guard<key> guard) {
    auto found = entries_.find(static_cast<int16_t>(key));
    CHECK(found != entries_.end(), "a registered API");
    static_cast<Typed<key>*>(found->second.typed.get())->guard = std::move(guard);
    found->second.is_guarded = true;
  }

  struct Entry {
    const wire::ApiInfo* info = nullptr;
    bool is_guarded = false;
    std::function<Task<Result<BytesChain>>(Bytes, RequestContext)> encoded;
    std::shared_ptr<void> typed;
  };
  // nullptr for an API without a handler.
  const Entry* find(int16_t key) const {
    auto found = entries_.find(key);
    return found == entries_.end() ? nullptr : &found->second;
  }
  const std::map<int16_t, Entry>& entries() const { return entries_; }

  // Calls the handler with the message as it is: how a client in the same process talks to a
  // server.
  template <wire::ApiKey key>
  Task<Result<typename wire::ApiTraits<key>::Response>> call(
      typename wire::ApiTraits<key>::Request request, RequestContext context) const {
    const Entry* entry = find(static_cast<int16_t>(key));
    CHECK(entry != nullptr, "a registered API");
    return start<key>(
        static_cast<Typed<key>*>(entry->typed.get()), std::move(request), std::move(context));
  }

 private:
  template <wire::ApiKey key>
  struct Typed {
    Handler<key> handler;
    Guard<key> guard;
  };

  template <typename Response>
  static Task<Result<Response>> refuse(Error error) {
    co_return fail(std::move(error));
  }

  // No coroutine: the handler is one.
  template <wire::ApiKey key>
  static Task<Result<typename wire::ApiTraits<key>::Response>> start(
      const Typed<key>* typed,
      typename wire::ApiTraits<key>::Request request,
      RequestContext context) {
    if (typed->guard) {
      Status may = typed->guard(request, context);
      if (!may) return refuse<typename wire::ApiTraits<key>::Response>(std::move(may).error());
    }
    return typed->handler(std::move(request), std::move(context));
  }

  template <wire::ApiKey key>
  static Task<Result<BytesChain>> run_encoded(const Typed<key>* typed,
                                              Bytes payload,
                                              RequestContext context) {
    auto request = wire::ApiTraits<key>::Request::decode(std::move(payload));
    if (!request) co_return fail(std::move(request).error());
    auto response = co_await start<key>(typed, std::move(*request), std::move(context));
    if (!response) co_return fail(std::move(response).error());
    co_return response->encode();
  }

  std::map<int16_t, Entry> entries_;
};

}  // namespace lakestream::rpc
