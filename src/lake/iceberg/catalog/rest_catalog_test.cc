#include "lake/iceberg/catalog/rest_catalog.h"

#include <functional>

#include <gtest/gtest.h>

#include "io/http_client.h"
#include "lake/iceberg/catalog/catalog_test_support.h"

namespace lakestream::iceberg {
namespace {

const TablePath kPath{"db", "t"};

// A service whose answers the test gives; "GET /v1/config" has one already.
class Service final : public HttpClient {
 public:
  HttpAnswer send(const HttpRequest& request) override {
    std::string line = request.method + " " + request.url;
    std::string token = "none";
    for (const HttpHeader& header : request.headers) {
      if (header.name == "Authorization") token = header.value;
    }
    lines.push_back(line);
    tokens.push_back(token);
    bodies.push_back(request.body);
    if (HttpAnswer answer = answers ? answers(line) : HttpAnswer{}; answer.status != 0) {
      return answer;
    }
    if (line.find("/v1/config") != std::string::npos) return {.status = 200, .body = config};
    return fallback;
  }

  std::string config = R"({"defaults":{},"overrides":{}})";
  std::function<HttpAnswer(const std::string& line)> answers;
  HttpAnswer fallback{.status = 404, .body = R"({"error":{"type":"NoSuch","message":"none"}})"};
  std::vector<std::string> lines;
  std::vector<std::string> tokens;
  std::vector<std::string> bodies;
};

std::string table_body() {
  std::string metadata = to_json(first_metadata(one_column(), "the-uuid", "/lake/db/t", 5));
  return R"({"metadata-location":"/m.json","metadata":)" + metadata +
         R"(,"config":{"s3.region":"x"}})";
}

struct Fixture {
  explicit Fixture(Properties options = {}) {
    options["uri"] = "http://host:1/base/";
    catalog = make_rest_catalog(options, service).value();
  }
  std::shared_ptr<Service> service = std::make_shared<Service>();
  std::unique_ptr<IcebergCatalog> catalog;
};

// Proves what is asked for a table, and that what the service configures counts as it says.
TEST(RestCatalogs, Loads) {
  Fixture fixture({{"warehouse", "a b"}, {"prefix", "mine"}, {"s3.region", "y"}});
  Service& service = *fixture.service;
  service.config =
      R"({"defaults":{"prefix":"theirs","s3.endpoint":"e"},"overrides":{"prefix":"cat"}})";
  EXPECT_FALSE(fixture.catalog->load_table(kPath).value());
  service.fallback = {.status = 200, .body = table_body()};
  LoadedTable table = fixture.catalog->load_table({"d b", "t/1"}).value().value();
  EXPECT_EQ(
      service.lines,
      (std::vector<std::string>{"GET http://host:1/base/v1/config?warehouse=a%20b",
                                "GET http://host:1/base/v1/cat/namespaces/db/tables/t",
                                "GET http://host:1/base/v1/cat/namespaces/d%20b/tables/t%2F1"}));
  EXPECT_EQ(table.metadata.uuid, "the-uuid");
  EXPECT_EQ(table.metadata_file, "/m.json");
  EXPECT_EQ(table.config.at("s3.endpoint"), "e");
  EXPECT_EQ(table.config.at("s3.region"), "x");
}

// Proves that namespaces and tables are made where they are not there, and what is sent for it.
TEST(RestCatalogs, Makes) {
  Fixture fixture;
  Service& service = *fixture.service;
  service.answers = [](const std::string& line) -> HttpAnswer {
    return line.starts_with("POST") ? HttpAnswer{.status = 200, .body = table_body()}
                                    : HttpAnswer{};
  };
  ASSERT_TRUE(fixture.catalog->create_namespace("db").has_value());
  EXPECT_EQ(service.lines.back(), "POST http://host:1/base/v1/namespaces");
  EXPECT_EQ(service.bodies.back(), R"({"namespace":["db"],"properties":{}})");
  EXPECT_TRUE(fixture.catalog->create_table(kPath, one_column()).value());
  EXPECT_EQ(service.lines.back(), "POST http://host:1/base/v1/namespaces/db/tables");
  EXPECT_TRUE(service.bodies.back().starts_with(R"({"name":"t","stage-create":false,"schema":{)"));
  service.answers = [](const std::string& line) -> HttpAnswer {
    return line.starts_with("POST") ? HttpAnswer{.status = 409} : HttpAnswer{};
  };
  EXPECT_TRUE(fixture.catalog->create_namespace("db").has_value());
  EXPECT_FALSE(fixture.catalog->create_table(kPath, one_column()).value());
}

// Proves which answers to a commit mean that it is done, that it is not, and that nobody knows.
TEST(RestCatalogs, Commits) {
  using Kind = CommitOutcome::Kind;
  Fixture fixture;
  Service& service = *fixture.service;
  service.fallback = {.status = 200, .body = table_body()};
  LoadedTable base = fixture.catalog->load_table(kPath).value().value();
  TableChange change{.requirements = {requirement::Uuid{"the-uuid"}},
                     .updates = {update::SetProperties{{{"a", "2"}}}}};
  CommitOutcome done = fixture.catalog->commit(kPath, base, change).value();
  EXPECT_EQ(done.kind, Kind::kDone);
  EXPECT_EQ(service.bodies.back(),
            R"({"identifier":{"namespace":["db"],"name":"t"},"requirements":)"
            R"([{"type":"assert-table-uuid","uuid":"the-uuid"}],"updates":)"
            R"([{"action":"set-properties","updates":{"a":"2"}}]})");
  const std::pair<HttpAnswer, Kind> cases[] = {
      {{.status = 409}, Kind::kConflict},
      {{.status = 404}, Kind::kConflict},
      {{.status = 500}, Kind::kUnknown},
      {{.status = 502}, Kind::kUnknown},
      {{.status = 503}, Kind::kUnknown},
      {{.status = 504}, Kind::kUnknown},
      {{.status = 200, .body = "nonsense"}, Kind::kUnknown},
      {{.trouble = "timeout", .may_have_arrived = true}, Kind::kUnknown},
  };
  for (const auto& [answer, kind] : cases) {
    service.fallback = answer;
    Result<CommitOutcome> outcome = fixture.catalog->commit(kPath, base, change);
    ASSERT_TRUE(outcome.has_value()) << answer.status;
    EXPECT_EQ(outcome->kind, kind) << answer.status;
  }
  for (const HttpAnswer& answer : {HttpAnswer{.status = 400},
                                   HttpAnswer{.status = 403},
                                   HttpAnswer{.trouble = "nobody listens"}}) {
    service.fallback = answer;
    EXPECT_FALSE(fixture.catalog->commit(kPath, base, change).has_value()) << answer.status;
  }
}

// Proves that a token is fetched by the credential, and once more when it is not taken any more.
TEST(RestCatalogs, Tokens) {
  Fixture fixture({{"credential", "me:s3cr&t"}, {"oauth2-server-uri", "https://login/token"}});
  Service& service = *fixture.service;
  int fetched = 0;
  service.answers = [&](const std::string& line) -> HttpAnswer {
    if (line == "POST https://login/token") {
      return {.status = 200, .body = fmt::format(R"({{"access_token":"T{}"}})", ++fetched)};
    }
    return service.tokens.back() == "Bearer T2" || line.ends_with("/config")
               ? HttpAnswer{}
               : HttpAnswer{.status = fetched == 1 ? 419 : 401};
  };
  EXPECT_FALSE(fixture.catalog->load_table(kPath).value());
  EXPECT_EQ(service.bodies.front(),
            "grant_type=client_credentials&client_id=me&client_secret=s3cr%26t&scope=catalog");
  EXPECT_EQ(service.tokens,
            (std::vector<std::string>{"none", "Bearer T1", "Bearer T1", "none", "Bearer T2"}));
  fetched = 5;
  service.answers = [&](const std::string& line) -> HttpAnswer {
    return line.starts_with("POST") ? HttpAnswer{.status = 400, .body = R"({"error":"invalid"})"}
                                    : HttpAnswer{.status = 401};
  };
  auto refused = fixture.catalog->load_table(kPath);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message(),
            "iceberg catalog POST https://login/token: answer 400, invalid; check "
            "datalake.iceberg.*");
}

// Proves that errors name what was asked, what came and what helps, and no secret.
TEST(RestCatalogs, Errors) {
  Fixture fixture(Properties{{"token", "s3cret"}});
  fixture.service->fallback = {.status = 403,
                               .body = R"({"error":{"type":"Forbidden","message":"no"}})"};
  auto refused = fixture.catalog->load_table(kPath);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message(),
            "iceberg catalog GET http://host:1/base/v1/namespaces/db/tables/t: answer 403, "
            "Forbidden: no; check datalake.iceberg.token or datalake.iceberg.credential, and what "
            "they may do");
  EXPECT_EQ(fixture.service->tokens.back(), "Bearer s3cret");
  for (const Properties& options :
       {Properties{},
        Properties{{"uri", "host:8181"}},
        Properties{{"uri", "http://h"}, {"rest.auth.type", "google"}},
        Properties{{"uri", "http://h"}, {"rest.sigv4-enabled", "true"}}}) {
    auto made = make_rest_catalog(options, std::make_shared<Service>());
    ASSERT_FALSE(made.has_value());
    EXPECT_EQ(made.error().code(), ErrorCode::kInvalidConfigException);
    bool is_signed = options.contains("rest.sigv4-enabled");
    EXPECT_EQ(made.error().message().find("rest.sigv4-enabled") != std::string::npos, is_signed);
  }
}

}  // namespace
}  // namespace lakestream::iceberg
