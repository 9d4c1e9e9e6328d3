#pragma once

#include <memory>

#include "base/result.h"
#include "lake/iceberg/iceberg_catalog.h"
#include "table/descriptor.h"

// Tables of a service that speaks the Iceberg REST catalog protocol. The service keeps the metadata
// files; it is asked for the next state of a table with what has to hold of the one before.
//
//   type                rest
//   uri                 of the service, without /v1
//   warehouse, prefix   which catalog of the service
//   token               sent with each request, or
//   credential          "id:secret", which gets such tokens from
//   oauth2-server-uri   (default: the service's own v1/oauth/tokens), with scope (default:
//   catalog),
//                       audience and resource; again when one has expired
//   header.<name>       more headers of each request
//
// Without token and credential those of the environment are taken: LAKESTREAM_ICEBERG_TOKEN and
// LAKESTREAM_ICEBERG_CREDENTIAL.
//
// What the service says at GET /v1/config goes under these options (defaults) or over them
// (overrides).
//
// Thread rule: as IcebergCatalog.
//
//   ASSIGN_OR_RETURN(auto catalog,
//                    make_rest_catalog({{"uri", "http://host:8181"}}, env, objects));
namespace lakestream {
class HttpClient;
}  // namespace lakestream

namespace lakestream::iceberg {

// kInvalidConfigException for a uri that is missing or wrong, and for a way to sign requests that
// there is not.
Result<std::unique_ptr<IcebergCatalog>> make_rest_catalog(const Properties& options,
                                                          Env& env,
                                                          ObjectStore& objects);
Result<std::unique_ptr<IcebergCatalog>> make_rest_catalog(const Properties& options,
                                                          std::shared_ptr<HttpClient> http);

}  // namespace lakestream::iceberg
