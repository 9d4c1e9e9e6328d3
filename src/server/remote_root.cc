#include "server/remote_root.h"

#include <filesystem>

#include "base/server_options.h"
#include "io/object_store.h"

namespace lakestream {

Result<std::string> remote_root(const ConfigMap& options) {
  std::string root = options.find(server_options::kRemoteDataDir).value_or("");
  if (root.empty()) root = object_path(options.get(server_options::kDataDir), "remote");
  if (object_scheme(root).empty()) {
    std::error_code error;
    std::filesystem::path absolute = std::filesystem::absolute(root, error);
    if (error) {
      return make_error(ErrorCode::kInvalidConfigException,
                        "remote.data.dir {}: {}; use an absolute path",
                        root,
                        error.message());
    }
    root = absolute.lexically_normal().string();
  }
  Result<std::string> path = local_path_of(root);
  if (!path) return fail(std::move(path).error().with_context("remote.data.dir"));
  return "file://" + *path;
}

}  // namespace lakestream
