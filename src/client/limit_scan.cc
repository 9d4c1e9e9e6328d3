#include <algorithm>

#include <arrow/record_batch.h>

#include "client/leader_calls.h"
#include "client/metadata.h"
#include "client/row_reader.h"
#include "client/scanner.h"
#include "format/kv_value.h"

namespace lakestream::client {
namespace {

struct LimitAnswer {
  bool is_log = false;
  BytesChain records;
};

struct AskLimit {
  int32_t limit;

  Task<Result<BucketAnswers<LimitAnswer>>> operator()(std::shared_ptr<Session> session,
                                                      std::shared_ptr<const TableMetadata> table,
                                                      ServerId leader,
                                                      std::vector<BucketId> buckets) const {
    BucketAnswers<LimitAnswer> answers;
    for (BucketId bucket : buckets) {
      wire::LimitScanRequest request;
      request.table_id = table->info.id.value();
      request.bucket_id = bucket.value();
      request.limit = limit;
      CO_ASSIGN_OR_RETURN(wire::LimitScanResponse response,
                          co_await session->ask_server<wire::ApiKey::kLimitScan>(
                              leader, std::move(request), session->options().request_timeout));
      if (std::optional<Error> error = error_of(response)) {
        answers.emplace_back(bucket, fail(*std::move(error)));
        continue;
      }
      LimitAnswer answer;
      answer.is_log = response.is_log_table.value_or(false);
      if (response.records) answer.records = *std::move(response.records);
      answers.emplace_back(bucket, std::move(answer));
    }
    co_return answers;
  }
};

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

// Up to `limit` stored values, those of one schema in a row together.
Task<Result<std::vector<ScanBatch>>> first_values(std::shared_ptr<RowReader> reader,
                                                  BytesChain records,
                                                  int32_t limit) {
  std::vector<ScanBatch> rows;
  Bytes whole = records.flatten();
  CO_ASSIGN_OR_RETURN(ValueBatchReader values, ValueBatchReader::parse(whole.span()));
  std::vector<std::span<const uint8_t>> group;
  std::optional<SchemaId> schema;
  for (int32_t left = limit; left > 0 || !group.empty();) {
    std::optional<StoredValue> value;
    if (left > 0 && !values.at_end()) {
      CO_ASSIGN_OR_RETURN(value, values.next());
    }
    bool ends = !group.empty() && (!value || value->schema_id != *schema);
    if (ends) {
      CO_RETURN_IF_ERROR(co_await RowReader::load(reader, *schema));
      ScanBatch batch;
      CO_ASSIGN_OR_RETURN(batch.rows, reader->decode_rows(*schema, group));
      rows.push_back(std::move(batch));
      group.clear();
    }
    if (!value) break;
    schema = value->schema_id;
    group.push_back(value->row);
    --left;
  }
  co_return rows;
}

}  // namespace

Task<Result<std::vector<ScanBatch>>> limit_scan(std::shared_ptr<Connection> connection,
                                                TablePath path,
                                                int32_t limit) {
  std::vector<ScanBatch> rows;
  std::shared_ptr<Session> session = connection->session();
  CO_ASSIGN_OR_RETURN(auto table, co_await session->refresh_table(path));
  std::vector<BucketId> all;
  CO_ASSIGN_OR_RETURN(all, known_buckets(*table, std::move(all)));
  CO_ASSIGN_OR_RETURN(auto reader, RowReader::make(session, table->info, {}));
  int64_t left = limit;
  for (BucketId bucket : all) {
    if (left <= 0) break;
    AskLimit ask{static_cast<int32_t>(left)};
    std::vector<BucketId> one{bucket};
    auto answers = co_await ask_leaders<LimitAnswer, AskLimit>(session, path, one, ask);
    if (!answers) co_return fail(std::move(answers).error());
    LimitAnswer answer = std::move(answers->at(bucket));
    Task<Result<std::vector<ScanBatch>>> decode =
        answer.is_log ? last_rows(reader, std::move(answer.records), ask.limit)
                      : first_values(reader, std::move(answer.records), ask.limit);
    Result<std::vector<ScanBatch>> decoded = co_await std::move(decode);
    if (!decoded) co_return fail(std::move(decoded).error());
    for (ScanBatch& batch : *decoded) {
      batch.bucket = {table->info.id, std::nullopt, bucket};
      left -= batch.rows->num_rows();
      rows.push_back(std::move(batch));
    }
  }
  co_return rows;
}

}  // namespace lakestream::client
