#include "io/object_store.h"

namespace lakestream {
namespace {

class GatheredUpload final : public ObjectUpload {
 public:
  GatheredUpload(ObjectStore& objects, std::string path)
      : objects_(objects), path_(std::move(path)) {}

  Status append(std::span<const Bytes> parts) override {
    for (const Bytes& part : parts) content_.append(part);
    return ok();
  }
  Status finish() override { return objects_.put(path_, content_.flatten()); }

 private:
  ObjectStore& objects_;
  std::string path_;
  BytesChain content_;
};

}  // namespace

Result<std::unique_ptr<ObjectUpload>> ObjectStore::open_upload(const std::string& path) {
  return std::make_unique<GatheredUpload>(*this, path);
}

}  // namespace lakestream
