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
// remote.data.dirs
inline constexpr Option<std::vector<std::string>> kRemoteDataDirs{10};
// remote.data.dirs.strategy
inline constexpr Option<RemoteDirsChoice> kRemoteDataDirsStrategy{11};
// remote.data.dirs.weights
inline constexpr Option<std::vector<std::string>> kRemoteDataDirsWeights{12};
// s3.endpoint
inline constexpr Option<std::string> kS3Endpoint{13};
// s3.region
inline constexpr Option<std::string> kS3Region{14};
// s3.access-key
inline constexpr Option<std::string> kS3AccessKey{15};
// s3.secret-key
inline constexpr Option<std::string> kS3SecretKey{16};
// s3.path-style-access
inline constexpr Option<bool> kS3PathStyleAccess{17};
// s3.assumed.role.arn
inline constexpr Option<std::string> kS3AssumedRoleArn{18};
// s3.assumed.role.sts.endpoint
inline constexpr Option<std::string> kS3AssumedRoleStsEndpoint{19};
// lakestream.s3.ca-file
inline constexpr Option<std::string> kLakestreamS3CaFile{20};
// lakestream.s3.client-access-key
inline constexpr Option<std::string> kLakestreamS3ClientAccessKey{21};
// lakestream.s3.client-secret-key
inline constexpr Option<std::string> kLakestreamS3ClientSecretKey{22};
// tablet-server.id
inline constexpr Option<int32_t> kTabletServerId{23};
// tablet-server.rack
inline constexpr Option<std::string> kTabletServerRack{24};
// default.bucket.number
inline constexpr Option<int32_t> kDefaultBucketNumber{25};
// default.replication.factor
inline constexpr Option<int32_t> kDefaultReplicationFactor{26};
// max.bucket.num
inline constexpr Option<int32_t> kMaxBucketNum{27};
// max.partition.num
inline constexpr Option<int32_t> kMaxPartitionNum{28};
// auto-partition.check.interval
inline constexpr Option<std::chrono::milliseconds> kAutoPartitionCheckInterval{29};
// allow.create.log.tables
inline constexpr Option<bool> kAllowCreateLogTables{30};
// allow.create.kv.tables
inline constexpr Option<bool> kAllowCreateKvTables{31};
// log.segment.file-size
inline constexpr Option<int64_t> kLogSegmentFileSize{32};
// log.index.interval-size
inline constexpr Option<int64_t> kLogIndexIntervalSize{33};
// log.flush.offset.checkpoint-interval
inline constexpr Option<std::chrono::milliseconds> kLogFlushOffsetCheckpointInterval{34};
// log.retention.check-interval
inline constexpr Option<std::chrono::milliseconds> kLogRetentionCheckInterval{35};
// log.retention.roll-active-segment.enabled
inline constexpr Option<bool> kLogRetentionRollActiveSegmentEnabled{36};
// log.replica.min-in-sync-replicas-number
inline constexpr Option<int32_t> kLogReplicaMinInSyncReplicasNumber{37};
// log.replica.high-watermark.checkpoint-interval
inline constexpr Option<std::chrono::milliseconds> kLogReplicaHighWatermarkCheckpointInterval{38};
// server.data-disk.write-limit-ratio
inline constexpr Option<double> kServerDataDiskWriteLimitRatio{39};
// server.data-disk.write-recover-ratio
inline constexpr Option<double> kServerDataDiskWriteRecoverRatio{40};
// server.data-disk.check-interval
inline constexpr Option<std::chrono::milliseconds> kServerDataDiskCheckInterval{41};
// server.writer-id.expiration-time
inline constexpr Option<std::chrono::milliseconds> kServerWriterIdExpirationTime{42};
// server.writer-id.expiration-check-interval
inline constexpr Option<std::chrono::milliseconds> kServerWriterIdExpirationCheckInterval{43};
// remote.log.task-interval-duration
inline constexpr Option<std::chrono::milliseconds> kRemoteLogTaskIntervalDuration{44};
// remote.log.task-max-upload-segments
inline constexpr Option<int32_t> kRemoteLogTaskMaxUploadSegments{45};
// remote.log.data-transfer-thread-num
inline constexpr Option<int32_t> kRemoteLogDataTransferThreadNum{46};
// lakestream.remote.serve-reads
inline constexpr Option<ServeReadsChoice> kLakestreamRemoteServeReads{47};
// datalake.enabled
inline constexpr Option<bool> kDatalakeEnabled{48};
// datalake.format
inline constexpr Option<LakeFormatChoice> kDatalakeFormat{49};
// lake.tiering.auto-expire-snapshot
inline constexpr Option<bool> kLakeTieringAutoExpireSnapshot{50};
// kv.snapshot.interval
inline constexpr Option<std::chrono::milliseconds> kKvSnapshotInterval{51};
// kv.snapshot.num-retained
inline constexpr Option<int32_t> kKvSnapshotNumRetained{52};
// kv.snapshot.lease.expiration-check-interval
inline constexpr Option<std::chrono::milliseconds> kKvSnapshotLeaseExpirationCheckInterval{53};
// coordinator.producer-offsets.ttl
inline constexpr Option<std::chrono::milliseconds> kCoordinatorProducerOffsetsTtl{54};
// coordinator.producer-offsets.cleanup-interval
inline constexpr Option<std::chrono::milliseconds> kCoordinatorProducerOffsetsCleanupInterval{55};
// kv.rocksdb.shared-block-cache.size
inline constexpr Option<int64_t> kKvRocksdbSharedBlockCacheSize{56};
// kv.rocksdb.shared-write-buffer.size
inline constexpr Option<int64_t> kKvRocksdbSharedWriteBufferSize{57};
// kv.backpressure.l0-slowdown-trigger
inline constexpr Option<int32_t> kKvBackpressureL0SlowdownTrigger{58};
// kv.scanner.ttl
inline constexpr Option<std::chrono::milliseconds> kKvScannerTtl{59};
// kv.scanner.expiration-interval
inline constexpr Option<std::chrono::milliseconds> kKvScannerExpirationInterval{60};
// kv.scanner.max-per-bucket
inline constexpr Option<int32_t> kKvScannerMaxPerBucket{61};
// kv.scanner.max-per-server
inline constexpr Option<int32_t> kKvScannerMaxPerServer{62};
// kv.scanner.max-batch-size
inline constexpr Option<int64_t> kKvScannerMaxBatchSize{63};
// lakestream.durability
inline constexpr Option<DurabilityChoice> kLakestreamDurability{64};
// lakestream.shards
inline constexpr Option<int32_t> kLakestreamShards{65};
// lakestream.rpc.memory
inline constexpr Option<int64_t> kLakestreamRpcMemory{66};
// lakestream.pool.threads
inline constexpr Option<int32_t> kLakestreamPoolThreads{67};
// lakestream.log.max-batch-bytes
inline constexpr Option<int64_t> kLakestreamLogMaxBatchBytes{68};
// lakestream.log.segment-age
inline constexpr Option<std::chrono::milliseconds> kLakestreamLogSegmentAge{69};
// lakestream.log.tail-cache
inline constexpr Option<int64_t> kLakestreamLogTailCache{70};
// lakestream.kv.row-cache
inline constexpr Option<int64_t> kLakestreamKvRowCache{71};
// lakestream.fetch.max-bytes
inline constexpr Option<int64_t> kLakestreamFetchMaxBytes{72};
// lakestream.paimon.layout
inline constexpr Option<PaimonLayoutChoice> kLakestreamPaimonLayout{73};
// lakestream.tiering.enabled
inline constexpr Option<bool> kLakestreamTieringEnabled{74};
// lakestream.tiering.tables-at-once
inline constexpr Option<int32_t> kLakestreamTieringTablesAtOnce{75};
// lakestream.tiering.memory
inline constexpr Option<int64_t> kLakestreamTieringMemory{76};
// lakestream.tiering.heartbeat-interval
inline constexpr Option<std::chrono::milliseconds> kLakestreamTieringHeartbeatInterval{77};
// lakestream.tiering.orphan-age
inline constexpr Option<std::chrono::milliseconds> kLakestreamTieringOrphanAge{78};
// lakestream.failpoints
inline constexpr Option<std::string> kLakestreamFailpoints{79};
// lakestream.log-level
inline constexpr Option<LogLevelChoice> kLakestreamLogLevel{80};

}  // namespace server_options
}  // namespace lakestream
