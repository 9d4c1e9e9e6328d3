#include "lake/iceberg/write_place.h"

namespace lakestream::iceberg {

std::string WritePlace::path_of(int number, std::string_view suffix) const {
  return fmt::format("{}/00000-0-{}-{:05}{}.parquet", folder, uuid, number, suffix);
}

}  // namespace lakestream::iceberg
