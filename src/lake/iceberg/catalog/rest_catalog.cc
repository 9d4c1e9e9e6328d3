#include "lake/iceberg/catalog/rest_catalog.h"

#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "lake/iceberg/catalog/catalog_options.h"
#include "lake/iceberg/catalog/rest_session.h"
#include "table/json_reader.h"
#include "table/json_writer.h"

namespace lakestream::iceberg {
namespace {

std::string namespace_path(const std::string& name) { return "namespaces/" + url_encoded(name); }

std::string tables_path(const TablePath& path) { return namespace_path(path.database) + "/tables"; }

std::string table_path(const TablePath& path) {
  return tables_path(path) + "/" + url_encoded(path.table);
}

std::string create_body(const std::string& name, const NewTable& table) {
  JsonWriter json;
  json.begin_object().field("name", name).field("stage-create", false);
  write_schema(table.schema, &json.key("schema"));
  write_spec(table.spec, &json.key("partition-spec"));
  write_sort_order(table.order, &json.key("write-order"));
  json.key("properties").text_map(table.properties).end_object();
  return std::move(json).finish();
}

std::string commit_body(const TablePath& path, const TableChange& change) {
  JsonWriter json;
  json.begin_object().key("identifier").begin_object();
  json.key("namespace").texts({path.database}).field("name", path.table).end_object();
  json.key("requirements").begin_array();
  for (const TableRequirement& requirement : change.requirements) {
    write_requirement(requirement, &json);
  }
  json.end_array().key("updates").begin_array();
  for (const TableUpdate& update : change.updates) write_update(update, &json);
  json.end_array().end_object();
  return std::move(json).finish();
}

class RestCatalog final : public IcebergCatalog {
 public:
  RestCatalog(Properties options, std::shared_ptr<HttpClient> http)
      : session_(std::move(options), std::move(http)) {}

  Status create_namespace(const std::string& name) override {
    // Whoever may only use it need not be able to make it.
    ASSIGN_OR_RETURN(RestAnswer there, session_.ask("GET", namespace_path(name)));
    if (there.http.status == 200) return ok();
    if (there.http.status != 404) return there.error();
    JsonWriter json;
    json.begin_object().key("namespace").texts({name});
    json.key("properties").begin_object().end_object().end_object();
    ASSIGN_OR_RETURN(RestAnswer made, session_.ask("POST", "namespaces", std::move(json).finish()));
    // 409: another one was faster.
    if (made.http.status == 200 || made.http.status == 409) return ok();
    return made.error();
  }

  Result<std::optional<LoadedTable>> load_table(const TablePath& path) override {
    ASSIGN_OR_RETURN(RestAnswer answer, session_.ask("GET", table_path(path)));
    if (answer.http.status == 404) return std::optional<LoadedTable>();
    if (answer.http.status != 200) return answer.error();
    ASSIGN_OR_RETURN(LoadedTable table, table_in(answer));
    return std::optional(std::move(table));
  }

  Result<std::optional<LoadedTable>> create_table(const TablePath& path,
                                                  const NewTable& table) override {
    ASSIGN_OR_RETURN(RestAnswer answer,
                     session_.ask("POST", tables_path(path), create_body(path.table, table)));
    if (answer.http.status == 409) return std::optional<LoadedTable>();
    if (answer.http.status != 200) return answer.error();
    ASSIGN_OR_RETURN(LoadedTable made, table_in(answer));
    return std::optional(std::move(made));
  }

  Result<CommitOutcome> commit(const TablePath& path,
                               const LoadedTable& base,
                               const TableChange& change) override {
    using Kind = CommitOutcome::Kind;
    ASSIGN_OR_RETURN(RestAnswer answer,
                     session_.ask("POST", table_path(path), commit_body(path, change)));
    if (answer.http.status == 200) {
      Result<LoadedTable> table = table_in(answer);
      if (!table) {
        return CommitOutcome{.kind = Kind::kUnknown, .reason = table.error().message()};
      }
      table->config = base.config;
      return CommitOutcome{.table = *std::move(table)};
    }
    // 404: the table is gone.
    bool is_conflict = answer.http.status == 409 || answer.http.status == 404;
    if (is_conflict) return CommitOutcome{.kind = Kind::kConflict, .reason = answer.trouble()};
    if (answer.is_open()) return CommitOutcome{.kind = Kind::kUnknown, .reason = answer.trouble()};
    return answer.error();
  }

 private:
  // {"metadata-location":…,"metadata":{…},"config":{…}}
  Result<LoadedTable> table_in(const RestAnswer& answer) {
    Result<LoadedTable> table = parse_table(answer.http.body);
    if (!table) return fail(std::move(table).error().with_context(answer.request));
    ASSIGN_OR_RETURN(Properties config, session_.options());
    for (auto& [key, value] : table->config) config[key] = value;
    table->config = std::move(config);
    return table;
  }

  static Result<LoadedTable> parse_table(const std::string& body) {
    ASSIGN_OR_RETURN(JsonDocument document,
                     JsonDocument::parse(body, ErrorCode::kUnknownServerError));
    LoadedTable table;
    ASSIGN_OR_RETURN(JsonValue metadata, document.root().at("metadata"));
    ASSIGN_OR_RETURN(table.metadata, metadata_of(metadata));
    ASSIGN_OR_RETURN(std::optional<std::string> file,
                     document.root().optional_text("metadata-location"));
    table.metadata_file = std::move(file).value_or("");
    if (std::optional<JsonValue> config = document.root().find("config")) {
      ASSIGN_OR_RETURN(table.config, config->text_map());
    }
    return table;
  }

  RestSession session_;
};

Status check_options(const Properties& options) {
  ASSIGN_OR_RETURN(std::string uri, required_option(options, "uri"));
  if (!uri.starts_with("http://") && !uri.starts_with("https://")) {
    return make_error(ErrorCode::kInvalidConfigException,
                      "iceberg catalog: uri '{}' of a REST catalog begins with http:// or https://",
                      shown_url(uri));
  }
  auto value_of = [&options](std::string_view name) {
    auto found = options.find(name);
    return found == options.end() ? std::string_view() : std::string_view(found->second);
  };
  std::string_view auth = value_of("rest.auth.type");
  std::string_view wrong;
  if (value_of("rest.sigv4-enabled") == "true") wrong = "rest.sigv4-enabled";
  if (!auth.empty() && auth != "none" && auth != "oauth2") wrong = "rest.auth.type";
  if (wrong.empty()) return ok();
  return make_error(ErrorCode::kInvalidConfigException,
                    "iceberg catalog: {} = {} is not supported: requests are not signed, they have "
                    "a token or none; set token or credential, or put a proxy that signs before it",
                    wrong,
                    value_of(wrong));
}

// Secrets may come from the environment of the process: servers do not tell them to clients.
Properties with_secrets(Properties options) {
  if (options.contains("token") || options.contains("credential")) return options;
  if (const char* token = std::getenv("LAKESTREAM_ICEBERG_TOKEN")) {
    options["token"] = token;
  } else if (const char* credential = std::getenv("LAKESTREAM_ICEBERG_CREDENTIAL")) {
    options["credential"] = credential;
  }
  return options;
}

}  // namespace

Result<std::unique_ptr<IcebergCatalog>> make_rest_catalog(const Properties& options,
                                                          Env& /*env*/,
                                                          ObjectStore& /*objects*/) {
  return make_rest_catalog(with_secrets(options), make_http_client({}));
}

Result<std::unique_ptr<IcebergCatalog>> make_rest_catalog(const Properties& options,
                                                          std::shared_ptr<HttpClient> http) {
  RETURN_IF_ERROR(check_options(options));
  std::unique_ptr<IcebergCatalog> catalog = std::make_unique<RestCatalog>(options, std::move(http));
  return catalog;
}

}  // namespace lakestream::iceberg
