#include "format/kv_value.h"

namespace lakestream {
namespace {

constexpr size_t kTagSize = 8;
constexpr size_t kSchemaIdSize = 2;
constexpr size_t kValueBatchHeaderSize = 9;

size_t tag_size(ValueLayout layout) { return layout == ValueLayout::kTagged ? kTagSize : 0; }

template <typename... Args>
tl::unexpected<Error> broken(fmt::format_string<Args...> format, Args&&... args) {
  return make_error(ErrorCode::kUnknownServerError, format, std::forward<Args>(args)...);
}

}  // namespace

void put_value(ValueLayout layout, const StoredValue& value, ByteWriter* out) {
  if (layout == ValueLayout::kTagged) store_be<int64_t>(out->extend(kTagSize), value.tag);
  out->put(value.schema_id.value());
  out->put_bytes(value.row);
}

Result<StoredValue> parse_value(ValueLayout layout, std::span<const uint8_t> bytes) {
  size_t tag = tag_size(layout);
  if (bytes.size() < tag + kSchemaIdSize) {
    return broken("stored value of {} bytes: shorter than its schema id", bytes.size());
  }
  StoredValue value;
  if (tag != 0) value.tag = load_be<int64_t>(bytes.data());
  value.schema_id = SchemaId(load_le<int16_t>(bytes.data() + tag));
  value.row = bytes.subspan(tag + kSchemaIdSize);
  return value;
}

Result<Bytes> plain_value(ValueLayout layout, const Bytes& stored) {
  size_t tag = tag_size(layout);
  if (stored.size() < tag + kSchemaIdSize) {
    return broken("stored value of {} bytes: shorter than its schema id", stored.size());
  }
  return stored.slice(tag);
}

ValueBatchBuilder::ValueBatchBuilder() { out_.put_zeros(kValueBatchHeaderSize); }

void ValueBatchBuilder::append(std::span<const uint8_t> plain) {
  out_.put(static_cast<int32_t>(plain.size()));
  out_.put_bytes(plain);
  ++record_count_;
}

Bytes ValueBatchBuilder::finish() {
  CHECK(out_.size() <= INT32_MAX, "size of a value batch");
  out_.patch(0, static_cast<int32_t>(out_.size() - 4));
  out_.patch(5, record_count_);
  Bytes batch = std::move(out_).finish();
  out_ = ByteWriter();
  out_.put_zeros(kValueBatchHeaderSize);
  record_count_ = 0;
  return batch;
}

Result<ValueBatchReader> ValueBatchReader::parse(std::span<const uint8_t> batch) {
  if (batch.size() < kValueBatchHeaderSize) {
    return broken("value batch of {} bytes: shorter than its header", batch.size());
  }
  int64_t size = int64_t{load_le<int32_t>(batch.data())} + 4;
  auto magic = load_le<int8_t>(batch.data() + 4);
  auto count = load_le<int32_t>(batch.data() + 5);
  if (size != static_cast<int64_t>(batch.size()) || magic != 0 || count < 0) {
    return broken("value batch of {} bytes: its header says {} bytes, magic {} and {} records",
                  batch.size(),
                  size,
                  magic,
                  count);
  }
  if (count == 0 && batch.size() != kValueBatchHeaderSize) {
    return broken("value batch of {} bytes: without records it ends after its header",
                  batch.size());
  }
  return ValueBatchReader(batch.subspan(kValueBatchHeaderSize), count);
}

Result<StoredValue> ValueBatchReader::next() {
  int64_t size = left_.size() < 4 ? -1 : int64_t{load_le<int32_t>(left_.data())};
  if (size < 0 || size > static_cast<int64_t>(left_.size()) - 4) {
    return broken("value batch: record {} of {} does not fit into the {} bytes left",
                  count_ - left_count_,
                  count_,
                  left_.size());
  }
  std::span<const uint8_t> record = left_.subspan(4, static_cast<size_t>(size));
  left_ = left_.subspan(4 + record.size());
  --left_count_;
  if (left_count_ == 0 && !left_.empty()) {
    return broken("value batch: {} bytes follow the last record", left_.size());
  }
  return parse_value(ValueLayout::kPlain, record);
}

}  // namespace lakestream
