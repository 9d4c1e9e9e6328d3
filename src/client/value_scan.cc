#include "client/value_scan.h"

#include "client/metadata.h"
#include "format/kv_value.h"

namespace lakestream::client {

Task<Result<BucketAnswers<LimitAnswer>>> AskLimit::operator()(
    std::shared_ptr<Session> session,
    std::shared_ptr<const TableMetadata> table,
    ServerId leader,
    std::vector<BucketId> buckets) const {
  BucketAnswers<LimitAnswer> answers;
  for (BucketId bucket : buckets) {
    wire::LimitScanRequest request;
    request.table_id = table->info.id.value();
    if (table->partition) request.partition_id = table->partition->id.value();
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

Task<Result<std::shared_ptr<arrow::RecordBatch>>> rows_of_values(std::shared_ptr<RowReader> reader,
                                                                 BytesChain records,
                                                                 int64_t limit) {
  Bytes whole = records.flatten();
  std::vector<StoredValue> values;
  if (!whole.empty()) {
    CO_ASSIGN_OR_RETURN(ValueBatchReader batch, ValueBatchReader::parse(whole.span()));
    while (!batch.at_end() && static_cast<int64_t>(values.size()) < limit) {
      CO_ASSIGN_OR_RETURN(StoredValue value, batch.next());
      values.push_back(value);
    }
  }
  co_return co_await RowReader::rows_of(std::move(reader), std::move(values));
}

}  // namespace lakestream::client
