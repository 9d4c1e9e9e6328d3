#include <algorithm>
#include <set>
#include <utility>

#include "base/failpoint.h"
#include "base/logging.h"
#include "io/object_store.h"
#include "io/pool.h"
#include "table/remote_paths.h"
#include "tablet/remote_log.h"

// What brings a log to remote storage and takes it away again. Whenever a run ends early, what is
// known of the store is right: a folder is in the manifest, in `uncommitted_` or garbage, or else
// the next start finds it.

namespace lakestream {
namespace {

bool is_older(TimestampMs timestamp, TimestampMs now, Duration age) {
  if (age <= Duration::zero()) return false;
  auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(age);
  return timestamp.value() < now.value() - milliseconds.count();
}

// What is not in the lake yet is never too old.
bool is_expired(TimestampMs timestamp, Offset end, const RemoteLogRules& rules) {
  return end <= rules.expires_below && is_older(timestamp, rules.now, rules.ttl);
}

Status upload(ObjectStore& objects,
              Disk& disk,
              const LogSegment& segment,
              const std::string& folder,
              uint64_t index_interval_bytes) {
  ASSIGN_OR_RETURN(SegmentExtras extras, check_segment(disk, segment, index_interval_bytes));
  auto path = [&](RemoteLogFile kind) {
    return remote_log_file(folder, segment.base_offset, kind);
  };
  RETURN_IF_ERROR(objects.put(path(RemoteLogFile::kIndex), extras.index.offsets));
  RETURN_IF_ERROR(objects.put(path(RemoteLogFile::kTimeIndex), extras.index.times));
  if (extras.writer_snapshot) {
    std::string writers =
        remote_log_file(folder, segment.end_offset, RemoteLogFile::kWriterSnapshot);
    RETURN_IF_ERROR(objects.put(writers, *extras.writer_snapshot));
  }
  ASSIGN_OR_RETURN(uint64_t sent, objects.put_file(path(RemoteLogFile::kLog), segment.path));
  if (sent == segment.size) return ok();
  return make_error(ErrorCode::kLogStorageException,
                    "{} has {} bytes where the log says {}",
                    segment.path,
                    sent,
                    segment.size);
}

// What is below the folder of a bucket and in no manifest: folders of segments, and manifests.
std::vector<std::string> orphans_of(const std::vector<ObjectInfo>& found,
                                    const std::string& folder,
                                    const std::set<std::string>& segments,
                                    const std::optional<std::string>& manifest_path) {
  std::set<std::string> orphans;
  for (const ObjectInfo& object : found) {
    if (!object.path.starts_with(folder + "/")) continue;
    std::string name = object.path.substr(folder.size() + 1);
    name.resize(std::min(name.find('/'), name.size()));
    if (name == "metadata") {
      if (object.path != manifest_path) orphans.insert(object.path);
    } else if (!segments.contains(name)) {
      orphans.insert(remote_log_segment_folder(folder, name));
    }
  }
  return {orphans.begin(), orphans.end()};
}

}  // namespace

std::string RemoteLog::new_id() {
  uint64_t high = options_.random.next();
  return uuid_text(high, options_.random.next());
}

Task<Status> RemoteLog::run(RemoteLogRules rules) {
  auto pass = gate_.enter();
  if (!pass || running_) co_return ok();
  struct Flag {
    bool& flag;
    explicit Flag(bool& raised) : flag(raised) { flag = true; }
    ~Flag() { flag = false; }
  } running(running_);
  CO_RETURN_IF_ERROR(co_await load());
  Status brought = co_await bring(&rules);
  // A store that fails is no reason to keep what it has, or what is too old.
  CO_RETURN_IF_ERROR(co_await delete_local(&rules));
  co_return brought;
}

Task<Status> RemoteLog::bring(const RemoteLogRules* rules) {
  if (uncommitted_) {
    Change again = *uncommitted_;
    CO_RETURN_IF_ERROR(co_await announce(std::move(again)));
  }
  Status cleaned = co_await find_orphans();
  if (cleaned) cleaned = co_await remove_garbage();
  Change change;
  change.manifest = state_->manifest;
  change.copied_end = copied_end_;
  Status copied = co_await copy_segments(rules, &change);
  drop_expired(*rules, &change);
  if (!change.made.empty() || !change.gone.empty()) {
    CO_RETURN_IF_ERROR(co_await announce(std::move(change)));
  }
  CO_RETURN_IF_ERROR(std::move(copied));
  co_return cleaned;
}

// What was copied before one fails is kept.
Task<Status> RemoteLog::copy_segments(const RemoteLogRules* rules, Change* change) {
  Offset limit = std::min(rules->copied_below, log_.durable_end_offset());
  std::vector<LogSegment> due;
  for (LogSegment& segment : log_.segments()) {
    if (!segment.sealed || segment.end_offset > limit || due.size() == rules->copies_max) break;
    if (segment.end_offset <= change->copied_end) continue;
    if (is_expired(segment.max_timestamp, segment.end_offset, *rules)) continue;
    due.push_back(std::move(segment));
  }
  if (due.empty()) co_return ok();
  if (folder_.empty()) {
    CO_ASSIGN_OR_RETURN(folder_, co_await options_.coordinator->begin_remote_log(&home_, bucket_));
    orphans_found_ = false;  // another life of the data directory may have used the same ids
  }
  // A log that power loss cuts below its copy would give the offsets to other rows.
  CO_RETURN_IF_ERROR(co_await log_.flush());
  CO_RETURN_IF_ERROR(failpoint("remote_log.after_flush"));
  std::vector<RemoteLogSegment>& segments = change->manifest.segments;
  for (LogSegment& segment : due) {
    if (gate_.is_closed() || (rules->stopping != nullptr && *rules->stopping)) break;
    CO_ASSIGN_OR_RETURN(RemoteLogSegment copied, co_await copy_segment(std::move(segment)));
    change->made.push_back(remote_log_segment_folder(folder_, copied.id));
    if (copied.start_offset > change->copied_end) {
      // What lay between was too old, and so is all before it.
      for (const RemoteLogSegment& old : segments) {
        change->gone.push_back(remote_log_segment_folder(folder_, old.id));
      }
      segments.clear();
    } else if (copied.start_offset < change->copied_end) {
      copied.logical_start_offset = change->copied_end;
    }
    change->copied_end = copied.end_offset;
    segments.push_back(std::move(copied));
  }
  co_return ok();
}

Task<Result<RemoteLogSegment>> RemoteLog::copy_segment(LogSegment segment) {
  RemoteLogSegment copied;
  copied.id = new_id();
  copied.start_offset = segment.base_offset;
  copied.end_offset = segment.end_offset;
  copied.max_timestamp = segment.max_timestamp;
  copied.size_bytes = static_cast<int64_t>(segment.size);
  std::string folder = remote_log_segment_folder(folder_, copied.id);
  auto job = [objects = options_.objects,
              disk = &env_.disk,
              segment = std::move(segment),
              folder,
              interval = options_.index_interval_bytes] {
    return upload(*objects, *disk, segment, folder, interval);
  };
  Status done = co_await run_on_pool(env_.pool, home_, std::move(job));
  if (done) done = failpoint("remote_log.after_segment");
  if (done) co_return copied;
  garbage_.push_back(std::move(folder));
  co_return fail(std::move(done).error());
}

void RemoteLog::drop_expired(const RemoteLogRules& rules, Change* change) {
  std::vector<RemoteLogSegment>& segments = change->manifest.segments;
  auto kept = segments.begin();
  while (kept != segments.end() && is_expired(kept->max_timestamp, kept->end_offset, rules)) {
    change->gone.push_back(remote_log_segment_folder(folder_, kept->id));
    ++kept;
  }
  segments.erase(segments.begin(), kept);
}

// Makes a manifest of the change and commits it; the same again for one whose fate is not known.
Task<Status> RemoteLog::announce(Change change) {
  RemoteLogManifest& manifest = change.manifest;
  manifest.highest_copied_end_offset.reset();
  if (manifest.segments.empty() || manifest.segments.back().end_offset != change.copied_end) {
    manifest.highest_copied_end_offset = change.copied_end;
  }
  if (change.path.empty()) {
    change.path = remote_log_manifest(folder_, new_id());
    if (manifest_path_) change.gone.push_back(*manifest_path_);
  }
  uncommitted_ = change;
  Bytes document = Bytes::copy_of(to_json(manifest));
  auto put = [objects = options_.objects, path = change.path, document] {
    return objects->put(path, document);
  };
  CO_RETURN_IF_ERROR(co_await run_on_pool(env_.pool, home_, std::move(put)));
  CO_RETURN_IF_ERROR(failpoint("remote_log.after_manifest"));
  co_return co_await commit(std::move(change));
}

Task<Status> RemoteLog::commit(Change change) {
  RemoteLogCommit wanted;
  wanted.bucket = bucket_;
  wanted.manifest_path = change.path;
  wanted.start_offset = change.copied_end;
  if (!change.manifest.segments.empty()) {
    const RemoteLogSegment& first = change.manifest.segments.front();
    wanted.start_offset = first.logical_start_offset.value_or(first.start_offset);
  }
  wanted.end_offset = change.copied_end;
  Status done = co_await options_.coordinator->commit_remote_log(
      &home_, std::move(wanted), log_.latest_epoch());
  if (!done && !is_refusal(done.error())) co_return done;  // asked again by the next run
  uncommitted_.reset();
  if (!done) {
    garbage_.push_back(change.path);
    garbage_.insert(garbage_.end(), change.made.begin(), change.made.end());
    co_return done;
  }
  next_garbage_.insert(next_garbage_.end(), change.gone.begin(), change.gone.end());
  if (!change.made.empty()) {
    LOG_INFO("tablet",
             "log segments copied",
             KV("bucket", bucket_),
             KV("count", change.made.size()),
             KV("end_offset", change.copied_end));
  }
  adopt(std::move(change));
  co_return failpoint("remote_log.after_commit");
}

// What is copied goes once there are newer segments enough or it is too old to be local; what is
// not goes when it is too old at all.
Task<Status> RemoteLog::delete_local(const RemoteLogRules* rules) {
  Offset bound = std::min(rules->deleted_below, rules->copied_below);
  Duration local_ttl = rules->local_ttl.value_or(rules->ttl);
  std::vector<LogSegment> segments = log_.segments();
  auto kept = static_cast<size_t>(std::max(rules->local_segments, 0));
  Offset below = log_.start_offset();
  for (size_t i = 0; i + 1 < segments.size(); ++i) {
    const LogSegment& segment = segments[i];
    bool goes = is_expired(segment.max_timestamp, segment.end_offset, *rules);
    if (segment.end_offset <= copied_end_) {
      goes = goes || segments.size() - i > kept ||
             is_older(segment.max_timestamp, rules->now, local_ttl);
    }
    if (!goes || segment.end_offset > bound) break;
    below = segment.end_offset;
  }
  if (below == log_.start_offset()) co_return ok();
  Result<size_t> deleted = co_await log_.delete_before(below);
  if (!deleted) co_return fail(std::move(deleted).error());
  co_return ok();
}

// Once after a start: what an earlier process left behind. Requires: all that is known is in the
// committed manifest or garbage.
Task<Status> RemoteLog::find_orphans() {
  if (orphans_found_ || folder_.empty()) co_return ok();
  auto list = [objects = options_.objects, folder = folder_] { return objects->list(folder); };
  CO_ASSIGN_OR_RETURN(std::vector<ObjectInfo> found,
                      co_await run_on_pool(env_.pool, home_, std::move(list)));
  std::set<std::string> segments;
  for (const RemoteLogSegment& segment : state_->manifest.segments) segments.insert(segment.id);
  std::vector<std::string> orphans = orphans_of(found, folder_, segments, manifest_path_);
  garbage_.insert(garbage_.end(), orphans.begin(), orphans.end());
  orphans_found_ = true;
  co_return ok();
}

Task<Status> RemoteLog::remove_garbage() {
  std::vector<std::string> garbage = std::exchange(garbage_, {});
  garbage.insert(garbage.end(), next_garbage_.begin(), next_garbage_.end());
  next_garbage_.clear();
  if (garbage.empty()) co_return ok();
  auto left = std::make_shared<std::vector<std::string>>(std::move(garbage));
  auto remove = [objects = options_.objects, left]() -> Status {
    while (!left->empty()) {
      const std::string& path = left->back();
      RETURN_IF_ERROR(path.ends_with(".manifest") ? objects->remove(path)
                                                  : objects->remove_prefix(path));
      left->pop_back();
    }
    return ok();
  };
  Status removed = co_await run_on_pool(env_.pool, home_, std::move(remove));
  garbage_.insert(garbage_.end(), left->begin(), left->end());
  co_return removed;
}

}  // namespace lakestream
