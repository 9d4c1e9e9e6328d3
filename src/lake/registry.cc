#include <algorithm>
#include <array>
#include <utility>

#include "lake/iceberg/iceberg_format.h"
#include "lake/lake.h"
#include "lake/paimon/paimon_format.h"
#include "table/options.h"

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

class LakeByFormat final : public LakeFormat {
 public:
  explicit LakeByFormat(std::map<LakeFormatKind, std::unique_ptr<LakeFormat>> formats)
      : formats_(std::move(formats)) {}

  Result<bool> table_exists(const TablePath& path, const TableDescriptor& descriptor) override {
    ASSIGN_OR_RETURN(LakeFormat * format, format_of(path, descriptor));
    return format->table_exists(path, descriptor);
  }

  Status create_table(const TablePath& path,
                      const TableDescriptor& descriptor,
                      LakeTableUse use) override {
    ASSIGN_OR_RETURN(LakeFormat * format, format_of(path, descriptor));
    return format->create_table(path, descriptor, use);
  }

  Status alter_table(const TablePath& path,
                     const TableDescriptor& before,
                     const TableDescriptor& after) override {
    Result<LakeFormat*> format = format_of(path, after);
    if (format) return (*format)->alter_table(path, before, after);
    return make_error(ErrorCode::kInvalidAlterTableException, "{}", format.error().message());
  }

  Result<std::shared_ptr<LakeTable>> open_table(const TablePath& path,
                                                const TableDescriptor& descriptor) override {
    ASSIGN_OR_RETURN(LakeFormat * format, format_of(path, descriptor));
    return format->open_table(path, descriptor);
  }

 private:
  Result<LakeFormat*> format_of(const TablePath& path, const TableDescriptor& descriptor) {
    ASSIGN_OR_RETURN(TableOptions options, parse_stored_table_options(descriptor.properties));
    std::optional<LakeFormatKind> kind = options.lake.format;
    auto format = kind ? formats_.find(*kind) : formats_.end();
    if (format != formats_.end()) return format->second.get();
    std::string_view name = kind ? name_of(*kind) : "none";
    return make_error(ErrorCode::kInvalidTableException,
                      "table {}: its lake format (table.datalake.format) is {}, which has no "
                      "options at this server; set datalake.{}.*",
                      path,
                      name,
                      kind ? name : "<format>");
  }

  std::map<LakeFormatKind, std::unique_ptr<LakeFormat>> formats_;
};

}  // namespace

Result<std::unique_ptr<LakeFormat>> make_lake_format(LakeFormatKind kind,
                                                     LakeFormatOptions options,
                                                     Env& env,
                                                     ObjectStore& objects) {
  auto format = std::find_if(
      kFormats.begin(), kFormats.end(), [kind](const Format& known) { return known.kind == kind; });
  if (format == kFormats.end()) {
    return make_error(ErrorCode::kInvalidConfigException,
                      "lake format {}: there are only paimon and iceberg yet; choose one of them "
                      "and remove datalake.{}.*",
                      name_of(kind),
                      name_of(kind));
  }
  return format->make(std::move(options), env, objects);
}

Result<std::unique_ptr<LakeFormat>> make_lake(std::map<LakeFormatKind, LakeFormatOptions> formats,
                                              Env& env,
                                              ObjectStore& objects) {
  std::map<LakeFormatKind, std::unique_ptr<LakeFormat>> made;
  for (auto& [kind, options] : formats) {
    ASSIGN_OR_RETURN(made[kind], make_lake_format(kind, std::move(options), env, objects));
  }
  return std::make_unique<LakeByFormat>(std::move(made));
}

}  // namespace lakestream
