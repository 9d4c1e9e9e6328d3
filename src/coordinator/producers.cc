#include <limits>
#include <memory>
#include <utility>

#include "base/logging.h"
#include "coordinator/coordinator.h"
#include "coordinator/documents.h"
#include "coordinator/lifetimes.h"
#include "io/object_store.h"
#include "table/remote_documents.h"
#include "table/remote_paths.h"

namespace lakestream::coordinator {

// A producer is a node with an expiration time and, for each table, a document in remote storage
// that lists offsets. Nothing of it is in memory.

namespace {

std::vector<std::string> paths_of(const ProducerRecord& record) {
  std::vector<std::string> paths;
  for (const auto& [table, path] : record.files) paths.push_back(path);
  return paths;
}

Result<std::optional<ProducerRecord>> record_of_producer(MetaStore& store, const std::string& id) {
  std::string path = paths::producer(id);
  ASSIGN_OR_RETURN(std::optional<MetaNode> node, store.get(path));
  if (!node) return std::optional<ProducerRecord>();
  Result<ProducerRecord> record = decode_producer(node->value);
  if (!record) return fail(std::move(record).error().with_context("metadata node " + path));
  return std::optional(std::move(*record));
}

Result<std::map<TableBucket, Offset>> read_offsets(ObjectStore& objects,
                                                   const ProducerRecord& record) {
  std::map<TableBucket, Offset> offsets;
  for (const auto& [table, path] : record.files) {
    ASSIGN_OR_RETURN(std::optional<Bytes> text, objects.get(path));
    if (!text) {
      return make_error(ErrorCode::kUnknownServerError,
                        "document {} of a producer's offsets is missing; forget the producer",
                        path);
    }
    Result<TableBucketOffsets> document = table_bucket_offsets_from_json(text->view());
    if (!document) return fail(std::move(document).error().with_context(path));
    offsets.merge(to_offsets(*document));
  }
  return offsets;
}

}  // namespace

Task<Result<bool>> Coordinator::register_producer(std::string producer,
                                                  std::map<TableBucket, Offset> offsets,
                                                  std::optional<Duration> ttl) {
  CO_RETURN_IF_ERROR(check_producer_id(producer));
  auto tables = std::make_shared<ProducerTables>();
  for (const auto& [bucket, offset] : offsets) (*tables)[bucket.table][bucket] = offset;
  {
    CO_ASSIGN_OR_RETURN(Event event, co_await begin_event());
    CO_ASSIGN_OR_RETURN(ProducerPlan plan, co_await plan_producer(producer, tables));
    if (plan.exists) co_return false;
  }
  // Outside of the event: remote storage may be slow, and a document is nothing without the node.
  ProducerRecord next;
  next.expiration_time = later(env_.clock.now(), ttl.value_or(options_.producer_ttl));
  std::vector<Document> documents;
  for (const auto& [table, ends] : *tables) {
    uint64_t high = random_.next();
    std::string uuid = uuid_text(high, random_.next());
    std::string path = remote_producer_offsets(options_.remote_data_dir, producer, table, uuid);
    documents.push_back({path, Bytes::copy_of(to_json(to_document(table, ends)))});
    next.files[table] = std::move(path);
  }
  std::vector<std::string> unused = paths_of(next);
  ObjectStore* objects = &objects_;
  auto put = [objects, documents = std::move(documents)] {
    return put_documents(*objects, documents);
  };
  Status written = co_await run_on_pool(env_.pool, control_, std::move(put));
  Result<bool> is_new = false;
  if (written) {
    is_new = co_await write_producer(std::move(producer), tables, std::move(next), &unused);
  } else {
    is_new = fail(std::move(written).error());
  }
  co_await remove_unused(std::move(unused));
  co_return is_new;
}

Task<Result<std::optional<ProducerOffsets>>> Coordinator::producer_offsets(std::string producer) {
  CO_RETURN_IF_ERROR(check_producer_id(producer));
  std::optional<ProducerRecord> last;
  Status failed;
  for (;;) {
    std::optional<ProducerRecord> record;
    {
      CO_ASSIGN_OR_RETURN(Event event, co_await begin_event());
      CO_ASSIGN_OR_RETURN(record, co_await read_producer(producer));
    }
    if (!record) co_return std::optional<ProducerOffsets>();
    if (record == last) co_return fail(std::move(failed).error());
    ObjectStore* objects = &objects_;
    auto read = [objects, record = *record] { return read_offsets(*objects, record); };
    Result<std::map<TableBucket, Offset>> offsets =
        co_await run_on_pool(env_.pool, control_, std::move(read));
    if (offsets) {
      co_return std::optional(ProducerOffsets{record->expiration_time, std::move(*offsets)});
    }
    // It may have been forgotten meanwhile, and its documents gone with it.
    failed = fail(std::move(offsets).error());
    last = std::move(record);
  }
}

Task<Status> Coordinator::forget_producer(std::string producer) {
  CO_RETURN_IF_ERROR(check_producer_id(producer));
  TimestampMs any(std::numeric_limits<int64_t>::max());
  CO_RETURN_IF_ERROR(co_await delete_producer(std::move(producer), any));
  co_return ok();
}

Task<Result<std::optional<ProducerRecord>>> Coordinator::read_producer(std::string producer) {
  MetaStore* store = &store_;
  auto read = [store, producer = std::move(producer)] {
    return record_of_producer(*store, producer);
  };
  co_return co_await run_on_pool(env_.pool, control_, std::move(read));
}

// Requires: in an event.
Task<Result<Coordinator::ProducerPlan>> Coordinator::plan_producer(
    std::string producer, std::shared_ptr<const ProducerTables> tables) {
  for (const auto& [table, ends] : *tables) CO_RETURN_IF_ERROR(check_offsets(table, ends));
  ProducerPlan plan;
  CO_ASSIGN_OR_RETURN(plan.expired, co_await read_producer(std::move(producer)));
  plan.exists = plan.expired && plan.expired->expiration_time > env_.clock.now();
  co_return plan;
}

// False when another registration came first. `unused` has the documents of `next`, and gets those
// that no node names any more. Requires: no event.
Task<Result<bool>> Coordinator::write_producer(std::string producer,
                                               std::shared_ptr<const ProducerTables> tables,
                                               ProducerRecord next,
                                               std::vector<std::string>* unused) {
  CO_ASSIGN_OR_RETURN(Event event, co_await begin_event());
  CO_ASSIGN_OR_RETURN(ProducerPlan plan, co_await plan_producer(producer, tables));
  if (plan.exists) co_return false;
  std::string path = paths::producer(producer);
  std::vector<MetaOp> ops;
  ops.push_back(plan.expired ? MetaOp::put(std::move(path), encode(next), kAnyVersion)
                             : MetaOp::create(std::move(path), encode(next)));
  Status written = co_await writer_.commit(std::move(ops));
  if (!written) {
    // The node may name them.
    if (writer_.is_uncertain()) unused->clear();
    co_return fail(std::move(written).error());
  }
  *unused = plan.expired ? paths_of(*plan.expired) : std::vector<std::string>();
  co_return true;
}

// False, and nothing is changed, when there is none that expires at `latest` or before. Requires:
// no event.
Task<Result<bool>> Coordinator::delete_producer(std::string producer, TimestampMs latest) {
  std::vector<std::string> unused;
  {
    CO_ASSIGN_OR_RETURN(Event event, co_await begin_event());
    CO_ASSIGN_OR_RETURN(std::optional<ProducerRecord> record, co_await read_producer(producer));
    if (!record || record->expiration_time > latest) co_return false;
    std::vector<MetaOp> ops;
    ops.push_back(MetaOp::remove(paths::producer(producer), kAnyVersion));
    CO_RETURN_IF_ERROR(co_await writer_.commit(std::move(ops)));
    unused = paths_of(*record);
  }
  co_await remove_unused(std::move(unused));
  co_return true;
}

void Coordinator::check_producers_later() {
  if (gate_.is_closed()) return;
  producer_check_ = env_.clock.start_timer(control_, options_.producer_check_interval, [this] {
    std::optional<Gate::Pass> pass = gate_.enter();
    if (pass) control_.spawn(check_producers(std::move(*pass)));
  });
}

Task<void> Coordinator::check_producers(Gate::Pass pass) {
  Gate::Pass inside = std::move(pass);
  Status done = co_await delete_expired_producers();
  if (!done) {
    LOG_WARN("coordinator",
             "offsets of producers are not checked",
             KV("error", done.error().to_string()));
  }
  check_producers_later();
}

Task<Status> Coordinator::delete_expired_producers() {
  MetaStore* store = &store_;
  auto list = [store] { return store->children(paths::kProducers); };
  Result<std::vector<std::string>> producers =
      co_await run_on_pool(env_.pool, control_, std::move(list));
  if (!producers) co_return fail(std::move(producers).error());
  for (const std::string& producer : *producers) {
    CO_ASSIGN_OR_RETURN(bool has_expired, co_await delete_producer(producer, env_.clock.now()));
    if (!has_expired) continue;
    LOG_INFO("coordinator", "offsets of a producer have expired", KV("producer", producer));
  }
  co_return ok();
}

}  // namespace lakestream::coordinator
