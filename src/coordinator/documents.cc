#include "coordinator/documents.h"

#include "base/logging.h"
#include "io/object_store.h"

namespace lakestream::coordinator {

Status put_documents(ObjectStore& objects, const std::vector<Document>& documents) {
  for (const Document& document : documents) {
    RETURN_IF_ERROR(objects.put(document.path, document.content));
  }
  return ok();
}

bool remove_documents(ObjectStore& objects, const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    Status removed = objects.remove(path);
    if (removed) continue;
    LOG_WARN("coordinator", "a document that nothing names stays", KV("path", path));
  }
  return true;
}

}  // namespace lakestream::coordinator
