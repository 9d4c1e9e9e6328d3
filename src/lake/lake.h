#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/function.h"
#include "base/ids.h"
#include "base/result.h"
#include "format/arrow_fwd.h"
#include "format/batch.h"
#include "lake/lake_catalog.h"
#include "table/descriptor.h"
#include "table/partition.h"
#include "table/path.h"
#include "table/remote_documents.h"
#include "table/table_choices.h"

// Open lake tables that stand behind our own: one LakeFormat a catalog, one LakeTable a table. What
// is written here is read by every engine that knows the format. A LakeTable takes rows bucket by
// bucket (LakeWriter), makes them one snapshot that carries its properties (commit), and says which
// files a reader of a snapshot needs (plan), or reads them itself (open_reader). Who calls decides
// what is written and when; this module knows nothing of offsets that are served or of schedules.
//
// Nothing is changed in place: files that no snapshot names are no part of the table, so a crash at
// any point leaves the table as of its last commit. Two who commit at once both succeed, one after
// the other, or the second is refused (see commit).
//
// Errors: kInvalidTableException for a table that the format can not hold, naming column or option;
// kStorageException for the store. Unless said otherwise a call that failed can be made again.
//
// Thread rule: calls block; on the pool, any thread. A LakeWriter and a LakeReader belong to one
// thread at a time; all others many at a time.
//
//   ASSIGN_OR_RETURN(auto format, make_lake_format(LakeFormatKind::kPaimon, options, env,
//   objects)); RETURN_IF_ERROR(format->create_table(path, descriptor, LakeTableUse::kNewTable));
//   ASSIGN_OR_RETURN(auto table, format->open_table(path, descriptor));
//   ASSIGN_OR_RETURN(auto writer, table->open_writer({.partition = {}, .bucket = BucketId(0)}));
//   RETURN_IF_ERROR(writer->write(rows));
//   ASSIGN_OR_RETURN(LakeFiles files, writer->finish());
//   ASSIGN_OR_RETURN(LakeSnapshot snapshot, table->commit({std::move(files)}, tag));
namespace lakestream {

struct Env;
class ObjectStore;

// Who commits for us, and the property with the path of the document that holds the offsets.
inline constexpr std::string_view kLakeCommitUser = "__fluss_lake_tiering";
inline constexpr std::string_view kLakeOffsetsProperty = "fluss-offsets";
// Compactions commit under this name, so that nobody takes them for a commit of rows.
inline constexpr std::string_view kLakeUpkeepUser = "__lakestream_upkeep";
// Columns behind those of the table where the layout has them.
inline constexpr std::string_view kLakeBucketColumn = "__bucket";
inline constexpr std::string_view kLakeOffsetColumn = "__offset";
inline constexpr std::string_view kLakeTimestampColumn = "__timestamp";

// Which columns a table that is created gets.
enum class LakeLayout : uint8_t {
  kSystemColumns,  // the three above, last
  kPlain,          // those of our table only
};

struct LakeFormatOptions {
  Properties catalog = {};  // "warehouse", …: keys of the format's catalog
  LakeLayout layout = LakeLayout::kSystemColumns;
};

// The rows of one partition and bucket of our table. Every bucket of the lake table is one of ours
// where the table has bucket keys.
struct LakeBucket {
  std::vector<std::string> partition = {};  // values in the order of the keys, as in its name
  BucketId bucket = {};

  friend auto operator<=>(const LakeBucket&, const LakeBucket&) = default;
};

// Rows in the order of their offsets, in the columns of the schema with which the table was opened.
struct LakeRows {
  std::shared_ptr<arrow::RecordBatch> rows;
  std::vector<ChangeType> changes = {};  // one a row; empty when all are kAppend
  std::vector<Offset> offsets = {};      // one a row; empty: base_offset and those that follow
  Offset base_offset = {};
  TimestampMs timestamp = {};
};

// Rows that come from the state of a bucket and not from its log have this offset and this time.
inline constexpr Offset kLakeNoOffset{-1};
inline constexpr TimestampMs kLakeNoTimestamp{-1};

// What one writer has written; goes into one commit, or into abort.
class LakeFiles {
 public:
  struct Content {  // the format derives its own
    virtual ~Content() = default;
  };
  LakeFiles() = default;
  explicit LakeFiles(std::shared_ptr<const Content> content, uint64_t rows, uint64_t bytes)
      : content_(std::move(content)), rows_(rows), bytes_(bytes) {}

  const std::shared_ptr<const Content>& content() const { return content_; }
  uint64_t rows() const { return rows_; }
  uint64_t bytes() const { return bytes_; }

 private:
  std::shared_ptr<const Content> content_;  // none: nothing was written
  uint64_t rows_ = 0;
  uint64_t bytes_ = 0;
};

// Something that a writer has left to do for the store.
using LakeWork = UniqueFunction<Status()>;

class LakeWriter {
 public:
  // Not finished: its files go. Requires: no work that was taken runs.
  virtual ~LakeWriter() = default;
  virtual Status write(const LakeRows& rows) = 0;
  // Work that may be done while the writer goes on, by another thread: one after the other, until
  // one fails, and then the writer is of no use any more. What nobody takes is done by finish().
  virtual std::vector<LakeWork> take_work() { return {}; }
  // Memory that finish() or a full file would give back.
  virtual uint64_t held_bytes() const = 0;
  // Once; the writer takes no more rows. Requires: the work that was taken is done.
  virtual Result<LakeFiles> finish() = 0;
};

// The newest snapshot of a user, as far as the one who asks knows; absent: there is none.
struct LakeNewestKnown {
  std::optional<LakeSnapshotId> id = std::nullopt;
};

struct LakeCommitTag {
  std::string user{kLakeCommitUser};
  Properties properties = {};
  // When the user has another newest snapshot by now, nothing is committed.
  std::optional<LakeNewestKnown> newest_known = std::nullopt;
};

struct LakeSnapshot {
  LakeSnapshotId id = {};
  // Of two snapshots of a table the one with the higher number is the newer one; ids need not be
  // ordered.
  int64_t order = 0;
  TimestampMs time = {};
  std::string user = {};
  std::string operation = {};  // as the format names it: "APPEND", "COMPACT", …
  Properties properties = {};
  int64_t total_rows = 0;  // as the format counts them
};

// What a reader wants of a snapshot.
struct LakeScanRequest {
  std::vector<std::string> columns = {};  // of the lake table, system columns included; empty: all
  PartitionSpec partitions = {};          // only those with these values
};

// A file whose rows are all of the split's, in our columns by name. Columns that it lacks are null.
struct LakeDataFile {
  std::string path;  // in the object store
  uint64_t bytes = 0;
  uint64_t rows = 0;
  // In LakeLayers: some rows are not of a kind that is kept.
  bool has_deletes = false;
  // And without an order column: that of its rows.
  int64_t order = 0;
};

// The files of a split that needs a merge, for one who merges himself, as engines do: rows of `old`
// whose key is not in `newer`, and of each key in `newer` the row with the greatest order; of both
// those whose kind is kept. Both numbers are columns of the files, where the format has them.
struct LakeLayers {
  std::vector<LakeDataFile> old = {};    // each key at most once
  std::vector<LakeDataFile> newer = {};  // later versions than those in `old`
  // Belong to `newer`: with the columns of the key alone, rows of no kind that is kept.
  std::vector<LakeDataFile> deletes = {};
  std::string order_column = {};  // empty: the rows of a file have an order in common
  std::string kind_column = {};   // empty: all are of a kind that is kept
  std::vector<int32_t> kept_kinds = {};

  // Whether the rows of the files are those of the split.
  bool are_flat() const {
    return newer.empty() && deletes.empty() &&
           std::none_of(old.begin(), old.end(), [](const auto& file) { return file.has_deletes; });
  }
};

// The part of a snapshot that lies in one partition and bucket.
struct LakeSplit {
  std::vector<std::string> partition = {};  // values in the order of the keys
  // Absent where the lake does not tell buckets apart.
  std::optional<BucketId> bucket = std::nullopt;
  std::vector<LakeDataFile> files = {};
  // The files' rows are versions of keys, to be merged, or some are deleted by other files: only
  // open_reader reads them right. Else the rows of all files are the rows of the split.
  bool needs_merge = false;
  std::optional<LakeLayers> layers = std::nullopt;  // when it does, and they are known
  struct Content {                                  // the format derives its own, for its reader
    virtual ~Content() = default;
  };
  std::shared_ptr<const Content> content = nullptr;
};

struct LakeScan {
  LakeSnapshot snapshot = {};
  std::vector<LakeSplit> splits = {};
  uint64_t pruned_files = 0;  // that the request left out
};

// The rows of a split: of a table with a primary key in the order of the key, the newest of each.
class LakeReader {
 public:
  virtual ~LakeReader() = default;
  // Nothing at the end.
  virtual Result<std::shared_ptr<arrow::RecordBatch>> next() = 0;
};

struct LakeUpkeep {
  bool compact = false;  // small files become large ones, versions of keys one
  bool expire = false;   // snapshots and partitions that the format's own options call old go
  // This one and newer ones stay in any case.
  std::optional<LakeSnapshotId> keep_from = std::nullopt;
  // Files of the table that no snapshot names and that were last written before then go: what
  // commits that never came have left.
  std::optional<TimestampMs> orphans_before = std::nullopt;
};

class LakeTable {
 public:
  virtual ~LakeTable() = default;

  virtual Result<std::unique_ptr<LakeWriter>> open_writer(LakeBucket bucket) = 0;
  // One snapshot of all of it, also of nothing. Nothing is committed on kUnknownServerError, when
  // what the files stand on is gone and their writer has to begin anew, and on
  // kFencedTieringEpochException, when tag.newest_known does not hold. Any other error leaves open
  // whether it is committed: look at the snapshots.
  virtual Result<LakeSnapshot> commit(const std::vector<LakeFiles>& files,
                                      const LakeCommitTag& tag) = 0;
  // Removes what was written for a commit that will not be.
  virtual void abort(const std::vector<LakeFiles>& files) = 0;

  virtual Result<std::optional<LakeSnapshot>> latest_snapshot() = 0;
  // The newest that this user has committed.
  virtual Result<std::optional<LakeSnapshot>> latest_snapshot_of(std::string_view user) = 0;
  // Absent when it is not there any more.
  virtual Result<std::optional<LakeSnapshot>> snapshot(LakeSnapshotId id) = 0;
  // LakeSnapshot::order; absent when that can not be told any more of a snapshot that is gone.
  virtual Result<std::optional<int64_t>> order_of(LakeSnapshotId id) = 0;
  // All that are there, the oldest first.
  virtual Result<std::vector<LakeSnapshot>> snapshots() = 0;

  // Errors: kLakeSnapshotNotExist when the snapshot is gone.
  virtual Result<LakeScan> plan(LakeSnapshotId id, const LakeScanRequest& request) = 0;
  // Its rows in the columns of `request`.
  virtual Result<std::unique_ptr<LakeReader>> open_reader(const LakeSplit& split,
                                                          const LakeScanRequest& request) = 0;

  // What was done, in a sentence a step; nothing when there was nothing to do.
  virtual Result<std::vector<std::string>> keep_up(const LakeUpkeep& upkeep) = 0;
};

class LakeFormat : public LakeCatalog {
 public:
  // `descriptor` is ours: its columns, without those that were dropped, are those that writers get.
  // kTableNotExist.
  virtual Result<std::shared_ptr<LakeTable>> open_table(const TablePath& path,
                                                        const TableDescriptor& descriptor) = 0;
};

// kInvalidConfigException for a catalog option that is missing or wrong, or a format that there is
// not yet. Reaches for nothing.
Result<std::unique_ptr<LakeFormat>> make_lake_format(LakeFormatKind kind,
                                                     LakeFormatOptions options,
                                                     Env& env,
                                                     ObjectStore& objects);

// One of all these, for tables of each format: a table's own property table.datalake.format says in
// which it is. Its calls end with kInvalidTableException for a table of another format. Errors:
// those of make_lake_format.
Result<std::unique_ptr<LakeFormat>> make_lake(std::map<LakeFormatKind, LakeFormatOptions> formats,
                                              Env& env,
                                              ObjectStore& objects);

}  // namespace lakestream
