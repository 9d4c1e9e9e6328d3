#pragma once

#include <atomic>
#include <cstddef>
#include <span>
#include <string_view>

#include "base/result.h"

// Named places between two steps where a test ends the process as kill -9 does, or makes the step
// fail. They are compiled in and do nothing until they are armed: one load of a pointer. Each
// stands in the table below; a name that does not is no program.
//
// Armed by a text "NAME=ACTION@N;…". ACTION is `kill` or `error`; N says which time the place is
// reached, from 1 on; without it `error` is for each time.
//
// Thread rule: any thread; arm before there are others.
//
//   RETURN_IF_ERROR(arm_failpoints("tiering.after_lake_commit=kill@3"));
//   RETURN_IF_ERROR(failpoint("tiering.after_lake_commit"));
namespace lakestream {

struct FailpointInfo {
  std::string_view name;
  std::string_view meaning;
};

inline constexpr FailpointInfo kFailpoints[] = {
    {"tiering.after_open", "the lake table of a round is open"},
    {"tiering.after_offsets", "the coordinator said what is in the lake"},
    {"tiering.before_recovery", "a commit that was not reported is found"},
    {"tiering.after_recovery", "no commit is left that was not reported"},
    {"tiering.after_plan", "it is known what to copy"},
    {"tiering.after_rows", "rows of a bucket went to its writer"},
    {"tiering.after_file", "the files of a bucket are finished"},
    {"tiering.after_files", "all files are finished"},
    {"tiering.after_prepare", "the offsets are written down"},
    {"tiering.after_lake_commit", "the lake has the snapshot, the coordinator does not know"},
    {"tiering.after_report", "the coordinator knows the snapshot"},
    {"tiering.after_upkeep", "the lake table is tidied up, the end of the round not told"},
    {"lake.after_manifests", "manifests are written, no snapshot names them"},
    {"iceberg.after_metadata", "the next state is written, the catalog does not say so"},
    {"lake.after_snapshot", "the snapshot is there, and nobody was told"},
    {"lake.after_compaction", "compacted files are written and not committed"},
    {"lake.after_expired_data", "data files of old snapshots are gone"},
    {"lake.after_expired_manifests", "manifests of old snapshots are gone"},
    {"lake.after_expired_snapshot", "one of the old snapshots is gone, or all of them"},
    {"lake.after_orphan", "a file that nothing names is gone"},
    {"coordinator.after_lake_document", "the document of a lake snapshot is written, not answered"},
    {"coordinator.after_lake_store", "a lake snapshot is known, older documents are still there"},
    {"coordinator.after_lake_documents", "older documents are gone, not answered"},
    {"log.after_write", "batches are written and not synced"},
    {"log.after_sync", "batches are synced and not acknowledged"},
    {"remote_log.after_flush", "a log is flushed for its copy"},
    {"remote_log.after_segment", "a segment is copied, no manifest names it"},
    {"remote_log.after_manifest", "a manifest is written and not committed"},
    {"remote_log.after_commit", "a manifest is committed, local segments are still there"},
    {"kv.after_checkpoint", "a checkpoint is made and not copied"},
    {"kv.after_upload", "a snapshot is copied and not committed"},
    {"kv.after_commit", "a snapshot is committed, its checkpoint is still there"},
};

// kInvalidConfigException for a name or an action that there is not. An empty text disarms all.
Status arm_failpoints(std::string_view text);

class ArmedFailpoints;
// Set once at the start, if at all.
inline std::atomic<ArmedFailpoints*> armed_failpoints = nullptr;
Status reach_failpoint(ArmedFailpoints& armed, size_t index);

class Failpoint {
 public:
  consteval Failpoint(const char* name) : index_(find(name)) {}  // NOLINT: from a literal
  size_t index() const { return index_; }

 private:
  static constexpr size_t find(std::string_view name) {
    size_t index = 0;
    while (kFailpoints[index].name != name) ++index;
    return index;
  }
  size_t index_;
};

// kStorageException where an error is asked for.
[[nodiscard]] inline Status failpoint(Failpoint point) {
  ArmedFailpoints* armed = armed_failpoints.load(std::memory_order_relaxed);
  if (armed == nullptr) [[likely]]
    return ok();
  return reach_failpoint(*armed, point.index());
}

}  // namespace lakestream
