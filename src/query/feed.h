#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <arrow/type_fwd.h>

#include "base/result.h"
#include "client/connection.h"
#include "io/shard.h"
#include "query/table_plan.h"

// The rows of a plan on their way to the threads of the engine. Those of servers are fetched and
// decoded on the client's shard, or looked up by their keys, those of the lake are read by the
// thread that takes them. A thread that takes waits for rows, never for the end of a long poll:
// where the rows end is known beforehand.
//
// Thread rule: take() from any thread that is no shard's, each with a cursor of its own; made and
// destroyed on such a thread.
//
//   ASSIGN_OR_RETURN(auto feed, Feed::open(source, plan, columns));
//   FeedCursor cursor;
//   for (;;) {
//     ASSIGN_OR_RETURN(auto rows, feed->take(cursor));
//     if (rows == nullptr) break;
//   }
namespace lakestream::query {

// Where feeds come from.
struct FeedSource {
  Shard* shard = nullptr;
  std::shared_ptr<client::Connection> connection;
  std::shared_ptr<LogEnds> ends;
  // Set when the statement is to stop.
  std::shared_ptr<const std::atomic<bool>> cancelled;
  Duration retry_timeout{0};
};

// What a thread that takes keeps between its calls.
struct FeedCursor {
  std::unique_ptr<LakeReader> lake;
};

class Feed {
 public:
  // With the columns of the plan's schema at these positions, in this order; rows without any have
  // a length alone.
  static Result<std::unique_ptr<Feed>> open(FeedSource source,
                                            std::shared_ptr<TablePlan> plan,
                                            std::vector<size_t> columns);
  explicit Feed(std::shared_ptr<arrow::Schema> schema) : schema_(std::move(schema)) {}
  virtual ~Feed() = default;
  Feed(const Feed&) = delete;
  Feed& operator=(const Feed&) = delete;

  // Of what take() gives: engine_type_of() the columns.
  const std::shared_ptr<arrow::Schema>& schema() const { return schema_; }
  // nullptr at the end.
  virtual Result<std::shared_ptr<arrow::RecordBatch>> take(FeedCursor& cursor) = 0;
  // How much was taken, 0 to 1.
  virtual double progress() const = 0;

 private:
  std::shared_ptr<arrow::Schema> schema_;
};

// Parts of a feed: from the log or the state of buckets, by keys, and from the lake.
Result<std::unique_ptr<Feed>> open_hot_feed(FeedSource source,
                                            std::shared_ptr<TablePlan> plan,
                                            std::vector<size_t> columns,
                                            std::shared_ptr<arrow::Schema> schema);
Result<std::unique_ptr<Feed>> open_key_feed(FeedSource source,
                                            std::shared_ptr<TablePlan> plan,
                                            std::vector<size_t> columns,
                                            std::shared_ptr<arrow::Schema> schema);
Result<std::unique_ptr<Feed>> open_lake_feed(FeedSource source,
                                             std::shared_ptr<TablePlan> plan,
                                             std::vector<size_t> columns,
                                             std::shared_ptr<arrow::Schema> schema);

// The column of the schema that is the least to read, for statements that only count rows.
const std::string& narrowest_column(const Schema& schema);

}  // namespace lakestream::query
