#include "client/fetched.h"

#include <limits>

namespace lakestream::client {
namespace {

template <typename... Args>
tl::unexpected<Error> impossible(const BatchView& batch,
                                 fmt::format_string<Args...> format,
                                 Args&&... args) {
  return make_error(ErrorCode::kUnknownServerError,
                    "log batch at offset {}: {}",
                    batch.base_offset(),
                    fmt::format(format, std::forward<Args>(args)...));
}

// What the reader relies on; a full validation has more.
Status check_header(const BatchView& batch) {
  int64_t base = batch.base_offset().value();
  int32_t count = batch.record_count();
  int32_t delta = batch.last_offset_delta();
  if (base < 0 || base > std::numeric_limits<int64_t>::max() - INT32_MAX - 1) {
    return impossible(batch, "it is no offset");
  }
  if (count < 0 || delta != (count == 0 ? 0 : count - 1)) {
    return impossible(batch, "{} records with a last offset delta of {}", count, delta);
  }
  if (batch.schema_id().value() < 0) return impossible(batch, "schema {}", batch.schema_id());
  return ok();
}

Status take(const BatchView& batch,
            const Bytes& records,
            size_t position,
            FetchRules rules,
            FetchedBatches* result) {
  if (rules.check_crc && !rules.projected) RETURN_IF_ERROR(batch.validate());
  RETURN_IF_ERROR(check_header(batch));
  if (batch.next_offset() <= result->next) {
    if (result->batches.empty()) return ok();
    return impossible(batch, "offset {} came before it", result->next);
  }
  bool first = result->batches.empty();
  bool in_order = first || batch.base_offset() >= result->next;
  if ((batch.base_offset() > result->next && !rules.filtered) || !in_order) {
    return impossible(batch, "offset {} had to come", result->next);
  }
  result->batches.push_back({batch, rules.projected, records, position});
  result->next = batch.next_offset();
  return ok();
}

// Takes the whole batches of `part`; how many bytes of it they are.
Result<size_t> cut_part(const Bytes& part, FetchRules rules, FetchedBatches* result) {
  BatchReader reader(part);
  for (;;) {
    size_t position = reader.position();
    ASSIGN_OR_RETURN(std::optional<BatchView> batch, reader.next());
    if (!batch) return position;
    RETURN_IF_ERROR(take(*batch, part, position, rules, result));
  }
}

Status cut_parts(const std::vector<Bytes>& parts, FetchRules rules, FetchedBatches* result) {
  for (size_t i = 0; i < parts.size(); ++i) {
    ASSIGN_OR_RETURN(size_t end, cut_part(parts[i], rules, result));
    if (end == parts[i].size()) continue;
    // It ends inside of a batch. What is left is put together, which costs a copy.
    BytesChain left(parts[i].slice(end));
    for (size_t j = i + 1; j < parts.size(); ++j) left.append(parts[j]);
    auto cut = cut_part(left.flatten(), rules, result);
    if (!cut) return fail(std::move(cut).error());
    break;
  }
  return ok();
}

}  // namespace

FetchedBatches cut_batches(const BytesChain& records, Offset next, FetchRules rules) {
  FetchedBatches result;
  result.next = next;
  Status cut = cut_parts(records.parts(), rules, &result);
  if (!cut) result.error = std::move(cut).error();
  return result;
}

}  // namespace lakestream::client
