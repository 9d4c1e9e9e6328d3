// Made by tools/gen_config.py from src/base/config.tsv. Edit the table, not this file.

#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/config.h"
#include "base/server_choices.h"

// The options of a server: the table with a row an option, and a typed handle for each.
//
// Thread rule: immutable.
//
//   config.get(server_options::kBindListeners)
namespace lakestream {

OptionTable server_option_table();
// Keys of Fluss servers without effect here; see config_accepted.txt.
std::span<const std::string_view> accepted_server_keys();

namespace server_options {

// bind.listeners
inline constexpr Option<std::vector<std::string>> kBindListeners{0};
// advertised.listeners
inline constexpr Option<std::vector<std::string>> kAdvertisedListeners{1};
// internal.listener.name
inline constexpr Option<std::string> kInternalListenerName{2};
// netty.server.max-request-size
inline constexpr Option<int64_t> kNettyServerMaxRequestSize{3};
// netty.server.max-queued-requests
inline constexpr Option<int32_t> kNettyServerMaxQueuedRequests{4};
// netty.connection.max-idle-time
inline constexpr Option<std::chrono::milliseconds> kNettyConnectionMaxIdleTime{5};
// data.dir
inline constexpr Option<std::string> kDataDir{6};
// remote.data.dir
inline constexpr Option<std::string> kRemoteDataDir{7};
// tablet-server.id
inline constexpr Option<int32_t> kTabletServerId{8};
// tablet-server.rack
inline constexpr Option<std::string> kTabletServerRack{9};
// default.bucket.number
inline constexpr Option<int32_t> kDefaultBucketNumber{10};
// default.replication.factor
inline constexpr Option<int32_t> kDefaultReplicationFactor{11};
// max.bucket.num
inline constexpr Option<int32_t> kMaxBucketNum{12};
// max.partition.num
inline constexpr Option<int32_t> kMaxPartitionNum{13};
// allow.create.log.tables
inline constexpr Option<bool> kAllowCreateLogTables{14};
// allow.create.kv.tables
inline constexpr Option<bool> kAllowCreateKvTables{15};
// log.segment.file-size
inline constexpr Option<int64_t> kLogSegmentFileSize{16};
// log.index.interval-size
inline constexpr Option<int64_t> kLogIndexIntervalSize{17};
// log.flush.offset.checkpoint-interval
inline constexpr Option<std::chrono::milliseconds> kLogFlushOffsetCheckpointInterval{18};
// log.retention.check-interval
inline constexpr Option<std::chrono::milliseconds> kLogRetentionCheckInterval{19};
// log.retention.roll-active-segment.enabled
inline constexpr Option<bool> kLogRetentionRollActiveSegmentEnabled{20};
// log.replica.min-in-sync-replicas-number
inline constexpr Option<int32_t> kLogReplicaMinInSyncReplicasNumber{21};
// log.replica.high-watermark.checkpoint-interval
inline constexpr Option<std::chrono::milliseconds> kLogReplicaHighWatermarkCheckpointInterval{22};
// server.data-disk.write-limit-ratio
inline constexpr Option<double> kServerDataDiskWriteLimitRatio{23};
// server.data-disk.write-recover-ratio
inline constexpr Option<double> kServerDataDiskWriteRecoverRatio{24};
// server.data-disk.check-interval
inline constexpr Option<std::chrono::milliseconds> kServerDataDiskCheckInterval{25};
// server.writer-id.expiration-time
inline constexpr Option<std::chrono::milliseconds> kServerWriterIdExpirationTime{26};
// server.writer-id.expiration-check-interval
inline constexpr Option<std::chrono::milliseconds> kServerWriterIdExpirationCheckInterval{27};
// kv.snapshot.interval
inline constexpr Option<std::chrono::milliseconds> kKvSnapshotInterval{28};
// kv.snapshot.num-retained
inline constexpr Option<int32_t> kKvSnapshotNumRetained{29};
// kv.snapshot.lease.expiration-check-interval
inline constexpr Option<std::chrono::milliseconds> kKvSnapshotLeaseExpirationCheckInterval{30};
// kv.rocksdb.shared-block-cache.size
inline constexpr Option<int64_t> kKvRocksdbSharedBlockCacheSize{31};
// kv.rocksdb.shared-write-buffer.size
inline constexpr Option<int64_t> kKvRocksdbSharedWriteBufferSize{32};
// kv.backpressure.l0-slowdown-trigger
inline constexpr Option<int32_t> kKvBackpressureL0SlowdownTrigger{33};
// kv.scanner.ttl
inline constexpr Option<std::chrono::milliseconds> kKvScannerTtl{34};
// kv.scanner.expiration-interval
inline constexpr Option<std::chrono::milliseconds> kKvScannerExpirationInterval{35};
// kv.scanner.max-per-bucket
inline constexpr Option<int32_t> kKvScannerMaxPerBucket{36};
// kv.scanner.max-per-server
inline constexpr Option<int32_t> kKvScannerMaxPerServer{37};
// kv.scanner.max-batch-size
inline constexpr Option<int64_t> kKvScannerMaxBatchSize{38};
// lakestream.durability
inline constexpr Option<DurabilityChoice> kLakestreamDurability{39};
// lakestream.shards
inline constexpr Option<int32_t> kLakestreamShards{40};
// lakestream.pool.threads
inline constexpr Option<int32_t> kLakestreamPoolThreads{41};
// lakestream.log.max-batch-bytes
inline constexpr Option<int64_t> kLakestreamLogMaxBatchBytes{42};
// lakestream.log.segment-age
inline constexpr Option<std::chrono::milliseconds> kLakestreamLogSegmentAge{43};
// lakestream.log.tail-cache
inline constexpr Option<int64_t> kLakestreamLogTailCache{44};
// lakestream.kv.row-cache
inline constexpr Option<int64_t> kLakestreamKvRowCache{45};
// lakestream.fetch.max-bytes
inline constexpr Option<int64_t> kLakestreamFetchMaxBytes{46};
// lakestream.log-level
inline constexpr Option<LogLevelChoice> kLakestreamLogLevel{47};

}  // namespace server_options
}  // namespace lakestream
