#pragma once

#include <memory>
#include <utility>

#include "base/check.h"

// What a format hands around behind LakeFiles::Content and LakeSplit::Content: one value of its
// own, whose type is looked at when it comes back.
//
// Thread rule: values, any thread.
//
//   split.content = to_content<LakeSplit::Content>(BucketFiles{…});
//   const BucketFiles* files = content_as<BucketFiles>(split.content);
namespace lakestream {

template <typename Base, typename T>
struct TypedContent final : Base {
  explicit TypedContent(T of) : value(std::move(of)) {}
  T value;
};

template <typename Base, typename T>
std::shared_ptr<const Base> to_content(T value) {
  return std::make_shared<const TypedContent<Base, T>>(std::move(value));
}

// Nothing of nothing. Requires: what it is was made by to_content of a T.
template <typename T, typename Base>
const T* content_as(const std::shared_ptr<const Base>& content) {
  if (content == nullptr) return nullptr;
  const auto* typed = dynamic_cast<const TypedContent<Base, T>*>(content.get());
  CHECK(typed != nullptr, "content of another format");
  return &typed->value;
}

}  // namespace lakestream
