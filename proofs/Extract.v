(** The model as an OCaml program, which `bridge.ml` compares with what Rust prints. Extraction is trusted. *)
Require Import TensorLayout.Model TensorLayout.Element TensorLayout.Bound TensorLayout.Compose TensorLayout.Xla TensorLayout.PadText.
From Coq Require Import Extraction ExtrOcamlBasic ExtrOcamlNatInt NArith.
Extraction Language OCaml.
Extraction "build/model.ml" copy_place copies span element indexes_at compose compose_linear
  Xla.lower linear_index_with_tiles pick at_least_1 tile_of meant checked.
