#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/result.h"
#include "client/session.h"
#include "client/types.h"

// Calls that several parts of the client make. Those that go to the leaders of buckets: the buckets
// are grouped by leader, and those that the wrong server was asked for are asked again when the
// metadata is fresh, for as long as a request may take.
//
// Thread rule: shard-local.
//
//   auto offsets = co_await list_offsets(session, table.path(), OffsetSpec::latest(), {});
namespace lakestream::client {

// What came back for each bucket of one request.
template <typename Value>
using BucketAnswers = std::vector<std::pair<BucketId, Result<Value>>>;

// All buckets of the table when none is named, else those that exist. Errors:
// kUnknownTableOrBucketException.
Result<std::vector<BucketId>> known_buckets(const TableMetadata& table,
                                            std::vector<BucketId> buckets);

// Buckets by leader. Those without one are left out, and the error says so.
struct LeaderGroups {
  std::map<ServerId, std::vector<BucketId>> groups;
  std::optional<Error> leaderless;
};
LeaderGroups group_by_leader(const TableMetadata& table, const std::vector<BucketId>& buckets);

// Whether what was known of a table still holds for a fresh state of it. Errors: kTableNotExist
// or kPartitionNotExists when it was dropped and created anew, or its buckets changed.
Status check_same_table(const TableMetadata& known, const TableMetadata& fresh);

// Whether a leader call is worth repeating after this error.
bool is_transient(ErrorCode code);

// `ask(session, table, leader, buckets)` is a Task<Result<BucketAnswers<Value>>> of one request to
// one server; its parameters are by value.
template <typename Value, typename Ask>
Task<Result<std::map<BucketId, Value>>> ask_leaders(std::shared_ptr<Session> session,
                                                    PhysicalTablePath path,
                                                    std::vector<BucketId> buckets,
                                                    Ask ask) {
  std::map<BucketId, Value> values;
  Backoff backoff(session->options().backoff_min, session->options().backoff_max);
  Duration deadline = session->clock().monotonic() + session->options().request_timeout;
  auto table = co_await session->place(path);
  for (;;) {
    if (!table) co_return fail(std::move(table).error());
    CO_ASSIGN_OR_RETURN(std::vector<BucketId> left, known_buckets(**table, buckets));
    std::erase_if(left, [&values](BucketId bucket) { return values.contains(bucket); });
    LeaderGroups leaders = group_by_leader(**table, left);
    std::optional<Error> error = std::move(leaders.leaderless);
    size_t answered = 0;
    for (auto& [leader, ids] : leaders.groups) {
      Result<BucketAnswers<Value>> answers = co_await ask(session, *table, leader, ids);
      if (!answers) {
        error = std::move(answers).error();
        if (!is_transient(error->code())) co_return fail(*std::move(error));
        continue;
      }
      for (auto& [bucket, value] : *answers) {
        if (std::find(ids.begin(), ids.end(), bucket) == ids.end()) continue;
        if (value) {
          answered += values.emplace(bucket, *std::move(value)).second ? 1 : 0;
        } else {
          error = std::move(value).error();
          if (!is_transient(error->code())) co_return fail(*std::move(error));
        }
      }
    }
    if (answered == left.size()) co_return values;
    if (!error) {
      error = Error(ErrorCode::kUnknownServerError, "the server's answer lacks buckets");
      co_return fail(*std::move(error));
    }
    if (session->is_closed() || session->clock().monotonic() >= deadline) {
      co_return fail(*std::move(error));
    }
    Duration pause = backoff.next(session->random());
    co_await session->sleep(pause);
    table = co_await session->refresh_place(path);
  }
}

// A new writer id of the cluster.
Task<Result<WriterId>> init_writer(std::shared_ptr<Session> session, TablePath path);

// The latest schema without an id.
Task<Result<SchemaInfo>> get_schema(std::shared_ptr<Session> session,
                                    TablePath path,
                                    std::optional<SchemaId> id);

// In the order of the buckets.
Task<Result<std::vector<BucketOffset>>> list_offsets(std::shared_ptr<Session> session,
                                                     PhysicalTablePath path,
                                                     OffsetSpec spec,
                                                     std::vector<BucketId> buckets);

}  // namespace lakestream::client
