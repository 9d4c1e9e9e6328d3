#include "format/kv_batch.h"

#include <algorithm>

#include "base/checksum.h"

namespace lakestream {
namespace {

constexpr size_t kLengthEnd = 4;
constexpr size_t kCrcEnd = 9;

template <typename... Args>
tl::unexpected<Error> broken(size_t size, fmt::format_string<Args...> format, Args&&... args) {
  return make_error(ErrorCode::kUnknownServerError,
                    "kv batch of {} bytes: {}",
                    size,
                    fmt::format(format, std::forward<Args>(args)...));
}

size_t uvarint_size(size_t value) {
  size_t size = 1;
  for (; value >= 0x80; value >>= 7) ++size;
  return size;
}

// Takes an unsigned LEB128 number of at most 5 bytes off the front; nullopt when there is none.
std::optional<uint64_t> take_uvarint(std::span<const uint8_t>& bytes) {
  uint64_t value = 0;
  for (size_t i = 0; i < 5 && i < bytes.size(); ++i) {
    value |= uint64_t{bytes[i] & 0x7fU} << 7 * i;
    if ((bytes[i] & 0x80) != 0) continue;
    bytes = bytes.subspan(i + 1);
    return value;
  }
  return std::nullopt;
}

}  // namespace

Result<KvBatchView> KvBatchView::parse(Bytes bytes) {
  size_t size = bytes.size();
  if (size < kKvBatchHeaderSize) {
    return broken(size, "shorter than its header of {} bytes", kKvBatchHeaderSize);
  }
  int64_t said = int64_t{load_le<int32_t>(bytes.data())} + static_cast<int64_t>(kLengthEnd);
  if (said != static_cast<int64_t>(size)) return broken(size, "its length field says {}", said);
  auto magic = load_le<int8_t>(bytes.data() + kLengthEnd);
  if (magic != 0) return broken(size, "magic {} is not 0", magic);
  return KvBatchView(std::move(bytes));
}

Status KvBatchView::validate_header() const {
  uint32_t actual = crc32c(bytes_.span().subspan(kCrcEnd));
  if (actual != crc()) {
    return make_error(ErrorCode::kCorruptRecordException,
                      "kv batch of {} bytes: checksum is {:08x}, its header says {:08x}",
                      size(),
                      actual,
                      crc());
  }
  if (schema_id().value() < 0) return broken(size(), "schema id {} is negative", schema_id());
  if (bytes_[11] != 0) return broken(size(), "attributes {:#04x} are not 0", bytes_[11]);
  if (writer_id() < kNoWriter || batch_sequence() < -1) {
    return broken(
        size(), "writer {} or batch sequence {} is below -1", writer_id(), batch_sequence());
  }
  if (record_count() < 0) return broken(size(), "record count {} is negative", record_count());
  if (record_count() == 0 && size() != kKvBatchHeaderSize) {
    return broken(size(), "without records it has to end after its header");
  }
  return ok();
}

Status KvBatchView::validate() const {
  RETURN_IF_ERROR(validate_header());
  KvReader reader(*this);
  while (!reader.at_end()) {
    auto record = reader.next();
    if (!record) return broken(size(), "{}", record.error().message());
  }
  return ok();
}

KvReader::KvReader(const KvBatchView& batch)
    : left_(batch.bytes().span().subspan(kKvBatchHeaderSize)),
      count_(std::max(batch.record_count(), 0)),
      left_count_(count_) {}

Result<KvRecord> KvReader::next() {
  int32_t index = count_ - left_count_;
  int64_t size = left_.size() < 4 ? -1 : int64_t{load_le<int32_t>(left_.data())};
  if (size < 1 || size > static_cast<int64_t>(left_.size()) - 4) {
    return make_error(ErrorCode::kUnknownServerError,
                      "record {} of {} does not fit into the {} bytes left",
                      index,
                      count_,
                      left_.size());
  }
  std::span<const uint8_t> record = left_.subspan(4, static_cast<size_t>(size));
  left_ = left_.subspan(4 + record.size());
  std::optional<uint64_t> key_size = take_uvarint(record);
  if (!key_size || *key_size > record.size()) {
    return make_error(ErrorCode::kUnknownServerError,
                      "record {} of {}: its key does not fit into its {} bytes",
                      index,
                      count_,
                      size);
  }
  --left_count_;
  if (left_count_ == 0 && !left_.empty()) {
    return make_error(
        ErrorCode::kUnknownServerError, "{} bytes follow the last record", left_.size());
  }
  KvRecord result{record.first(*key_size), std::nullopt};
  if (*key_size < record.size()) result.row = record.subspan(*key_size);
  return result;
}

KvBatchBuilder::KvBatchBuilder(SchemaId schema_id) : schema_id_(schema_id) {
  out_.put_zeros(kKvBatchHeaderSize);
}

void KvBatchBuilder::upsert(std::span<const uint8_t> key, std::span<const uint8_t> row) {
  out_.put(static_cast<int32_t>(uvarint_size(key.size()) + key.size() + row.size()));
  out_.put_uvarint(key.size());
  out_.put_bytes(key);
  out_.put_bytes(row);
  ++record_count_;
}

void KvBatchBuilder::remove(std::span<const uint8_t> key) { upsert(key, {}); }

Bytes KvBatchBuilder::finish(const BatchWriter& writer) {
  CHECK(out_.size() <= INT32_MAX, "size of a kv batch");
  out_.patch(0, static_cast<int32_t>(out_.size() - kLengthEnd));
  out_.patch(9, schema_id_.value());
  out_.patch(12, writer.id.value());
  out_.patch(20, writer.sequence);
  out_.patch(24, record_count_);
  out_.patch(5, crc32c(out_.span().subspan(kCrcEnd)));
  Bytes batch = std::move(out_).finish();
  out_ = ByteWriter();
  out_.put_zeros(kKvBatchHeaderSize);
  record_count_ = 0;
  return batch;
}

}  // namespace lakestream
