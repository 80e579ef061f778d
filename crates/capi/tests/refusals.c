/* Texts, machines, buffers and numbers that have no answer: each is an error that is a value. */

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <tensor_layout.h>

static DiplomatStringView view(const char* text) {
  DiplomatStringView view = {text, strlen(text)};
  return view;
}

static void print(const char* call, bool is_ok, tl0_Error* error) {
  if (is_ok) {
    printf("%s: an answer\n", call);
    return;
  }
  DiplomatStringView message = tl0_Error_message(error);
  printf("%s: %d: %.*s", call, tl0_Error_kind(error), (int)message.len, message.data);
  tl0_Error_help_result help = tl0_Error_help(error);
  if (help.is_ok) {
    printf(" | %.*s", (int)help.ok.len, help.ok.data);
  }
  tl0_Error_span_result span = tl0_Error_span(error);
  if (span.is_ok) {
    printf(" | bytes %zu to %zu", span.ok.start, span.ok.end);
  }
  printf("\n");
  tl0_Error_destroy(error);
}

/* Of a call whose answer is not a handle. */
#define REFUSED(name, call)           \
  do {                                \
    __typeof__(call) result = (call); \
    print(name, result.is_ok, result.is_ok ? NULL : result.err); \
  } while (0)

static tl0_Layout* layout(const char* text) { return tl0_Layout_parse(view(text)).ok; }

static void texts(void) {
  const char* const bad[] = {"", "(", "((4_PE:1 2:4))", "((2_PE, 6:4), (2_PE, 4:1))", "f32[3,5]{7,0}", "a log", "((0:1))",
                             "((18446744073709551616:1))", "((4294967296:1, 4294967296:1, 4294967296:1))"};
  for (size_t at = 0; at < sizeof bad / sizeof *bad; at++) {
    REFUSED(bad[at], tl0_Layout_parse(view(bad[at])));
  }
  DiplomatStringView bytes = {"((4\xff))", 6}, none = {NULL, 0}, nothing = {NULL, 9}, zero = {"((4:1))\0((4:1))", 15};
  REFUSED("not UTF-8", tl0_Layout_parse(bytes));
  REFUSED("no text", tl0_Layout_parse(none));
  REFUSED("null with a length", tl0_Layout_parse(nothing));
  REFUSED("a zero byte", tl0_Layout_parse(zero));
  char deep[10001];
  memset(deep, '(', 10000);
  deep[10000] = 0;
  REFUSED("ten thousand brackets", tl0_Layout_parse(view(deep)));
  const char* const machines[] = {"", "mncore2", "PE=0", "PE=4,PE=4", "Addr=4", "PE=99999999999,MAB=99999999999"};
  for (size_t at = 0; at < sizeof machines / sizeof *machines; at++) {
    REFUSED(machines[at], tl0_Machine_parse(view(machines[at])));
  }
  REFUSED("no TOML", tl0_Machine_from_toml(view("levels = 3")));
  REFUSED("no level", tl0_Level_parse(view("4_PE")));
}

static void buffers(void) {
  tl0_Layout* rows = layout("((4_PE, 3:8), (8:1))");
  tl0_Placement* placement = tl0_Placement_of(rows).ok;
  tl0_Table* table = tl0_Table_compile(placement).ok;
  uint64_t index[3] = {5, 1, 0}, place[3] = {0};
  DiplomatU64View two = {index, 2}, three = {index, 3}, none = {NULL, 0}, nothing = {NULL, 2};
  DiplomatU64ViewMut room = {place, 2}, small = {place, 1}, no_room = {NULL, 0};
  REFUSED("located", tl0_Placement_locate(placement, two, room));
  REFUSED("a small place", tl0_Placement_locate(placement, two, small));
  REFUSED("no place", tl0_Placement_locate(placement, two, no_room));
  REFUSED("a long index", tl0_Placement_locate(placement, three, room));
  REFUSED("no index", tl0_Placement_locate(placement, none, room));
  REFUSED("a null index", tl0_Placement_locate(placement, nothing, room));
  index[0] = 12;
  REFUSED("a row beyond the last", tl0_Placement_locate(placement, two, room));
  REFUSED("a row beyond the last, in a table", tl0_Table_place(table, two));
  REFUSED("a small shape", tl0_Layout_shape(rows, small));
  REFUSED("an index that is too short", tl0_Placement_element(placement, two, small));
  REFUSED("all places, small", tl0_Placement_locate_all(placement, two, small));
  REFUSED("places of half an index", tl0_Table_places_of(table, three, room));
  REFUSED("coordinates beyond the last place", tl0_Table_coordinates(table, 96, room));
  REFUSED("a window of another rank", tl0_Table_window(table, three, three));
  REFUSED("a window beyond", tl0_Table_window(table, none, two));

  uint32_t cells[96] = {0};
  DiplomatU32ViewMut enough = {cells, 96}, little = {cells, 95};
  REFUSED("a table", tl0_Table_fill_packed_u32(table, enough));
  REFUSED("a small table", tl0_Table_fill_packed_u32(table, little));
  REFUSED("a small inverse", tl0_Table_fill_inverse_u32(table, little));
  uint8_t bytes[200] = {0};
  DiplomatU8View tensor = {bytes, 96}, odd = {bytes, 95}, three_bytes = {bytes, 3}, byte = {bytes, 1}, word = {bytes, 4};
  DiplomatU8ViewMut image = {bytes + 100, 96};
  REFUSED("a small tensor", tl0_Table_pack(table, odd, byte, image));
  REFUSED("elements of three bytes", tl0_Table_pack(table, tensor, three_bytes, image));
  REFUSED("half an element", tl0_Table_pack(table, odd, word, image));
  REFUSED("unpacked by 0 bytes", tl0_Table_unpack(table, 0, tensor, image));

  tl0_Table_destroy(table);
  tl0_Placement_destroy(placement);
  tl0_Layout_destroy(rows);
}

static void edits(void) {
  tl0_Layout *rows = layout("((4_PE, 3:8), (8:1))"), *shared = layout("(4,4):(1,1)"), *tall = layout("((99:1))");
  uint64_t shape[2] = {7, 7};
  size_t order[2] = {1, 1};
  DiplomatU64View seven = {shape, 2};
  DiplomatUsizeView twice = {order, 2};
  REFUSED("reshaped", tl0_Layout_reshape(rows, seven));
  REFUSED("permuted", tl0_Layout_permute(rows, twice));
  REFUSED("sliced", tl0_Layout_slice(rows, 2, 0, 1, 1));
  REFUSED("without a step", tl0_Layout_slice(rows, 0, 0, 1, 0));
  REFUSED("composed", tl0_Layout_compose(rows, rows));
  REFUSED("inverted", tl0_Layout_left_inverse(shared));
  REFUSED("written", tl0_Layout_write(rows, tl0_Notation_Xla, view("f32")));
  REFUSED("of no type", tl0_Layout_write(rows, tl0_Notation_Xla, view("float")));
  tl0_Machine *machine = tl0_Machine_parse(view("mn-core-2")).ok, *small = tl0_Machine_parse(view("PE=2")).ok;
  REFUSED("on a small machine", tl0_Placement_on(rows, small, NULL, 16, 0));
  REFUSED("beyond the memory", tl0_Placement_on(tall, machine, tl0_Machine_memory_named(machine, view("LM0")), 64, 2000));
  REFUSED("beyond 64 bits", tl0_Placement_on(tall, machine, NULL, 64, UINT64_MAX));
  printf("no such memory: %s\n", tl0_Machine_memory_named(machine, view("LM9")) == NULL ? "null" : "a memory");
  printf("no such level: %s\n", tl0_Machine_level(machine, 9) == NULL ? "null" : "a level");

  tl0_Placement *of = tl0_Placement_of(rows).ok, *on = tl0_Placement_on(rows, machine, NULL, 16, 0).ok;
  REFUSED("without a machine", tl0_Traffic_between(of, on));
  REFUSED("no rates", tl0_CostModel_new(small, 16));
  tl0_CostModel* model = tl0_CostModel_new(machine, 16).ok;
  tl0_Pricer *pricer = tl0_Pricer_new(model), *other = tl0_Pricer_new(model);
  uint64_t part = tl0_Pricer_part(pricer, on).ok;
  REFUSED("a part", tl0_Pricer_cost(pricer, part, part));
  REFUSED("a part of another pricer", tl0_Pricer_cost(other, part, part));
  REFUSED("a part that is not one", tl0_Pricer_cost(pricer, part, UINT64_MAX));
  REFUSED("no route", tl0_Route_between(of, on));
  tl0_Candidates* all = tl0_Candidates_new(machine, seven);
  tl0_Candidates_alignment(all, 0);
  REFUSED("no candidates", tl0_Candidates_walk(all));

  tl0_Candidates_destroy(all);
  tl0_Pricer_destroy(other);
  tl0_Pricer_destroy(pricer);
  tl0_CostModel_destroy(model);
  tl0_Placement_destroy(on);
  tl0_Placement_destroy(of);
  tl0_Machine_destroy(small);
  tl0_Machine_destroy(machine);
  tl0_Layout_destroy(tall);
  tl0_Layout_destroy(shared);
  tl0_Layout_destroy(rows);
}

int main(void) {
  texts();
  buffers();
  edits();
  return 0;
}
