#pragma once

#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

// One connection to an SQLite database that other processes use as well, for statements on texts.
//
// Errors carry kStorageException and name the file.
//
// Thread rule: calls block; belongs to one thread at a time.
//
//   ASSIGN_OR_RETURN(SqliteDatabase database, SqliteDatabase::open("/lake/catalog.db"));
//   ASSIGN_OR_RETURN(SqlResult rows, database.run("SELECT a FROM t WHERE b = ?", {"x"}));
//   if (rows.outcome == SqlResult::Outcome::kDone) use(rows.rows);
struct sqlite3;

namespace lakestream::iceberg {

struct SqlResult {
  enum class Outcome {
    kDone,
    kNotUnique,  // nothing was changed: another row has this key
    kUnknown,    // the disk failed: what was to be changed may be
  };
  Outcome outcome = Outcome::kDone;
  std::vector<std::vector<std::optional<std::string>>> rows = {};
  int changed = 0;          // rows, of statements that change some
  std::string reason = {};  // of kUnknown
};

class SqliteDatabase {
 public:
  // Makes the file when there is none.
  static Result<SqliteDatabase> open(const std::string& file);
  // An error when nothing was changed: another process did not let go of the file, it is damaged or
  // can not be written, or the statement is wrong.
  Result<SqlResult> run(std::string_view sql, std::initializer_list<std::string_view> values = {});
  // Whether the statement fits the tables that there are.
  bool understands(std::string_view sql);

 private:
  struct Closer {
    void operator()(sqlite3* connection) const;
  };
  SqliteDatabase(std::string file, sqlite3* connection)
      : file_(std::move(file)), connection_(connection) {}
  tl::unexpected<Error> error(int code) const;

  std::string file_;
  std::unique_ptr<sqlite3, Closer> connection_;
};

}  // namespace lakestream::iceberg
