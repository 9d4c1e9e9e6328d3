#include "lake/file_layers.h"

#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lakestream {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct File {
  std::pair<int, int> keys;
  VersionsFile versions;
};

std::optional<FileLayers> layers(const std::vector<File>& files) {
  std::vector<VersionsFile> versions;
  for (const File& file : files) versions.push_back(file.versions);
  return layers_of(versions, [&](size_t a, size_t b) {
    return files[a].keys.first <= files[b].keys.second &&
           files[b].keys.first <= files[a].keys.second;
  });
}

// Files whose keys lie apart are all old, whatever their orders.
TEST(FileLayers, FilesApart) {
  auto made = layers({{{0, 9}, {1, 5}}, {{20, 29}, {2, 8}}, {{10, 19}, {7, 9}}});
  ASSERT_TRUE(made);
  EXPECT_THAT(made->old, ElementsAre(0, 1, 2));
  EXPECT_THAT(made->newer, IsEmpty());
}

// A file above an old one is newer, and so is one that shares keys with that alone.
TEST(FileLayers, FilesAbove) {
  auto made =
      layers({{{0, 9}, {1, 5}}, {{5, 15}, {6, 8}}, {{12, 19}, {9, 9}}, {{30, 39}, {9, 12}}});
  ASSERT_TRUE(made);
  EXPECT_THAT(made->old, ElementsAre(0, 3));
  EXPECT_THAT(made->newer, ElementsAre(1, 2));
}

// Of files whose orders lie in each other no layer is known.
TEST(FileLayers, OrdersThatMix) { EXPECT_FALSE(layers({{{0, 9}, {1, 5}}, {{5, 15}, {5, 8}}})); }

// Deletes count for what is before them, and make what comes after them newer.
TEST(FileLayers, Deletes) {
  auto made = layers({{{0, 9}, {3, 3}},
                      {{20, 29}, {4, 4, true}},
                      {{5, 5}, {4, 4, true}},
                      {{4, 6}, {5, 5}},
                      {{20, 29}, {5, 5}}});
  ASSERT_TRUE(made);
  EXPECT_THAT(made->old, ElementsAre(0, 4));
  EXPECT_THAT(made->newer, ElementsAre(2, 3));
}

}  // namespace
}  // namespace lakestream
