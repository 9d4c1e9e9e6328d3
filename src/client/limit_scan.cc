#include <algorithm>

#include <arrow/record_batch.h>

#include "client/leader_calls.h"
#include "client/partitions.h"
#include "client/row_reader.h"
#include "client/scanner.h"
#include "client/value_scan.h"

namespace lakestream::client {
namespace {

// The last `limit` rows of whole log batches.
Task<Result<std::vector<ScanBatch>>> last_rows(std::shared_ptr<RowReader> reader,
                                               BytesChain records,
                                               int32_t limit) {
  std::vector<ScanBatch> rows;
  Bytes whole = records.flatten();
  BatchReader batches(whole);
  CO_ASSIGN_OR_RETURN(std::optional<BatchView> first, batches.next());
  if (!first) co_return rows;
  if (first->base_offset().value() < 0) {
    co_return make_error(ErrorCode::kUnknownServerError, "the server's answer begins before 0");
  }
  FetchedBatches fetched = cut_batches(BytesChain(whole), first->base_offset(), FetchRules{});
  if (fetched.error) co_return fail(*std::move(fetched.error));
  int64_t from = std::max(first->base_offset().value(), fetched.next.value() - limit);
  for (const FetchedBatch& batch : fetched.batches) {
    if (batch.view.record_count() == 0) continue;
    CO_RETURN_IF_ERROR(co_await RowReader::load(reader, batch.view.schema_id()));
    CO_ASSIGN_OR_RETURN(auto decoded, reader->decode(batch, Offset(from), std::nullopt));
    if (decoded) rows.push_back(*std::move(decoded));
  }
  co_return rows;
}

// The first `limit` rows of a value batch.
Task<Result<std::vector<ScanBatch>>> first_rows(std::shared_ptr<RowReader> reader,
                                                BytesChain records,
                                                int32_t limit) {
  ScanBatch batch;
  CO_ASSIGN_OR_RETURN(batch.rows,
                      co_await rows_of_values(std::move(reader), std::move(records), limit));
  std::vector<ScanBatch> rows;
  if (batch.rows->num_rows() > 0) rows.push_back(std::move(batch));
  co_return rows;
}

}  // namespace

Task<Result<std::vector<ScanBatch>>> limit_scan(std::shared_ptr<Connection> connection,
                                                TablePath path,
                                                int32_t limit) {
  return limit_scan(std::move(connection), std::move(path), {}, limit);
}

Task<Result<std::vector<ScanBatch>>> limit_scan(std::shared_ptr<Connection> connection,
                                                TablePath path,
                                                PartitionSpec partitions,
                                                int32_t limit) {
  std::vector<ScanBatch> rows;
  std::shared_ptr<Session> session = connection->session();
  CO_ASSIGN_OR_RETURN(auto table, co_await session->refresh_table(path));
  CO_ASSIGN_OR_RETURN(auto reader, RowReader::make(session, table->info, {}));
  CO_ASSIGN_OR_RETURN(auto places,
                      co_await open_places(session, std::move(table), std::move(partitions)));
  std::vector<TableBucket> buckets;
  for (const auto& place : places) {
    for (const BucketInfo& bucket : place->buckets) buckets.push_back(place->bucket(bucket.id));
  }
  int64_t left = limit;
  size_t at = 0;
  for (const TableBucket& bucket : buckets) {
    if (left <= 0) break;
    while (places[at]->partition_id() != bucket.partition) ++at;
    AskLimit ask{static_cast<int32_t>(left)};
    std::vector<BucketId> one{bucket.bucket};
    auto answers =
        co_await ask_leaders<LimitAnswer, AskLimit>(session, places[at]->path(), one, ask);
    if (!answers) co_return fail(std::move(answers).error());
    LimitAnswer answer = std::move(answers->at(bucket.bucket));
    Task<Result<std::vector<ScanBatch>>> decode =
        answer.is_log ? last_rows(reader, std::move(answer.records), ask.limit)
                      : first_rows(reader, std::move(answer.records), ask.limit);
    Result<std::vector<ScanBatch>> decoded = co_await std::move(decode);
    if (!decoded) co_return fail(std::move(decoded).error());
    for (ScanBatch& batch : *decoded) {
      batch.bucket = bucket;
      left -= batch.rows->num_rows();
      rows.push_back(std::move(batch));
    }
  }
  co_return rows;
}

}  // namespace lakestream::client
