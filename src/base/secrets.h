#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/config.h"
#include "base/result.h"

// Values of options that nobody may see: their texts appear in no message, log or answer, and they
// may come from elsewhere, by a reference "${env:NAME}" or "${file:PATH}" in the text.
//
// Thread rule: pure functions.
//
//   std::string shown = shown_value(key, value);
//   ASSIGN_OR_RETURN(TextMap references, resolve_references(&texts, look_up));
namespace lakestream {

inline constexpr std::string_view kHiddenValue = "******";

// By what the key says.
bool is_secret_option(std::string_view key);

// The value of an option as everybody may see it: a secret hidden, of a map of secrets, such as
// users and their passwords, the keys with hidden values, and addresses without their passwords.
std::string shown_value(std::string_view key, std::string_view value);

// What a reference of this kind, "env" or "file", stands for.
using ReferenceLookup =
    std::function<Result<std::string>(std::string_view kind, std::string_view name)>;
// Puts what they stand for in the place of references, once: what comes is taken as it is. Gives
// the texts as they were, of those that had some. kInvalidConfigException names the option.
Result<TextMap> resolve_references(TextMap* texts, const ReferenceLookup& look_up);

}  // namespace lakestream
