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

// The rows of a plan on their way from servers to the threads of the engine: fetched and decoded on
// the client's shard, taken by any number of threads. A thread that takes waits for rows, never for
// the end of a long poll: where the rows end is known beforehand.
//
// Thread rule: take() from any thread that is no shard's; made and destroyed on such a thread.
//
//   ASSIGN_OR_RETURN(auto feed, Feed::open(source, plan, columns));
//   for (;;) {
//     ASSIGN_OR_RETURN(auto rows, feed->take());
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

class Feed {
 public:
  // With the columns of the plan's schema at these positions, in this order; rows without any have
  // a length alone.
  static Result<std::unique_ptr<Feed>> open(FeedSource source,
                                            std::shared_ptr<TablePlan> plan,
                                            std::vector<size_t> columns);
  struct State;
  Feed(FeedSource source, std::shared_ptr<State> state, std::shared_ptr<arrow::Schema> schema);
  ~Feed();
  Feed(const Feed&) = delete;
  Feed& operator=(const Feed&) = delete;

  // Of what take() gives: engine_type_of() the columns.
  const std::shared_ptr<arrow::Schema>& schema() const { return schema_; }
  // nullptr at the end.
  Result<std::shared_ptr<arrow::RecordBatch>> take();
  // How much was taken, 0 to 1.
  double progress() const;

 private:
  FeedSource source_;
  std::shared_ptr<State> state_;  // of the shard
  std::shared_ptr<arrow::Schema> schema_;
};

}  // namespace lakestream::query
