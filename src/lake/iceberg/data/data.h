#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "lake/iceberg/data_file.h"
#include "lake/iceberg/lake_files.h"
#include "lake/iceberg/schema.h"
#include "lake/iceberg/write_place.h"
#include "lake/lake.h"
#include "table/schema.h"
#include "table/types.h"

// The rows of an Iceberg table: its data and delete files are written, read and rewritten here,
// one partition and bucket at a time. What is written comes out as WrittenFiles, for a commit.
//
// A table with a primary key is merged when it is read. Its data files are in the order of the key,
// so that this costs no sort, and a key that is written anew is deleted from the files before, in
// one of two ways:
//
//   equality   a delete file names the keys; the writer reads nothing. What the official writers
//              do, and what their readers expect.
//   position   a delete file names file and row of each old version; the writer looks them up in
//              the key columns of the bucket's files. More readers know it.
//
// A bucket may have both at a time; the way that is chosen is that of new deletes alone.
//
// Thread rule: functions block; on the pool, any thread. Writers and readers as in lake.h.
//
//   ASSIGN_OR_RETURN(auto writer, open_key_writer({std::move(place), schema, bucket}, live));
//   RETURN_IF_ERROR(writer->write(rows));
//   ASSIGN_OR_RETURN(LakeFiles files, writer->finish());
//   const WrittenFiles* written = written_files(files);
namespace lakestream::iceberg {

// Of the Iceberg table, where it comes to be by the name of the option of ours.
inline constexpr std::string_view kDeletesProperty = "fluss.table.lakestream.iceberg.deletes";

struct WriterOptions {
  WritePlace place;
  Schema columns;   // of the rows
  BucketId bucket;  // of ours
  // Of a table with a primary key: rows that are sorted and written at once have so many bytes.
  uint64_t run_bytes = uint64_t{64} << 20;
};

// Of a table without a primary key. Rows stay in their order. Errors: kInvalidTableException for
// properties of the table; kUnknownServerError for columns that do not go together. write() refuses
// changes other than kAppend with kUnknownServerError.
Result<std::unique_ptr<LakeWriter>> open_append_writer(WriterOptions options);

// Of a table with a primary key. `live`: what the bucket has; nobody else may write to the bucket
// between then and the commit. Errors: as open_append_writer.
Result<std::unique_ptr<LakeWriter>> open_key_writer(WriterOptions options, BucketFiles live);

struct ReaderColumn {
  int32_t id = 0;  // of the field
  std::string name;
  DataType type;  // of the rows that are read, in the Arrow type that batches of ours have
};

struct SplitReaderOptions {
  ObjectStore& objects;
  std::shared_ptr<const IcebergSchema> schema;
  std::vector<ReaderColumn> columns;
  LakeSplit split;
};

// Whether a split of these files needs to be merged.
bool needs_merge(const BucketFiles& files);
// How these files lie above each other; nothing when that can not be told, or when rows are deleted
// by their positions.
std::optional<LakeLayers> key_layers(const IcebergSchema& schema, const BucketFiles& files);
// Columns that a file lacks are null. Memory: a batch of each file that is being merged; a file of
// another writer that is not in the order of the key is sorted in memory. Errors, also of next():
// kStorageException; kUnknownServerError for a file that is damaged, is no Parquet file, or deletes
// rows by other columns than the key.
Result<std::unique_ptr<LakeReader>> open_split_reader(SplitReaderOptions options);

// Small files of a bucket become large ones, in the order of offsets; of a table with a primary
// key, versions of keys become one. `sequence`: of the snapshot that has these files. Without
// `removed` there was nothing to do.
Result<WrittenFiles> compact_bucket(const WritePlace& place, BucketFiles live, int64_t sequence);

// Removes what was written for a commit that will not be.
void remove_written(ObjectStore& objects, const WrittenFiles& written);

}  // namespace lakestream::iceberg
