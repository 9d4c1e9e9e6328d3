#include "base/config.h"

#include <limits>
#include <set>

#include <gtest/gtest.h>

#include "base/secrets.h"
#include "base/server_config.h"
#include "base/server_options.h"

namespace lakestream {
namespace {

using std::chrono::milliseconds;

// The message of a refusal, or "accepted".
template <typename T>
std::string refusal(const Result<T>& result) {
  if (result) return "accepted";
  EXPECT_EQ(result.error().code(), ErrorCode::kInvalidConfigException);
  return result.error().message();
}

TEST(ConfigValueTest, DurationsThatAreNoneAreRefusedWithTheReason) {
  EXPECT_EQ(refusal(parse_duration("")), "'' does not start with a number");
  EXPECT_EQ(refusal(parse_duration("min")), "'min' does not start with a number");
  EXPECT_EQ(refusal(parse_duration("10")),
            "'10' is a duration without a unit, add d, h, min, s or ms");
  EXPECT_EQ(refusal(parse_duration("10 years")),
            "'10 years' has the unknown unit 'years', use d, h, min, s or ms");
  EXPECT_EQ(refusal(parse_duration("99999999999999999999 s")),
            "'99999999999999999999 s' does not fit 64 bits");
  EXPECT_EQ(refusal(parse_duration("9223372036854775807 s")),
            "'9223372036854775807 s' does not fit 64 bits of milliseconds");
  EXPECT_NE(refusal(parse_duration("P")), "accepted");
  EXPECT_NE(refusal(parse_duration("PT")), "accepted");
  EXPECT_NE(refusal(parse_duration("PT10")), "accepted");
  EXPECT_NE(refusal(parse_duration("PT1D")), "accepted");
  EXPECT_NE(refusal(parse_duration("P1H")), "accepted");
  EXPECT_NE(refusal(parse_duration("PT1e400S")), "accepted");
}

// The labels are those that the protocol's configuration knows.
TEST(ConfigValueTest, DurationsHaveManyUnits) {
  EXPECT_EQ(parse_duration("10 min"), milliseconds(600'000));
  EXPECT_EQ(parse_duration(" 7d "), milliseconds(7 * 86'400'000LL));
  EXPECT_EQ(parse_duration("168h"), milliseconds(168 * 3'600'000LL));
  EXPECT_EQ(parse_duration("2 DAYS"), milliseconds(2 * 86'400'000LL));
  EXPECT_EQ(parse_duration("3 m"), milliseconds(180'000));
  EXPECT_EQ(parse_duration("30s"), milliseconds(30'000));
  EXPECT_EQ(parse_duration("1 second"), milliseconds(1'000));
  EXPECT_EQ(parse_duration("5 millis"), milliseconds(5));
  EXPECT_EQ(parse_duration("0ms"), milliseconds(0));
  EXPECT_EQ(parse_duration("-1 ms"), milliseconds(-1));
  EXPECT_EQ(parse_duration("2500 us"), milliseconds(2));
  EXPECT_EQ(parse_duration("2500 \xc2\xb5s"), milliseconds(2));
  EXPECT_EQ(parse_duration("999999 ns"), milliseconds(0));
  EXPECT_EQ(parse_duration("PT10S"), milliseconds(10'000));
  EXPECT_EQ(parse_duration("P1DT2H3M4.5S"), milliseconds(93'784'500));
  EXPECT_EQ(parse_duration("-PT1M"), milliseconds(-60'000));
}

TEST(ConfigValueTest, WrittenDurationsReadBack) {
  EXPECT_EQ(format_duration(milliseconds(0)), "0 ms");
  EXPECT_EQ(format_duration(milliseconds(7 * 86'400'000LL)), "7 d");
  EXPECT_EQ(format_duration(milliseconds(90'000)), "90 s");
  EXPECT_EQ(format_duration(milliseconds(-60'000)), "-1 min");
  for (int64_t value :
       {int64_t{1}, int64_t{999}, int64_t{3'600'001}, std::numeric_limits<int64_t>::max() / 2}) {
    EXPECT_EQ(parse_duration(format_duration(milliseconds(value))), milliseconds(value));
  }
}

TEST(ConfigValueTest, SizesNeedAUnitOfBytes) {
  EXPECT_EQ(refusal(parse_memory_size("100")),
            "'100' is a size without a unit, add b, kb, mb, gb or tb");
  EXPECT_EQ(refusal(parse_memory_size("1 xb")),
            "'1 xb' has the unknown unit 'xb', use b, kb, mb, gb or tb");
  EXPECT_EQ(refusal(parse_memory_size("-1 b")), "'-1 b' is a negative size");
  EXPECT_EQ(refusal(parse_memory_size("9000000000 gb")),
            "'9000000000 gb' does not fit 64 bits of bytes");
  EXPECT_EQ(parse_memory_size("1mb"), 1 << 20);
  EXPECT_EQ(parse_memory_size("64 KB"), 64 << 10);
  EXPECT_EQ(parse_memory_size("1 bytes"), 1);
  EXPECT_EQ(parse_memory_size("2 gibibytes"), int64_t{2} << 30);
  EXPECT_EQ(format_memory_size(1536 << 10), "1536 kb");
  EXPECT_EQ(format_memory_size(int64_t{1} << 30), "1 gb");
  EXPECT_EQ(format_memory_size(0), "0 b");
}

TEST(ConfigValueTest, PlainValues) {
  EXPECT_EQ(refusal(parse_bool("yes")), "'yes' is neither true nor false");
  EXPECT_EQ(parse_bool(" TRUE"), true);
  EXPECT_EQ(refusal(parse_integer("12a")), "'12a' is no integer");
  EXPECT_EQ(refusal(parse_integer("")), "'' is no integer");
  EXPECT_EQ(parse_integer("-12"), -12);
  EXPECT_EQ(refusal(parse_number("0,5")), "'0,5' is no number");
  EXPECT_EQ(parse_number("0.85"), 0.85);
}

TEST(ConfigValueTest, ListsAndMapsMayQuoteTheirItems) {
  using List = std::vector<std::string>;
  EXPECT_EQ(parse_list("", ','), List{});
  EXPECT_EQ(parse_list("a, b", ','), (List{"a", "b"}));
  EXPECT_EQ(parse_list("a,,", ','), (List{"a", "", ""}));
  EXPECT_EQ(parse_list("'a,b','it''s'", ','), (List{"a,b", "it's"}));
  EXPECT_EQ(refusal(parse_list("'a", ',')), "''a' has a quote that is not closed");
  EXPECT_EQ(refusal(parse_list("'a'b", ',')),
            "''a'b' has text after a closing quote, expected ','");
  EXPECT_EQ(parse_map("k:v, x: y"), (TextMap{{"k", "v"}, {"x", "y"}}));
  EXPECT_EQ(refusal(parse_map("k")), "'k' has an item 'k' without ':', write key:value");
}

TEST(ConfigValueTest, FilesAreLinesOfKeyAndValue) {
  EXPECT_EQ(parse_config_file("# all\n\na.b: 1 # one\r\nc: 'x y'\nu: http://h:1\n"),
            (TextMap{{"a.b", "1"}, {"c", "x y"}, {"u", "http://h:1"}}));
  EXPECT_EQ(refusal(parse_config_file("a: 1\nb\n")), "line 2: 'b' is not of the form 'key: value'");
  EXPECT_EQ(refusal(parse_config_file("s3.secret-key:hush")),
            "line 1: '******' is not of the form 'key: value'");
  EXPECT_EQ(refusal(parse_config_file("a: 1\na: 2")), "line 2: key 'a' is there twice, remove one");
}

// Every default of the table passes the table's own rules, and every handle fits its row.
TEST(ServerConfigTest, DefaultsAreValid) {
  Result<ServerConfig> config = parse_server_config({});
  ASSERT_TRUE(config) << config.error().message();
  EXPECT_TRUE(config->warnings.empty());
  const ConfigMap& options = config->options;
  EXPECT_EQ(options.get(server_options::kLogSegmentFileSize), int64_t{1} << 30);
  EXPECT_EQ(options.get(server_options::kLogRetentionCheckInterval), std::chrono::minutes(5));
  EXPECT_EQ(options.get(server_options::kLakestreamDurability), DurabilityChoice::kSync);
  EXPECT_EQ(options.get(server_options::kServerDataDiskWriteLimitRatio), 0.85);
  EXPECT_EQ(options.get(server_options::kBindListeners),
            std::vector<std::string>{"FLUSS://127.0.0.1:9123"});
  EXPECT_EQ(options.find(server_options::kRemoteDataDir), std::nullopt);
  EXPECT_FALSE(options.is_set(server_options::kDataDir));

  std::set<std::string_view> keys;
  for (const OptionInfo& option : server_option_table()) {
    EXPECT_TRUE(keys.insert(option.key).second) << option.key;
  }
}

TEST(ServerConfigTest, SetValuesWinOverDefaults) {
  Result<ServerConfig> config = parse_server_config(
      {{"lakestream.durability", "OS"}, {"tablet-server.id", "7"}, {"remote.data.dir", "/r"}});
  ASSERT_TRUE(config) << config.error().message();
  EXPECT_EQ(config->options.get(server_options::kLakestreamDurability), DurabilityChoice::kOs);
  EXPECT_EQ(config->options.get(server_options::kTabletServerId), 7);
  EXPECT_EQ(config->options.find(server_options::kRemoteDataDir), "/r");
  EXPECT_TRUE(config->options.is_set(server_options::kTabletServerId));
}

TEST(ServerConfigTest, WrongOptionsAreRefusedByName) {
  EXPECT_EQ(refusal(parse_server_config({{"log.segment.filesize", "1gb"}})),
            "option 'log.segment.filesize' is unknown, did you mean 'log.segment.file-size'");
  EXPECT_EQ(
      refusal(parse_server_config({{"log.segment.file-size", "1"}})),
      "option 'log.segment.file-size': '1' is a size without a unit, add b, kb, mb, gb or tb");
  EXPECT_EQ(refusal(parse_server_config({{"log.segment.file-size", "3 gb"}})),
            "option 'log.segment.file-size': '3 gb' is above 1 gb, the most allowed");
  EXPECT_EQ(refusal(parse_server_config({{"tablet-server.id", "-1"}})),
            "option 'tablet-server.id': '-1' is below 0, the least allowed");
  EXPECT_EQ(refusal(parse_server_config({{"tablet-server.id", "4294967296"}})),
            "option 'tablet-server.id': '4294967296' does not fit 32 bits");
  EXPECT_EQ(refusal(parse_server_config({{"lakestream.durability", "none"}})),
            "option 'lakestream.durability': 'none' is none of sync, os");
  EXPECT_EQ(refusal(parse_server_config({{"server.data-disk.write-recover-ratio", "0.9"}})),
            "option 'server.data-disk.write-recover-ratio': 0.9 is not below 0.85, the value of "
            "'server.data-disk.write-limit-ratio'");
  EXPECT_EQ(refusal(parse_server_config({{"s3.secret.key", "hush"}})),
            "option 's3.secret-key' is set without 's3.access-key'; set both or none");
}

// Proves that both spellings of Fluss for the options of S3 count, and which of them first.
TEST(ServerConfigTest, SecondNames) {
  Result<ServerConfig> config = parse_server_config({{"s3.access.key", "a"},
                                                     {"s3.secret.key", "b"},
                                                     {"s3.path.style.access", "true"},
                                                     {"s3.path-style-access", "false"}});
  ASSERT_TRUE(config) << config.error().message();
  EXPECT_TRUE(config->warnings.empty());
  EXPECT_EQ(config->options.find(server_options::kS3AccessKey), "a");
  EXPECT_EQ(config->options.find(server_options::kS3SecretKey), "b");
  EXPECT_EQ(config->options.find(server_options::kS3PathStyleAccess), false);
}

// Proves that options of catalogs of lakes are taken whatever their names, and reported where there
// is no lake.
TEST(ServerConfigTest, LakeCatalogs) {
  TextMap texts{{"datalake.format", "Paimon"},
                {"datalake.paimon.warehouse", "s3://b/w"},
                {"datalake.paimon.s3.endpoint", "http://h"},
                {"datalake.iceberg.type", "hadoop"}};
  Result<ServerConfig> config = parse_server_config(texts);
  ASSERT_TRUE(config) << config.error().message();
  EXPECT_EQ(config->options.find(server_options::kDatalakeFormat), LakeFormatChoice::kPaimon);
  EXPECT_EQ(config->options.find(server_options::kDatalakeEnabled), std::nullopt);
  EXPECT_EQ(config->warnings, std::vector<std::string>());
  EXPECT_EQ(lake_catalog_of(texts, "paimon"),
            (TextMap{{"s3.endpoint", "http://h"}, {"warehouse", "s3://b/w"}}));
  EXPECT_EQ(lake_catalog_of(texts, "lance"), TextMap());

  EXPECT_EQ(parse_server_config({{"datalake.paimon.warehouse", "/w"}})->warnings,
            std::vector<std::string>{
                "option 'datalake.paimon.warehouse' has no effect, 'datalake.format' is not set"});
  EXPECT_EQ(refusal(parse_server_config({{"datalake.enabled", "true"}})),
            "option 'datalake.enabled' is true without 'datalake.format'; set the format of the "
            "lake");
  EXPECT_EQ(refusal(parse_server_config({{"datalake.delta.warehouse", "/w"}})).substr(0, 46),
            "option 'datalake.delta.warehouse' is unknown, ");
  EXPECT_EQ(refusal(parse_server_config({{"datalake.paimon.", "/w"}})).substr(0, 38),
            "option 'datalake.paimon.' is unknown, ");
}

// Proves what references stand for, that what comes is taken as it is, and that errors name the
// option and not what was found.
TEST(SecretsTest, References) {
  auto look_up = [](std::string_view kind, std::string_view name) -> Result<std::string> {
    if (name == "missing") {
      return make_error(ErrorCode::kInvalidConfigException, "{} is missing", kind);
    }
    return fmt::format("<{} {} ${{env:X}}>", kind, name);
  };
  TextMap texts{{"a", "x${env:A}y${file:/b c}"}, {"b", "plain $ {env:A}"}};
  Result<TextMap> references = resolve_references(&texts, look_up);
  ASSERT_TRUE(references);
  EXPECT_EQ(*references, (TextMap{{"a", "x${env:A}y${file:/b c}"}}));
  EXPECT_EQ(texts,
            (TextMap{{"a", "x<env A ${env:X}>y<file /b c ${env:X}>"}, {"b", "plain $ {env:A}"}}));
  for (const char* wrong : {"${env:missing}", "${env:A", "${A}", "${vault:A}", "${", "${}"}) {
    TextMap broken{{"k", wrong}};
    Result<TextMap> refused = resolve_references(&broken, look_up);
    ASSERT_FALSE(refused) << wrong;
    EXPECT_EQ(refused.error().message().substr(0, 10), "option 'k'");
  }
}

// Proves that a secret is not in the message about it, and what a listener's own users are called.
TEST(ServerConfigTest, Secrets) {
  EXPECT_EQ(refusal(parse_server_config({{"security.sasl.plain.credentials", "hunter2"}})),
            "option 'security.sasl.plain.credentials': the value, which is not shown, is no map");
  EXPECT_EQ(refusal(parse_server_config({{"security.sasl.plain.credentails", "a:hunter2"}}))
                .find("hunter2"),
            std::string::npos);
  EXPECT_EQ(refusal(parse_server_config({{"client.security.sasl.password", "hunter2"}})),
            "option 'client.security.sasl.password' is set without "
            "'client.security.sasl.username'; set both or none");
  EXPECT_EQ(jaas_listener_of("security.sasl.listener.name.client.plain.jaas.config"), "client");
  EXPECT_EQ(jaas_listener_of("security.sasl.listener.name.plain.jaas.config"), "");
  EXPECT_EQ(jaas_listener_of("security.sasl.plain.jaas.config"), "");
  EXPECT_TRUE(
      parse_server_config({{"security.sasl.listener.name.client.plain.jaas.config", "anything"}}));
  EXPECT_TRUE(is_secret_option("datalake.iceberg.header.Authorization"));
  EXPECT_FALSE(is_secret_option("authorizer.enabled"));
}

// A configuration file of a Fluss server can be taken over, but never so that protection is lost.
TEST(ServerConfigTest, OptionsOfFlussWithoutEffectAreReported) {
  Result<ServerConfig> config = parse_server_config({{"zookeeper.address", "localhost:2181"},
                                                     {"kv.flush.thread-num", "4"},
                                                     {"security.ssl.enabled", "false"}});
  ASSERT_TRUE(config) << config.error().message();
  EXPECT_EQ(config->warnings,
            (std::vector<std::string>{"option 'kv.flush.thread-num' has no effect on this server",
                                      "option 'zookeeper.address' has no effect on this server"}));
  EXPECT_EQ(refusal(parse_server_config({{"security.ssl.enabled", "true"}})),
            "option 'security.ssl.enabled' asks for protection that this server does not have, "
            "remove it if the network is trusted");
}

}  // namespace
}  // namespace lakestream
