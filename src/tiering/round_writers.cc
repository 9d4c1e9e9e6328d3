#include "tiering/round_writers.h"

#include <utility>

#include <arrow/record_batch.h>

namespace lakestream::tiering {

Status RoundWriters::write(const LakeBucket& bucket, const LakeRows& rows) {
  std::unique_ptr<LakeWriter>& writer = writers_[bucket];
  if (writer == nullptr) {
    ASSIGN_OR_RETURN(writer, table_->open_writer(bucket));
  }
  RETURN_IF_ERROR(writer->write(rows));
  rows_ += static_cast<uint64_t>(rows.rows->num_rows());
  return ok();
}

Status RoundWriters::finish(std::vector<LakeFiles>* files) {
  for (auto& [bucket, writer] : writers_) {
    ASSIGN_OR_RETURN(LakeFiles written, writer->finish());
    bytes_ += written.bytes();
    files->push_back(std::move(written));
  }
  writers_.clear();
  return ok();
}

uint64_t RoundWriters::held_bytes() const {
  uint64_t held = 0;
  for (const auto& [bucket, writer] : writers_) held += writer->held_bytes();
  return held;
}

}  // namespace lakestream::tiering
