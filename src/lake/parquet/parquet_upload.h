#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "lake/lake.h"

// The way of a Parquet file into an object store, in pieces of work that whoever has time does
// while the rest of the file is encoded.
//
// Thread rule: as ParquetFileWriter; the work is for any thread, one after the other.
//
//   StoreWork work(/*is_left=*/true);
//   ParquetUpload upload(objects, path);
//   RETURN_IF_ERROR(upload.store_some(*writer, &work));
//   ASSIGN_OR_RETURN(ParquetFileInfo info, writer->close());
//   RETURN_IF_ERROR(upload.store_rest(*writer, &work));
namespace lakestream {

class ObjectStore;
class ParquetFileWriter;

// What a writer has to do for the store: it is done at once, or left for LakeWriter::take_work().
class StoreWork {
 public:
  explicit StoreWork(bool is_left);

  Status add(LakeWork piece);
  std::vector<LakeWork> take();
  // Does what nobody took.
  Status finish();
  // Of what was left.
  bool has_failed() const;

 private:
  bool is_left_;
  std::vector<LakeWork> left_;
  std::shared_ptr<std::atomic<bool>> has_failed_;
};

class ParquetUpload {
 public:
  // The store outlives the work.
  ParquetUpload(ObjectStore& objects, std::string path);

  // Stores the parts that the file has ready, when they are worth it.
  Status store_some(ParquetFileWriter& file, StoreWork* work);
  // The last parts: the object is there when the work has ended well.
  Status store_rest(ParquetFileWriter& file, StoreWork* work);

 private:
  struct Target;
  std::shared_ptr<Target> target_;
};

}  // namespace lakestream
