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
// s3.endpoint
inline constexpr Option<std::string> kS3Endpoint{8};
// s3.region
inline constexpr Option<std::string> kS3Region{9};
// s3.access-key
inline constexpr Option<std::string> kS3AccessKey{10};
// s3.secret-key
inline constexpr Option<std::string> kS3SecretKey{11};
// s3.path-style-access
inline constexpr Option<bool> kS3PathStyleAccess{12};
// lakestream.s3.ca-file
inline constexpr Option<std::string> kLakestreamS3CaFile{13};
// lakestream.s3.client-access-key
inline constexpr Option<std::string> kLakestreamS3ClientAccessKey{14};
// lakestream.s3.client-secret-key
inline constexpr Option<std::string> kLakestreamS3ClientSecretKey{15};
// tablet-server.id
inline constexpr Option<int32_t> kTabletServerId{16};
// tablet-server.rack
inline constexpr Option<std::string> kTabletServerRack{17};
// default.bucket.number
inline constexpr Option<int32_t> kDefaultBucketNumber{18};
// default.replication.factor
inline constexpr Option<int32_t> kDefaultReplicationFactor{19};
// max.bucket.num
inline constexpr Option<int32_t> kMaxBucketNum{20};
// max.partition.num
inline constexpr Option<int32_t> kMaxPartitionNum{21};
// auto-partition.check.interval
inline constexpr Option<std::chrono::milliseconds> kAutoPartitionCheckInterval{22};
// allow.create.log.tables
inline constexpr Option<bool> kAllowCreateLogTables{23};
// allow.create.kv.tables
inline constexpr Option<bool> kAllowCreateKvTables{24};
// log.segment.file-size
inline constexpr Option<int64_t> kLogSegmentFileSize{25};
// log.index.interval-size
inline constexpr Option<int64_t> kLogIndexIntervalSize{26};
// log.flush.offset.checkpoint-interval
inline constexpr Option<std::chrono::milliseconds> kLogFlushOffsetCheckpointInterval{27};
// log.retention.check-interval
inline constexpr Option<std::chrono::milliseconds> kLogRetentionCheckInterval{28};
// log.retention.roll-active-segment.enabled
inline constexpr Option<bool> kLogRetentionRollActiveSegmentEnabled{29};
// log.replica.min-in-sync-replicas-number
inline constexpr Option<int32_t> kLogReplicaMinInSyncReplicasNumber{30};
// log.replica.high-watermark.checkpoint-interval
inline constexpr Option<std::chrono::milliseconds> kLogReplicaHighWatermarkCheckpointInterval{31};
// server.data-disk.write-limit-ratio
inline constexpr Option<double> kServerDataDiskWriteLimitRatio{32};
// server.data-disk.write-recover-ratio
inline constexpr Option<double> kServerDataDiskWriteRecoverRatio{33};
// server.data-disk.check-interval
inline constexpr Option<std::chrono::milliseconds> kServerDataDiskCheckInterval{34};
// server.writer-id.expiration-time
inline constexpr Option<std::chrono::milliseconds> kServerWriterIdExpirationTime{35};
// server.writer-id.expiration-check-interval
inline constexpr Option<std::chrono::milliseconds> kServerWriterIdExpirationCheckInterval{36};
// remote.log.task-interval-duration
inline constexpr Option<std::chrono::milliseconds> kRemoteLogTaskIntervalDuration{37};
// remote.log.task-max-upload-segments
inline constexpr Option<int32_t> kRemoteLogTaskMaxUploadSegments{38};
// remote.log.data-transfer-thread-num
inline constexpr Option<int32_t> kRemoteLogDataTransferThreadNum{39};
// lakestream.remote.serve-reads
inline constexpr Option<ServeReadsChoice> kLakestreamRemoteServeReads{40};
// datalake.enabled
inline constexpr Option<bool> kDatalakeEnabled{41};
// datalake.format
inline constexpr Option<LakeFormatChoice> kDatalakeFormat{42};
// kv.snapshot.interval
inline constexpr Option<std::chrono::milliseconds> kKvSnapshotInterval{43};
// kv.snapshot.num-retained
inline constexpr Option<int32_t> kKvSnapshotNumRetained{44};
// kv.snapshot.lease.expiration-check-interval
inline constexpr Option<std::chrono::milliseconds> kKvSnapshotLeaseExpirationCheckInterval{45};
// coordinator.producer-offsets.ttl
inline constexpr Option<std::chrono::milliseconds> kCoordinatorProducerOffsetsTtl{46};
// coordinator.producer-offsets.cleanup-interval
inline constexpr Option<std::chrono::milliseconds> kCoordinatorProducerOffsetsCleanupInterval{47};
// kv.rocksdb.shared-block-cache.size
inline constexpr Option<int64_t> kKvRocksdbSharedBlockCacheSize{48};
// kv.rocksdb.shared-write-buffer.size
inline constexpr Option<int64_t> kKvRocksdbSharedWriteBufferSize{49};
// kv.backpressure.l0-slowdown-trigger
inline constexpr Option<int32_t> kKvBackpressureL0SlowdownTrigger{50};
// kv.scanner.ttl
inline constexpr Option<std::chrono::milliseconds> kKvScannerTtl{51};
// kv.scanner.expiration-interval
inline constexpr Option<std::chrono::milliseconds> kKvScannerExpirationInterval{52};
// kv.scanner.max-per-bucket
inline constexpr Option<int32_t> kKvScannerMaxPerBucket{53};
// kv.scanner.max-per-server
inline constexpr Option<int32_t> kKvScannerMaxPerServer{54};
// kv.scanner.max-batch-size
inline constexpr Option<int64_t> kKvScannerMaxBatchSize{55};
// lakestream.durability
inline constexpr Option<DurabilityChoice> kLakestreamDurability{56};
// lakestream.shards
inline constexpr Option<int32_t> kLakestreamShards{57};
// lakestream.rpc.memory
inline constexpr Option<int64_t> kLakestreamRpcMemory{58};
// lakestream.pool.threads
inline constexpr Option<int32_t> kLakestreamPoolThreads{59};
// lakestream.log.max-batch-bytes
inline constexpr Option<int64_t> kLakestreamLogMaxBatchBytes{60};
// lakestream.log.segment-age
inline constexpr Option<std::chrono::milliseconds> kLakestreamLogSegmentAge{61};
// lakestream.log.tail-cache
inline constexpr Option<int64_t> kLakestreamLogTailCache{62};
// lakestream.kv.row-cache
inline constexpr Option<int64_t> kLakestreamKvRowCache{63};
// lakestream.fetch.max-bytes
inline constexpr Option<int64_t> kLakestreamFetchMaxBytes{64};
// lakestream.paimon.layout
inline constexpr Option<PaimonLayoutChoice> kLakestreamPaimonLayout{65};
// lakestream.tiering.enabled
inline constexpr Option<bool> kLakestreamTieringEnabled{66};
// lakestream.tiering.tables-at-once
inline constexpr Option<int32_t> kLakestreamTieringTablesAtOnce{67};
// lakestream.tiering.memory
inline constexpr Option<int64_t> kLakestreamTieringMemory{68};
// lakestream.tiering.heartbeat-interval
inline constexpr Option<std::chrono::milliseconds> kLakestreamTieringHeartbeatInterval{69};
// lakestream.log-level
inline constexpr Option<LogLevelChoice> kLakestreamLogLevel{70};

}  // namespace server_options
}  // namespace lakestream
