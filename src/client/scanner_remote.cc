#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "client/scanner_state.h"
#include "io/object_store.h"
#include "io/pool.h"

// The part of a log that is in remote storage. A segment that is a file this machine can see is
// read here, a piece at a time: each time the server tells where to go on. Any other is read by the
// server, which is asked to do so from then on.

namespace lakestream::client::internal {
namespace {

// Read in front of the wanted batch, as the server knows its place only roughly.
constexpr uint64_t kSkipBytes = 16 << 10;

// The bytes from the batch with the offset on, the last one perhaps in part; empty when there is
// none, nothing when there is no such file.
Result<std::optional<Bytes>> read_piece(Disk& disk, const RemoteSource& source) {
  std::unique_ptr<ObjectStore> store = make_local_object_store(disk);
  uint64_t position = source.position;
  uint64_t wanted = source.bytes_wanted + kSkipBytes;
  while (position < source.size) {
    ASSIGN_OR_RETURN(std::optional<Bytes> piece, store->get_range(source.path, position, wanted));
    if (!piece || piece->empty()) return piece;
    BatchReader reader(*piece);
    size_t passed = 0;
    for (;;) {
      passed = reader.position();
      ASSIGN_OR_RETURN(std::optional<BatchView> batch, reader.next());
      if (!batch) break;
      if (batch->next_offset() > source.next) return std::optional(piece->slice(passed));
    }
    if (passed == 0 && piece->size() < wanted) break;  // the file ends inside of a batch
    if (passed == 0) wanted *= 2;
    position += passed;
  }
  return std::optional<Bytes>(Bytes());
}

// Whether the segment may be a file of this machine.
bool is_local(const std::string& folder) { return local_path_of(folder).has_value(); }

}  // namespace

void ScannerState::take_remote(const TableBucket& id,
                               Bucket& bucket,
                               const wire::PbRemoteLogFetchInfo& info,
                               bool at_server) {
  if (at_server || info.remote_log_segments.empty()) {
    bucket.error = Error(ErrorCode::kUnsupportedVersion,
                         fmt::format("offset {} is in remote storage, which this client can not "
                                     "read and the server does not read for it; begin at a later "
                                     "offset",
                                     bucket.next));
    return;
  }
  const wire::PbRemoteLogSegment& segment = info.remote_log_segments.front();
  RemoteSource source;
  std::string folder(info.remote_log_tablet_dir);
  if (!is_local(folder)) {
    remote_at_server_ = true;
    return;
  }
  source.path = fmt::format(
      "{}/{}/{:020}.log", folder, segment.remote_log_segment_id, segment.remote_log_start_offset);
  source.position = static_cast<uint64_t>(std::max(info.first_start_pos.value_or(0), 0));
  source.size = static_cast<uint64_t>(std::max(segment.segment_size_in_bytes, 0));
  source.bytes_wanted = static_cast<uint64_t>(std::max(options_.bucket_bytes_max, 1));
  source.next = bucket.next;
  bucket.reading_remote = true;
  Item item{id, bucket.subscription, bucket.next};
  session_->shard().spawn(read_remote(shared_from_this(), item, std::move(source)));
}

Task<void> ScannerState::read_remote(std::shared_ptr<ScannerState> self,
                                     Item item,
                                     RemoteSource source) {
  std::optional<Gate::Pass> pass = self->gate_.enter();
  Env& env = self->session_->env();
  auto read = [disk = &env.disk, source] { return read_piece(*disk, source); };
  Result<std::optional<Bytes>> piece =
      co_await run_on_pool(env.pool, self->session_->shard(), std::move(read));
  Bucket* bucket = self->find(item);
  if (bucket == nullptr) co_return;
  bucket->reading_remote = false;
  if (!piece) {
    bucket->error = std::move(piece).error();
  } else if (!*piece) {
    // Gone in the meantime, or on another machine.
    self->remote_at_server_ = true;
  } else if (!self->take_batches(*bucket, BytesChain(**piece), {}, false) && !bucket->error) {
    bucket->error = Error(
        ErrorCode::kCorruptRecordException,
        fmt::format(
            "{} does not have offset {}, for which the server named it", source.path, source.next));
  }
  self->changed_.wake_all();
  self->wake_fetcher();
}

}  // namespace lakestream::client::internal
