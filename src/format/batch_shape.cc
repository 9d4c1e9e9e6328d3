#include "format/batch_shape.h"

#include <algorithm>
#include <string>

#include "format/arrow_layout.h"
#include "format/arrow_message.h"

namespace lakestream {
namespace {

std::string name_of(const BatchView& batch) {
  return fmt::format("log batch at offset {} of {} bytes", batch.base_offset(), batch.size());
}

template <typename... Args>
tl::unexpected<Error> broken(fmt::format_string<Args...> format, Args&&... args) {
  return make_error(ErrorCode::kUnknownServerError, format, std::forward<Args>(args)...);
}

bool are_change_types(std::span<const uint8_t> bytes) {
  uint8_t worst = 0;
  for (uint8_t byte : bytes) worst = std::max(worst, byte);
  return worst <= kChangeTypeMax;
}

}  // namespace

BatchShape::BatchShape(LogFormat format, const Schema& schema)
    : format_(format), row_bytes_min_((schema.size() + 7) / 8) {
  if (format == LogFormat::kArrow) layout_ = std::make_shared<const ArrowLayout>(schema);
}

Status BatchShape::validate(const BatchView& batch) const {
  RETURN_IF_ERROR(batch.validate());
  if (batch.record_count() == 0) return ok();
  Status status = format_ == LogFormat::kArrow ? validate_arrow(batch) : validate_rows(batch);
  if (!status) return fail(std::move(status).error().with_context(name_of(batch)));
  return ok();
}

Status BatchShape::validate_arrow(const BatchView& batch) const {
  std::span<const uint8_t> payload = batch.bytes().span().subspan(batch.records_position());
  if (!batch.append_only()) {
    size_t count = static_cast<size_t>(batch.record_count());
    if (payload.size() < count) return broken("{} change types do not fit", count);
    if (!are_change_types(payload.first(count))) return broken("a change type is above 4");
    payload = payload.subspan(count);
  }
  ASSIGN_OR_RETURN(ArrowMessage message, read_arrow_message(payload));
  return layout_->check(message, payload, batch.record_count());
}

// A record is an i32 size, then the change type and the row.
Status BatchShape::validate_rows(const BatchView& batch) const {
  if (batch.statistics_size() != 0) return broken("statistics are for ARROW only");
  std::span<const uint8_t> left = batch.bytes().span().subspan(batch.records_position());
  uint8_t change_type_max = batch.append_only() ? 0 : kChangeTypeMax;
  for (int32_t i = 0; i < batch.record_count(); ++i) {
    int64_t size = left.size() < 4 ? -1 : int64_t{load_le<int32_t>(left.data())};
    if (size < static_cast<int64_t>(1 + row_bytes_min_) ||
        size > static_cast<int64_t>(left.size()) - 4) {
      return broken("record {} of {} does not fit into the {} bytes left",
                    i,
                    batch.record_count(),
                    left.size());
    }
    if (left[4] > change_type_max) {
      return broken("record {}: change type {} is above {}", i, left[4], change_type_max);
    }
    left = left.subspan(4 + static_cast<size_t>(size));
  }
  if (!left.empty()) return broken("{} bytes follow the last record", left.size());
  return ok();
}

}  // namespace lakestream
