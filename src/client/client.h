#pragma once

// The native client of a cluster, all at once: connections and what is known about tables in
// connection.h, databases and tables in admin.h; of log tables writing rows in appender.h; of
// primary-key tables writing them in upserter.h, finding them by key in lookuper.h, reading all in
// table_scanner.h; reading the log of either in scanner.h; the lake behind them in lake_admin.h.
// Everything is asynchronous; a plain thread waits with run_blocking (io/real_env.h).
//
// Thread rule: each part is shard-local, all parts of one Connection on its shard. A plain thread
// that holds them closes each before it destroys it, and calls what is no Task from a task of the
// shard.
//
//   auto connection = run_blocking(shard, Connection::open(env, shard, {{"localhost", 9123}}, {}));
//   if (!connection) return report(connection.error());
//   Admin admin(*connection);
//   auto databases = run_blocking(shard, admin.list_databases());
//   run_blocking(shard, (*connection)->close());
#include "client/admin.h"
#include "client/appender.h"
#include "client/connection.h"
#include "client/lake_admin.h"
#include "client/lookuper.h"
#include "client/scanner.h"
#include "client/table_scanner.h"
#include "client/types.h"
#include "client/upserter.h"
