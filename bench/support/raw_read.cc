#include "support/raw_read.h"

#include <utility>

#include "support/support.h"

namespace lakestream::bench {

Task<Result<RawRead>> read_raw(std::shared_ptr<client::Connection> connection,
                               TablePath table,
                               client::ScannerOptions options) {
  options.check_crc = false;
  CO_ASSIGN_OR_RETURN(auto scanner, co_await client::LogScanner::open(connection, table, options));
  CO_RETURN_IF_ERROR(co_await scanner->subscribe_all(client::OffsetSpec::earliest()));
  CO_RETURN_IF_ERROR(co_await scanner->stop_at_latest());
  double begin = seconds_now();
  while (!scanner->is_finished()) {
    auto batches = co_await scanner->poll_raw(std::chrono::seconds(1));
    if (!batches) co_return fail(std::move(batches).error());
  }
  RawRead read{seconds_now() - begin, scanner->counters()};
  CO_RETURN_IF_ERROR(co_await scanner->close());
  co_return read;
}

}  // namespace lakestream::bench
