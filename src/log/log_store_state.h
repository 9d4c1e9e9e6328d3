#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "io/env.h"
#include "io/shard.h"
#include "log/log.h"
#include "log/log_shard.h"
#include "log/store_files.h"

// What is behind a LogStore.
//
// Thread rule: belongs to the store's shard; post_closed from any shard.
//
//   store->post_closed(ClosedLog{...});
namespace lakestream::log_internal {

// What a log leaves behind when it is not open any more.
struct ClosedLog {
  std::string name;
  RecoveryPoint recovery_point;
  std::optional<CleanLog> clean;
  std::optional<Offset> failed_at;  // it failed, and was sound up to here
};

class StoreState : public std::enable_shared_from_this<StoreState> {
 public:
  StoreState(Env& environment, Shard& home, std::string data_directory, LogOptions log_options)
      : env(environment), shard(home), directory(std::move(data_directory)), options(log_options) {
    limits.open_files_max = options.open_files_max;
    limits.tail_bytes_max = options.tail_bytes_total_max;
  }

  void post_closed(ClosedLog closed);

  using Self = std::shared_ptr<StoreState>;
  static Task<Status> load(Self self);
  static Task<Result<std::unique_ptr<LogTablet>>> open_log(Self self, LogPath path, Shard* home);
  static Task<Status> remove(Self self, LogPath path);
  static Task<Status> checkpoint(Self self);
  static Task<Status> close(Self self);

  Env& env;
  Shard& shard;
  const std::string directory;
  const LogOptions options;
  SharedLimits limits;
  std::vector<LogPath> found;

 private:
  struct ShardLogs {
    Shard* shard = nullptr;
    std::unique_ptr<LogShard> logs;
  };

  static Task<void> hear_out(Self self);
  // Waits while logs of the table's directory are being deleted.
  static Task<void> removal_ended(Self self, std::string table);
  LogShard& logs_of(Shard& home);
  std::unique_ptr<LogTablet> adopt(const std::string& name, Shard& home, OpenedLog opened);
  void note_point(const std::string& name, RecoveryPoint point);
  void note_closed(ClosedLog closed);
  bool any_open_in(const std::string& table) const;
  std::string full(const std::string& name) const { return directory + "/" + name; }

  std::map<size_t, ShardLogs> shards_;
  std::set<std::string> open_;
  CleanLogs clean_;
  RecoveryPoints points_;
  std::map<std::string, Offset> failed_;
  // Table directories that are being emptied, with those who wait to put something in.
  std::map<std::string, std::vector<std::shared_ptr<Waiter>>> removing_;
  bool points_changed_ = false;
};

}  // namespace lakestream::log_internal
