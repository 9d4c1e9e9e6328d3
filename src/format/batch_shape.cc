#include "format/batch_shape.h"

#include <algorithm>
#include <string>

#include "format/arrow_layout.h"
#include "format/arrow_message.h"
#include "format/row_records.h"

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

Status BatchShape::validate_rows(const BatchView& batch) const {
  if (batch.statistics_size() != 0) return broken("statistics are for ARROW only");
  RowReader reader(batch);
  while (!reader.at_end()) {
    ASSIGN_OR_RETURN(RowRecord record, reader.next());
    if (record.row.size() < row_bytes_min_) {
      return broken("row of {} bytes is shorter than its null bits", record.row.size());
    }
  }
  return ok();
}

}  // namespace lakestream
