#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "table/descriptor.h"

// One state of a Paimon table: the content of a file snapshot/snapshot-N, which is never modified.
// Its files are those of the base list and of the delta list.
//
// Thread rule: values, any thread.
//
//   ASSIGN_OR_RETURN(PaimonSnapshot snapshot, paimon_snapshot_from_json(text));
//   read_list(snapshot.base_manifest_list);
namespace lakestream::paimon {

// Of all commits that are not numbered by their user.
inline constexpr int64_t kBatchCommitIdentifier = INT64_MAX;

struct PaimonSnapshot {
  int64_t id = 0;
  int64_t schema_id = 0;
  std::string base_manifest_list;
  std::optional<int64_t> base_manifest_list_size = std::nullopt;
  std::string delta_manifest_list;
  std::optional<int64_t> delta_manifest_list_size = std::nullopt;
  std::optional<std::string> changelog_manifest_list = std::nullopt;  // none: no changelog
  std::optional<int64_t> changelog_manifest_list_size = std::nullopt;
  std::optional<std::string> index_manifest = std::nullopt;
  std::string commit_user;
  int64_t commit_identifier = kBatchCommitIdentifier;
  std::string commit_kind;  // "APPEND", "COMPACT", "OVERWRITE", "ANALYZE"
  int64_t time_ms = 0;
  int64_t total_records = 0;  // of all data files, versions of keys counted each
  int64_t delta_records = 0;
  std::optional<int64_t> changelog_records = std::nullopt;
  std::optional<int64_t> watermark = std::nullopt;
  std::optional<std::string> statistics = std::nullopt;
  Properties properties = {};
  std::optional<int64_t> next_row_id = std::nullopt;

  friend bool operator==(const PaimonSnapshot&, const PaimonSnapshot&) = default;
};

std::string to_json(const PaimonSnapshot& snapshot);
// kUnknownServerError when the text is no such document.
Result<PaimonSnapshot> paimon_snapshot_from_json(std::string_view text);

}  // namespace lakestream::paimon
