#pragma once

#include <memory>
#include <string>

#include "lake/lake.h"

// The way of a Parquet file into an object store, in pieces of work that whoever has time does
// while the rest of the file is encoded.
//
// Thread rule: as ParquetFileWriter; the work is for any thread, one after the other.
//
//   ParquetUpload upload(objects, path);
//   if (writer->ready_bytes() >= kStoredBytes) work.push_back(upload.store(*writer));
//   ASSIGN_OR_RETURN(ParquetFileInfo info, writer->close());
//   work.push_back(upload.finish(*writer));
namespace lakestream {

class ObjectStore;
class ParquetFileWriter;

class ParquetUpload {
 public:
  // The store outlives the work.
  ParquetUpload(ObjectStore& objects, std::string path);

  // Stores the parts that the file has ready.
  LakeWork store(ParquetFileWriter& file);
  // The same, and they are the last: the object is there when the work has ended well.
  LakeWork finish(ParquetFileWriter& file);

 private:
  struct Target;
  std::shared_ptr<Target> target_;
};

}  // namespace lakestream
