#include "log/store_files.h"

#include "log/record_file.h"

namespace lakestream::log_internal {
namespace {

constexpr std::string_view kCleanKind = "lsclean1";
constexpr std::string_view kPointsKind = "lspoint1";
constexpr size_t kLogBytesMin = 21;
constexpr size_t kSegmentBytes = 44;
constexpr size_t kEpochBytes = 12;
constexpr size_t kPointBytesMin = 20;

}  // namespace

Bytes encode_clean_logs(const CleanLogs& logs) {
  RecordWriter out(kCleanKind);
  out.put(static_cast<uint32_t>(logs.size()));
  for (const auto& [name, log] : logs) {
    out.put_text(name);
    out.put(log.generation);
    out.put(static_cast<uint8_t>(log.has_writers ? 1 : 0));
    out.put(static_cast<uint32_t>(log.segments.size()));
    for (const OpenedSegment& segment : log.segments) {
      out.put(segment.base_offset.value());
      out.put(segment.end_offset.value());
      out.put(segment.size);
      out.put(segment.first_timestamp.value());
      out.put(segment.max_timestamp.value());
      out.put(static_cast<uint32_t>(segment.index_points));
    }
    out.put(static_cast<uint32_t>(log.epochs.entries().size()));
    for (const LeaderEpochs::Entry& entry : log.epochs.entries()) {
      out.put(entry.epoch.value());
      out.put(entry.start_offset.value());
    }
  }
  return std::move(out).finish();
}

std::optional<CleanLogs> decode_clean_logs(Bytes content) {
  RecordReader in(std::move(content), kCleanKind);
  CleanLogs logs;
  size_t log_count = in.get_count(kLogBytesMin);
  for (size_t i = 0; i < log_count; ++i) {
    CleanLog& log = logs[in.get_text()];
    log.generation = in.get<int64_t>();
    log.has_writers = in.get<uint8_t>() != 0;
    size_t segment_count = in.get_count(kSegmentBytes);
    log.segments.reserve(segment_count);
    for (size_t k = 0; k < segment_count; ++k) {
      OpenedSegment segment;
      segment.base_offset = Offset(in.get<int64_t>());
      segment.end_offset = Offset(in.get<int64_t>());
      segment.size = in.get<uint64_t>();
      segment.first_timestamp = TimestampMs(in.get<int64_t>());
      segment.max_timestamp = TimestampMs(in.get<int64_t>());
      segment.index_points = in.get<uint32_t>();
      log.segments.push_back(segment);
    }
    size_t epoch_count = in.get_count(kEpochBytes);
    for (size_t k = 0; k < epoch_count; ++k) {
      LeaderEpoch epoch(in.get<int32_t>());
      log.epochs.push_back({epoch, Offset(in.get<int64_t>())});
    }
  }
  if (!in.complete()) return std::nullopt;
  return logs;
}

Bytes encode_recovery_points(const RecoveryPoints& points) {
  RecordWriter out(kPointsKind);
  out.put(static_cast<uint32_t>(points.size()));
  for (const auto& [name, point] : points) {
    out.put_text(name);
    out.put(point.generation);
    out.put(point.offset.value());
  }
  return std::move(out).finish();
}

std::optional<RecoveryPoints> decode_recovery_points(Bytes content) {
  RecordReader in(std::move(content), kPointsKind);
  RecoveryPoints points;
  size_t count = in.get_count(kPointBytesMin);
  for (size_t i = 0; i < count; ++i) {
    RecoveryPoint& point = points[in.get_text()];
    point.generation = in.get<int64_t>();
    point.offset = Offset(in.get<int64_t>());
  }
  if (!in.complete()) return std::nullopt;
  return points;
}

}  // namespace lakestream::log_internal
