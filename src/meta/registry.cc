#include <array>
#include <string>

#include "meta/embedded/embedded_store.h"
#include "meta/meta.h"

namespace lakestream {
namespace {

struct Kind {
  std::string_view name;
  Result<std::unique_ptr<MetaStore>> (*open)(const MetaStoreOptions& options);
};

constexpr std::array kKinds = {
    Kind{"embedded", open_embedded_store},
};

}  // namespace

Result<std::unique_ptr<MetaStore>> open_meta_store(std::string_view kind,
                                                   const MetaStoreOptions& options) {
  std::string names;
  for (const Kind& known : kKinds) {
    if (known.name == kind) return known.open(options);
    names += names.empty() ? "" : ", ";
    names += known.name;
  }
  return make_error(ErrorCode::kInvalidConfigException,
                    "metadata store '{}' is not known; use one of: {}",
                    kind,
                    names);
}

}  // namespace lakestream
