#include "tablet/remote_log.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "base/logging.h"
#include "io/object_store.h"
#include "io/pool.h"
#include "table/remote_paths.h"

// Reading what is in remote storage; remote_log_run.cc brings it there.

namespace lakestream {
namespace {

// Segments that a reader is told of at a time.
constexpr size_t kSegmentsMax = 32;

Offset logical_begin(const RemoteLogSegment& segment) {
  return segment.logical_start_offset.value_or(segment.start_offset);
}
Offset logical_end(const RemoteLogSegment& segment) {
  return segment.logical_end_offset.value_or(segment.end_offset);
}

// Ids come from a document that others may have written: a path must not leave its folder.
bool is_id(std::string_view id) {
  auto fits = [](char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0 || c == '-'; };
  return !id.empty() && std::all_of(id.begin(), id.end(), fits);
}

Status check_manifest(const RemoteLogManifest& manifest, const TableBucket& bucket) {
  if (manifest.bucket != bucket) {
    return make_error(ErrorCode::kStorageException, "it is about {}", manifest.bucket);
  }
  for (const RemoteLogSegment& segment : manifest.segments) {
    bool sound = is_id(segment.id) && segment.start_offset >= Offset(0) &&
                 segment.start_offset < segment.end_offset && segment.size_bytes > 0;
    if (sound) continue;
    return make_error(ErrorCode::kStorageException, "segment '{}' can not be", segment.id);
  }
  return ok();
}

Result<RemoteLogManifest> read_manifest(ObjectStore& objects,
                                        const std::string& path,
                                        const TableBucket& bucket) {
  ASSIGN_OR_RETURN(std::optional<Bytes> text, objects.get(path));
  if (!text) {
    return make_error(ErrorCode::kStorageException,
                      "{} is missing, which says where old records are; put it back",
                      path);
  }
  Result<RemoteLogManifest> manifest = remote_log_manifest_from_json(text->view());
  Status sound = manifest ? check_manifest(*manifest, bucket) : Status(fail(manifest.error()));
  if (sound) return manifest;
  return make_error(ErrorCode::kStorageException,
                    "{} is damaged: {}; put it back as it was",
                    path,
                    sound.error().message());
}

// The index files are a help: without them a segment is read from its start.
Result<RemoteIndex> read_index(ObjectStore& objects, const RemoteSegment& segment) {
  std::string folder = segment.path.substr(0, segment.path.find_last_of('/'));
  RemoteIndex index;
  std::string offsets = remote_log_file(folder, segment.base_offset, RemoteLogFile::kIndex);
  std::string times = remote_log_file(folder, segment.base_offset, RemoteLogFile::kTimeIndex);
  ASSIGN_OR_RETURN(std::optional<Bytes> offset_points, objects.get(offsets));
  ASSIGN_OR_RETURN(std::optional<Bytes> time_points, objects.get(times));
  if (offset_points) index.offsets = std::move(*offset_points);
  if (time_points) index.times = std::move(*time_points);
  return index;
}

}  // namespace

RemoteLog::RemoteLog(Env& env,
                     Shard& home,
                     PhysicalTablePath path,
                     TableBucket bucket,
                     LogTablet& log,
                     RemoteLogOptions options,
                     RemoteLogPlace place)
    : env_(env),
      home_(home),
      path_(std::move(path)),
      bucket_(bucket),
      log_(log),
      options_(std::move(options)),
      folder_(std::move(place.folder)),
      manifest_path_(std::move(place.manifest_path)),
      copied_end_(place.end_offset),
      orphans_found_(folder_.empty()) {}

Task<Status> RemoteLog::load() {
  if (state_ != nullptr) co_return ok();
  Change none;
  none.manifest.path = path_;
  none.manifest.bucket = bucket_;
  none.copied_end = copied_end_;
  if (manifest_path_) {
    none.path = *manifest_path_;
    auto read = [objects = options_.objects, path = none.path, bucket = bucket_] {
      return read_manifest(*objects, path, bucket);
    };
    CO_ASSIGN_OR_RETURN(none.manifest, co_await run_on_pool(env_.pool, home_, std::move(read)));
    if (state_ != nullptr) co_return ok();  // another one was faster
  }
  adopt(std::move(none));
  co_return ok();
}

void RemoteLog::adopt(Change change) {
  auto state = std::make_shared<State>();
  state->manifest = std::move(change.manifest);
  std::vector<RemoteLogSegment>& segments = state->manifest.segments;
  std::sort(segments.begin(), segments.end(), [](const auto& a, const auto& b) {
    return logical_begin(a) < logical_begin(b);
  });
  state->first = segments.empty() ? 0 : segments.size() - 1;
  while (state->first > 0 &&
         logical_end(segments[state->first - 1]) == logical_begin(segments[state->first])) {
    --state->first;
  }
  if (!change.path.empty()) manifest_path_ = std::move(change.path);
  copied_end_ = std::max(copied_end_, change.copied_end);
  state_ = std::move(state);
}

Offset RemoteLog::begin_of(const State& state) const {
  const std::vector<RemoteLogSegment>& segments = state.manifest.segments;
  Offset local = log_.start_offset();
  // With a gap between here and there, what is there is over.
  if (segments.empty() || logical_end(segments.back()) < local) return local;
  return std::min(local, logical_begin(segments[state.first]));
}

std::optional<size_t> RemoteLog::segment_with(const State& state, Offset offset) const {
  const std::vector<RemoteLogSegment>& segments = state.manifest.segments;
  if (segments.empty() || logical_end(segments.back()) < log_.start_offset()) return std::nullopt;
  for (size_t i = state.first; i < segments.size(); ++i) {
    if (offset < logical_begin(segments[i])) return std::nullopt;
    if (offset < logical_end(segments[i])) return i;
  }
  return std::nullopt;
}

RemoteSegment RemoteLog::place_of(const RemoteLogSegment& segment) const {
  std::string folder = remote_log_segment_folder(folder_, segment.id);
  RemoteSegment place;
  place.path = remote_log_file(folder, segment.start_offset, RemoteLogFile::kLog);
  place.base_offset = segment.start_offset;
  place.end_offset = segment.end_offset;
  place.size = static_cast<uint64_t>(std::max<int64_t>(segment.size_bytes, 0));
  return place;
}

Task<Result<RemoteIndex>> RemoteLog::index_of(RemoteSegment segment) {
  if (auto known = options_.indexes->find(segment.path)) co_return std::move(*known);
  auto read = [objects = options_.objects, segment] { return read_index(*objects, segment); };
  CO_ASSIGN_OR_RETURN(RemoteIndex index, co_await run_on_pool(env_.pool, home_, std::move(read)));
  options_.indexes->add(segment.path, index);
  co_return index;
}

tl::unexpected<Error> RemoteLog::stopped() const {
  return make_error(ErrorCode::kNotLeaderOrFollower,
                    "{} stopped on this server; read the metadata again",
                    bucket_);
}

Task<Result<Offset>> RemoteLog::start_offset() {
  // Nothing can be below the first offset.
  if (log_.start_offset() == Offset(0)) co_return Offset(0);
  auto pass = gate_.enter();
  if (!pass) co_return stopped();
  CO_RETURN_IF_ERROR(co_await load());
  co_return begin_of(*state_);
}

Task<Result<std::optional<RemoteFetch>>> RemoteLog::find(Offset offset) {
  auto pass = gate_.enter();
  if (!pass) co_return stopped();
  if (!manifest_path_ || offset >= copied_end_) co_return std::optional<RemoteFetch>();
  CO_RETURN_IF_ERROR(co_await load());
  StatePtr state = state_;
  std::optional<size_t> at = segment_with(*state, offset);
  if (!at) co_return std::optional<RemoteFetch>();
  const std::vector<RemoteLogSegment>& segments = state->manifest.segments;
  RemoteFetch fetch{.folder = folder_, .partition = path_.partition, .segments = {}};
  for (size_t i = *at; i < segments.size() && fetch.segments.size() < kSegmentsMax; ++i) {
    // Readers take all that is in a file.
    bool follows = i == *at || segments[i].start_offset == segments[i - 1].end_offset;
    if (!follows) break;
    fetch.segments.push_back(segments[i]);
  }
  RemoteSegment first = place_of(segments[*at]);
  Result<RemoteIndex> index = co_await index_of(first);
  // Who can read the segment can do so from its start.
  if (index) fetch.first_position = remote_position(first, *index, offset);
  co_return std::optional<RemoteFetch>(std::move(fetch));
}

Task<Result<LogRead>> RemoteLog::read(ReadRequest request) {
  auto pass = gate_.enter();
  if (!pass) co_return stopped();
  CO_RETURN_IF_ERROR(co_await load());
  StatePtr state = state_;
  std::optional<size_t> at = segment_with(*state, request.from);
  if (!at) {
    co_return make_error(ErrorCode::kLogOffsetOutOfRangeException,
                         "{}: offset {} is not in remote storage",
                         bucket_,
                         request.from);
  }
  const RemoteLogSegment& found = state->manifest.segments[*at];
  request.limit = std::min(request.limit, logical_end(found));
  RemoteSegment segment = place_of(found);
  CO_ASSIGN_OR_RETURN(RemoteIndex index, co_await index_of(segment));
  auto job = [objects = options_.objects, segment, index, request] {
    return read_remote_segment(*objects, segment, index, request);
  };
  co_return co_await run_on_pool(env_.pool, home_, std::move(job));
}

Task<Result<std::optional<Offset>>> RemoteLog::offset_for_timestamp(TimestampMs timestamp) {
  auto pass = gate_.enter();
  if (!pass) co_return stopped();
  if (!manifest_path_) co_return std::optional<Offset>();
  CO_RETURN_IF_ERROR(co_await load());
  StatePtr state = state_;
  const std::vector<RemoteLogSegment>& segments = state->manifest.segments;
  if (begin_of(*state) == log_.start_offset()) co_return std::optional<Offset>();
  for (size_t i = state->first; i < segments.size(); ++i) {
    if (segments[i].max_timestamp < timestamp) continue;
    RemoteSegment segment = place_of(segments[i]);
    CO_ASSIGN_OR_RETURN(RemoteIndex index, co_await index_of(segment));
    auto job = [objects = options_.objects, segment, index, timestamp] {
      return find_remote_time(*objects, segment, index, timestamp);
    };
    CO_ASSIGN_OR_RETURN(Offset found, co_await run_on_pool(env_.pool, home_, std::move(job)));
    co_return std::optional<Offset>(std::max(found, logical_begin(segments[i])));
  }
  co_return std::optional<Offset>();
}

Task<Result<LogRead>> read_log(LogTablet* log, RemoteLog* remote, ReadRequest request) {
  for (;;) {
    Offset start = log->start_offset();
    bool is_local = remote == nullptr || request.from >= start;
    std::optional<Result<LogRead>> read;
    if (is_local) read = log->try_read(request);
    if (is_local && !read) read = co_await log->read(request);
    if (!is_local) read = co_await remote->read(request);
    // It was deleted here in the meantime, and so it is there.
    bool moved = !*read && is_local && remote != nullptr && request.from < log->start_offset() &&
                 read->error().code() == ErrorCode::kLogOffsetOutOfRangeException;
    if (!moved) co_return std::move(*read);
  }
}

Task<void> RemoteLog::stop() {
  gate_.close();
  co_await gate_.closed();
}

}  // namespace lakestream
