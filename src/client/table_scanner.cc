#include "client/table_scanner.h"

#include <algorithm>
#include <limits>
#include <map>

#include <arrow/record_batch.h>

#include "client/key_plan.h"
#include "client/metadata.h"
#include "client/partitions.h"
#include "client/value_scan.h"

namespace lakestream::client {
namespace {

// An opened session, or a bucket that was answered as a whole.
struct Opened {
  ServerId leader;
  wire::ScanKvResponse first;
};

struct AskOpen {
  int32_t batch_bytes;
  std::optional<int64_t> limit;

  Task<Result<BucketAnswers<Opened>>> operator()(std::shared_ptr<Session> session,
                                                 std::shared_ptr<const TableMetadata> table,
                                                 ServerId leader,
                                                 std::vector<BucketId> buckets) const {
    BucketAnswers<Opened> answers;
    for (BucketId bucket : buckets) {
      wire::ScanKvRequest request;
      request.bucket_scan_req.emplace();
      request.bucket_scan_req->table_id = table->info.id.value();
      if (table->partition) {
        request.bucket_scan_req->partition_id = table->partition->id.value();
      }
      request.bucket_scan_req->bucket_id = bucket.value();
      request.bucket_scan_req->limit = limit;
      request.call_seq_id = 0;
      request.batch_size_bytes = batch_bytes;
      CO_ASSIGN_OR_RETURN(wire::ScanKvResponse response,
                          co_await session->ask_server<wire::ApiKey::kScanKv>(
                              leader, std::move(request), session->options().request_timeout));
      if (std::optional<Error> error = error_of(response)) {
        answers.emplace_back(bucket, fail(*std::move(error)));
      } else {
        Opened opened{leader, std::move(response)};
        answers.emplace_back(bucket, std::move(opened));
      }
    }
    co_return answers;
  }
};

}  // namespace

namespace internal {

class TableScanState {
 public:
  TableScanState(std::shared_ptr<Session> session,
                 std::vector<std::shared_ptr<const TableMetadata>> places,
                 std::shared_ptr<RowReader> reader,
                 TableScanOptions options)
      : session_(std::move(session)),
        places_(std::move(places)),
        reader_(std::move(reader)),
        options_(std::move(options)),
        left_(options_.limit.value_or(std::numeric_limits<int64_t>::max())) {
    for (size_t i = 0; i < places_.size(); ++i) {
      for (const BucketInfo& bucket : places_[i]->buckets) buckets_.emplace_back(i, bucket.id);
    }
  }

  const RowReader& reader() const { return *reader_; }
  std::optional<Offset> log_offset(const TableBucket& bucket) const {
    auto found = log_offsets_.find(bucket);
    return found == log_offsets_.end() ? std::nullopt : std::optional(found->second);
  }

  // The tasks keep the state alive.
  static Task<Result<std::optional<ScanBatch>>> next(std::shared_ptr<TableScanState> self) {
    std::optional<ScanBatch> batch;
    while (self->left_ > 0) {
      if (self->buckets_begun_ == self->buckets_.size() && !self->cursor_) break;
      BytesChain records;
      if (self->cursor_) {
        CO_ASSIGN_OR_RETURN(records, co_await go_on(self));
      } else {
        CO_ASSIGN_OR_RETURN(records, co_await begin_bucket(self));
      }
      auto rows = co_await rows_of_values(self->reader_, std::move(records), self->left_);
      if (!rows) co_return fail(std::move(rows).error());
      if ((*rows)->num_rows() == 0) continue;
      self->left_ -= (*rows)->num_rows();
      batch.emplace();
      batch->bucket = self->place()->bucket(self->bucket());
      batch->rows = *std::move(rows);
      break;
    }
    if (!batch) co_await close(self);
    co_return batch;
  }

  static Task<void> close(std::shared_ptr<TableScanState> self) {
    if (!self->cursor_) co_return;
    Cursor cursor = *std::exchange(self->cursor_, std::nullopt);
    wire::ScanKvRequest request;
    request.scanner_id = cursor.scanner;
    request.close_scanner = true;
    // What it says does not matter: a session that stays expires.
    (void)co_await self->session_->ask_server<wire::ApiKey::kScanKv>(
        cursor.leader, std::move(request), self->session_->options().request_timeout);
  }

 private:
  // An open session.
  struct Cursor {
    ServerId leader;
    Bytes scanner;
    int32_t calls = 0;
  };

  // The one that was begun last.
  BucketId bucket() const { return buckets_[buckets_begun_ - 1].second; }
  const std::shared_ptr<const TableMetadata>& place() const {
    return places_[buckets_[buckets_begun_ - 1].first];
  }
  std::string text() const {
    return fmt::format("bucket {} of table {}", bucket(), place()->path());
  }

  static Task<Result<BytesChain>> begin_bucket(std::shared_ptr<TableScanState> self) {
    ++self->buckets_begun_;
    BucketId bucket = self->bucket();
    if (!self->has_sessions_) co_return co_await whole_bucket(self);
    AskOpen ask{self->options_.batch_bytes, std::nullopt};
    if (self->options_.limit) ask.limit = self->left_;
    std::vector<BucketId> one{bucket};
    auto answers =
        co_await ask_leaders<Opened, AskOpen>(self->session_, self->place()->path(), one, ask);
    if (!answers && answers.error().code() == ErrorCode::kUnsupportedVersion) {
      self->has_sessions_ = false;
      co_return co_await whole_bucket(self);
    }
    if (!answers) co_return fail(std::move(answers).error().with_context(self->text()));
    Opened opened = std::move(answers->at(bucket));
    if (opened.first.log_offset.value_or(-1) >= 0) {
      self->log_offsets_[self->place()->bucket(bucket)] = Offset(*opened.first.log_offset);
    }
    if (opened.first.has_more_results.value_or(false)) {
      if (!opened.first.scanner_id) {
        co_return make_error(ErrorCode::kUnknownServerError,
                             "{}: the server's answer has more rows and no scanner",
                             self->text());
      }
      self->cursor_ = Cursor{opened.leader, *opened.first.scanner_id, 0};
    }
    co_return opened.first.records.value_or(BytesChain());
  }

  // Of a server without sessions.
  static Task<Result<BytesChain>> whole_bucket(std::shared_ptr<TableScanState> self) {
    constexpr int64_t kLimitMax = std::numeric_limits<int32_t>::max();
    AskLimit ask{static_cast<int32_t>(std::min(self->left_, kLimitMax))};
    BucketId bucket = self->bucket();
    std::vector<BucketId> one{bucket};
    auto answers = co_await ask_leaders<LimitAnswer, AskLimit>(
        self->session_, self->place()->path(), one, ask);
    if (!answers) co_return fail(std::move(answers).error().with_context(self->text()));
    co_return std::move(answers->at(bucket).records);
  }

  static Task<Result<BytesChain>> go_on(std::shared_ptr<TableScanState> self) {
    wire::ScanKvRequest request;
    request.scanner_id = self->cursor_->scanner;
    request.call_seq_id = ++self->cursor_->calls;
    request.batch_size_bytes = self->options_.batch_bytes;
    auto response = co_await self->session_->ask_server<wire::ApiKey::kScanKv>(
        self->cursor_->leader, std::move(request), self->session_->options().request_timeout);
    std::optional<Error> error = response ? error_of(*response) : response.error();
    if (error) {
      self->cursor_.reset();
      // The rows that were given are of a moment that is gone.
      self->left_ = 0;
      co_return make_error(error->code(),
                           "{}: the scan broke off after its first rows: {}; scan the table again",
                           self->text(),
                           error->message());
    }
    if (!response->has_more_results.value_or(false)) self->cursor_.reset();
    co_return std::move(response->records).value_or(BytesChain());
  }

  std::shared_ptr<Session> session_;
  std::vector<std::shared_ptr<const TableMetadata>> places_;
  std::vector<std::pair<size_t, BucketId>> buckets_;  // with the position of their place
  std::shared_ptr<RowReader> reader_;
  TableScanOptions options_;
  int64_t left_;
  size_t buckets_begun_ = 0;
  std::optional<Cursor> cursor_;
  bool has_sessions_ = true;
  std::map<TableBucket, Offset> log_offsets_;
};

}  // namespace internal

using internal::TableScanState;

Task<Result<std::unique_ptr<TableScanner>>> TableScanner::open(
    std::shared_ptr<Connection> connection, TablePath path, TableScanOptions options) {
  if (options.batch_bytes <= 0 || options.limit.value_or(0) < 0) {
    co_return make_error(ErrorCode::kInvalidConfigException,
                         "scan options: batch_bytes has to be above 0 and limit 0 or above");
  }
  std::shared_ptr<Session> session = connection->session();
  CO_ASSIGN_OR_RETURN(auto table, co_await session->refresh_table(path));
  // It says why a table can not be scanned.
  Result<std::shared_ptr<const KeyPlan>> keys = KeyPlan::make(*table);
  if (!keys) co_return fail(std::move(keys).error());
  CO_ASSIGN_OR_RETURN(auto reader, RowReader::make(session, table->info, options.columns));
  CO_ASSIGN_OR_RETURN(auto places, co_await open_places(session, table, options.partitions));
  auto state = std::make_shared<TableScanState>(
      std::move(session), std::move(places), std::move(reader), std::move(options));
  co_return std::make_unique<TableScanner>(std::move(state));
}

TableScanner::TableScanner(std::shared_ptr<TableScanState> state) : state_(std::move(state)) {}

TableScanner::~TableScanner() = default;

const TableInfo& TableScanner::table() const { return state_->reader().table(); }

const Schema& TableScanner::schema() const { return state_->reader().schema(); }

Task<Result<std::optional<ScanBatch>>> TableScanner::next() { return TableScanState::next(state_); }

std::optional<Offset> TableScanner::log_offset(BucketId bucket) const {
  return state_->log_offset({table().id, std::nullopt, bucket});
}

std::optional<Offset> TableScanner::log_offset(const TableBucket& bucket) const {
  return state_->log_offset(bucket);
}

namespace {

Task<Status> close_state(std::shared_ptr<TableScanState> state) {
  co_await TableScanState::close(std::move(state));
  co_return ok();
}

}  // namespace

Task<Status> TableScanner::close() { return close_state(state_); }

}  // namespace lakestream::client
