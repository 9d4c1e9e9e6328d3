#include <algorithm>
#include <array>
#include <utility>

#include "lake/iceberg/iceberg_format.h"
#include "lake/lake.h"
#include "lake/paimon/paimon_format.h"

namespace lakestream {
namespace {

struct Format {
  LakeFormatKind kind;
  Result<std::unique_ptr<LakeFormat>> (*make)(LakeFormatOptions, Env&, ObjectStore&);
};

// One line a format.
constexpr std::array<Format, 2> kFormats = {{
    {LakeFormatKind::kPaimon, &paimon::make_paimon_format},
    {LakeFormatKind::kIceberg, &iceberg::make_iceberg_format},
}};

}  // namespace

Result<std::unique_ptr<LakeFormat>> make_lake_format(LakeFormatKind kind,
                                                     LakeFormatOptions options,
                                                     Env& env,
                                                     ObjectStore& objects) {
  auto format = std::find_if(
      kFormats.begin(), kFormats.end(), [kind](const Format& known) { return known.kind == kind; });
  if (format == kFormats.end()) {
    return make_error(ErrorCode::kInvalidConfigException,
                      "lake format {}: there are only paimon and iceberg yet",
                      name_of(kind));
  }
  return format->make(std::move(options), env, objects);
}

}  // namespace lakestream
