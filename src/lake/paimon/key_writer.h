#pragma once

#include <cstdint>
#include <memory>

#include "base/ids.h"
#include "base/result.h"
#include "lake/lake.h"
#include "lake/paimon/file_maker.h"
#include "table/schema.h"

// Writes changes of keys into files of a table with a primary key. They are gathered until they are
// as many as the table's option says, then sorted by key: the newest change of each key goes to a
// data file of level 0, and all of them, in the order of their offsets within a key, to a changelog
// file if the table has one.
//
// Thread rule: as LakeWriter.
//
//   ASSIGN_OR_RETURN(auto writer, make_key_writer({.place = std::move(place), …}));
//   RETURN_IF_ERROR(writer->write(rows));
//   ASSIGN_OR_RETURN(LakeFiles files, writer->finish());
//   const WrittenFiles* written = written_files(files);
namespace lakestream::paimon {

struct KeyWriterOptions {
  WritePlace place;
  Schema columns;             // of the rows
  BucketId bucket;            // of ours
  int64_t next_sequence = 0;  // greater than any in the bucket's live files
};

// Errors: kInvalidTableException for options of the table; kUnknownServerError for columns that do
// not go together.
Result<std::unique_ptr<LakeWriter>> make_key_writer(KeyWriterOptions options);

}  // namespace lakestream::paimon
