#include "lake/iceberg/hadoop_catalog.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/failpoint.h"
#include "base/logging.h"
#include "io/clock.h"
#include "io/env.h"
#include "io/object_store.h"
#include "lake/file_names.h"
#include "lake/iceberg/catalog/catalog_options.h"
#include "lake/iceberg/metadata_document.h"

namespace lakestream::iceberg {
namespace {

constexpr std::string_view kHint = "version-hint.text";
constexpr std::string_view kSuffix = ".metadata.json";
// With those of others, who compress.
constexpr std::string_view kSuffixes[] = {".gz.metadata.json", ".metadata.json.gz", kSuffix};

std::string metadata_folder(const std::string& location) {
  return object_path(location, "metadata");
}

std::string version_path(const std::string& location, int64_t version) {
  return object_path(metadata_folder(location), fmt::format("v{}{}", version, kSuffix));
}

std::optional<int64_t> number_in(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' ')) {
    text.remove_suffix(1);
  }
  int64_t number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 1) return std::nullopt;
  return number;
}

// "v3.metadata.json", and "00003-<uuid>.metadata.json" as other catalogs name them.
std::optional<int64_t> version_of(std::string_view name) {
  auto suffix = std::find_if(std::begin(kSuffixes), std::end(kSuffixes), [&](std::string_view end) {
    return name.ends_with(end);
  });
  if (suffix == std::end(kSuffixes)) return std::nullopt;
  name.remove_suffix(suffix->size());
  if (name.starts_with('v')) return number_in(name.substr(1));
  size_t dash = name.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  return number_in(name.substr(0, dash));
}

class HadoopCatalog final : public IcebergCatalog {
 public:
  HadoopCatalog(std::string warehouse, Env& env, ObjectStore& objects)
      : warehouse_(std::move(warehouse)),
        env_(env),
        objects_(objects),
        names_(env.random.fork()),
        cache_(objects) {}

  // They are folders.
  Status create_namespace(const std::string& /*name*/) override { return ok(); }

  Result<std::optional<LoadedTable>> load_table(const TablePath& path) override {
    std::string location = location_of(path);
    ASSIGN_OR_RETURN(std::optional<Bytes> hint,
                     objects_.get(object_path(metadata_folder(location), kHint)));
    std::optional<int64_t> version = hint ? number_in(hint->view()) : std::nullopt;
    if (version) {
      ASSIGN_OR_RETURN(bool is_there, exists(version_path(location, *version)));
      if (!is_there) version.reset();
    }
    if (!version) {
      ASSIGN_OR_RETURN(std::optional<std::string> file, newest_file(location));
      if (!file) return std::optional<LoadedTable>();
      return load_file(*file, *version_of(file->substr(file->find_last_of('/') + 1)));
    }
    // The hint may be behind: its writer ended, or lost the answer to what it had written.
    int64_t hinted = *version;
    while (true) {
      ASSIGN_OR_RETURN(bool is_there, exists(version_path(location, *version + 1)));
      if (!is_there) break;
      ++*version;
    }
    // Not every reader looks behind it.
    if (*version > hinted) set_hint(location, *version);
    return load_file(version_path(location, *version), *version);
  }

  Result<std::optional<LoadedTable>> create_table(const TablePath& path,
                                                  const NewTable& table) override {
    std::string location = location_of(path);
    ASSIGN_OR_RETURN(std::optional<std::string> there, newest_file(location));
    if (there) return std::optional<LoadedTable>();
    TableMetadata metadata =
        first_metadata(table, names_.uuid(), location, env_.clock.now().value());
    ASSIGN_OR_RETURN(Put put, put_version(location, 1, to_json(metadata)));
    if (put == Put::kDone) {
      set_hint(location, 1);
      return std::optional(LoadedTable{.metadata = std::move(metadata),
                                       .metadata_file = version_path(location, 1),
                                       .version = 1});
    }
    if (put == Put::kOther) return std::optional<LoadedTable>();
    return make_error(ErrorCode::kStorageException,
                      "{}: whether it was written is not known",
                      version_path(location, 1));
  }

  Result<CommitOutcome> commit(const TablePath& path,
                               const LoadedTable& base,
                               const TableChange& change) override {
    std::string location = location_of(path);
    if (auto broken = broken_requirement(change.requirements, base.metadata)) {
      return CommitOutcome{.kind = CommitOutcome::Kind::kConflict, .reason = *std::move(broken)};
    }
    ASSIGN_OR_RETURN(
        TableMetadata next,
        next_version(change, base.metadata, base.metadata_file, env_.clock.now().value()));
    int64_t version = base.version + 1;
    std::string file = version_path(location, version);
    std::string text = to_json(next);
    Result<Put> put = put_version(location, version, text);
    if (!put) {
      return CommitOutcome{.kind = CommitOutcome::Kind::kUnknown,
                           .reason = std::string(put.error().message())};
    }
    if (*put == Put::kUnknown) {
      return CommitOutcome{.kind = CommitOutcome::Kind::kUnknown,
                           .reason = fmt::format("{}: whether it was written is not known", file)};
    }
    if (*put == Put::kOther) {
      return CommitOutcome{.kind = CommitOutcome::Kind::kConflict,
                           .reason = fmt::format("{} is there already", file)};
    }
    if (base.version > 0 && removes_old_metadata(next)) {
      // Behind the versions that are kept a file may be made once more: no base, no next version.
      Result<bool> has_base = exists(base.metadata_file);
      if (!has_base || !*has_base) {
        if (has_base) (void)objects_.remove(file);
        return CommitOutcome{.kind = CommitOutcome::Kind::kUnknown,
                             .reason = fmt::format("{} is gone", base.metadata_file)};
      }
    }
    Status reached = failpoint("iceberg.after_metadata");
    if (!reached) {
      return CommitOutcome{.kind = CommitOutcome::Kind::kUnknown,
                           .reason = std::string(reached.error().message())};
    }
    cache_.add(file, text, next);
    set_hint(location, version);
    remove_old_metadata(objects_, base.metadata, next);
    return CommitOutcome{.table = LoadedTable{.metadata = std::move(next),
                                              .metadata_file = std::move(file),
                                              .version = version}};
  }

 private:
  enum class Put : uint8_t { kDone, kOther, kUnknown };

  std::string location_of(const TablePath& path) const {
    return object_path(object_path(warehouse_, path.database), path.table);
  }

  Result<std::optional<std::string>> read(const std::string& path) {
    ASSIGN_OR_RETURN(std::optional<Bytes> content, objects_.get(path));
    if (!content) return std::optional<std::string>();
    return std::optional<std::string>(content->view());
  }

  Result<bool> exists(const std::string& path) {
    ASSIGN_OR_RETURN(std::optional<Bytes> first, objects_.get_range(path, 0, 1));
    return first.has_value();
  }

  // By listing, for a hint that is missing or points to nothing. Files of this catalog go before
  // those that others have named.
  Result<std::optional<std::string>> newest_file(const std::string& location) {
    std::string folder = metadata_folder(location);
    ASSIGN_OR_RETURN(std::vector<ObjectInfo> objects, objects_.list(folder));
    std::optional<std::string> newest;
    std::pair<bool, int64_t> newest_rank;
    for (const ObjectInfo& object : objects) {
      std::string_view name = std::string_view(object.path).substr(folder.size() + 1);
      std::optional<int64_t> version = version_of(name);
      if (!version) continue;
      std::pair<bool, int64_t> rank(name.starts_with('v'), *version);
      if (newest && rank <= newest_rank) continue;
      newest = object.path;
      newest_rank = rank;
    }
    return newest;
  }

  Result<std::optional<LoadedTable>> load_file(const std::string& file, int64_t version) {
    ASSIGN_OR_RETURN(TableMetadata metadata, cache_.read(file));
    return std::optional(
        LoadedTable{.metadata = std::move(metadata), .metadata_file = file, .version = version});
  }

  Result<Put> put_version(const std::string& location, int64_t version, const std::string& text) {
    std::string file = version_path(location, version);
    Result<bool> added = objects_.put_if_absent(file, Bytes::copy_of(text));
    if (!added || !*added) {
      // The store may have done it and lost its answer, or tried again and met its own: no other
      // state has this text.
      ASSIGN_OR_RETURN(std::optional<std::string> there, read(file));
      if (!there) return Put::kUnknown;
      if (*there != text) return Put::kOther;
    }
    return Put::kDone;
  }

  void set_hint(const std::string& location, int64_t version) {
    Status hint = objects_.put(object_path(metadata_folder(location), kHint),
                               Bytes::copy_of(std::to_string(version)));
    // Readers look behind a hint.
    if (!hint) LOG_WARN("lake", "hint not written", KV("error", hint.error().to_string()));
  }

  std::string warehouse_;
  Env& env_;
  ObjectStore& objects_;
  FileNames names_;
  MetadataCache cache_;
};

}  // namespace

Result<std::unique_ptr<IcebergCatalog>> make_hadoop_catalog(const Properties& options,
                                                            Env& env,
                                                            ObjectStore& objects) {
  ASSIGN_OR_RETURN(std::string warehouse, warehouse_of(options));
  std::unique_ptr<IcebergCatalog> catalog =
      std::make_unique<HadoopCatalog>(std::move(warehouse), env, objects);
  return catalog;
}

}  // namespace lakestream::iceberg
