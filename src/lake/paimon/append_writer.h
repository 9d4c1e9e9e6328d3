#pragma once

#include <cstdint>
#include <memory>

#include "base/ids.h"
#include "base/result.h"
#include "lake/lake.h"
#include "lake/paimon/file_maker.h"
#include "table/schema.h"

// Writes rows into the data files of a table without a primary key, in their order and as columns.
//
// Thread rule: as LakeWriter.
//
//   ASSIGN_OR_RETURN(auto writer, make_append_writer({.place = std::move(place), …}));
//   RETURN_IF_ERROR(writer->write(rows));
//   ASSIGN_OR_RETURN(LakeFiles files, writer->finish());
//   const WrittenFiles* written = written_files(files);
namespace lakestream::paimon {

struct AppendWriterOptions {
  WritePlace place;
  Schema columns;             // of the rows
  BucketId bucket;            // of ours
  int64_t next_sequence = 0;  // rows that the bucket's live files have, and had
};

// Errors: kInvalidTableException for options of the table; kUnknownServerError for columns that do
// not go together. write() refuses changes other than kAppend with kUnknownServerError.
Result<std::unique_ptr<LakeWriter>> make_append_writer(AppendWriterOptions options);

}  // namespace lakestream::paimon
