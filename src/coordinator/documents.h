#pragma once

#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

// Documents in remote storage that nodes of the metadata name. They are never changed: a new one is
// written, the node turns to it, the old one is removed.
//
// Thread rule: blocking, on the pool.
//
//   RETURN_IF_ERROR(put_documents(objects, {{path, content}}));
namespace lakestream {
class ObjectStore;
}

namespace lakestream::coordinator {

struct Document {
  std::string path;
  Bytes content;
};

Status put_documents(ObjectStore& objects, const std::vector<Document>& documents);
// What can not be removed only takes room; true.
bool remove_documents(ObjectStore& objects, const std::vector<std::string>& paths);

}  // namespace lakestream::coordinator
