#include "server/remote_root.h"

#include <filesystem>

#include "base/server_options.h"

namespace lakestream {

namespace {

constexpr int64_t kRemoteDirWeightMax = 1'000'000;

}  // namespace

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
  Result<std::string> checked = object_root(root);
  if (!checked) return fail(std::move(checked).error().with_context("remote.data.dir"));
  return checked;
}

Result<std::vector<coordinator::RemoteDir>> remote_dirs(const ConfigMap& options,
                                                        const std::string& root) {
  std::vector<coordinator::RemoteDir> dirs;
  for (const std::string& text :
       options.find(server_options::kRemoteDataDirs).value_or(std::vector<std::string>())) {
    Result<std::string> dir = object_root(text);
    if (!dir) return fail(std::move(dir).error().with_context("remote.data.dirs"));
    if (object_scheme(*dir) != object_scheme(root)) {
      return make_error(ErrorCode::kInvalidConfigException,
                        "remote.data.dirs: '{}' is not of the scheme of remote.data.dir, {}",
                        text,
                        object_scheme(root));
    }
    dirs.push_back({std::move(*dir)});
  }
  bool weighted =
      options.get(server_options::kRemoteDataDirsStrategy) == RemoteDirsChoice::kWeightedRoundRobin;
  if (dirs.empty() || !weighted) return dirs;
  auto weights =
      options.find(server_options::kRemoteDataDirsWeights).value_or(std::vector<std::string>());
  if (weights.size() != dirs.size()) {
    return make_error(ErrorCode::kInvalidConfigException,
                      "remote.data.dirs.weights: {} weights of {} directories; give one for each",
                      weights.size(),
                      dirs.size());
  }
  for (size_t i = 0; i < dirs.size(); ++i) {
    Result<int64_t> weight = parse_integer(weights[i]);
    if (!weight || *weight < 0 || *weight > kRemoteDirWeightMax) {
      return make_error(ErrorCode::kInvalidConfigException,
                        "remote.data.dirs.weights: '{}' is no number from 0 to {}",
                        weights[i],
                        kRemoteDirWeightMax);
    }
    dirs[i].weight = *weight;
  }
  return dirs;
}

ObjectStoreOptions object_store_options(const ConfigMap& options) {
  ObjectStoreOptions result;
  result.s3.endpoint = options.find(server_options::kS3Endpoint).value_or("");
  result.s3.region = options.find(server_options::kS3Region).value_or("");
  result.s3.access_key = options.find(server_options::kS3AccessKey).value_or("");
  result.s3.secret_key = options.find(server_options::kS3SecretKey).value_or("");
  result.s3.path_style = options.find(server_options::kS3PathStyleAccess);
  result.s3.ca_file = options.find(server_options::kLakestreamS3CaFile).value_or("");
  return result;
}

RemoteAccess remote_access(const ConfigMap& options, const std::string& root) {
  RemoteAccess access;
  access.scheme = object_scheme(root);
  if (access.scheme == "file") return access;
  using namespace server_options;
  if (auto id = options.find(kLakestreamS3ClientAccessKey)) {
    access.keys = {*id, options.find(kLakestreamS3ClientSecretKey).value_or("")};
  } else if (auto own = options.find(kS3AccessKey)) {
    access.keys = {*own, options.find(kS3SecretKey).value_or("")};
  }
  S3Options s3 = object_store_options(options).s3;
  bool has_endpoint = !s3.endpoint.empty();
  if (has_endpoint) access.settings.emplace_back("fs.s3a.endpoint", s3.endpoint);
  if (s3.region.empty() && has_endpoint) s3.region = kS3RegionOfEndpoints;
  if (!s3.region.empty()) {
    access.settings.emplace_back("fs.s3a.region", s3.region);           // Fluss clients
    access.settings.emplace_back("fs.s3a.endpoint.region", s3.region);  // Hadoop below them
  }
  access.settings.emplace_back("fs.s3a.path.style.access",
                               s3.path_style.value_or(has_endpoint) ? "true" : "false");
  return access;
}

}  // namespace lakestream
