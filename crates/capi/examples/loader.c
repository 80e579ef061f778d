/* Moves a tensor into the memory of every unit, as a loader does, and back.
 *
 *     cc -std=c11 loader.c $(pkg-config --cflags --libs tensor-layout)
 */

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tensor_layout.h>

static DiplomatStringView view(const char* text) {
  DiplomatStringView view = {text, strlen(text)};
  return view;
}

/* Prints an error and frees it. */
static int refused(const char* call, tl0_Error* error) {
  DiplomatStringView report = tl0_Error_report(error);
  printf("%s: %.*s\n", call, (int)report.len, report.data);
  tl0_Error_destroy(error);
  return 1;
}

/* The table of a layout on a machine; NULL after an error, which was printed. */
static tl0_Table* compiled(const char* text, const tl0_Machine* machine) {
  tl0_Layout_parse_result layout = tl0_Layout_parse(view(text));
  if (!layout.is_ok) {
    refused("layout", layout.err);
    return NULL;
  }
  tl0_Placement_on_result placement = tl0_Placement_on(layout.ok, machine, NULL, 16, 0);
  tl0_Layout_destroy(layout.ok);
  if (!placement.is_ok) {
    refused("placement", placement.err);
    return NULL;
  }
  tl0_Table_compile_result table = tl0_Table_compile(placement.ok);
  tl0_Placement_destroy(placement.ok);
  if (!table.is_ok) {
    refused("table", table.err);
    return NULL;
  }
  return table.ok;
}

int main(void) {
  tl0_Machine_parse_result machine = tl0_Machine_parse(view("MAB=2,PE=4"));
  if (!machine.is_ok) {
    return refused("machine", machine.err);
  }
  /* 12 x 10 numbers of 16 bits, 4 in a long word; rows over the PEs, padded from 10 columns to 12. */
  tl0_Table* table = compiled("(12,10)/((4_PE, 3:3), (3:1, 4_W))", machine.ok);
  if (table == NULL) {
    return 1;
  }
  uint64_t elements = tl0_Table_elements(table), places = tl0_Table_places(table);
  printf("%" PRIu64 " elements, %" PRIu64 " places:", elements, places);
  for (size_t at = 0; at < tl0_Table_column_count(table); at++) {
    DiplomatStringView level = tl0_Level_name(tl0_Table_column(table, at));
    printf(" %" PRIu64 " %.*s", tl0_Table_column_size(table, at).ok, (int)level.len, level.data);
  }
  printf("\n");

  uint16_t* tensor = calloc(elements, sizeof *tensor);
  uint16_t* image = calloc(places, sizeof *image);
  uint16_t* back = calloc(elements, sizeof *back);
  if (tensor == NULL || image == NULL || back == NULL) {
    return 1;
  }
  for (uint64_t at = 0; at < elements; at++) {
    tensor[at] = (uint16_t)at;
  }
  uint16_t fill = 0xFFFF;
  size_t tensor_bytes = elements * sizeof *tensor, image_bytes = places * sizeof *image;
  DiplomatU8View from = {(const uint8_t*)tensor, tensor_bytes};
  DiplomatU8View padding = {(const uint8_t*)&fill, sizeof fill};
  DiplomatU8ViewMut into = {(uint8_t*)image, image_bytes};
  tl0_Table_pack_result packed = tl0_Table_pack(table, from, padding, into);
  if (!packed.is_ok) {
    return refused("pack", packed.err);
  }
  printf("PE 1 of MAB 0:");
  for (size_t at = 0; at < 12; at++) {
    printf(" %d", image[36 + at] == fill ? -1 : image[36 + at]);
  }
  printf("\n");
  DiplomatU8View stored = {(const uint8_t*)image, image_bytes};
  DiplomatU8ViewMut returned = {(uint8_t*)back, tensor_bytes};
  tl0_Table_unpack_result unpacked = tl0_Table_unpack(table, sizeof *back, stored, returned);
  if (!unpacked.is_ok) {
    return refused("unpack", unpacked.err);
  }
  printf("back: %s\n", memcmp(tensor, back, tensor_bytes) == 0 ? "the same" : "another tensor");

  /* A buffer that is too small is a value. */
  DiplomatU8ViewMut small = {(uint8_t*)image, image_bytes - 2};
  packed = tl0_Table_pack(table, from, padding, small);
  if (!packed.is_ok) {
    refused("a small image", packed.err);
  }
  free(tensor);
  free(image);
  free(back);
  tl0_Table_destroy(table);
  tl0_Machine_destroy(machine.ok);
  return 0;
}
