#include "client/delivery.h"

#include "client/bucket_queue.h"

namespace lakestream::client {

bool Delivery::is_done() const {
  if (first_.batch != nullptr && !first_.batch->done) return false;
  for (const Part& part : more_) {
    if (!part.batch->done) return false;
  }
  return true;
}

void Delivery::add(Part part) {
  Part& last = more_.empty() ? first_ : more_.back();
  if (last.batch == part.batch && last.batch != nullptr &&
      last.first_row + last.row_count == part.first_row) {
    last.row_count += part.row_count;
  } else if (first_.batch == nullptr) {
    first_ = std::move(part);
  } else {
    more_.push_back(std::move(part));
  }
}

Task<Result<std::vector<Delivered>>> Delivery::wait() const {
  std::vector<Part> parts;
  if (first_.batch != nullptr) parts.push_back(first_);
  parts.insert(parts.end(), more_.begin(), more_.end());
  for (const Part& part : parts) {
    while (!part.batch->done) co_await part.batch->settled.wait();
  }
  std::vector<Delivered> places;
  for (const Part& part : parts) {
    if (part.batch->error) co_return fail(*part.batch->error);
    Delivered& place = places.emplace_back();
    place.bucket = part.batch->bucket;
    place.partition = part.batch->partition;
    place.row_count = part.row_count;
    place.log_end = part.batch->log_end;
    if (part.batch->base_offset) {
      place.offset = Offset(part.batch->base_offset->value() + part.first_row);
    }
  }
  co_return places;
}

}  // namespace lakestream::client
