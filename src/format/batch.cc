#include "format/batch.h"

#include <fmt/format.h>

#include "base/checksum.h"

namespace lakestream {
namespace {

template <typename... Args>
tl::unexpected<Error> broken(const BatchView& batch,
                             fmt::format_string<Args...> format,
                             Args&&... args) {
  return make_error(ErrorCode::kUnknownServerError,
                    "log batch at offset {} of {} bytes: {}",
                    batch.base_offset(),
                    batch.size(),
                    fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace

Result<BatchHeaderView> BatchHeaderView::parse(std::span<const uint8_t> start) {
  if (start.size() < kBatchHeaderBytesMin) {
    return make_error(ErrorCode::kUnknownServerError,
                      "log batch of {} bytes: shorter than the smallest header of {} bytes",
                      start.size(),
                      kBatchHeaderBytesMin);
  }
  int8_t magic = load_le<int8_t>(start.data() + kBatchLengthEnd);
  if (magic < 0 || magic > kBatchMagicMax) {
    return make_error(ErrorCode::kUnknownServerError,
                      "log batch of {} bytes: magic {} is not one of 0, 1 and 2",
                      start.size(),
                      magic);
  }
  BatchHeaderView header(start.data(), magic);
  if (start.size() < header.header_size()) {
    return make_error(ErrorCode::kUnknownServerError,
                      "log batch at offset {} of {} bytes: shorter than the header of magic {}, {} "
                      "bytes",
                      header.base_offset(),
                      start.size(),
                      magic,
                      header.header_size());
  }
  return header;
}

Result<BatchView> BatchView::parse(Bytes bytes) {
  ASSIGN_OR_RETURN(BatchHeaderView header, BatchHeaderView::parse(bytes.span()));
  BatchView batch(header, std::move(bytes));
  int64_t size = batch.announced_size();
  if (size != static_cast<int64_t>(batch.size())) {
    return broken(batch, "its length field says {} bytes", size);
  }
  int64_t statistics = batch.statistics_size();
  if (statistics < 0 || statistics > size - static_cast<int64_t>(batch.header_size())) {
    return broken(batch, "statistics of {} bytes do not fit", statistics);
  }
  return batch;
}

Status BatchView::validate_crc() const {
  uint32_t actual = crc32c(bytes_.span().subspan(crc_position() + 4));
  if (actual == crc()) return ok();
  return make_error(
      ErrorCode::kCorruptRecordException,
      "log batch at offset {} of {} bytes: checksum is {:08x}, its header says {:08x}",
      base_offset(),
      size(),
      actual,
      crc());
}

Status BatchView::validate() const {
  RETURN_IF_ERROR(validate_crc());
  if (schema_id().value() < 0) return broken(*this, "schema id {} is negative", schema_id());
  if ((attributes() & ~1U) != 0) {
    return broken(*this, "attributes {:#04x} have bits other than append-only", attributes());
  }
  if (writer_id() < kNoWriter || batch_sequence() < -1) {
    return broken(
        *this, "writer {} or batch sequence {} is below -1", writer_id(), batch_sequence());
  }
  int32_t count = record_count();
  if (count < 0) return broken(*this, "record count {} is negative", count);
  int32_t delta = count == 0 ? 0 : count - 1;
  if (last_offset_delta() != delta) {
    return broken(*this,
                  "last offset delta {} does not belong to {} records, it has to be {}",
                  last_offset_delta(),
                  count,
                  delta);
  }
  if (count == 0 && size() != header_size()) {
    return broken(*this, "without records it has to end after its header");
  }
  if (count > 0 && records_position() == size()) {
    return broken(*this, "{} records are announced and none is there", count);
  }
  return ok();
}

Result<std::optional<BatchView>> BatchReader::next() {
  size_t left = records_.size() - position_;
  if (left < kBatchHeaderBytesMin) return std::optional<BatchView>();
  int32_t length = load_le<int32_t>(records_.data() + position_ + 8);
  if (length < static_cast<int32_t>(kBatchHeaderBytesMin - kBatchLengthEnd)) {
    return make_error(ErrorCode::kUnknownServerError,
                      "log batch at byte {} of {}: length {} is below that of a header",
                      position_,
                      records_.size(),
                      length);
  }
  size_t size = static_cast<size_t>(length) + kBatchLengthEnd;
  if (size > left) return std::optional<BatchView>();
  auto batch = BatchView::parse(records_.slice(position_, size));
  if (!batch) return fail(std::move(batch).error());
  position_ += size;
  return std::optional<BatchView>(*std::move(batch));
}

Result<std::vector<BatchView>> parse_batches(Bytes records) {
  size_t size = records.size();
  BatchReader reader(std::move(records));
  std::vector<BatchView> batches;
  for (;;) {
    ASSIGN_OR_RETURN(std::optional<BatchView> batch, reader.next());
    if (!batch) break;
    batches.push_back(*std::move(batch));
  }
  if (!reader.exhausted() || batches.empty()) {
    return make_error(
        ErrorCode::kUnknownServerError,
        "records of {} bytes: {} whole log batches end at byte {}; at least one batch and "
        "nothing behind the last is the rule",
        size,
        batches.size(),
        reader.position());
  }
  return batches;
}

void stamp_batch(uint8_t* batch, const BatchStamp& stamp) {
  store_le<int64_t>(batch, stamp.base_offset.value());
  store_le<int64_t>(batch + 13, stamp.commit_timestamp.value());
  if (load_le<int8_t>(batch + kBatchLengthEnd) == 2) {
    store_le<int32_t>(batch + 21, stamp.leader_epoch.value());
  }
}

void write_batch_header(uint8_t* batch, const BatchHeader& header) {
  CHECK(header.magic >= 0 && header.magic <= kBatchMagicMax, "magic of a batch");
  CHECK(header.magic != 0 || header.statistics_size == 0, "magic 0 has no statistics");
  std::memset(batch, 0, batch_header_size(header.magic));
  store_le<int8_t>(batch + kBatchLengthEnd, header.magic);
  if (header.magic == 2) store_le<int32_t>(batch + 21, kNoLeaderEpoch.value());
  uint8_t* fields = batch + batch_crc_position(header.magic);
  store_le<int16_t>(fields + 4, header.schema_id.value());
  fields[6] = header.append_only ? 1 : 0;
  store_le<int32_t>(fields + 7, header.record_count == 0 ? 0 : header.record_count - 1);
  store_le<int64_t>(fields + 11, header.writer_id.value());
  store_le<int32_t>(fields + 19, header.batch_sequence);
  store_le<int32_t>(fields + 23, header.record_count);
  if (header.magic != 0) store_le<int32_t>(fields + 27, header.statistics_size);
}

void seal_batch(std::span<uint8_t> batch) {
  CHECK(batch.size() >= kBatchHeaderBytesMin && batch.size() <= INT32_MAX, "size of a batch");
  store_le<int32_t>(batch.data() + 8, static_cast<int32_t>(batch.size() - kBatchLengthEnd));
  size_t crc_position = batch_crc_position(static_cast<int8_t>(batch[kBatchLengthEnd]));
  store_le<uint32_t>(batch.data() + crc_position, crc32c(batch.subspan(crc_position + 4)));
}

Bytes build_empty_batch(const BatchHeader& header) {
  CHECK(header.record_count == 0 && header.statistics_size == 0, "empty batch");
  MutableBytes batch = MutableBytes::allocate(batch_header_size(header.magic));
  write_batch_header(batch.data(), header);
  seal_batch(batch.span());
  return std::move(batch).freeze();
}

}  // namespace lakestream
