// The time of each call from C++, for `crossing.rs`: a name and nanoseconds per line.

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <utility>
#include <vector>

#include <tensor_layout.hpp>

namespace tl = tensor_layout;

namespace {

// Keeps the compiler from leaving out a call.
volatile uint64_t seen = 0;

template <typename T, typename E>
T made(tl::diplomat::result<T, E> result) {
  return std::move(result).ok().value();
}

template <typename Call>
void timed(const char* name, int calls, Call call) {
  double least = 1e18;
  for (int round = 0; round < 7; ++round) {
    auto began = std::chrono::steady_clock::now();
    for (int at = 0; at < calls; ++at) {
      seen = seen + call(static_cast<uint64_t>(at));
    }
    std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - began;
    least = taken.count() / calls < least ? taken.count() / calls : least;
  }
  std::printf("%s %.1f\n", name, least);
}

}  // namespace

int main() {
  const char* text = "((8_L2B, 8_L1B, 16:16), (16_MAB, 4:1, 4_PE, 4_W))";
  auto machine = made(tl::Machine::parse("mn-core-2"));
  auto layout = made(tl::Layout::parse(text));
  auto other = made(tl::Layout::parse("((16_MAB, 4:16, 16:1), (8_L2B, 8_L1B, 4_PE, 4_W))"));
  auto placement = made(tl::Placement::on(*layout, *machine, nullptr, 16, 0));
  auto target = made(tl::Placement::on(*other, *machine, nullptr, 16, 0));
  auto table = made(tl::Table::compile(*placement));
  auto traffic = made(tl::Traffic::between(*placement, *target));
  auto model = made(tl::CostModel::of(*machine, 16));
  auto pricer = tl::Pricer::of(*model);
  uint64_t from = made(pricer->part(*placement)), to = made(pricer->part(*target));
  made(pricer->cost(from, to));

  uint64_t index[2] = {0, 37}, place[6] = {0}, extents[2], back[2];
  size_t order[2] = {1, 0};
  auto indexed = [&](uint64_t at) {
    index[0] = at % 1024;
    return tl::diplomat::span<const uint64_t>{index, 2};
  };

  timed("Layout.parse", 2000, [&](uint64_t) { return made(tl::Layout::parse(text))->rank(); });
  timed("Layout.clone", 100000, [&](uint64_t) { return layout->clone() != nullptr; });
  timed("Layout.rank", 1000000, [&](uint64_t) { return layout->rank(); });
  timed("Layout.shape", 1000000, [&](uint64_t) { return layout->shape({extents, 2}).is_ok() + extents[0]; });
  timed("Layout.same_map", 2000, [&](uint64_t) { return made(layout->same_map(*other)); });
  timed("Layout.permute", 20000, [&](uint64_t) { return made(layout->permute({order, 2})) != nullptr; });
  timed("Layout.left_inverse", 2000, [&](uint64_t) { return made(layout->left_inverse()) != nullptr; });
  timed("Placement.on", 2000, [&](uint64_t) {
    return made(tl::Placement::on(*layout, *machine, nullptr, 16, 0)) != nullptr;
  });
  timed("Placement.locate", 200000, [&](uint64_t at) {
    return placement->locate(indexed(at), {place, 6}).is_ok() + place[4];
  });
  timed("Placement.element", 50000, [&](uint64_t at) {
    place[0] = at % 8;
    return static_cast<uint64_t>(made(placement->element({place, 6}, {back, 2}))) + back[0];
  });
  timed("Table.place", 1000000, [&](uint64_t at) { return made(table->place(indexed(at))); });
  timed("Table.element", 1000000, [&](uint64_t at) { return made(table->element(at % 65536)).element; });
  timed("an error", 100000, [&](uint64_t) {
    index[0] = 4096;
    return static_cast<uint64_t>(table->place({index, 2}).is_ok());
  });
  timed("Traffic.between", 500, [&](uint64_t) { return made(tl::Traffic::between(*placement, *target)) != nullptr; });
  timed("CostModel.cost", 20000, [&](uint64_t) { return made(model->cost(*traffic)).steps; });
  timed("Pricer.part", 20000, [&](uint64_t) { return made(pricer->part(*placement)); });
  timed("Pricer.cost", 1000000, [&](uint64_t) { return made(pricer->cost(from, to)).steps; });
  std::vector<uint64_t> shape = {1024, 1024};
  auto all = tl::Candidates::of(*machine, {shape.data(), shape.size()});
  all->level_parts(2);
  auto walk = made(all->walk());
  timed("CandidateWalk.next", 5000, [&](uint64_t) { return made(walk->next())->slots(); });
  return 0;
}
