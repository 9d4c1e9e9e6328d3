#include "lake/parquet/parquet_upload.h"

#include <utility>

#include "io/object_store.h"
#include "lake/parquet/parquet_writer.h"

namespace lakestream {

struct ParquetUpload::Target {
  Status append(const std::vector<Bytes>& parts) {
    if (upload == nullptr) {
      ASSIGN_OR_RETURN(upload, objects.open_upload(path));
    }
    return upload->append(parts);
  }

  ObjectStore& objects;
  std::string path;
  std::unique_ptr<ObjectUpload> upload = nullptr;  // since there are parts
};

ParquetUpload::ParquetUpload(ObjectStore& objects, std::string path)
    : target_(std::make_shared<Target>(Target{objects, std::move(path)})) {}

LakeWork ParquetUpload::store(ParquetFileWriter& file) {
  return [target = target_, parts = file.take_parts()] { return target->append(parts); };
}

LakeWork ParquetUpload::finish(ParquetFileWriter& file) {
  return [target = target_, parts = file.take_parts()]() -> Status {
    RETURN_IF_ERROR(target->append(parts));
    return target->upload->finish();
  };
}

}  // namespace lakestream
