#include "log/writer_states.h"

#include <algorithm>
#include <climits>
#include <utility>

#include "log/record_file.h"

namespace lakestream::log_internal {
namespace {

constexpr std::string_view kKind = "lswrite1";
constexpr size_t kWriterBytesMin = 9;

}  // namespace

Result<std::optional<WriterBatch>> WriterStates::check(WriterId writer, int32_t sequence) const {
  auto found = writers_.find(writer);
  if (found == writers_.end()) {
    if (sequence == 0) return std::optional<WriterBatch>();
    return make_error(ErrorCode::kOutOfOrderSequenceException,
                      "writer {}: batch sequence {} is the first one of a writer that this bucket "
                      "does not know, it has to be 0",
                      writer,
                      sequence);
  }
  if (std::optional<WriterBatch> duplicate = find(writer, sequence)) return duplicate;
  int32_t last = found->second.last().sequence;
  int32_t next = last == INT32_MAX ? 0 : last + 1;
  if (sequence == next) return std::optional<WriterBatch>();
  return make_error(ErrorCode::kOutOfOrderSequenceException,
                    "writer {}: batch sequence {} does not follow {}, it has to be {}",
                    writer,
                    sequence,
                    last,
                    next);
}

std::optional<WriterBatch> WriterStates::find(WriterId writer, int32_t sequence) const {
  auto found = writers_.find(writer);
  if (found == writers_.end()) return std::nullopt;
  const Writer& known = found->second;
  for (size_t i = known.count; i-- > 0;) {
    if (known.batches[i].sequence == sequence) return known.batches[i];
  }
  return std::nullopt;
}

WriterStates::Undo WriterStates::add(WriterId writer, const WriterBatch& batch) {
  Writer& known = writers_[writer];
  Undo undo{writer, std::nullopt};
  if (known.count == kRemembered) {
    undo.pushed_out = known.batches[0];
    std::copy(known.batches.begin() + 1, known.batches.end(), known.batches.begin());
    --known.count;
  }
  known.batches[known.count++] = batch;
  return undo;
}

void WriterStates::undo(const Undo& undo) {
  auto found = writers_.find(undo.writer);
  if (found == writers_.end()) return;  // forgotten meanwhile
  Writer& known = found->second;
  --known.count;
  if (undo.pushed_out) {
    std::copy_backward(known.batches.begin(),
                       known.batches.begin() + known.count,
                       known.batches.begin() + known.count + 1);
    known.batches[0] = *undo.pushed_out;
    ++known.count;
  }
  if (known.count == 0) writers_.erase(found);
}

void WriterStates::expire(TimestampMs now, Duration silence_max) {
  int64_t silence_ms = std::chrono::duration_cast<std::chrono::milliseconds>(silence_max).count();
  std::erase_if(writers_, [&](const auto& entry) {
    return now.value() - entry.second.last().timestamp.value() > silence_ms;
  });
}

void WriterStates::shrink(size_t count) {
  if (writers_.size() <= count) return;
  std::vector<std::pair<TimestampMs, WriterId>> ages;
  ages.reserve(writers_.size());
  for (const auto& [id, writer] : writers_) ages.emplace_back(writer.last().timestamp, id);
  auto first_kept = ages.begin() + static_cast<ptrdiff_t>(writers_.size() - count);
  std::nth_element(ages.begin(), first_kept, ages.end());
  for (auto at = ages.begin(); at != first_kept; ++at) writers_.erase(at->second);
}

Bytes WriterStates::encode() const {
  std::vector<WriterId> ids;
  ids.reserve(writers_.size());
  for (const auto& [id, writer] : writers_) ids.push_back(id);
  std::sort(ids.begin(), ids.end());
  RecordWriter out(kKind);
  out.put(static_cast<uint32_t>(ids.size()));
  for (WriterId id : ids) {
    const Writer& writer = writers_.at(id);
    out.put(id.value());
    out.put(writer.count);
    for (size_t i = 0; i < writer.count; ++i) {
      out.put(writer.batches[i].sequence);
      out.put(writer.batches[i].offset_delta);
      out.put(writer.batches[i].last_offset.value());
      out.put(writer.batches[i].timestamp.value());
    }
  }
  return std::move(out).finish();
}

std::optional<WriterStates> WriterStates::decode(Bytes content) {
  RecordReader in(std::move(content), kKind);
  WriterStates states;
  size_t count = in.get_count(kWriterBytesMin);
  states.writers_.reserve(count);
  for (size_t w = 0; w < count; ++w) {
    WriterId id(in.get<int64_t>());
    size_t batches = in.get<uint8_t>();
    if (batches == 0 || batches > kRemembered) return std::nullopt;
    Writer& writer = states.writers_[id];
    for (size_t i = 0; i < batches; ++i) {
      WriterBatch& batch = writer.batches[i];
      batch.sequence = in.get<int32_t>();
      batch.offset_delta = in.get<int32_t>();
      batch.last_offset = Offset(in.get<int64_t>());
      batch.timestamp = TimestampMs(in.get<int64_t>());
    }
    writer.count = static_cast<uint8_t>(batches);
  }
  if (!in.complete()) return std::nullopt;
  return states;
}

}  // namespace lakestream::log_internal
