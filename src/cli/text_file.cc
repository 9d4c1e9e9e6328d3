#include "cli/text_file.h"

#include <fstream>
#include <sstream>

namespace lakestream::cli {

Result<std::string> read_text_file(const std::string& path) {
  std::ifstream file(path);
  std::stringstream content;
  content << file.rdbuf();
  if (file) return content.str();
  return make_error(ErrorCode::kInvalidConfigException, "file {} cannot be read", path);
}

Result<std::string> read_secret_file(const std::string& path) {
  ASSIGN_OR_RETURN(std::string content, read_text_file(path));
  std::string line = content.substr(0, content.find_first_of("\r\n"));
  if (!line.empty()) return line;
  return make_error(ErrorCode::kInvalidConfigException, "file {}: its first line is empty", path);
}

}  // namespace lakestream::cli
