#include "tablet/api/selective_read.h"

#include <algorithm>

#include "format/batch.h"
#include "format/project.h"

namespace lakestream {
namespace {

// How much of the log is looked at in one step where batches are not read in parts.
constexpr size_t kChunkBytes = 1 << 20;
// With a predicate most batches are left after a look at header and statistics.
constexpr VisitRules kFilterRules{.batch_bytes_min = 16 << 10, .front_bytes = 512};

// What one read gathers. Whatever takes a batch says false when it ends the read in front of it.
class Selector {
 public:
  Selector(TableContext& table, const ReadChoice& choice, const ReadRequest& request)
      : table_(table), choice_(choice), request_(request), filter_(choice.predicate) {
    read_.records_end = request.from;
    read_.end_offset = request.from;
    has_room_ = request.bytes_max > 0 || request.at_least_one;
  }

  bool is_over() const {
    return !has_room_ || read_.has_more || read_.end_offset >= request_.limit ||
           read_.records.size() >= request_.bytes_max;
  }
  // Where to go on.
  Offset position() const { return read_.end_offset; }
  bool is_filtered() const { return choice_.predicate.kind() != Predicate::Kind::kAnything; }

  Result<bool> take(StoredBatch& batch) {
    ASSIGN_OR_RETURN(bool taken, take_stored(batch));
    counters().bytes_read += batch.bytes_read();
    return taken;
  }

  Status take(const LogRead& read) {
    counters().bytes_read += read.records.size();
    for (const Bytes& part : read.records.parts()) {
      BatchReader reader(part);
      for (;;) {
        ASSIGN_OR_RETURN(std::optional<BatchView> batch, reader.next());
        if (!batch) break;
        if (batch->next_offset() <= read_.end_offset) continue;
        ASSIGN_OR_RETURN(bool taken, take_view(*batch));
        if (!taken) return ok();
      }
    }
    read_.end_offset = std::max(read_.end_offset, read.end_offset);
    return ok();
  }

  SelectedRead finish() { return std::move(read_); }

 private:
  ReadCounters& counters() { return table_.reads(); }

  bool fits(size_t size) {
    bool first = read_.records.empty() && request_.at_least_one;
    has_room_ = first || read_.records.size() + size <= request_.bytes_max;
    return has_room_;
  }

  // Whether the batch is one of too many.
  bool ends_here() {
    read_.has_more = is_filtered() && batches_seen_ == choice_.batches_max;
    ++batches_seen_;
    return read_.has_more;
  }

  bool may_match(const BatchHeaderView& header, std::span<const uint8_t> statistics) {
    const SchemaEntry* schema = table_.table().find_schema(header.schema_id());
    return schema == nullptr ||
           filter_.may_match(schema->schema, header.schema_id(), header.record_count(), statistics);
  }

  void skip(const BatchHeaderView& header, size_t size) {
    counters().rows_skipped += static_cast<uint64_t>(std::max(header.record_count(), 0));
    counters().bytes_skipped += size;
    read_.end_offset = header.next_offset();
  }

  void add(const BatchHeaderView& header, BytesChain batch) {
    counters().rows_sent += static_cast<uint64_t>(std::max(header.record_count(), 0));
    counters().bytes_sent += batch.size();
    read_.records.append(std::move(batch));
    read_.records_end = header.next_offset();
    read_.end_offset = header.next_offset();
  }

  Result<bool> take_view(const BatchView& batch) {
    if (ends_here()) return false;
    if (is_filtered() && !may_match(batch, batch.statistics())) {
      skip(batch, batch.size());
      return true;
    }
    BytesChain chosen(batch.bytes());
    if (choice_.columns != nullptr) {
      ASSIGN_OR_RETURN(const Projection* projection,
                       table_.projection(batch.schema_id(), *choice_.columns));
      ASSIGN_OR_RETURN(chosen, projection->apply(batch));
    }
    if (!fits(chosen.size())) return false;
    add(batch, std::move(chosen));
    return true;
  }

  Result<bool> take_stored(StoredBatch& batch) {
    if (ends_here()) return false;
    ASSIGN_OR_RETURN(BatchHeaderView header, BatchHeaderView::parse(batch.front()));
    if (is_filtered()) {
      auto statistics = static_cast<size_t>(std::max(header.statistics_size(), 0));
      size_t front = header.header_size() + statistics;
      if (front > batch.size()) statistics = front = 0;  // for the reader to report
      ASSIGN_OR_RETURN(bool extended, batch.extend_front(front));
      if (!extended) return false;
      ASSIGN_OR_RETURN(header, BatchHeaderView::parse(batch.front()));
      size_t begin = std::min(header.header_size(), batch.front().size());
      if (!may_match(header, batch.front().subspan(begin, statistics))) {
        skip(header, batch.size());
        return true;
      }
    }
    if (choice_.columns != nullptr) return take_projected(batch, header);
    if (!fits(batch.size())) return false;
    const BatchRange whole[] = {{0, batch.size()}};
    std::vector<Bytes> parts;
    ASSIGN_OR_RETURN(bool read, batch.read(whole, &parts));
    if (read) add(header, BytesChain(std::move(parts.front())));
    return read;
  }

  Result<bool> take_projected(StoredBatch& batch, BatchHeaderView header) {
    ASSIGN_OR_RETURN(const Projection* projection,
                     table_.projection(header.schema_id(), *choice_.columns));
    ASSIGN_OR_RETURN(ProjectedBatch begun, projection->begin(batch.front(), batch.size()));
    // The first look may be too short to tell how much is needed.
    while (begun.front_needed > batch.front().size()) {
      ASSIGN_OR_RETURN(bool extended, batch.extend_front(begun.front_needed));
      if (!extended) return false;
      ASSIGN_OR_RETURN(begun, projection->begin(batch.front(), batch.size()));
    }
    if (!fits(begun.size)) return false;
    std::vector<Bytes> parts;
    ASSIGN_OR_RETURN(bool read, batch.read(begun.ranges, &parts));
    if (!read) return false;
    ASSIGN_OR_RETURN(header, BatchHeaderView::parse(batch.front()));
    add(header, Projection::finish(std::move(begun), std::move(parts)));
    return true;
  }

  TableContext& table_;
  const ReadChoice& choice_;
  const ReadRequest& request_;
  BatchFilter filter_;
  SelectedRead read_;
  bool has_room_ = true;
  size_t batches_seen_ = 0;
};

}  // namespace

Task<Result<LogRead>> read_log(std::shared_ptr<Replica> replica, ReadRequest request) {
  std::optional<Result<LogRead>> cached = replica->log().try_read(request);
  if (cached && *cached) co_return std::move(*cached);
  co_return co_await replica->read(request);
}

Task<Result<SelectedRead>> read_selected(std::shared_ptr<Replica> replica,
                                         std::shared_ptr<TableContext> table,
                                         ReadChoice choice,
                                         ReadRequest request) {
  // Checked first, so that a wrong projection is refused on an empty log, too.
  if (choice.columns != nullptr) {
    auto checked = table->projection(table->table().latest_schema().id, *choice.columns);
    if (!checked) co_return fail(std::move(checked).error());
  }
  Selector selector(*table, choice, request);
  VisitRules rules = selector.is_filtered() ? kFilterRules : VisitRules{};
  std::optional<Offset> prepared;
  while (!selector.is_over()) {
    bool is_local = selector.position() >= replica->log().start_offset();
    if (is_local) {
      auto take = [&selector](StoredBatch& batch) { return selector.take(batch); };
      Result<Offset> visited =
          replica->log().try_visit(selector.position(), request.limit, rules, std::move(take));
      if (!visited) co_return fail(std::move(visited).error());
      if (selector.is_over()) break;
    }
    ReadRequest chunk = request;
    chunk.from = selector.position();
    chunk.bytes_max = kChunkBytes;
    chunk.at_least_one = true;
    std::optional<Result<LogRead>> read;
    if (is_local) read = replica->log().try_read(chunk);
    if (is_local && !read && selector.is_filtered()) {
      // The disk has to be waited for: for the fronts of batches, then for one that may match.
      if (prepared != chunk.from) {
        prepared = chunk.from;
        CO_ASSIGN_OR_RETURN(bool can_go_on,
                            co_await replica->log().prepare_visit(chunk.from, rules));
        if (can_go_on) continue;
      } else {
        chunk.bytes_max = 1;
      }
    }
    if (!read) read = co_await replica->read(chunk);
    if (!*read) co_return fail(std::move(*read).error());
    if ((*read)->end_offset <= chunk.from) break;
    CO_RETURN_IF_ERROR(selector.take(**read));
  }
  co_return selector.finish();
}

}  // namespace lakestream
