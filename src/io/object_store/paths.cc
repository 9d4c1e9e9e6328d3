#include "io/object_store.h"
#include "io/object_stores.h"

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

Result<S3Place> s3_place_of(std::string_view path) {
  std::string_view scheme = object_scheme(path);
  std::string_view rest = path;
  if (scheme == "s3" || scheme == "s3a") rest.remove_prefix(scheme.size() + 1);
  if (rest.size() == path.size() || !rest.starts_with("//")) {
    return make_error(ErrorCode::kInvalidConfigException,
                      "remote path {} is not of an S3 store; use s3://bucket/…",
                      path);
  }
  rest.remove_prefix(2);
  while (rest.ends_with('/')) rest.remove_suffix(1);
  for (size_t begin = 0; begin <= rest.size();) {
    size_t end = std::min(rest.find('/', begin), rest.size());
    std::string_view part = rest.substr(begin, end - begin);
    if (part.empty() || part == "." || part == "..") {
      return make_error(ErrorCode::kInvalidConfigException,
                        "remote path {}: '{}' is no name between slashes; use s3://bucket/…",
                        path,
                        part);
    }
    begin = end + 1;
  }
  size_t slash = std::min(rest.find('/'), rest.size());
  S3Place place{std::string(rest.substr(0, slash)), {}};
  if (slash < rest.size()) place.key = std::string(rest.substr(slash + 1));
  return place;
}

}  // namespace lakestream
