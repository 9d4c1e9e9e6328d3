#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "meta/meta.h"

// The metadata store as a plain map, for tests and simulation. It stands for a durable service
// outside the process: what is committed stays when a simulated machine loses power, because the
// test owns the store and not the machine. Faults are set by the test: a call may fail before it
// has an effect, or take effect and lose its answer.
//
// Thread rule: everything on the one thread of the test.
//
//   ModelStore store;
//   store.fail_multi([n = 0](const std::vector<MetaOp>&) mutable {
//     return ++n == 3 ? ModelStore::Fault::kAnswerLost : ModelStore::Fault::kNone;
//   });
namespace lakestream {

class ModelStore final : public MetaStore {
 public:
  enum class Fault : uint8_t {
    kNone,
    kRefused,     // an error, nothing happened
    kAnswerLost,  // an error, but it happened
  };
  using MultiFault = std::function<Fault(const std::vector<MetaOp>& ops)>;
  using ReadFault = std::function<bool(const std::string& path)>;

  // Asked before each multi. An empty function ends it.
  void fail_multi(MultiFault fault) { multi_fault_ = std::move(fault); }
  // Asked before each get and children.
  void fail_reads(ReadFault fault) { read_fault_ = std::move(fault); }
  int64_t multi_count() const { return multi_count_; }

  Result<std::optional<MetaNode>> get(const std::string& path) override;
  Result<std::vector<std::string>> children(const std::string& path) override;
  Result<MultiResult> multi(std::vector<MetaOp> ops) override;

 private:
  using Nodes = std::map<std::string, MetaNode>;
  static MetaOutcome apply(Nodes* nodes, const MetaOp& op);

  Nodes nodes_{{"/", {}}};
  MultiFault multi_fault_;
  ReadFault read_fault_;
  int64_t multi_count_ = 0;
};

}  // namespace lakestream
