#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "lake/lake.h"
#include "lake/paimon/schema.h"
#include "table/types.h"

// Reads the rows of a split out of its data files.
//
// Thread rule: as LakeReader.
//
//   ASSIGN_OR_RETURN(auto reader, make_reader({.objects = objects, .schema = schema, …}));
//   ASSIGN_OR_RETURN(std::shared_ptr<arrow::RecordBatch> rows, reader->next());
namespace lakestream {
class ObjectStore;
}  // namespace lakestream

namespace lakestream::paimon {

struct ReaderColumn {
  std::string name;
  DataType type;  // of the rows that are read, in the Arrow type that batches of ours have
};

struct ReaderOptions {
  ObjectStore& objects;
  std::shared_ptr<const PaimonSchema> schema;
  std::vector<ReaderColumn> columns;
  // Of a table without a primary key their rows follow each other; else they are merged.
  std::vector<LakeDataFile> files;
  // A file may have rows that take others away, also when it is the only one.
  bool needs_merge = false;
};

// Errors: kInvalidTableException for options of the table that change how versions of a key are
// merged. next() may end with kStorageException, and with kUnknownServerError for a file that is
// damaged or is no Parquet file.
Result<std::unique_ptr<LakeReader>> make_reader(ReaderOptions options);

}  // namespace lakestream::paimon
