#include "lake/iceberg/iceberg_format.h"

#include <optional>
#include <string>
#include <utility>

#include "io/env.h"
#include "lake/attempts.h"
#include "lake/file_names.h"
#include "lake/iceberg/iceberg_catalog.h"
#include "lake/iceberg/iceberg_table.h"
#include "lake/iceberg/mapping.h"
#include "lake/lake_path.h"

namespace lakestream::iceberg {
namespace {

// Others that make or change the same table meanwhile.
constexpr int kMaxAttempts = 10;

class IcebergFormat final : public LakeFormat {
 public:
  IcebergFormat(std::unique_ptr<IcebergCatalog> catalog, Env& env, ObjectStore& objects)
      : catalog_(std::move(catalog)),
        env_(env),
        objects_(objects),
        names_(std::make_shared<FileNames>(env.random.fork())) {}

  Result<bool> table_exists(const TablePath& path, const TableDescriptor& descriptor) override {
    ASSIGN_OR_RETURN(std::optional<LoadedTable> there,
                     catalog_->load_table(lake_path_of(path, descriptor)));
    return there.has_value();
  }

  Status create_table(const TablePath& path,
                      const TableDescriptor& descriptor,
                      LakeTableUse use) override {
    TablePath place = lake_path_of(path, descriptor);
    ASSIGN_OR_RETURN(NewTable wanted, iceberg_table_of(descriptor));
    for (Attempts attempts(env_.clock, kMaxAttempts); attempts.next();) {
      ASSIGN_OR_RETURN(std::optional<LoadedTable> there, catalog_->load_table(place));
      if (there) return take_table(*there, place, descriptor, use);
      RETURN_IF_ERROR(catalog_->create_namespace(place.database));
      ASSIGN_OR_RETURN(std::optional<LoadedTable> made, catalog_->create_table(place, wanted));
      if (made) return ok();
    }
    return make_error(ErrorCode::kStorageException, "{}: the table is there and is not", place);
  }

  Status alter_table(const TablePath& path,
                     const TableDescriptor& before,
                     const TableDescriptor& after) override {
    TablePath place = lake_path_of(path, before);
    if (place != lake_path_of(path, after)) {
      return make_error(ErrorCode::kInvalidAlterTableException,
                        "lake table {} keeps its name while it is there",
                        place);
    }
    for (Attempts attempts(env_.clock, kMaxAttempts); attempts.next();) {
      ASSIGN_OR_RETURN(LoadedTable there, existing(place));
      ASSIGN_OR_RETURN(TableChange change, alteration(there.metadata, before, after));
      if (change.updates.empty()) return ok();
      ASSIGN_OR_RETURN(CommitOutcome outcome, catalog_->commit(place, there, change));
      if (outcome.kind == CommitOutcome::Kind::kDone) return ok();
      // Of the others the next attempt sees what became of them.
    }
    return make_error(ErrorCode::kStorageException,
                      "{}: others changed it {} times meanwhile, try again",
                      place,
                      kMaxAttempts);
  }

  Result<std::shared_ptr<LakeTable>> open_table(const TablePath& path,
                                                const TableDescriptor& descriptor) override {
    TablePath place = lake_path_of(path, descriptor);
    ASSIGN_OR_RETURN(LoadedTable loaded, existing(place));
    return open_iceberg_table({.env = env_,
                               .objects = objects_,
                               .names = names_,
                               .catalog = catalog_,
                               .path = std::move(place),
                               .loaded = std::move(loaded),
                               .columns = descriptor.schema.visible()});
  }

 private:
  Result<LoadedTable> existing(const TablePath& place) {
    ASSIGN_OR_RETURN(std::optional<LoadedTable> there, catalog_->load_table(place));
    if (there) return *std::move(there);
    return make_error(ErrorCode::kTableNotExist, "{}: there is no lake table", place);
  }

  static Status take_table(const LoadedTable& there,
                           const TablePath& place,
                           const TableDescriptor& descriptor,
                           LakeTableUse use) {
    Status same = check_same_table(there.metadata, descriptor);
    if (!same) return fail(std::move(same).error().with_context(fmt::to_string(place)));
    if (use == LakeTableUse::kExistingTable) return ok();
    if (there.metadata.current_snapshot() == nullptr) return ok();
    return make_error(ErrorCode::kLakeTableAlreadyExist,
                      "{}: there is an Iceberg table of this name, and it is not empty; drop it "
                      "there, or take another name",
                      place);
  }

  std::shared_ptr<IcebergCatalog> catalog_;
  Env& env_;
  ObjectStore& objects_;
  std::shared_ptr<FileNames> names_;
};

}  // namespace

Result<std::unique_ptr<LakeFormat>> make_iceberg_format(LakeFormatOptions options,
                                                        Env& env,
                                                        ObjectStore& objects) {
  ASSIGN_OR_RETURN(std::unique_ptr<IcebergCatalog> catalog,
                   make_iceberg_catalog(options.catalog, env, objects));
  std::unique_ptr<LakeFormat> format =
      std::make_unique<IcebergFormat>(std::move(catalog), env, objects);
  return format;
}

}  // namespace lakestream::iceberg
