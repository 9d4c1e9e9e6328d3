#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "io/clock.h"
#include "table/path.h"

// When each table is copied to its lake, and by whom. A table's life:
//
//   scheduled   until its freshness has passed since it was tiered, or since it came here
//   pending     its epoch grows by one; it waits at the end of a queue
//   tiering     a worker has it, who has to say so every two minutes
//   … finished  scheduled again; when the worker ran out of time, pending at once
//   … failed, or the worker was silent: pending at once
//
// Who reports of a table names the epoch under which he got it: after two minutes of silence it is
// another's. Epochs are not kept: after a restart of the coordinator they begin anew, and the
// coordinator's own epoch tells the lives apart.
//
// Time is what callers say: it moves on with each call and never back.
//
// Thread rule: shard-local.
//
//   LakeTiering tiering;
//   tiering.follow(table, path, freshness, now);
//   if (auto task = tiering.next(now)) hand_out(task->path, task->epoch);
//   CO_RETURN_IF_ERROR(tiering.finish(table, epoch, TieringEnd::kDone, now));
namespace lakestream::coordinator {

inline constexpr Duration kTieringSilenceMax = std::chrono::minutes(2);

enum class TieringEnd : uint8_t { kDone, kOutOfTime };

class LakeTiering {
 public:
  enum class State : uint8_t { kScheduled, kPending, kTiering };
  struct Handout {
    TableId table;
    TablePath path;
    int64_t epoch = 0;
  };
  // What is known of a table, for those who watch.
  struct View {
    State state = State::kScheduled;
    int64_t epoch = 0;
    Duration tiered_at{0};
    Duration since{0};      // when it came to the state
    uint64_t failures = 0;  // since a round of it ended well
    std::string last_failure = {};
  };

  // Takes the table in, or its new freshness.
  void follow(TableId table, const TablePath& path, Duration freshness, Duration now);
  // Fine when it is not here.
  void forget(TableId table);
  template <typename Keep>
  void forget_unless(Keep keep) {
    std::erase_if(tables_, [&](const auto& entry) { return !keep(entry.first); });
  }

  // The table that has been pending longest, for a worker. Nothing when there is none.
  std::optional<Handout> next(Duration now);

  // Of a worker. All three: kTableNotExist when the table is not here, kFencedTieringEpochException
  // when the epoch is another one. renew: kUnknownServerError when nobody tiers it.
  Status renew(TableId table, int64_t epoch, Duration now);
  // Nothing happens when nobody tiers it: it was said before.
  Status finish(TableId table, int64_t epoch, TieringEnd end, Duration now);
  Status fail(TableId table, int64_t epoch, Duration now);

  // What a worker says went wrong, kept until a round ends well. Fine when the table is not here.
  void note_failure(TableId table, std::string why);

  std::optional<View> find(TableId table, Duration now);
  template <typename Visit>
  void for_each(Duration now, Visit visit) {
    advance(now);
    for (const auto& [id, table] : tables_) visit(id, table.path, table.view);
  }
  size_t size() const { return tables_.size(); }

 private:
  struct Table {
    TablePath path;
    Duration freshness{0};
    View view;
    Duration heard_at{0};  // of the worker
  };

  // Lets happen what was due by then, in its order.
  void advance(Duration now);
  Result<Table*> check(TableId table, int64_t epoch);
  static void enter(Table* table, State state, Duration at);
  void make_pending(TableId id, Table* table, Duration at);

  std::map<TableId, Table> tables_;
  std::deque<TableId> pending_;  // may name tables that are gone or not pending any more
};

std::string_view name_of(LakeTiering::State state);

}  // namespace lakestream::coordinator
