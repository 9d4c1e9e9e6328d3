#include "cli/input/row_source.h"

#include <utility>

#include "cli/input/arrow_source.h"
#include "cli/input/text_source.h"

namespace lakestream::cli {
namespace {

struct Ending {
  std::string_view text;
  InputFormat format;
};
constexpr Ending kEndings[] = {
    {".csv", InputFormat::kCsv},
    {".ndjson", InputFormat::kNdjson},
    {".jsonl", InputFormat::kNdjson},
    {".json", InputFormat::kNdjson},
    {".arrow", InputFormat::kArrow},
    {".arrows", InputFormat::kArrow},
    {".feather", InputFormat::kArrow},
    {".ipc", InputFormat::kArrow},
};

}  // namespace

std::optional<InputFormat> input_format_of(std::string_view path) {
  for (const Ending& ending : kEndings) {
    if (path.ends_with(ending.text)) return ending.format;
  }
  return std::nullopt;
}

Result<std::unique_ptr<RowSource>> open_source(const SourceOptions& options,
                                               const Schema* schema,
                                               Input* input,
                                               BadRows* bad_rows) {
  std::unique_ptr<RecordReader> reader;
  switch (options.format) {
    case InputFormat::kArrow:
      return open_arrow(options, schema, input, bad_rows);
    case InputFormat::kCsv: {
      ASSIGN_OR_RETURN(reader, open_csv(options, schema, input));
      break;
    }
    case InputFormat::kNdjson:
      reader = open_ndjson(options, schema, input);
      break;
  }
  return std::make_unique<TextSource>(std::move(reader), schema, bad_rows);
}

}  // namespace lakestream::cli
