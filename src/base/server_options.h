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
// client.security.sasl.username
inline constexpr Option<std::string> kClientSecuritySaslUsername{5};
// client.security.sasl.password
inline constexpr Option<std::string> kClientSecuritySaslPassword{6};
// lakestream.client.tls.enabled
inline constexpr Option<bool> kLakestreamClientTlsEnabled{7};
// lakestream.client.tls.ca-file
inline constexpr Option<std::string> kLakestreamClientTlsCaFile{8};
// lakestream.client.tls.certificate-file
inline constexpr Option<std::string> kLakestreamClientTlsCertificateFile{9};
// lakestream.client.tls.key-file
inline constexpr Option<std::string> kLakestreamClientTlsKeyFile{10};
// security.protocol.map
inline constexpr Option<TextMap> kSecurityProtocolMap{11};
// security.sasl.enabled.mechanisms
inline constexpr Option<std::vector<std::string>> kSecuritySaslEnabledMechanisms{12};
// security.sasl.plain.jaas.config
inline constexpr Option<std::string> kSecuritySaslPlainJaasConfig{13};
// security.sasl.plain.credentials
inline constexpr Option<TextMap> kSecuritySaslPlainCredentials{14};
// authorizer.enabled
inline constexpr Option<bool> kAuthorizerEnabled{15};
// super.users
inline constexpr Option<std::string> kSuperUsers{16};
// security.acl.principal.ignore-case
inline constexpr Option<bool> kSecurityAclPrincipalIgnoreCase{17};
// netty.server.max-request-size
inline constexpr Option<int64_t> kNettyServerMaxRequestSize{18};
// netty.server.max-queued-requests
inline constexpr Option<int32_t> kNettyServerMaxQueuedRequests{19};
// netty.connection.max-idle-time
inline constexpr Option<std::chrono::milliseconds> kNettyConnectionMaxIdleTime{20};
// data.dir
inline constexpr Option<std::string> kDataDir{21};
// remote.data.dir
inline constexpr Option<std::string> kRemoteDataDir{22};
// remote.data.dirs
inline constexpr Option<std::vector<std::string>> kRemoteDataDirs{23};
// remote.data.dirs.strategy
inline constexpr Option<RemoteDirsChoice> kRemoteDataDirsStrategy{24};
// remote.data.dirs.weights
inline constexpr Option<std::vector<std::string>> kRemoteDataDirsWeights{25};
// s3.endpoint
inline constexpr Option<std::string> kS3Endpoint{26};
// s3.region
inline constexpr Option<std::string> kS3Region{27};
// s3.access-key
inline constexpr Option<std::string> kS3AccessKey{28};
// s3.secret-key
inline constexpr Option<std::string> kS3SecretKey{29};
// s3.path-style-access
inline constexpr Option<bool> kS3PathStyleAccess{30};
// s3.assumed.role.arn
inline constexpr Option<std::string> kS3AssumedRoleArn{31};
// s3.assumed.role.sts.endpoint
inline constexpr Option<std::string> kS3AssumedRoleStsEndpoint{32};
// lakestream.s3.ca-file
inline constexpr Option<std::string> kLakestreamS3CaFile{33};
// lakestream.s3.client-access-key
inline constexpr Option<std::string> kLakestreamS3ClientAccessKey{34};
// lakestream.s3.client-secret-key
inline constexpr Option<std::string> kLakestreamS3ClientSecretKey{35};
// tablet-server.id
inline constexpr Option<int32_t> kTabletServerId{36};
// tablet-server.rack
inline constexpr Option<std::string> kTabletServerRack{37};
// default.bucket.number
inline constexpr Option<int32_t> kDefaultBucketNumber{38};
// default.replication.factor
inline constexpr Option<int32_t> kDefaultReplicationFactor{39};
// max.bucket.num
inline constexpr Option<int32_t> kMaxBucketNum{40};
// max.partition.num
inline constexpr Option<int32_t> kMaxPartitionNum{41};
// auto-partition.check.interval
inline constexpr Option<std::chrono::milliseconds> kAutoPartitionCheckInterval{42};
// allow.create.log.tables
inline constexpr Option<bool> kAllowCreateLogTables{43};
// allow.create.kv.tables
inline constexpr Option<bool> kAllowCreateKvTables{44};
// log.segment.file-size
inline constexpr Option<int64_t> kLogSegmentFileSize{45};
// log.index.interval-size
inline constexpr Option<int64_t> kLogIndexIntervalSize{46};
// log.flush.offset.checkpoint-interval
inline constexpr Option<std::chrono::milliseconds> kLogFlushOffsetCheckpointInterval{47};
// log.retention.check-interval
inline constexpr Option<std::chrono::milliseconds> kLogRetentionCheckInterval{48};
// log.retention.roll-active-segment.enabled
inline constexpr Option<bool> kLogRetentionRollActiveSegmentEnabled{49};
// log.replica.min-in-sync-replicas-number
inline constexpr Option<int32_t> kLogReplicaMinInSyncReplicasNumber{50};
// log.replica.high-watermark.checkpoint-interval
inline constexpr Option<std::chrono::milliseconds> kLogReplicaHighWatermarkCheckpointInterval{51};
// server.data-disk.write-limit-ratio
inline constexpr Option<double> kServerDataDiskWriteLimitRatio{52};
// server.data-disk.write-recover-ratio
inline constexpr Option<double> kServerDataDiskWriteRecoverRatio{53};
// server.data-disk.check-interval
inline constexpr Option<std::chrono::milliseconds> kServerDataDiskCheckInterval{54};
// server.writer-id.expiration-time
inline constexpr Option<std::chrono::milliseconds> kServerWriterIdExpirationTime{55};
// server.writer-id.expiration-check-interval
inline constexpr Option<std::chrono::milliseconds> kServerWriterIdExpirationCheckInterval{56};
// remote.log.task-interval-duration
inline constexpr Option<std::chrono::milliseconds> kRemoteLogTaskIntervalDuration{57};
// remote.log.task-max-upload-segments
inline constexpr Option<int32_t> kRemoteLogTaskMaxUploadSegments{58};
// remote.log.data-transfer-thread-num
inline constexpr Option<int32_t> kRemoteLogDataTransferThreadNum{59};
// lakestream.remote.serve-reads
inline constexpr Option<ServeReadsChoice> kLakestreamRemoteServeReads{60};
// datalake.enabled
inline constexpr Option<bool> kDatalakeEnabled{61};
// datalake.format
inline constexpr Option<LakeFormatChoice> kDatalakeFormat{62};
// lake.tiering.auto-expire-snapshot
inline constexpr Option<bool> kLakeTieringAutoExpireSnapshot{63};
// kv.snapshot.interval
inline constexpr Option<std::chrono::milliseconds> kKvSnapshotInterval{64};
// kv.snapshot.num-retained
inline constexpr Option<int32_t> kKvSnapshotNumRetained{65};
// kv.snapshot.lease.expiration-check-interval
inline constexpr Option<std::chrono::milliseconds> kKvSnapshotLeaseExpirationCheckInterval{66};
// coordinator.producer-offsets.ttl
inline constexpr Option<std::chrono::milliseconds> kCoordinatorProducerOffsetsTtl{67};
// coordinator.producer-offsets.cleanup-interval
inline constexpr Option<std::chrono::milliseconds> kCoordinatorProducerOffsetsCleanupInterval{68};
// kv.rocksdb.shared-block-cache.size
inline constexpr Option<int64_t> kKvRocksdbSharedBlockCacheSize{69};
// kv.rocksdb.shared-write-buffer.size
inline constexpr Option<int64_t> kKvRocksdbSharedWriteBufferSize{70};
// kv.backpressure.l0-slowdown-trigger
inline constexpr Option<int32_t> kKvBackpressureL0SlowdownTrigger{71};
// kv.scanner.ttl
inline constexpr Option<std::chrono::milliseconds> kKvScannerTtl{72};
// kv.scanner.expiration-interval
inline constexpr Option<std::chrono::milliseconds> kKvScannerExpirationInterval{73};
// kv.scanner.max-per-bucket
inline constexpr Option<int32_t> kKvScannerMaxPerBucket{74};
// kv.scanner.max-per-server
inline constexpr Option<int32_t> kKvScannerMaxPerServer{75};
// kv.scanner.max-batch-size
inline constexpr Option<int64_t> kKvScannerMaxBatchSize{76};
// lakestream.durability
inline constexpr Option<DurabilityChoice> kLakestreamDurability{77};
// lakestream.shards
inline constexpr Option<int32_t> kLakestreamShards{78};
// lakestream.rpc.memory
inline constexpr Option<int64_t> kLakestreamRpcMemory{79};
// lakestream.rpc.max-connections
inline constexpr Option<int32_t> kLakestreamRpcMaxConnections{80};
// lakestream.rpc.max-connections-per-address
inline constexpr Option<int32_t> kLakestreamRpcMaxConnectionsPerAddress{81};
// lakestream.rpc.stall-timeout
inline constexpr Option<std::chrono::milliseconds> kLakestreamRpcStallTimeout{82};
// lakestream.login.timeout
inline constexpr Option<std::chrono::milliseconds> kLakestreamLoginTimeout{83};
// lakestream.login.max-request-size
inline constexpr Option<int64_t> kLakestreamLoginMaxRequestSize{84};
// lakestream.login.max-failures
inline constexpr Option<int32_t> kLakestreamLoginMaxFailures{85};
// lakestream.tls.listeners
inline constexpr Option<std::vector<std::string>> kLakestreamTlsListeners{86};
// lakestream.tls.certificate-file
inline constexpr Option<std::string> kLakestreamTlsCertificateFile{87};
// lakestream.tls.key-file
inline constexpr Option<std::string> kLakestreamTlsKeyFile{88};
// lakestream.tls.client-ca-file
inline constexpr Option<std::string> kLakestreamTlsClientCaFile{89};
// lakestream.tls.require-client-certificate
inline constexpr Option<bool> kLakestreamTlsRequireClientCertificate{90};
// lakestream.tls.reload-interval
inline constexpr Option<std::chrono::milliseconds> kLakestreamTlsReloadInterval{91};
// lakestream.pool.threads
inline constexpr Option<int32_t> kLakestreamPoolThreads{92};
// lakestream.log.max-batch-bytes
inline constexpr Option<int64_t> kLakestreamLogMaxBatchBytes{93};
// lakestream.log.segment-age
inline constexpr Option<std::chrono::milliseconds> kLakestreamLogSegmentAge{94};
// lakestream.log.tail-cache
inline constexpr Option<int64_t> kLakestreamLogTailCache{95};
// lakestream.kv.row-cache
inline constexpr Option<int64_t> kLakestreamKvRowCache{96};
// lakestream.fetch.max-bytes
inline constexpr Option<int64_t> kLakestreamFetchMaxBytes{97};
// lakestream.paimon.layout
inline constexpr Option<PaimonLayoutChoice> kLakestreamPaimonLayout{98};
// lakestream.tiering.enabled
inline constexpr Option<bool> kLakestreamTieringEnabled{99};
// lakestream.tiering.tables-at-once
inline constexpr Option<int32_t> kLakestreamTieringTablesAtOnce{100};
// lakestream.tiering.memory
inline constexpr Option<int64_t> kLakestreamTieringMemory{101};
// lakestream.tiering.heartbeat-interval
inline constexpr Option<std::chrono::milliseconds> kLakestreamTieringHeartbeatInterval{102};
// lakestream.tiering.orphan-age
inline constexpr Option<std::chrono::milliseconds> kLakestreamTieringOrphanAge{103};
// lakestream.failpoints
inline constexpr Option<std::string> kLakestreamFailpoints{104};
// lakestream.log-level
inline constexpr Option<LogLevelChoice> kLakestreamLogLevel{105};

}  // namespace server_options
}  // namespace lakestream
