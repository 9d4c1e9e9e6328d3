#pragma once

#include <memory>

#include "meta/meta.h"

// The embedded metadata store: one SQLite file, written ahead to a log and synced at each commit.
// The process that opened it keeps a lock on it, so that a second one fails at once instead of
// waiting.
//
// Thread rule: any thread; calls take turns on the one connection.
//
//   ASSIGN_OR_RETURN(auto store, open_embedded_store({env.disk, data_directory + "/meta"}));
namespace lakestream {

inline constexpr std::string_view kEmbeddedStoreFile = "metadata.db";

Result<std::unique_ptr<MetaStore>> open_embedded_store(const MetaStoreOptions& options);

}  // namespace lakestream
