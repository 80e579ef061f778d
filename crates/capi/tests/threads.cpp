// Four threads share every handle whose methods are const; each has to get the same answers.

#include <cinttypes>
#include <cstdio>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include <tensor_layout.hpp>

namespace tl = tensor_layout;

namespace {

template <typename T, typename E>
T made(tl::diplomat::result<T, E> result) {
  return std::move(result).ok().value();
}

struct Shared {
  std::unique_ptr<tl::Machine> machine = made(tl::Machine::parse("mn-core-2"));
  std::unique_ptr<tl::Layout> layout = made(tl::Layout::parse("((8_L2B, 8_L1B, 16:16), (16_MAB, 4:1, 4_PE, 4_W))"));
  std::unique_ptr<tl::Placement> placement = made(tl::Placement::on(*layout, *machine, nullptr, 16, 0));
  std::unique_ptr<tl::Table> table = made(tl::Table::compile(*placement));
  std::unique_ptr<tl::Pricer> pricer = tl::Pricer::of(*made(tl::CostModel::of(*machine, 16)));
  std::unique_ptr<tl::Candidates> candidates;
  std::unique_ptr<tl::Error> error = std::move(tl::Layout::parse("((4_PE:1 2:4))")).err().value();
};

// A sum of answers.
uint64_t work(const Shared& shared) {
  uint64_t sum = shared.error->report().size() + shared.error->message().size();
  std::vector<uint64_t> costs;
  auto walk = made(shared.candidates->walk());
  std::vector<uint64_t> parts = {made(shared.pricer->part(*shared.placement))};
  for (int at = 0; at < 40; ++at) {
    parts.push_back(made(shared.pricer->part(*made(made(walk->next())->placement()))));
  }
  for (uint64_t from : parts) {
    for (uint64_t to : parts) {
      sum += made(shared.pricer->cost(from, to)).steps;
    }
  }
  for (uint64_t at = 0; at < 1024; ++at) {
    uint64_t index[2] = {at, 1023 - at}, place[6] = {0}, back[2] = {0};
    sum += made(shared.table->place({index, 2}));
    sum += made(shared.table->element(at * 37)).element;
    sum += shared.placement->locate({index, 2}, {place, 6}).is_ok() + place[4];
    sum += made(shared.placement->element({place, 6}, {back, 2})) == tl::Content::Element ? back[0] : 7;
  }
  return sum;
}

}  // namespace

int main() {
  Shared shared;
  std::vector<uint64_t> shape = {1024, 1024};
  shared.candidates = tl::Candidates::of(*shared.machine, {shape.data(), shape.size()});
  shared.candidates->element_bits(16);
  uint64_t sums[4] = {};
  std::vector<std::thread> threads;
  for (uint64_t& sum : sums) {
    threads.emplace_back([&shared, &sum] { sum = work(shared); });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  for (uint64_t sum : sums) {
    std::printf("%" PRIu64 "\n", sum);
  }
  return 0;
}
