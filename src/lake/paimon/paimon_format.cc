#include "lake/paimon/paimon_format.h"

#include <optional>
#include <string>
#include <utility>

#include "io/clock.h"
#include "io/env.h"
#include "io/object_store.h"
#include "io/object_stores.h"
#include "lake/attempts.h"
#include "lake/file_names.h"
#include "lake/lake_path.h"
#include "lake/paimon/expiry.h"
#include "lake/paimon/mapping.h"
#include "lake/paimon/paimon_table.h"
#include "lake/paimon/partition_expiry.h"
#include "lake/paimon/table_files.h"
#include "lake/paimon/table_settings.h"

namespace lakestream::paimon {
namespace {

// Others that make or change the same table meanwhile.
constexpr int kMaxAttempts = 10;

class PaimonFormat final : public LakeFormat {
 public:
  PaimonFormat(std::string warehouse, LakeLayout layout, Env& env, ObjectStore& objects)
      : warehouse_(std::move(warehouse)),
        layout_(layout),
        env_(env),
        objects_(objects),
        names_(std::make_shared<FileNames>(env.random.fork())) {}

  Result<bool> table_exists(const TablePath& path, const TableDescriptor& descriptor) override {
    ASSIGN_OR_RETURN(std::optional<PaimonSchema> there, files_of(path, descriptor).latest_schema());
    return there.has_value();
  }

  Status create_table(const TablePath& path,
                      const TableDescriptor& descriptor,
                      LakeTableUse use) override {
    TableFiles files = files_of(path, descriptor);
    ASSIGN_OR_RETURN(PaimonSchema wanted, paimon_schema_of(descriptor, layout_));
    RETURN_IF_ERROR(check_options(wanted));
    wanted.time_ms = env_.clock.now().value();
    for (Attempts attempts(env_.clock, kMaxAttempts); attempts.next();) {
      ASSIGN_OR_RETURN(std::optional<PaimonSchema> there, files.latest_schema());
      if (there) return take_table(files, *there, descriptor, use);
      ASSIGN_OR_RETURN(bool added, files.add_schema(wanted));
      if (added) return ok();
    }
    return make_error(
        ErrorCode::kStorageException, "{}: its schema is there and is not", files.root());
  }

  Status alter_table(const TablePath& path,
                     const TableDescriptor& before,
                     const TableDescriptor& after) override {
    if (lake_path_of(path, before) != lake_path_of(path, after)) {
      return make_error(ErrorCode::kInvalidAlterTableException,
                        "lake table {} keeps its name while it is there",
                        lake_path_of(path, before));
    }
    TableFiles files = files_of(path, before);
    for (Attempts attempts(env_.clock, kMaxAttempts); attempts.next();) {
      ASSIGN_OR_RETURN(PaimonSchema there, existing_schema(files));
      ASSIGN_OR_RETURN(PaimonSchema altered, altered_schema(there, before, after));
      if (altered.fields == there.fields && altered.options == there.options) return ok();
      Status options = check_options(altered);
      if (!options) {
        return make_error(ErrorCode::kInvalidAlterTableException, "{}", options.error().message());
      }
      ++altered.id;
      altered.time_ms = env_.clock.now().value();
      ASSIGN_OR_RETURN(bool added, files.add_schema(altered));
      if (added) return ok();
    }
    return make_error(ErrorCode::kStorageException,
                      "{}: others changed its schema {} times meanwhile, try again",
                      files.root(),
                      kMaxAttempts);
  }

  Result<std::shared_ptr<LakeTable>> open_table(const TablePath& path,
                                                const TableDescriptor& descriptor) override {
    TableFiles files = files_of(path, descriptor);
    ASSIGN_OR_RETURN(PaimonSchema schema, existing_schema(files));
    return open_paimon_table({.env = env_,
                              .objects = objects_,
                              .names = names_,
                              .root = files.root(),
                              .schema = std::move(schema),
                              .columns = descriptor.schema.visible()});
  }

 private:
  TableFiles files_of(const TablePath& path, const TableDescriptor& descriptor) const {
    TablePath place = lake_path_of(path, descriptor);
    std::string database = object_path(warehouse_, place.database + ".db");
    return TableFiles(objects_, *names_, object_path(database, place.table));
  }

  // Values that would stop a writer or the upkeep later.
  static Status check_options(const PaimonSchema& schema) {
    ASSIGN_OR_RETURN([[maybe_unused]] TableSettings settings, table_settings(schema));
    RETURN_IF_ERROR(check_retention(schema));
    return check_partition_expiry(schema);
  }

  static Result<PaimonSchema> existing_schema(const TableFiles& files) {
    ASSIGN_OR_RETURN(std::optional<PaimonSchema> schema, files.latest_schema());
    if (schema) return *std::move(schema);
    return make_error(ErrorCode::kTableNotExist, "{}: there is no lake table", files.root());
  }

  static Status take_table(const TableFiles& files,
                           const PaimonSchema& there,
                           const TableDescriptor& descriptor,
                           LakeTableUse use) {
    Status same = check_same_table(there, descriptor);
    if (!same) return fail(std::move(same).error().with_context(files.root()));
    if (use == LakeTableUse::kExistingTable) return ok();
    ASSIGN_OR_RETURN(std::optional<PaimonSnapshot> snapshot, files.latest_snapshot());
    if (!snapshot) return ok();
    return make_error(ErrorCode::kLakeTableAlreadyExist,
                      "{}: there is a Paimon table of this name, and it is not empty; drop it "
                      "there, or take another name",
                      files.root());
  }

  std::string warehouse_;
  LakeLayout layout_;
  Env& env_;
  ObjectStore& objects_;
  std::shared_ptr<FileNames> names_;
};

}  // namespace

Result<std::unique_ptr<LakeFormat>> make_paimon_format(LakeFormatOptions options,
                                                       Env& env,
                                                       ObjectStore& objects) {
  auto metastore = options.catalog.find("metastore");
  if (metastore != options.catalog.end() && metastore->second != "filesystem") {
    return make_error(ErrorCode::kInvalidConfigException,
                      "paimon catalog: metastore is '{}', only 'filesystem' is supported",
                      metastore->second);
  }
  auto warehouse = options.catalog.find("warehouse");
  if (warehouse == options.catalog.end() || warehouse->second.empty()) {
    return make_error(ErrorCode::kInvalidConfigException,
                      "paimon catalog: no warehouse is given, set datalake.paimon.warehouse to a "
                      "folder");
  }
  Result<std::string> root = object_root(warehouse->second);
  if (!root) return fail(std::move(root).error().with_context("paimon catalog: warehouse"));
  std::unique_ptr<LakeFormat> format =
      std::make_unique<PaimonFormat>(*std::move(root), options.layout, env, objects);
  return format;
}

}  // namespace lakestream::paimon
