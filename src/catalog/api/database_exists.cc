#include "catalog/api/read_apis.h"

namespace lakestream {
namespace {

// Catalogs of engines look for it when they open, whoever asks.
constexpr std::string_view kDefaultDatabase = "fluss";

}  // namespace

Result<wire::DatabaseExistsResponse> database_exists(const wire::DatabaseExistsRequest& request,
                                                     const ReadContext& context) {
  const std::string& name = request.database_name;
  bool is_shown = name == kDefaultDatabase || context.shows(security::database_resource(name));
  wire::DatabaseExistsResponse response;
  response.exists = is_shown && context.catalog.find_database(name) != nullptr;
  return response;
}

}  // namespace lakestream
