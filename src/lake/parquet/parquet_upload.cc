#include "lake/parquet/parquet_upload.h"

#include <utility>

#include "io/object_store.h"
#include "lake/parquet/parquet_writer.h"

namespace lakestream {
namespace {

// Parts go to the store when they have as much together.
constexpr uint64_t kStoredBytes = uint64_t{1} << 20;

}  // namespace

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

Status ParquetUpload::store_some(ParquetFileWriter& file, StoreWork* work) {
  if (file.ready_bytes() < kStoredBytes) return ok();
  return work->add([target = target_, parts = file.take_parts()] { return target->append(parts); });
}

Status ParquetUpload::store_rest(ParquetFileWriter& file, StoreWork* work) {
  return work->add([target = target_, parts = file.take_parts()]() -> Status {
    RETURN_IF_ERROR(target->append(parts));
    return target->upload->finish();
  });
}

StoreWork::StoreWork(bool is_left)
    : is_left_(is_left), has_failed_(std::make_shared<std::atomic<bool>>(false)) {}

Status StoreWork::add(LakeWork piece) {
  if (!is_left_) return piece();
  left_.push_back([piece = std::move(piece), has_failed = has_failed_]() mutable -> Status {
    Status done = piece();
    if (!done) has_failed->store(true);
    return done;
  });
  return ok();
}

std::vector<LakeWork> StoreWork::take() { return std::exchange(left_, {}); }

Status StoreWork::finish() {
  for (LakeWork& piece : take()) RETURN_IF_ERROR(piece());
  return ok();
}

bool StoreWork::has_failed() const { return has_failed_->load(); }

}  // namespace lakestream
