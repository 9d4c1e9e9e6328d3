#include "log/log_manifest.h"

#include <algorithm>

#include "log/file_names.h"
#include "log/record_file.h"

namespace lakestream::log_internal {
namespace {

constexpr std::string_view kKind = "lsstate1";
constexpr size_t kEpochBytes = 12;

std::string manifest_path(const std::string& directory) {
  return fmt::format("{}/{}", directory, kManifestName);
}

}  // namespace

Result<bool> LeaderEpochs::assign(LeaderEpoch epoch, Offset start) {
  if (epoch == latest()) return false;
  if (epoch < latest()) {
    return make_error(ErrorCode::kFencedLeaderEpochException,
                      "leader epoch {} is older than {}, the latest one of this log",
                      epoch,
                      latest());
  }
  truncate_to(start);
  entries_.push_back({epoch, start});
  return true;
}

EpochEnd LeaderEpochs::end_of(LeaderEpoch epoch, Offset log_end) const {
  auto above = std::upper_bound(
      entries_.begin(), entries_.end(), epoch, [](LeaderEpoch asked, const Entry& entry) {
        return asked < entry.epoch;
      });
  Offset end = above == entries_.end() ? log_end : above->start_offset;
  if (above == entries_.begin()) return {kNoLeaderEpoch, end};
  return {std::prev(above)->epoch, end};
}

void LeaderEpochs::clamp_to(Offset end) {
  if (entries_.empty() || entries_.back().start_offset <= end) return;
  LeaderEpoch latest_epoch = latest();
  truncate_to(end);
  entries_.push_back({latest_epoch, end});
}

void LeaderEpochs::truncate_to(Offset end) {
  while (!entries_.empty() && entries_.back().start_offset >= end) entries_.pop_back();
}

Bytes encode_manifest(const LogManifest& manifest) {
  RecordWriter out(kKind);
  out.put(manifest.generation);
  out.put(manifest.truncated_to.value());
  uint8_t pending = !manifest.pending ? 0 : manifest.pending->whole ? 2 : 1;
  out.put(pending);
  out.put(manifest.pending ? manifest.pending->offset.value() : int64_t{0});
  out.put(static_cast<uint32_t>(manifest.epochs.entries().size()));
  for (const LeaderEpochs::Entry& entry : manifest.epochs.entries()) {
    out.put(entry.epoch.value());
    out.put(entry.start_offset.value());
  }
  return std::move(out).finish();
}

Result<LogManifest> load_manifest(Disk& disk, const std::string& directory) {
  std::string path = manifest_path(directory);
  LogManifest manifest;
  ASSIGN_OR_RETURN(bool present, disk.exists(path));
  if (!present) return manifest;
  ASSIGN_OR_RETURN(Bytes content, read_file(disk, path));
  RecordReader in(std::move(content), kKind);
  manifest.generation = in.get<int64_t>();
  manifest.truncated_to = Offset(in.get<int64_t>());
  auto pending = in.get<uint8_t>();
  Offset offset(in.get<int64_t>());
  if (pending != 0) manifest.pending = Truncation{offset, pending == 2};
  size_t count = in.get_count(kEpochBytes);
  for (size_t i = 0; i < count; ++i) {
    LeaderEpoch epoch(in.get<int32_t>());
    manifest.epochs.push_back({epoch, Offset(in.get<int64_t>())});
  }
  if (!in.complete()) {
    return make_error(ErrorCode::kStorageException,
                      "{}: the checksum does not match; the file is written atomically, so the "
                      "disk damaged it; remove the log's directory or restore it from a replica",
                      path);
  }
  return manifest;
}

Status save_manifest(Disk& disk, const std::string& directory, const LogManifest& manifest) {
  return write_file_atomically(disk, manifest_path(directory), encode_manifest(manifest));
}

}  // namespace lakestream::log_internal
