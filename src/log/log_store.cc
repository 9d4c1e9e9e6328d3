#include <algorithm>

#include "base/logging.h"
#include "log/log_state.h"
#include "log/log_store_state.h"

namespace lakestream {
namespace log_internal {
namespace {

struct Loaded {
  CleanLogs clean;
  RecoveryPoints points;
  std::vector<LogPath> found;
};

Result<std::optional<Bytes>> read_if_there(Disk& disk, const std::string& path) {
  ASSIGN_OR_RETURN(bool present, disk.exists(path));
  if (!present) return std::optional<Bytes>();
  ASSIGN_OR_RETURN(Bytes content, read_file(disk, path));
  return std::optional<Bytes>(std::move(content));
}

Status remove_empty(Disk& disk, const std::string& directory) {
  ASSIGN_OR_RETURN(std::vector<DirectoryEntry> entries, disk.list(directory));
  if (!entries.empty()) return ok();
  RETURN_IF_ERROR(disk.remove_all(directory));
  return disk.sync_directory(directory.substr(0, directory.rfind('/')));
}

// Database, table, and for partitioned tables partition directories; log-N and kv-N stand below.
// Directories of tables and partitions in which nothing is left are removed: a crash may come
// between the removal of the last log and theirs.
Status find_logs(Disk& disk,
                 const std::string& root,
                 const std::string& relative,
                 size_t depth,
                 std::vector<LogPath>* found) {
  std::string directory = relative.empty() ? root : root + "/" + relative;
  ASSIGN_OR_RETURN(std::vector<DirectoryEntry> entries, disk.list(directory));
  bool is_used = depth < 2;
  for (const DirectoryEntry& entry : entries) {
    is_used = is_used || !entry.is_directory;
    if (!entry.is_directory) continue;
    std::string name = relative.empty() ? entry.name : relative + "/" + entry.name;
    if (auto path = parse_log_directory(name)) {
      found->push_back(*std::move(path));
      is_used = true;
    } else if (depth < 2 || (depth == 2 && !entry.name.starts_with("kv-"))) {
      RETURN_IF_ERROR(find_logs(disk, root, name, depth + 1, found));
    } else {
      is_used = true;
    }
  }
  return is_used ? ok() : remove_empty(disk, directory);
}

// The note of the clean stop holds for one start: it goes before anything is appended.
Result<Loaded> load_directory(Disk& disk, const std::string& directory) {
  Loaded loaded;
  RETURN_IF_ERROR(disk.create_directories(directory));
  std::string clean_path = fmt::format("{}/{}", directory, kCleanLogsName);
  ASSIGN_OR_RETURN(std::optional<Bytes> clean, read_if_there(disk, clean_path));
  if (clean) {
    loaded.clean = decode_clean_logs(*std::move(clean)).value_or(CleanLogs());
    RETURN_IF_ERROR(disk.remove(clean_path));
    RETURN_IF_ERROR(disk.sync_directory(directory));
  }
  ASSIGN_OR_RETURN(std::optional<Bytes> points,
                   read_if_there(disk, fmt::format("{}/{}", directory, kRecoveryPointsName)));
  if (points) {
    loaded.points = decode_recovery_points(*std::move(points)).value_or(RecoveryPoints());
  }
  RETURN_IF_ERROR(find_logs(disk, directory, "", 0, &loaded.found));
  std::sort(loaded.found.begin(), loaded.found.end());
  return loaded;
}

using NamedPoints = std::vector<std::pair<std::string, RecoveryPoint>>;

// One after the other: a checkpoint is background work and shall not crowd out appends.
Task<NamedPoints> checkpoint_logs(LogShard* logs) {
  std::vector<std::shared_ptr<LogState>> open;
  for (LogState* log : logs->logs()) open.push_back(log->shared_from_this());
  std::sort(
      open.begin(), open.end(), [](const auto& a, const auto& b) { return a->name() < b->name(); });
  NamedPoints points;
  for (const std::shared_ptr<LogState>& log : open) {
    auto point = co_await LogState::checkpoint(log);
    if (!point) {
      LOG_WARN(
          "log", "no checkpoint", KV("log", log->name()), KV("error", point.error().message()));
    } else if (*point) {
      points.emplace_back(log->name(), **point);
    }
  }
  co_return points;
}

}  // namespace

Task<Status> StoreState::load(Self self) {
  auto job = [&disk = self->env.disk, directory = self->directory] {
    return load_directory(disk, directory);
  };
  Result<Loaded> loaded = co_await run_on_pool(self->env.pool, self->shard, std::move(job));
  if (!loaded) co_return fail(std::move(loaded).error());
  self->clean_ = std::move(loaded->clean);
  self->points_ = std::move(loaded->points);
  self->found = std::move(loaded->found);
  co_return ok();
}

LogShard& StoreState::logs_of(Shard& home) {
  ShardLogs& logs = shards_[home.index()];
  if (logs.logs == nullptr) {
    logs.shard = &home;
    logs.logs = std::make_unique<LogShard>(limits);
  }
  return *logs.logs;
}

bool StoreState::any_open_in(const std::string& table) const {
  auto at = open_.lower_bound(table + "/");
  return at != open_.end() && at->starts_with(table + "/");
}

Task<void> StoreState::removal_ended(Self self, std::string table) {
  while (self->removing_.contains(table)) {
    auto removed = std::make_shared<Waiter>();
    self->removing_[table].push_back(removed);
    co_await removed->wait();
  }
}

Task<Result<std::unique_ptr<LogTablet>>> StoreState::open_log(Self self,
                                                              LogPath path,
                                                              Shard* home) {
  co_await hear_out(self);
  std::string name = log_directory(path);
  std::string table = table_directory(path);
  co_await removal_ended(self, table);
  if (!self->open_.insert(name).second) {
    co_return make_error(ErrorCode::kLogStorageException,
                         "log {} is open already; one tablet at a time may use it",
                         name);
  }
  OpenHints hints;
  hints.index_interval_bytes = self->options.index_interval_bytes;
  if (auto clean = self->clean_.extract(name)) hints.clean = std::move(clean.mapped());
  if (auto failed = self->failed_.extract(name)) hints.cut_at = failed.mapped();
  if (auto point = self->points_.find(name); point != self->points_.end()) {
    hints.recovery_point = point->second;
  }
  auto job = [&disk = self->env.disk, directory = self->full(name), hints] {
    return open_log_directory(disk, directory, hints);
  };
  Result<OpenedLog> opened = co_await run_on_pool(self->env.pool, self->shard, std::move(job));
  if (!opened) {
    self->open_.erase(name);
    if (hints.cut_at) self->failed_[name] = *hints.cut_at;
    co_return fail(std::move(opened).error().with_context(name));
  }
  co_return self->adopt(name, *home, *std::move(opened));
}

std::unique_ptr<LogTablet> StoreState::adopt(const std::string& name,
                                             Shard& home,
                                             OpenedLog opened) {
  Offset end = opened.segments.back().end_offset;
  if (opened.bytes_scanned + opened.bytes_cut > 0) {
    LOG_INFO("log",
             "recovered",
             KV("log", name),
             KV("end", end),
             KV("bytes_scanned", opened.bytes_scanned),
             KV("bytes_cut", opened.bytes_cut));
  }
  points_[name] = {.generation = opened.manifest.generation, .offset = end};
  points_changed_ = true;
  LogPlace place{.env = env,
                 .shard = home,
                 .log_shard = logs_of(home),
                 .store = shared_from_this(),
                 .name = name,
                 .directory = full(name)};
  return std::make_unique<LogTablet>(
      std::make_shared<LogState>(std::move(place), options, std::move(opened)));
}

void StoreState::note_point(const std::string& name, RecoveryPoint point) {
  auto [at, fresh] = points_.emplace(name, point);
  RecoveryPoint& known = at->second;
  bool newer = point.generation > known.generation ||
               (point.generation == known.generation && point.offset > known.offset);
  if (!fresh && !newer) return;
  known = point;
  points_changed_ = true;
}

void StoreState::post_closed(ClosedLog closed) {
  shard.post([self = shared_from_this(), closed = std::move(closed)]() mutable {
    self->note_closed(std::move(closed));
  });
}

void StoreState::note_closed(ClosedLog closed) {
  open_.erase(closed.name);
  note_point(closed.name, closed.recovery_point);
  if (closed.clean) clean_[closed.name] = *std::move(closed.clean);
  if (closed.failed_at) failed_[closed.name] = *closed.failed_at;
}

Task<Status> StoreState::remove(Self self, LogPath path) {
  co_await hear_out(self);
  std::string name = log_directory(path);
  std::string table = table_directory(path);
  co_await removal_ended(self, table);
  if (self->open_.contains(name)) {
    co_return make_error(
        ErrorCode::kLogStorageException, "log {} is open; close it before it is removed", name);
  }
  self->removing_[table];
  self->clean_.erase(name);
  self->points_.erase(name);
  self->failed_.erase(name);
  std::erase(self->found, path);
  auto job = [&disk = self->env.disk,
              directory = self->full(name),
              table = self->full(table),
              alone = !self->any_open_in(table)]() -> Status {
    RETURN_IF_ERROR(disk.remove_all(directory));
    ASSIGN_OR_RETURN(bool present, disk.exists(table));
    if (!present) return ok();
    RETURN_IF_ERROR(disk.sync_directory(table));
    return alone ? remove_empty(disk, table) : ok();
  };
  Status removed = co_await run_on_pool(self->env.pool, self->shard, std::move(job));
  auto waiting = self->removing_.extract(table);
  for (const auto& waiter : waiting.mapped()) waiter->wake();
  co_return removed;
}

Task<Status> StoreState::checkpoint(Self self) {
  std::vector<ShardLogs*> shards;
  for (auto& [index, logs] : self->shards_) shards.push_back(&logs);
  for (ShardLogs* logs : shards) {
    auto job = [shard_logs = logs->logs.get()] { return checkpoint_logs(shard_logs); };
    NamedPoints points = co_await call_on(self->shard, *logs->shard, std::move(job));
    for (const auto& [name, point] : points) self->note_point(name, point);
  }
  if (!std::exchange(self->points_changed_, false)) co_return ok();
  auto write = [&disk = self->env.disk,
                path = self->full(std::string(kRecoveryPointsName)),
                content = encode_recovery_points(self->points_)] {
    return write_file_atomically(disk, path, content);
  };
  Status written = co_await run_on_pool(self->env.pool, self->shard, std::move(write));
  if (!written) self->points_changed_ = true;
  co_return written;
}

// What was posted to the store before has arrived when it ends.
Task<void> StoreState::hear_out(Self self) {
  auto heard = std::make_shared<Waiter>();
  self->shard.post([heard] { heard->wake(); });
  co_await heard->wait();
}

Task<Status> StoreState::close(Self self) {
  co_await hear_out(self);
  size_t open = self->open_.size();
  auto write = [&disk = self->env.disk,
                points_path = self->full(std::string(kRecoveryPointsName)),
                points = encode_recovery_points(self->points_),
                clean_path = self->full(std::string(kCleanLogsName)),
                clean = encode_clean_logs(self->clean_)]() -> Status {
    RETURN_IF_ERROR(write_file_atomically(disk, points_path, points));
    return write_file_atomically(disk, clean_path, clean);
  };
  Status written = co_await run_on_pool(self->env.pool, self->shard, std::move(write));
  CO_RETURN_IF_ERROR(std::move(written));
  if (open == 0) co_return ok();
  co_return make_error(ErrorCode::kLogStorageException,
                       "{} logs of {} were still open; the next start has to recover them",
                       open,
                       self->directory);
}

}  // namespace log_internal

using log_internal::StoreState;

Task<Result<std::unique_ptr<LogStore>>> LogStore::open(Env& env,
                                                       Shard& shard,
                                                       std::string directory,
                                                       LogOptions options) {
  auto state = std::make_shared<StoreState>(env, shard, std::move(directory), options);
  Status loaded = co_await StoreState::load(state);
  CO_RETURN_IF_ERROR(std::move(loaded));
  co_return std::make_unique<LogStore>(std::move(state));
}

LogStore::LogStore(std::shared_ptr<StoreState> state) : state_(std::move(state)) {}
LogStore::~LogStore() = default;

const std::vector<LogPath>& LogStore::found() const { return state_->found; }
const std::string& LogStore::directory() const { return state_->directory; }

Task<Result<std::unique_ptr<LogTablet>>> LogStore::open_log(LogPath path, Shard& home) {
  return StoreState::open_log(state_, std::move(path), &home);
}
Task<Status> LogStore::remove(LogPath path) { return StoreState::remove(state_, std::move(path)); }
Task<Status> LogStore::checkpoint() { return StoreState::checkpoint(state_); }
Task<Status> LogStore::close() { return StoreState::close(state_); }

}  // namespace lakestream
