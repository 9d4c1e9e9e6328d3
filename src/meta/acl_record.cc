#include "meta/acl_record.h"

#include "table/json_reader.h"
#include "table/json_writer.h"

namespace lakestream {

Bytes encode(const AclRecord& record) {
  JsonWriter json;
  json.begin_object().field("version", 1).key("acls").begin_array();
  for (const AclRecord::Entry& entry : record.entries) {
    json.begin_object()
        .field("principal_type", entry.principal_type)
        .field("principal_name", entry.principal_name)
        .field("permission_type", entry.permission)
        .field("host", entry.host)
        .field("operation", entry.operation)
        .end_object();
  }
  json.end_array().end_object();
  return Bytes::copy_of(std::move(json).finish());
}

Result<AclRecord> decode_acl(const Bytes& value) {
  ASSIGN_OR_RETURN(JsonDocument document,
                   JsonDocument::parse(value.view(), ErrorCode::kUnknownServerError));
  ASSIGN_OR_RETURN(JsonValue list, document.root().at("acls"));
  ASSIGN_OR_RETURN(std::vector<JsonValue> items, list.items());
  AclRecord record;
  for (const JsonValue& item : items) {
    AclRecord::Entry entry;
    ASSIGN_OR_RETURN(entry.principal_type, item.text_at("principal_type"));
    ASSIGN_OR_RETURN(entry.principal_name, item.text_at("principal_name"));
    ASSIGN_OR_RETURN(entry.permission, item.text_at("permission_type"));
    ASSIGN_OR_RETURN(entry.host, item.text_at("host"));
    ASSIGN_OR_RETURN(entry.operation, item.text_at("operation"));
    record.entries.push_back(std::move(entry));
  }
  return record;
}

namespace paths {

std::string acls(std::string_view resource_type) {
  return fmt::format("{}/{}", kAcls, resource_type);
}

std::string acl(std::string_view resource_type, std::string_view resource_name) {
  return fmt::format("{}/{}/{}", kAcls, resource_type, resource_name);
}

}  // namespace paths
}  // namespace lakestream
