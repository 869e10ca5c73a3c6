// Messages of the live view: read back, cut, and made of random bytes.
// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <random>

#include "apps/live/live_request.h"
#include "apps/live/live_snapshot.h"
#include "apps/live/live_socket.h"
#include "core/error.h"
#include "distributed/backends/lone_rank.h"

namespace tessera::test {
namespace {

using namespace apps;

core::GaussianCloud some_cloud(int sh_degree, int64_t size) {
  core::GaussianCloud cloud(sh_degree, size);
  std::mt19937 random(3);
  std::normal_distribution<float> normal;
  for (int p = 0; p < cloud.parameters.plane_count(); ++p) {
    for (int64_t i = 0; i < size; ++i) cloud.plane(p)[i] = normal(random);
  }
  return cloud;
}

std::shared_ptr<LiveSnapshot> snapshot_of(const core::GaussianCloud& cloud, int sh_degree) {
  auto snapshot = std::make_shared<LiveSnapshot>();
  gather_snapshot(*distributed::lone_rank(), cloud, sh_degree, *snapshot);
  snapshot->header.step = 7;
  std::strcpy(snapshot->header.vertical_axis, "-y");
  snapshot->header.origin_in_file[1] = 4e6;
  return snapshot;
}

// What is put into an outbox, as it arrives.
std::vector<std::byte> payload_of(Outbox& outbox) {
  int ends[2] = {};
  EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
  const Descriptor from(ends[0]);
  const Descriptor to(ends[1]);
  MessageReader reader(most_bytes_from_training);
  std::vector<std::byte> payload;
  bool came = false;
  while (!came) {
    EXPECT_TRUE(outbox.send(from));
    EXPECT_TRUE(reader.receive(to, [&](LiveMessage, std::span<const std::byte> bytes) {
      payload.assign(bytes.begin(), bytes.end());
      came = true;
    }));
  }
  EXPECT_TRUE(outbox.empty());
  return payload;
}

TEST(LiveSnapshots, ArriveWithTheColorThatWasWishedFor) {
  const core::GaussianCloud cloud = some_cloud(3, 40'000);
  const std::shared_ptr<LiveSnapshot> snapshot = snapshot_of(cloud, 4);
  for (const int degree : {0, 2, 3, 4}) {
    Outbox outbox;
    outbox.add(snapshot, degree);
    const LiveScene got = read_snapshot(payload_of(outbox));
    EXPECT_EQ(got.step, 7);
    EXPECT_EQ(got.scene.vertical_axis, "-y");
    EXPECT_EQ(got.scene.origin_in_file[1], 4e6);
    ASSERT_EQ(got.scene.cloud.sh_degree, std::min(degree, 3));
    ASSERT_EQ(got.scene.cloud.size(), cloud.size());
    EXPECT_TRUE(got.owners.empty());
    for (int p = 0; p < core::plane_count(got.scene.cloud.sh_degree); ++p) {
      EXPECT_EQ(std::memcmp(got.scene.cloud.plane(p), cloud.plane(p), 4 * cloud.size()), 0) << p;
    }
  }
}

TEST(LiveSnapshots, ThatAreCutOrLieAreRefused) {
  Outbox outbox;
  outbox.add(snapshot_of(some_cloud(1, 100), 1), 1);
  const std::vector<std::byte> whole = payload_of(outbox);
  EXPECT_EQ(read_snapshot(whole).scene.cloud.size(), 100);
  for (size_t sixteenth = 0; sixteenth < 16; ++sixteenth) {
    EXPECT_THROW(read_snapshot(std::span(whole).first(whole.size() * sixteenth / 16)), core::Error);
  }
  for (const auto& [at, value] :
       {std::pair<size_t, int64_t>{8, -1}, {8, INT64_MAX}, {16, 5}, {16, -1}, {32, 0}, {32, 2}}) {
    std::vector<std::byte> lying = whole;
    std::memcpy(lying.data() + at, &value, sizeof(value));
    EXPECT_THROW(read_snapshot(lying), core::Error) << at << " " << value;
  }
}

TEST(LiveMessages, OfRandomBytesAreReadOrRefused) {
  std::mt19937_64 random(11);
  int read = 0;
  for (int trial = 0; trial < 20'000; ++trial) {
    std::vector<std::byte> bytes(random() % 200);
    // Small numbers get past the first checks more often.
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(trial % 2 == 0 ? random() : 0);
    for (int change = 0; !bytes.empty() && change < 3; ++change) {
      bytes[random() % bytes.size()] = static_cast<std::byte>(random());
    }
    LiveState state;
    const auto tried = [&](auto&& reading) {
      try {
        reading();
        ++read;
      } catch (const core::Error&) {
      }
    };
    tried([&] { check_hello(bytes); });
    tried([&] { read_state(bytes, state); });
    tried([&] { read_samples(bytes); });
    tried([&] { read_tests(bytes); });
    tried([&] { read_snapshot(bytes); });
    tried([&] { read_command(bytes); });
    tried([&] { read_snapshot_wish(bytes); });
    EXPECT_LE(state.phase, LivePhase::kFailed);
  }
  EXPECT_GT(read, 1000);
}

TEST(LiveMessages, LongerThanAnyAreRefusedBeforeTheyCome) {
  int ends[2] = {};
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
  const Descriptor from(ends[0]);
  const Descriptor to(ends[1]);
  const LiveHeader header = {LiveMessage::kCommand, uint64_t{1} << 40};
  ASSERT_EQ(write(from.get(), &header, sizeof(header)), ssize_t{sizeof(header)});
  MessageReader reader(most_bytes_from_watcher);
  EXPECT_THROW(reader.receive(to, [](LiveMessage, std::span<const std::byte>) {}), core::Error);
}

TEST(LiveRequests, ComeThroughANumber) {
  for (const LiveRequest& request : {LiveRequest{}, LiveRequest{true, false, -1},
                                     LiveRequest{false, true, 0}, LiveRequest{true, true, 4}}) {
    const LiveRequest same = unpacked(packed(request));
    EXPECT_EQ(same.save, request.save);
    EXPECT_EQ(same.figures, request.figures);
    EXPECT_EQ(same.snapshot_degree, request.snapshot_degree);
  }
  EXPECT_EQ(packed({}), 0);
}

}  // namespace
}  // namespace tessera::test
