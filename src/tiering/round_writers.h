#pragma once

#include <map>
#include <memory>
#include <vector>

#include "client/scanner.h"
#include "lake/lake.h"

// The writers of one round, one a bucket that has rows.
//
// Thread rule: calls block; one at a time, on the pool. rows() and bytes() between them.
//
//   RoundWriters writers(table);
//   RETURN_IF_ERROR(writers.write(bucket, rows));
//   ASSIGN_OR_RETURN(std::vector<LakeFiles> files, writers.finish());
namespace lakestream::tiering {

class RoundWriters {
 public:
  explicit RoundWriters(std::shared_ptr<LakeTable> table) : table_(std::move(table)) {}

  Status write(const LakeBucket& bucket, const LakeRows& rows);
  // Once; those that were finished before an error are added to `files` too.
  Status finish(std::vector<LakeFiles>* files);

  uint64_t held_bytes() const;
  uint64_t rows() const { return rows_; }
  // Of finished files.
  uint64_t bytes() const { return bytes_; }

 private:
  std::shared_ptr<LakeTable> table_;
  std::map<LakeBucket, std::unique_ptr<LakeWriter>> writers_;
  uint64_t rows_ = 0;
  uint64_t bytes_ = 0;
};

}  // namespace lakestream::tiering
