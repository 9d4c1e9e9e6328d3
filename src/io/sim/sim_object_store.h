#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "io/clock.h"
#include "io/object_store.h"

// An object store as a plain map, for tests and simulation. It stands for a service outside the
// process: what was put stays when a simulated machine loses power, because the test owns it.
// Faults are set by the test: a call may fail before it has an effect, or take effect and lose its
// answer.
//
// Thread rule: the one thread of the test.
//
//   SimObjectStore objects(disk);
//   objects.fail([](std::string_view operation, const std::string&) {
//     return operation == "put" ? SimObjectStore::Fault::kRefused : SimObjectStore::Fault::kNone;
//   });
namespace lakestream {

class SimObjectStore final : public ObjectStore {
 public:
  enum class Fault : uint8_t {
    kNone,
    kRefused,     // an error, nothing happened
    kAnswerLost,  // an error, but it happened
  };
  using FaultOf = std::function<Fault(std::string_view operation, const std::string& path)>;

  // `disk` has the files of put_file and get_file.
  explicit SimObjectStore(Disk& disk) : disk_(disk) {}

  // Asked before each call. An empty function ends it.
  void fail(FaultOf fault) { fault_ = std::move(fault); }
  // Tells when an object was written; outlives the store. Without one all are of 1970.
  void keep_time(Clock& clock) { clock_ = &clock; }
  const std::map<std::string, Bytes>& objects() const { return objects_; }

  Status put(const std::string& path, const Bytes& content) override;
  Result<bool> put_if_absent(const std::string& path, const Bytes& content) override;
  Result<uint64_t> put_file(const std::string& path, const std::string& local_file) override;
  Result<std::optional<Bytes>> get(const std::string& path) override;
  Result<std::optional<Bytes>> get_range(const std::string& path,
                                         uint64_t offset,
                                         uint64_t size) override;
  Result<std::optional<uint64_t>> get_file(const std::string& path,
                                           const std::string& local_file) override;
  Result<std::vector<ObjectInfo>> list(const std::string& prefix) override;
  Result<std::vector<std::string>> list_stale(const std::string& prefix,
                                              TimestampMs before) override;
  Status remove(const std::string& path) override;
  Status remove_prefix(const std::string& prefix) override;

 private:
  // Does what `change` does unless the call fails before it, and gives the error of a call that
  // fails.
  Status run(std::string_view operation,
             const std::string& path,
             const std::function<void()>& change);

  void set(const std::string& path, const Bytes& content);

  Disk& disk_;
  Clock* clock_ = nullptr;
  FaultOf fault_;
  std::map<std::string, Bytes> objects_;
  std::map<std::string, TimestampMs> modified_;
};

}  // namespace lakestream
