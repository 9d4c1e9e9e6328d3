#include <array>

#include "io/object_stores.h"

namespace lakestream {
namespace {

std::unique_ptr<ObjectStore> make_local(Disk& disk, const ObjectStoreOptions&) {
  return make_local_object_store(disk);
}

std::unique_ptr<ObjectStore> make_s3(Disk& disk, const ObjectStoreOptions& options) {
  return make_s3_object_store(disk, options.s3);
}

Result<std::string> local_root(std::string_view path) {
  ASSIGN_OR_RETURN(std::string place, local_path_of(path));
  return "file://" + place;
}

Result<std::string> s3_root(std::string_view path) {
  ASSIGN_OR_RETURN(S3Place place, s3_place_of(path));
  return fmt::format(
      "{}://{}{}{}", object_scheme(path), place.bucket, place.key.empty() ? "" : "/", place.key);
}

struct Scheme {
  std::string_view name;
  std::unique_ptr<ObjectStore> (*make)(Disk& disk, const ObjectStoreOptions& options);
  Result<std::string> (*root)(std::string_view path);
};

constexpr std::array kSchemes = {
    Scheme{"file", make_local, local_root},
    Scheme{"s3", make_s3, s3_root},
    Scheme{"s3a", make_s3, s3_root},
};

// The row of kSchemes.
Result<size_t> scheme_of(std::string_view path) {
  std::string_view scheme = object_scheme(path);
  if (scheme.empty()) return size_t{0};
  std::string names;
  for (size_t i = 0; i < kSchemes.size(); ++i) {
    if (kSchemes[i].name == scheme) return i;
    names += fmt::format(", {}://…", kSchemes[i].name);
  }
  return make_error(ErrorCode::kInvalidConfigException,
                    "remote path {}: scheme '{}' is not known; use an absolute path{}",
                    path,
                    scheme,
                    names);
}

class ObjectStores final : public ObjectStore {
 public:
  ObjectStores(Disk& disk, const ObjectStoreOptions& options) {
    for (size_t i = 0; i < kSchemes.size(); ++i) stores_[i] = kSchemes[i].make(disk, options);
  }

  Status put(const std::string& path, const Bytes& content) override {
    ASSIGN_OR_RETURN(size_t scheme, scheme_of(path));
    return stores_[scheme]->put(path, content);
  }
  Result<bool> put_if_absent(const std::string& path, const Bytes& content) override {
    ASSIGN_OR_RETURN(size_t scheme, scheme_of(path));
    return stores_[scheme]->put_if_absent(path, content);
  }
  Result<std::unique_ptr<ObjectUpload>> open_upload(const std::string& path) override {
    ASSIGN_OR_RETURN(size_t scheme, scheme_of(path));
    return stores_[scheme]->open_upload(path);
  }
  Result<uint64_t> put_file(const std::string& path, const std::string& local_file) override {
    ASSIGN_OR_RETURN(size_t scheme, scheme_of(path));
    return stores_[scheme]->put_file(path, local_file);
  }
  Result<std::optional<Bytes>> get(const std::string& path) override {
    ASSIGN_OR_RETURN(size_t scheme, scheme_of(path));
    return stores_[scheme]->get(path);
  }
  Result<std::optional<Bytes>> get_range(const std::string& path,
                                         uint64_t offset,
                                         uint64_t size) override {
    ASSIGN_OR_RETURN(size_t scheme, scheme_of(path));
    return stores_[scheme]->get_range(path, offset, size);
  }
  Result<std::optional<uint64_t>> get_file(const std::string& path,
                                           const std::string& local_file) override {
    ASSIGN_OR_RETURN(size_t scheme, scheme_of(path));
    return stores_[scheme]->get_file(path, local_file);
  }
  Result<std::vector<ObjectInfo>> list(const std::string& prefix) override {
    ASSIGN_OR_RETURN(size_t scheme, scheme_of(prefix));
    return stores_[scheme]->list(prefix);
  }
  Result<std::vector<std::string>> list_stale(const std::string& prefix,
                                              TimestampMs before) override {
    ASSIGN_OR_RETURN(size_t scheme, scheme_of(prefix));
    return stores_[scheme]->list_stale(prefix, before);
  }
  Status remove(const std::string& path) override {
    ASSIGN_OR_RETURN(size_t scheme, scheme_of(path));
    return stores_[scheme]->remove(path);
  }
  Status remove_prefix(const std::string& prefix) override {
    ASSIGN_OR_RETURN(size_t scheme, scheme_of(prefix));
    return stores_[scheme]->remove_prefix(prefix);
  }

 private:
  std::array<std::unique_ptr<ObjectStore>, kSchemes.size()> stores_;
};

}  // namespace

std::unique_ptr<ObjectStore> make_object_stores(Disk& disk, ObjectStoreOptions options) {
  return std::make_unique<ObjectStores>(disk, options);
}

Result<std::string> object_root(std::string_view path) {
  ASSIGN_OR_RETURN(size_t scheme, scheme_of(path));
  return kSchemes[scheme].root(path);
}

}  // namespace lakestream
