#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "io/pool.h"
#include "io/shard.h"
#include "meta/meta.h"

// Writes the coordinator's changes to the metadata store. Each change carries a check of the node
// that holds the coordinator epoch, so that a coordinator that has been followed by another one can
// not change anything any more. When the store gives an error, the writer reads back whether the
// change happened.
//
// Thread rule: shard-local; one commit at a time.
//
//   CO_RETURN_IF_ERROR(co_await writer.take_leadership());
//   CO_RETURN_IF_ERROR(co_await writer.commit(std::move(ops)));
namespace lakestream::coordinator {

// ZooKeeper takes a megabyte in one message, and an operation of ours is about 200 bytes.
inline constexpr size_t kOpsMax = 2000;

class MetadataWriter {
 public:
  MetadataWriter(MetaStore& store, Pool& pool, Shard& home)
      : store_(store), pool_(pool), home_(home) {}

  // Raises the coordinator epoch: who was coordinator before is none any more.
  Task<Status> take_leadership();
  int32_t epoch() const { return epoch_; }

  // All or nothing. Ok: it is done. An error: nothing was changed, unless is_uncertain() holds from
  // then on. kNotCoordinatorLeaderException when there is another coordinator.
  Task<Status> commit(std::vector<MetaOp> ops);

  // What the store holds may differ from what this coordinator believes: read everything again,
  // then call set_certain().
  bool is_uncertain() const { return uncertain_; }
  void set_certain() { uncertain_ = false; }

 private:
  MetaStore& store_;
  Pool& pool_;
  Shard& home_;
  int32_t epoch_ = -1;
  int32_t epoch_version_ = 0;
  bool uncertain_ = false;
};

}  // namespace lakestream::coordinator
