#include "lake/iceberg/catalog/sqlite_database.h"

#include <sqlite3.h>

namespace lakestream::iceberg {
namespace {

constexpr int kBusyMs = 10'000;

struct Finalizer {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Statement = std::unique_ptr<sqlite3_stmt, Finalizer>;

Statement prepare(sqlite3* connection, std::string_view sql, int* code) {
  sqlite3_stmt* statement = nullptr;
  *code =
      sqlite3_prepare_v2(connection, sql.data(), static_cast<int>(sql.size()), &statement, nullptr);
  return Statement(statement);
}

std::optional<std::string> text_of(sqlite3_stmt* statement, int column) {
  const unsigned char* text = sqlite3_column_text(statement, column);
  if (text == nullptr) return std::nullopt;
  return std::string(reinterpret_cast<const char*>(text),
                     static_cast<size_t>(sqlite3_column_bytes(statement, column)));
}

// Errors of the disk leave open how far a change came.
bool is_open_end(int code) {
  switch (code & 0xff) {
    case SQLITE_IOERR:
    case SQLITE_FULL:
    case SQLITE_NOMEM:
    case SQLITE_INTERRUPT:
      return true;
    default:
      return false;
  }
}

}  // namespace

void SqliteDatabase::Closer::operator()(sqlite3* connection) const { sqlite3_close(connection); }

Result<SqliteDatabase> SqliteDatabase::open(const std::string& file) {
  sqlite3* connection = nullptr;
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
  int code = sqlite3_open_v2(file.c_str(), &connection, flags, nullptr);
  SqliteDatabase database(file, connection);
  if (code != SQLITE_OK) return database.error(code);
  sqlite3_busy_timeout(connection, kBusyMs);
  return database;
}

tl::unexpected<Error> SqliteDatabase::error(int code) const {
  const char* reason =
      connection_ == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(connection_.get());
  std::string_view remedy = "check the file";
  switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      remedy = "another process did not let go of it for ten seconds; see who has it open";
      break;
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
    case SQLITE_PERM:
      remedy = "make its folder, and check the rights of file and folder";
      break;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      remedy = "put a copy in its place";
      break;
    default:
      break;
  }
  return make_error(
      ErrorCode::kStorageException, "iceberg catalog {}: {}; {}", file_, reason, remedy);
}

Result<SqlResult> SqliteDatabase::run(std::string_view sql,
                                      std::initializer_list<std::string_view> values) {
  int code = SQLITE_OK;
  Statement statement = prepare(connection_.get(), sql, &code);
  if (code != SQLITE_OK) return error(code);
  int index = 0;
  for (std::string_view value : values) {
    sqlite3_bind_text(
        statement.get(), ++index, value.data(), static_cast<int>(value.size()), SQLITE_STATIC);
  }
  SqlResult result;
  while ((code = sqlite3_step(statement.get())) == SQLITE_ROW) {
    std::vector<std::optional<std::string>>& row = result.rows.emplace_back();
    for (int i = 0; i < sqlite3_column_count(statement.get()); ++i) {
      row.push_back(text_of(statement.get(), i));
    }
  }
  if (code == SQLITE_DONE) {
    result.changed = sqlite3_changes(connection_.get());
    return result;
  }
  if ((code & 0xff) == SQLITE_CONSTRAINT) {
    result.outcome = SqlResult::Outcome::kNotUnique;
    return result;
  }
  if (!is_open_end(code)) return error(code);
  result.outcome = SqlResult::Outcome::kUnknown;
  result.reason = error(code).value().message();
  return result;
}

bool SqliteDatabase::understands(std::string_view sql) {
  int code = SQLITE_OK;
  Statement statement = prepare(connection_.get(), sql, &code);
  return code == SQLITE_OK;
}

}  // namespace lakestream::iceberg
