#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <exception>
#include <mutex>

#include <arrow/buffer.h>
#include <arrow/filesystem/s3fs.h>
#include <arrow/io/interfaces.h>
#include <arrow/result.h>
#include <arrow/util/io_util.h>

#include "io/disk.h"
#include "io/http_client.h"
#include "io/internal/certificates.h"
#include "io/object_store/s3_conditional.h"
#include "io/object_stores.h"

namespace lakestream {
namespace {

constexpr size_t kPartBytes = 8 << 20;
constexpr int64_t kAttempts = 3;
constexpr double kConnectSeconds = 5;

// The library can be started once in a process. It must be shut down before main ends: static
// destructors are too late, because those of the things that it loads on the way come first.
const arrow::Status& start_library() {
  static const arrow::Status started = [] {
    arrow::fs::S3GlobalOptions options;
    options.log_level = arrow::fs::S3LogLevel::Fatal;  // absent objects are errors to it
    return arrow::fs::InitializeS3(options);
  }();
  return started;
}

std::string_view remedy(std::string_view reason) {
  auto says = [reason](std::initializer_list<std::string_view> words) {
    return std::any_of(words.begin(), words.end(), [reason](std::string_view word) {
      return reason.find(word) != std::string_view::npos;
    });
  };
  if (says({"NO_SUCH_BUCKET", "NoSuchBucket"})) return "make the bucket or name another one";
  if (says({"NETWORK_CONNECTION", "curlCode"})) {
    return "see that the store runs and that s3.endpoint is its address";
  }
  if (says({"ACCESS_DENIED", "INVALID_ACCESS_KEY", "InvalidAccessKey", "SIGNATURE", "Signature"})) {
    return "check s3.access-key, s3.secret-key, s3.region and what the key may do";
  }
  return "check the options s3.* and the store";
}

tl::unexpected<Error> storage_error(std::string_view what,
                                    const std::string& path,
                                    const std::string& reason) {
  return make_error(
      ErrorCode::kStorageException, "{} {}: {}; {}", what, path, reason, remedy(reason));
}

TimestampMs wall_now() {
  auto now = std::chrono::system_clock::now().time_since_epoch();
  return TimestampMs(std::chrono::duration_cast<std::chrono::milliseconds>(now).count());
}

bool is_absence(const arrow::Status& status) {
  return arrow::internal::ErrnoFromStatus(status) == ENOENT;
}

arrow::fs::S3Options arrow_options(const S3Options& options) {
  namespace fs = arrow::fs;
  fs::S3Options result = options.access_key.empty()
                             ? fs::S3Options::Defaults()
                             : fs::S3Options::FromAccessKey(options.access_key, options.secret_key);
  std::string_view endpoint = options.endpoint;
  while (endpoint.ends_with('/')) endpoint.remove_suffix(1);
  if (size_t end = endpoint.find("://"); end != std::string_view::npos) {
    result.scheme = std::string(endpoint.substr(0, end));
    endpoint.remove_prefix(end + 3);
  }
  result.endpoint_override = std::string(endpoint);
  result.region = options.region;
  if (result.region.empty() && !endpoint.empty()) result.region = kS3RegionOfEndpoints;
  result.force_virtual_addressing = !options.path_style.value_or(!endpoint.empty());
  result.connect_timeout = kConnectSeconds;
  result.retry_strategy = fs::S3RetryStrategy::GetAwsStandardRetryStrategy(kAttempts);
  result.background_writes = false;  // the caller is on a thread that may wait
  result.allow_delayed_open = true;  // a small object is one request
  result.tls_ca_file_path =
      options.ca_file.empty() ? internal::certificates_of_system() : options.ca_file;
  return result;
}

// An object as the library names it, and the library.
struct Target {
  std::shared_ptr<arrow::fs::S3FileSystem> files;
  std::string path;
};

class S3ObjectStore final : public ObjectStore {
 public:
  S3ObjectStore(Disk& disk, S3Options options)
      : disk_(disk),
        options_(std::move(options)),
        http_(make_http_client({.ca_file = options_.ca_file})) {}

  Status put(const std::string& path, const Bytes& content) override {
    auto write = [&](arrow::io::OutputStream& out) -> Status {
      arrow::Status written = out.Write(content.data(), static_cast<int64_t>(content.size()));
      return written.ok() ? ok() : Status(storage_error("writing", path, written.message()));
    };
    return guarded(path, [&](const Target& at) { return write_as(path, at, write); });
  }

  Result<bool> put_if_absent(const std::string& path, const Bytes& content) override {
    ASSIGN_OR_RETURN(S3Place place, s3_place_of(path));
    if (!is_known_without_conditions_) {
      // Connected first: only the library knows all places that credentials come from.
      ASSIGN_OR_RETURN(std::optional<bool> decided, guarded(path, [&](const Target& at) {
                         return put_where_absent(path, at, place, content);
                       }));
      if (decided) return *decided;
    }
    return look_and_put(path, content);
  }

  Result<uint64_t> put_file(const std::string& path, const std::string& local_file) override {
    ASSIGN_OR_RETURN(std::unique_ptr<File> source, disk_.open(local_file, OpenMode::kRead));
    uint64_t size = 0;
    auto copy = [&](arrow::io::OutputStream& out) -> Status {
      MutableBytes part = MutableBytes::allocate(kPartBytes);
      while (true) {
        ASSIGN_OR_RETURN(size_t count, source->read_at(size, part.span()));
        if (count == 0) return ok();
        arrow::Status written = out.Write(part.span().data(), static_cast<int64_t>(count));
        if (!written.ok()) return storage_error("writing", path, written.message());
        size += count;
      }
    };
    RETURN_IF_ERROR(guarded(path, [&](const Target& at) { return write_as(path, at, copy); }));
    return size;
  }

  Result<std::optional<Bytes>> get(const std::string& path) override {
    return get_range(path, 0, UINT64_MAX);
  }

  Result<std::optional<Bytes>> get_range(const std::string& path,
                                         uint64_t offset,
                                         uint64_t size) override {
    return guarded(path, [&](const Target& at) -> Result<std::optional<Bytes>> {
      ASSIGN_OR_RETURN(Reader reader, open_existing(path, at));
      if (reader.file == nullptr) return std::optional<Bytes>();
      uint64_t begin = std::min(offset, reader.size);
      MutableBytes content = MutableBytes::allocate(std::min(size, reader.size - begin));
      RETURN_IF_ERROR(read(path, reader, begin, content.span()));
      return std::optional<Bytes>(std::move(content).freeze());
    });
  }

  Result<std::optional<uint64_t>> get_file(const std::string& path,
                                           const std::string& local_file) override {
    return guarded(path, [&](const Target& at) -> Result<std::optional<uint64_t>> {
      ASSIGN_OR_RETURN(Reader reader, open_existing(path, at));
      if (reader.file == nullptr) return std::optional<uint64_t>();
      ASSIGN_OR_RETURN(std::unique_ptr<File> target, disk_.open(local_file, OpenMode::kCreate));
      RETURN_IF_ERROR(target->truncate(0));
      for (uint64_t done = 0; done < reader.size;) {
        MutableBytes part =
            MutableBytes::allocate(std::min<uint64_t>(kPartBytes, reader.size - done));
        RETURN_IF_ERROR(read(path, reader, done, part.span()));
        Bytes bytes = std::move(part).freeze();
        RETURN_IF_ERROR(target->write_at(done, {&bytes, 1}));
        done += bytes.size();
      }
      RETURN_IF_ERROR(target->sync());
      return std::optional<uint64_t>(reader.size);
    });
  }

  Result<std::vector<ObjectInfo>> list(const std::string& prefix) override {
    std::vector<ObjectInfo> objects;
    auto visit = [&](std::string path, const arrow::fs::FileInfo& info) {
      objects.push_back({std::move(path), static_cast<uint64_t>(info.size())});
    };
    RETURN_IF_ERROR(visit_files(prefix, visit));
    std::sort(objects.begin(), objects.end(), [](const ObjectInfo& a, const ObjectInfo& b) {
      return a.path < b.path;
    });
    return objects;
  }

  // Parts of an upload that never ended are not shown: the store has rules of its own for those.
  Result<std::vector<std::string>> list_stale(const std::string& prefix,
                                              TimestampMs before) override {
    std::vector<std::string> stale;
    auto visit = [&](std::string path, const arrow::fs::FileInfo& info) {
      if (info.mtime() == arrow::fs::kNoTime) return;
      auto modified = std::chrono::floor<std::chrono::milliseconds>(info.mtime());
      if (TimestampMs(modified.time_since_epoch().count()) < before) {
        stale.push_back(std::move(path));
      }
    };
    RETURN_IF_ERROR(visit_files(prefix, visit));
    std::sort(stale.begin(), stale.end());
    return stale;
  }

  Status remove(const std::string& path) override {
    return guarded(path, [&](const Target& at) -> Status {
      arrow::Status removed = at.files->DeleteFile(at.path);
      if (removed.ok() || is_absence(removed)) return ok();
      return storage_error("removing", path, removed.message());
    });
  }

  Status remove_prefix(const std::string& prefix) override {
    return guarded(prefix, [&](const Target& at) -> Status {
      bool is_bucket = at.path.find('/') == std::string::npos;
      arrow::Status removed =
          is_bucket ? at.files->DeleteDirContents(at.path, true) : at.files->DeleteDir(at.path);
      if (removed.ok() || is_absence(removed)) return ok();
      return storage_error("removing all below", prefix, removed.message());
    });
  }

 private:
  struct Reader {
    std::shared_ptr<arrow::io::RandomAccessFile> file;  // null: there is no such object
    uint64_t size = 0;
  };

  // At any depth.
  template <typename Visit>
  Status visit_files(const std::string& prefix, const Visit& visit) {
    return guarded(prefix, [&](const Target& at) -> Status {
      arrow::fs::FileSelector selector;
      selector.base_dir = at.path;
      selector.recursive = true;
      selector.allow_not_found = true;
      arrow::Result<arrow::fs::FileInfoVector> found = at.files->GetFileInfo(selector);
      if (!found.ok()) return storage_error("listing", prefix, found.status().message());
      std::string shown = object_path(prefix, "");
      for (const arrow::fs::FileInfo& info : *found) {
        if (info.IsFile()) visit(shown + info.path().substr(at.path.size() + 1), info);
      }
      return ok();
    });
  }

  // Does `work` with the object. No exception of the library gets out of here.
  template <typename Work>
  std::invoke_result_t<Work, const Target&> guarded(const std::string& path, Work work) {
    ASSIGN_OR_RETURN(S3Place place, s3_place_of(path));
    try {
      Target at{nullptr, place.key.empty() ? place.bucket : place.bucket + "/" + place.key};
      ASSIGN_OR_RETURN(at.files, connect(path));
      return work(at);
    } catch (const std::exception& error) {
      return storage_error("using", path, error.what());
    }
  }

  // By the request of the store for it; nothing when it has none.
  Result<std::optional<bool>> put_where_absent(const std::string& path,
                                               const Target& at,
                                               const S3Place& place,
                                               const Bytes& content) {
    using Kind = PutIfAbsent::Kind;
    std::string region = at.files->region();
    if (region.empty()) region = kS3RegionOfEndpoints;
    arrow::fs::S3Options options = at.files->options();
    S3Credentials credentials{
        options.GetAccessKey(), options.GetSecretKey(), options.GetSessionToken()};
    S3Target target{s3_url(options_, region, place), region, std::move(credentials)};
    PutIfAbsent done = lakestream::put_if_absent(*http_, target, content, wall_now());
    switch (done.kind) {
      case Kind::kDone:
        return std::optional(true);
      case Kind::kThere:
        return std::optional(false);
      case Kind::kNotSupported:
        is_known_without_conditions_ = true;
        return std::optional<bool>();
      case Kind::kFailed:
        break;
    }
    return storage_error("writing", path, done.reason);
  }

  // For stores without such a request: atomic among the threads of this process only.
  Result<bool> look_and_put(const std::string& path, const Bytes& content) {
    std::lock_guard turn(exclusive_);
    auto exists = [&](const Target& at) -> Result<bool> {
      arrow::Result<arrow::fs::FileInfo> info = at.files->GetFileInfo(at.path);
      if (!info.ok()) return storage_error("looking for", path, info.status().message());
      return info->IsFile();
    };
    ASSIGN_OR_RETURN(bool is_there, guarded(path, exists));
    if (is_there) return false;
    RETURN_IF_ERROR(put(path, content));
    return true;
  }

  // A failure is not remembered: the next call tries again.
  Result<std::shared_ptr<arrow::fs::S3FileSystem>> connect(const std::string& path) {
    std::lock_guard turn(connecting_);
    if (files_ != nullptr) return files_;
    const arrow::Status& started = start_library();
    if (!started.ok()) return storage_error("using", path, started.message());
    auto made = arrow::fs::S3FileSystem::Make(arrow_options(options_));
    if (!made.ok()) return storage_error("using", path, made.status().message());
    files_ = std::move(made).ValueUnsafe();
    return files_;
  }

  // Lets `write` write the object, which is there when this ends well and not before.
  template <typename Write>
  Status write_as(const std::string& path, const Target& at, Write write) {
    auto opened = at.files->OpenOutputStream(at.path, nullptr);
    if (!opened.ok()) return storage_error("writing", path, opened.status().message());
    arrow::io::OutputStream& out = **opened;
    Status written = write(out);
    if (!written) {
      (void)out.Abort();  // without it the destructor would finish the object
      return written;
    }
    arrow::Status closed = out.Close();
    if (closed.ok()) return ok();
    (void)out.Abort();
    return storage_error("writing", path, closed.message());
  }

  Result<Reader> open_existing(const std::string& path, const Target& at) {
    auto opened = at.files->OpenInputFile(at.path);
    if (is_absence(opened.status())) return Reader{};
    if (!opened.ok()) return storage_error("reading", path, opened.status().message());
    arrow::Result<int64_t> size = (*opened)->GetSize();
    if (!size.ok()) return storage_error("reading", path, size.status().message());
    return Reader{std::move(opened).ValueUnsafe(), static_cast<uint64_t>(*size)};
  }

  // All of `target`. The library tries again where there was no answer, not where one broke off.
  static Status read(const std::string& path,
                     const Reader& reader,
                     uint64_t offset,
                     std::span<uint8_t> target) {
    if (target.empty()) return ok();
    std::string reason;
    for (int64_t i = 0; i < kAttempts; ++i) {
      arrow::Result<int64_t> count = reader.file->ReadAt(
          static_cast<int64_t>(offset), static_cast<int64_t>(target.size()), target.data());
      if (count.ok() && static_cast<size_t>(*count) == target.size()) return ok();
      reason = count.ok() ? "it ended early" : count.status().message();
    }
    return storage_error("reading", path, reason);
  }

  Disk& disk_;
  S3Options options_;
  std::mutex exclusive_;
  std::mutex connecting_;
  std::shared_ptr<arrow::fs::S3FileSystem> files_;
  std::unique_ptr<HttpClient> http_;
  std::atomic<bool> is_known_without_conditions_ = false;
};

}  // namespace

ObjectStoreRuntime::~ObjectStoreRuntime() {
  if (arrow::fs::IsS3Initialized()) (void)arrow::fs::FinalizeS3();
}

std::unique_ptr<ObjectStore> make_s3_object_store(Disk& disk, S3Options options) {
  return std::make_unique<S3ObjectStore>(disk, std::move(options));
}

}  // namespace lakestream
