#include "client/lookuper.h"

#include "client/lookup_state.h"

namespace lakestream::client {

using internal::LookupKind;
using internal::LookupState;

Task<Result<std::unique_ptr<Lookuper>>> Lookuper::open(std::shared_ptr<Connection> connection,
                                                       TablePath path,
                                                       LookupOptions options) {
  auto state =
      co_await LookupState::open(connection->session(), path, LookupKind::kKey, std::move(options));
  if (!state) co_return fail(std::move(state).error());
  co_return std::make_unique<Lookuper>(*std::move(state));
}

Lookuper::Lookuper(std::shared_ptr<LookupState> state) : state_(std::move(state)) {}

Lookuper::~Lookuper() { state_->stop(); }

const TableInfo& Lookuper::table() const { return state_->reader().table(); }

const Schema& Lookuper::schema() const { return state_->reader().schema(); }

const Schema& Lookuper::key_schema() const { return state_->key_schema(); }

Task<Result<LookedUp>> Lookuper::lookup(std::shared_ptr<arrow::RecordBatch> keys) {
  return LookupState::lookup(state_, std::move(keys));
}

Task<Result<std::optional<StoredRow>>> Lookuper::lookup_row(std::vector<Value> key) {
  return LookupState::lookup_row(state_, std::move(key));
}

LookupCounters Lookuper::counters() const { return state_->counters(); }

Task<Result<std::unique_ptr<PrefixLookuper>>> PrefixLookuper::open(
    std::shared_ptr<Connection> connection, TablePath path, LookupOptions options) {
  auto state = co_await LookupState::open(
      connection->session(), path, LookupKind::kPrefix, std::move(options));
  if (!state) co_return fail(std::move(state).error());
  co_return std::make_unique<PrefixLookuper>(*std::move(state));
}

PrefixLookuper::PrefixLookuper(std::shared_ptr<LookupState> state) : state_(std::move(state)) {}

PrefixLookuper::~PrefixLookuper() { state_->stop(); }

const TableInfo& PrefixLookuper::table() const { return state_->reader().table(); }

const Schema& PrefixLookuper::schema() const { return state_->reader().schema(); }

const Schema& PrefixLookuper::prefix_schema() const { return state_->key_schema(); }

Task<Result<LookedUp>> PrefixLookuper::lookup(std::shared_ptr<arrow::RecordBatch> prefixes) {
  return LookupState::lookup(state_, std::move(prefixes));
}

LookupCounters PrefixLookuper::counters() const { return state_->counters(); }

}  // namespace lakestream::client
