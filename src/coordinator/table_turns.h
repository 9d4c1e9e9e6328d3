#pragma once

#include <map>
#include <optional>
#include <utility>

#include "coordinator/event_queue.h"
#include "table/path.h"

// Changes of one table that also change its lake happen one at a time. They take longer than an
// event may, so that events of others go on meanwhile.
//
// Thread rule: shard-local.
//
//   std::optional<TableTurns::Turn> turn = co_await turns.enter(path);
//   if (!turn) co_return too_busy();
namespace lakestream::coordinator {

class TableTurns {
 private:
  struct Table {
    EventQueue queue;
    size_t users = 0;  // who has the turn, and who waits
  };

 public:
  class Turn {
   public:
    Turn(TableTurns* turns, TablePath path, EventQueue::Turn turn)
        : turns_(turns), path_(std::move(path)), turn_(std::move(turn)) {}
    Turn(Turn&& other) noexcept
        : turns_(std::exchange(other.turns_, nullptr)),
          path_(std::move(other.path_)),
          turn_(std::exchange(other.turn_, std::nullopt)) {}
    Turn& operator=(Turn&&) = delete;
    ~Turn() {
      turn_.reset();
      if (turns_ != nullptr) turns_->leave(path_);
    }

   private:
    TableTurns* turns_;
    TablePath path_;
    std::optional<EventQueue::Turn> turn_;
  };

  // Empty when too many wait for the table already.
  Task<std::optional<Turn>> enter(TablePath path) {
    Table* table = &tables_[path];  // stays where it is while somebody uses it
    ++table->users;
    std::optional<EventQueue::Turn> turn = co_await table->queue.enter();
    if (!turn) {
      leave(path);
      co_return std::nullopt;
    }
    co_return Turn(this, std::move(path), std::move(*turn));
  }

 private:
  void leave(const TablePath& path) {
    auto found = tables_.find(path);
    if (--found->second.users == 0) tables_.erase(found);
  }

  std::map<TablePath, Table> tables_;
};

}  // namespace lakestream::coordinator
