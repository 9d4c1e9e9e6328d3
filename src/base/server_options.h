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
// bootstrap.servers
inline constexpr Option<std::vector<std::string>> kBootstrapServers{3};
// lakestream.roles
inline constexpr Option<std::vector<std::string>> kLakestreamRoles{4};
// netty.server.max-request-size
inline constexpr Option<int64_t> kNettyServerMaxRequestSize{5};
// netty.server.max-queued-requests
inline constexpr Option<int32_t> kNettyServerMaxQueuedRequests{6};
// netty.connection.max-idle-time
inline constexpr Option<std::chrono::milliseconds> kNettyConnectionMaxIdleTime{7};
// data.dir
inline constexpr Option<std::string> kDataDir{8};
// remote.data.dir
inline constexpr Option<std::string> kRemoteDataDir{9};
// s3.endpoint
inline constexpr Option<std::string> kS3Endpoint{10};
// s3.region
inline constexpr Option<std::string> kS3Region{11};
// s3.access-key
inline constexpr Option<std::string> kS3AccessKey{12};
// s3.secret-key
inline constexpr Option<std::string> kS3SecretKey{13};
// s3.path-style-access
inline constexpr Option<bool> kS3PathStyleAccess{14};
// lakestream.s3.ca-file
inline constexpr Option<std::string> kLakestreamS3CaFile{15};
// lakestream.s3.client-access-key
inline constexpr Option<std::string> kLakestreamS3ClientAccessKey{16};
// lakestream.s3.client-secret-key
inline constexpr Option<std::string> kLakestreamS3ClientSecretKey{17};
// tablet-server.id
inline constexpr Option<int32_t> kTabletServerId{18};
// tablet-server.rack
inline constexpr Option<std::string> kTabletServerRack{19};
// default.bucket.number
inline constexpr Option<int32_t> kDefaultBucketNumber{20};
// default.replication.factor
inline constexpr Option<int32_t> kDefaultReplicationFactor{21};
// max.bucket.num
inline constexpr Option<int32_t> kMaxBucketNum{22};
// max.partition.num
inline constexpr Option<int32_t> kMaxPartitionNum{23};
// auto-partition.check.interval
inline constexpr Option<std::chrono::milliseconds> kAutoPartitionCheckInterval{24};
// allow.create.log.tables
inline constexpr Option<bool> kAllowCreateLogTables{25};
// allow.create.kv.tables
inline constexpr Option<bool> kAllowCreateKvTables{26};
// log.segment.file-size
inline constexpr Option<int64_t> kLogSegmentFileSize{27};
// log.index.interval-size
inline constexpr Option<int64_t> kLogIndexIntervalSize{28};
// log.flush.offset.checkpoint-interval
inline constexpr Option<std::chrono::milliseconds> kLogFlushOffsetCheckpointInterval{29};
// log.retention.check-interval
inline constexpr Option<std::chrono::milliseconds> kLogRetentionCheckInterval{30};
// log.retention.roll-active-segment.enabled
inline constexpr Option<bool> kLogRetentionRollActiveSegmentEnabled{31};
// log.replica.min-in-sync-replicas-number
inline constexpr Option<int32_t> kLogReplicaMinInSyncReplicasNumber{32};
// log.replica.high-watermark.checkpoint-interval
inline constexpr Option<std::chrono::milliseconds> kLogReplicaHighWatermarkCheckpointInterval{33};
// server.data-disk.write-limit-ratio
inline constexpr Option<double> kServerDataDiskWriteLimitRatio{34};
// server.data-disk.write-recover-ratio
inline constexpr Option<double> kServerDataDiskWriteRecoverRatio{35};
// server.data-disk.check-interval
inline constexpr Option<std::chrono::milliseconds> kServerDataDiskCheckInterval{36};
// server.writer-id.expiration-time
inline constexpr Option<std::chrono::milliseconds> kServerWriterIdExpirationTime{37};
// server.writer-id.expiration-check-interval
inline constexpr Option<std::chrono::milliseconds> kServerWriterIdExpirationCheckInterval{38};
// remote.log.task-interval-duration
inline constexpr Option<std::chrono::milliseconds> kRemoteLogTaskIntervalDuration{39};
// remote.log.task-max-upload-segments
inline constexpr Option<int32_t> kRemoteLogTaskMaxUploadSegments{40};
// remote.log.data-transfer-thread-num
inline constexpr Option<int32_t> kRemoteLogDataTransferThreadNum{41};
// lakestream.remote.serve-reads
inline constexpr Option<ServeReadsChoice> kLakestreamRemoteServeReads{42};
// datalake.enabled
inline constexpr Option<bool> kDatalakeEnabled{43};
// datalake.format
inline constexpr Option<LakeFormatChoice> kDatalakeFormat{44};
// lake.tiering.auto-expire-snapshot
inline constexpr Option<bool> kLakeTieringAutoExpireSnapshot{45};
// kv.snapshot.interval
inline constexpr Option<std::chrono::milliseconds> kKvSnapshotInterval{46};
// kv.snapshot.num-retained
inline constexpr Option<int32_t> kKvSnapshotNumRetained{47};
// kv.snapshot.lease.expiration-check-interval
inline constexpr Option<std::chrono::milliseconds> kKvSnapshotLeaseExpirationCheckInterval{48};
// coordinator.producer-offsets.ttl
inline constexpr Option<std::chrono::milliseconds> kCoordinatorProducerOffsetsTtl{49};
// coordinator.producer-offsets.cleanup-interval
inline constexpr Option<std::chrono::milliseconds> kCoordinatorProducerOffsetsCleanupInterval{50};
// kv.rocksdb.shared-block-cache.size
inline constexpr Option<int64_t> kKvRocksdbSharedBlockCacheSize{51};
// kv.rocksdb.shared-write-buffer.size
inline constexpr Option<int64_t> kKvRocksdbSharedWriteBufferSize{52};
// kv.backpressure.l0-slowdown-trigger
inline constexpr Option<int32_t> kKvBackpressureL0SlowdownTrigger{53};
// kv.scanner.ttl
inline constexpr Option<std::chrono::milliseconds> kKvScannerTtl{54};
// kv.scanner.expiration-interval
inline constexpr Option<std::chrono::milliseconds> kKvScannerExpirationInterval{55};
// kv.scanner.max-per-bucket
inline constexpr Option<int32_t> kKvScannerMaxPerBucket{56};
// kv.scanner.max-per-server
inline constexpr Option<int32_t> kKvScannerMaxPerServer{57};
// kv.scanner.max-batch-size
inline constexpr Option<int64_t> kKvScannerMaxBatchSize{58};
// lakestream.durability
inline constexpr Option<DurabilityChoice> kLakestreamDurability{59};
// lakestream.shards
inline constexpr Option<int32_t> kLakestreamShards{60};
// lakestream.rpc.memory
inline constexpr Option<int64_t> kLakestreamRpcMemory{61};
// lakestream.pool.threads
inline constexpr Option<int32_t> kLakestreamPoolThreads{62};
// lakestream.log.max-batch-bytes
inline constexpr Option<int64_t> kLakestreamLogMaxBatchBytes{63};
// lakestream.log.segment-age
inline constexpr Option<std::chrono::milliseconds> kLakestreamLogSegmentAge{64};
// lakestream.log.tail-cache
inline constexpr Option<int64_t> kLakestreamLogTailCache{65};
// lakestream.kv.row-cache
inline constexpr Option<int64_t> kLakestreamKvRowCache{66};
// lakestream.fetch.max-bytes
inline constexpr Option<int64_t> kLakestreamFetchMaxBytes{67};
// lakestream.paimon.layout
inline constexpr Option<PaimonLayoutChoice> kLakestreamPaimonLayout{68};
// lakestream.tiering.enabled
inline constexpr Option<bool> kLakestreamTieringEnabled{69};
// lakestream.tiering.tables-at-once
inline constexpr Option<int32_t> kLakestreamTieringTablesAtOnce{70};
// lakestream.tiering.memory
inline constexpr Option<int64_t> kLakestreamTieringMemory{71};
// lakestream.tiering.heartbeat-interval
inline constexpr Option<std::chrono::milliseconds> kLakestreamTieringHeartbeatInterval{72};
// lakestream.tiering.orphan-age
inline constexpr Option<std::chrono::milliseconds> kLakestreamTieringOrphanAge{73};
// lakestream.failpoints
inline constexpr Option<std::string> kLakestreamFailpoints{74};
// lakestream.log-level
inline constexpr Option<LogLevelChoice> kLakestreamLogLevel{75};

}  // namespace server_options
}  // namespace lakestream
