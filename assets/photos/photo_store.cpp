// SPDX-License-Identifier: MIT
#include "assets/photos/photo_store.h"

#include <utility>

namespace tessera::assets {

PhotoStore::PhotoStore(std::vector<StoredPhoto> photos, int64_t room, int64_t decodes,
                       bool alpha_is_opacity, const PhotoOptions& options)
    : photos_(std::move(photos)),
      left_(room),
      decodes_(decodes),
      ahead_([this, alpha_is_opacity, options](int view) {
        ++decodes_;
        const StoredPhoto& stored = photos_[view];
        return std::make_shared<const core::Photo>(
            load_photo(stored.view, stored.geometry, alpha_is_opacity, options));
      }) {
  int64_t bytes = 0;
  for (const StoredPhoto& stored : photos_) {
    bytes += stored.bytes;
    if (bytes <= room) ++most_decoded_;
    if (stored.photo == nullptr) continue;
    left_ -= stored.bytes;
    if (stored.gives_way) giving_way_ += stored.bytes;
  }
}

std::shared_ptr<const core::Photo> PhotoStore::photo(int view) {
  StoredPhoto& stored = photos_[view];
  if (stored.photo != nullptr) {
    if (stored.gives_way) giving_way_ -= stored.bytes;
    stored.gives_way = false;
    return stored.photo;
  }
  std::shared_ptr<const core::Photo> photo = ahead_.take(view);
  keep(view, photo);
  return photo;
}

void PhotoStore::prefetch(int view) {
  if (photos_[view].photo == nullptr) ahead_.request(view);
}

// One that was asked for stays for good: photos are shown in turns, so whatever took its place
// would be the one that is shown last.
void PhotoStore::keep(int view, const std::shared_ptr<const core::Photo>& photo) {
  StoredPhoto& stored = photos_[view];
  if (stored.bytes > left_ + giving_way_) return;
  for (StoredPhoto& other : photos_) {
    if (stored.bytes <= left_) break;
    if (other.photo == nullptr || !other.gives_way) continue;
    other.photo = nullptr;
    left_ += other.bytes;
    giving_way_ -= other.bytes;
  }
  stored.photo = photo;
  stored.gives_way = false;
  left_ -= stored.bytes;
}

}  // namespace tessera::assets
