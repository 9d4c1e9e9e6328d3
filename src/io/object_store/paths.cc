#include "io/object_store.h"

namespace lakestream {

std::string_view object_scheme(std::string_view path) {
  size_t colon = path.find(':');
  if (colon == std::string_view::npos || path.find('/') < colon) return {};
  return path.substr(0, colon);
}

Result<std::string> local_path_of(std::string_view path) {
  std::string_view scheme = object_scheme(path);
  if (!scheme.empty() && scheme != "file") {
    return make_error(ErrorCode::kInvalidConfigException,
                      "remote path {}: scheme '{}' is not known; use an absolute path or file:///…",
                      path,
                      scheme);
  }
  std::string_view rest = scheme.empty() ? path : path.substr(scheme.size() + 1);
  if (!scheme.empty() && rest.starts_with("//")) rest.remove_prefix(2);
  if (!rest.starts_with('/')) {
    return make_error(ErrorCode::kInvalidConfigException,
                      "remote path {} is not absolute; use /… or file:///…",
                      path);
  }
  // Whether it stays below its folder must be seen from the text.
  std::string whole = std::string(rest) + "/";
  if (whole.find("/../") != std::string::npos) {
    return make_error(ErrorCode::kInvalidConfigException,
                      "remote path {} has a '..'; write the folder that is meant",
                      path);
  }
  while (rest.size() > 1 && rest.ends_with('/')) rest.remove_suffix(1);
  return std::string(rest);
}

std::string object_path(std::string_view folder, std::string_view name) {
  while (folder.ends_with('/')) folder.remove_suffix(1);
  return fmt::format("{}/{}", folder, name);
}

}  // namespace lakestream
