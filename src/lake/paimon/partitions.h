#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/value.h"
#include "lake/paimon/data_file.h"
#include "lake/paimon/schema.h"
#include "table/types.h"

// The partitions of a Paimon table in their three forms: texts as in the names of our partitions,
// the serialized BinaryRow of manifests, and the folder of the files ("dt=2026-11-30/"), whose
// texts are those that Paimon gives with partition.legacy-name = false.
//
// Thread rule: immutable, any thread.
//
//   ASSIGN_OR_RETURN(Partitioning partitioning, Partitioning::of(schema));
//   ASSIGN_OR_RETURN(std::string row, partitioning.row_of({"2026-11-30", "eu"}));
//   ASSIGN_OR_RETURN(std::vector<std::string> values, partitioning.values_of(row));
//   ASSIGN_OR_RETURN(FilePlace place, partitioning.place_of(row, 3, 4));
namespace lakestream::paimon {

class Partitioning {
 public:
  // kUnknownServerError when a partition key has a type that can be none.
  static Result<Partitioning> of(const PaimonSchema& schema);

  const std::vector<std::string>& keys() const { return keys_; }
  const std::vector<DataType>& types() const { return types_; }

  // kPartitionSpecInvalidException for a text that is not how a value of the type is written.
  Result<std::string> row_of(const std::vector<std::string>& values) const;
  // Null is "__DEFAULT_PARTITION__". kUnknownServerError when the bytes are no row of the types.
  Result<std::vector<std::string>> values_of(std::string_view row) const;
  // Where files of the partition and bucket lie.
  Result<FilePlace> place_of(std::string_view row, int32_t bucket, int32_t total_buckets) const;

 private:
  Result<std::string> folder_of(std::string_view row) const;

  std::vector<std::string> keys_;
  std::vector<DataType> types_;
  std::string default_name_;
};

// The value that the text stands for in the name of a partition, the inverse of partition_text
// (format/keys.h). Texts point into `text`. kPartitionSpecInvalidException when the value's own
// text is another one.
Result<Value> partition_value(const DataType& type, std::string_view text);
// The text of a value in the name of a folder.
std::string folder_text(const DataType& type, const Value& value);
// With %XX for what a folder's name must not have.
std::string escape_folder(std::string_view text);

// The smallest and the largest value of each column over rows, and how many are null.
SimpleStats partition_stats(std::span<const DataType> types,
                            std::span<const std::string_view> rows);

}  // namespace lakestream::paimon
