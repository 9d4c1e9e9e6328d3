#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

// /fluss-acls/{type of resource}/{name}: who may do what with the resource. The layout is that of
// the Fluss protocol's ZooKeeper tree, as in records.h.
//
// Thread rule: values and pure functions, any thread.
//
//   MetaOp op = MetaOp::create(paths::acl("TABLE", "db.t"), encode(record));
namespace lakestream {

struct AclRecord {
  struct Entry {
    std::string principal_type;
    std::string principal_name;
    std::string permission;  // "ALLOW"
    std::string host;
    std::string operation;  // "READ"

    friend bool operator==(const Entry&, const Entry&) = default;
  };
  std::vector<Entry> entries;

  friend bool operator==(const AclRecord&, const AclRecord&) = default;
};

Bytes encode(const AclRecord& record);
Result<AclRecord> decode_acl(const Bytes& value);

namespace paths {

inline constexpr const char* kAcls = "/fluss-acls";

std::string acls(std::string_view resource_type);
std::string acl(std::string_view resource_type, std::string_view resource_name);

}  // namespace paths
}  // namespace lakestream
