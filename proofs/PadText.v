(** Theorem 9: the meaning of PadLayout text (`src/lower/pad_layout.rs`), from its syntax tree, as a definition.

    A tree keeps what was written: subaxes major to minor, with optional levels and strides; replicas. The meaning is a
    layout or nothing. Text, its parser and its errors are outside the model. *)
From Coq Require Import NArith List Lia Bool Arith.
Require Import TensorLayout.Radix TensorLayout.Model TensorLayout.Equations.
Import ListNotations.
Open Scope N_scope.

Record sub_text := SubText { tsize : N; tlevel : option nat; tstride : option N }.
Inductive rep_text := Bare (l : nat) | Sized (size : N) (l : nat) (stride : option N).
Record pad_text := PadText { tshape : option (list N); taxes : list (list sub_text); treps : list rep_text }.

(** A level that is not written is `Addr`, level 0. *)
Definition level_of (s : sub_text) : nat := match tlevel s with Some l => l | None => 0%nat end.
Definition rep_level (r : rep_text) : nat := match r with Bare l | Sized _ l _ => l end.
(** How often a level is named. *)
Definition named (p : pad_text) : list nat := map level_of (concat (taxes p)) ++ map rep_level (treps p).
Definition occurs (p : pad_text) (l : nat) : nat := count_occ Nat.eq_dec (named p) l.

(** An elided stride is 1, where the level occurs once; a unit digit does not move; an elided stride of `Addr` means nothing. *)
Definition stride_of (p : pad_text) (size : N) (l : nat) (stride : option N) : option N :=
  match stride with
  | Some s => Some s
  | None => if size =? 1 then Some 1
            else if Nat.eqb l 0 then None
            else if Nat.eqb (occurs p l) 1 then Some 1 else None
  end.

Fixpoint all_some {A} (l : list (option A)) : option (list A) :=
  match l with
  | [] => Some []
  | None :: _ => None
  | Some x :: l => option_map (cons x) (all_some l)
  end.
Definition sub_meant p (s : sub_text) : option sub :=
  option_map (Sub (tsize s) (Level (level_of s))) (stride_of p (tsize s) (level_of s) (tstride s)).
(** The model's digits are minor to major. *)
Definition axis_meant p (ss : list sub_text) : option (list sub) := option_map (@rev sub) (all_some (map (sub_meant p) ss)).
(** A bare replica names a level that nothing else names, and not `Addr`; it has no entry in the layout, because the
    units of a level that is not used hold copies anyway. *)
Definition rep_meant p (r : rep_text) : option (list replica) :=
  match r with
  | Bare l => if Nat.eqb l 0 || negb (Nat.eqb (occurs p l) 1) then None else Some []
  | Sized n l s => option_map (fun s => [Replica n l s]) (stride_of p n l s)
  end.
(** The extents as written, or the products of the sizes. *)
Definition extents_meant (p : pad_text) : option (list N) :=
  match tshape p with
  | Some shape => if Nat.eqb (length shape) (length (taxes p)) then Some shape else None
  | None => Some (map (fun ss => prod (map tsize ss)) (taxes p))
  end.
Definition landing (L : layout) : list nat :=
  flat_map (fun s => match to s with Level l => [l] | Der _ => [] end) (all_subs L) ++ map rlevel (reps L).
Definition marked (L : layout) : layout :=
  Layout (axes L) (ders L) (reps L) (offs L) (nodup Nat.eq_dec (0%nat :: landing L)) (spans L).
Definition meant (p : pad_text) : option layout :=
  match extents_meant p, all_some (map (axis_meant p) (taxes p)), all_some (map (rep_meant p) (treps p)) with
  | Some es, Some axs, Some rs =>
      Some (marked (Layout (map (fun '(e, ss) => Axis e ss) (combine es axs)) [] (concat rs) [] [] []))
  | _, _, _ => None
  end.

(** * On a machine *)

(** The places of a unit: a layout says nothing of levels that it does not use, so their units hold copies.
    `here L i at_` says that element i is at the place `at_`, which has a coordinate in every level of the machine. *)
Definition here (L : layout) (i : list N) (at_ : nat -> N) : Prop :=
  real_index L i /\ exists c, c < copies L /\ forall l, In l (used L) -> copy_place L i c l = at_ l.

Definition with_bare (p : pad_text) (l : nat) := PadText (tshape p) (taxes p) (treps p ++ [Bare l]).

Lemma all_some_app {A} (a b : list (option A)) :
  all_some (a ++ b) = match all_some a, all_some b with Some x, Some y => Some (x ++ y) | _, _ => None end.
Proof.
  induction a as [|[x|] a IH]; simpl; auto; [destruct (all_some b); auto|].
  rewrite IH. destruct (all_some a); simpl; auto. destruct (all_some b); auto.
Qed.
Lemma count_app l : forall a b, count_occ Nat.eq_dec (a ++ b) l = (count_occ Nat.eq_dec a l + count_occ Nat.eq_dec b l)%nat.
Proof. induction a as [|x a IH]; simpl; intros; auto. destruct (Nat.eq_dec x l); rewrite IH; lia. Qed.
Lemma occurs_bare p l k : k <> l -> occurs (with_bare p l) k = occurs p k.
Proof.
  intros H. unfold occurs, named, with_bare; simpl. rewrite map_app, !count_app. simpl.
  destruct (Nat.eq_dec l k); [congruence|lia].
Qed.
Lemma occurs_in p l : occurs p l = 0%nat -> forall k, In k (named p) -> k <> l.
Proof. intros H k Hk ->. unfold occurs in H. apply (count_occ_In Nat.eq_dec) in Hk. lia. Qed.
Lemma stride_bare p l n k s : k <> l -> stride_of (with_bare p l) n k s = stride_of p n k s.
Proof. intros H. unfold stride_of. now rewrite occurs_bare by auto. Qed.

(** Theorem 9: `B@[l]`, for a level l that nothing names, means the same layout as nothing: the places are the same. *)
Theorem bare_means_nothing p l : l <> 0%nat -> occurs p l = 0%nat -> meant (with_bare p l) = meant p.
Proof.
  intros Hl H. unfold meant. pose proof (occurs_in p l H) as Ne. unfold named in Ne.
  assert (A : map (axis_meant (with_bare p l)) (taxes p) = map (axis_meant p) (taxes p)).
  { apply map_ext_in. intros ss Hs. unfold axis_meant. do 2 f_equal. apply map_ext_in. intros s Hss.
    unfold sub_meant. rewrite stride_bare; auto. apply Ne, in_or_app; left. apply in_map.
    apply in_concat. eauto. }
  assert (R : map (rep_meant (with_bare p l)) (treps p) = map (rep_meant p) (treps p)).
  { apply map_ext_in. intros r Hr. assert (rep_level r <> l) by (apply Ne, in_or_app; right; apply in_map; auto).
    destruct r as [k|n k s]; simpl in *; [rewrite occurs_bare by auto; auto|]. now rewrite stride_bare. }
  change (taxes (with_bare p l)) with (taxes p). change (extents_meant (with_bare p l)) with (extents_meant p).
  change (treps (with_bare p l)) with (treps p ++ [Bare l]). rewrite A, map_app, R, all_some_app. simpl.
  assert (O : occurs (with_bare p l) l = 1%nat).
  { unfold occurs, named, with_bare in *; simpl. rewrite map_app, app_assoc, count_app. rewrite H. simpl.
    destruct (Nat.eq_dec l l); congruence. }
  rewrite O. destruct (Nat.eqb_spec l 0); [congruence|]. simpl.
  destruct (extents_meant p); auto. destruct (all_some (map (axis_meant p) (taxes p))); auto.
  destruct (all_some (map (rep_meant p) (treps p))); auto. rewrite concat_app. simpl. now rewrite app_nil_r.
Qed.
(** A level that the layout does not use may have any coordinate: every unit holds the element. *)
Theorem absent_levels_hold_copies L i at_ l u :
  ~ In l (used L) -> here L i at_ -> here L i (fun k => if Nat.eqb k l then u else at_ k).
Proof.
  intros H (R & c & Hc & E). split; auto. exists c. split; auto. intros k Hk. rewrite E by auto.
  destruct (Nat.eqb_spec k l); congruence.
Qed.

(** * The examples of the article, by computation: level 1 is PE *)

Definition at_ (n : N) (s : N) := SubText n None (Some s).
Definition places_of (p : pad_text) (l : nat) (is : list (list N)) : option (list N) :=
  option_map (fun L => map (fun i => place L i l) is) (meant p).
Definition grid (n m : nat) : list (list N) :=
  flat_map (fun i => map (fun j => [N.of_nat i; N.of_nat j]) (seq 0 m)) (seq 0 n).

(** Figures 1 and 2: `(2:3, 3:1)` is a matrix in row-major order; `(3:1, 2:3)` is its transpose. *)
Example row_major : places_of (PadText None [[at_ 2 3]; [at_ 3 1]] []) 0 (grid 2 3) = Some [0; 1; 2; 3; 4; 5].
Proof. reflexivity. Qed.
Example transposed : places_of (PadText None [[at_ 3 1]; [at_ 2 3]] []) 0 (grid 3 2) = Some [0; 3; 1; 4; 2; 5].
Proof. reflexivity. Qed.
(** Slices keep or double strides: `(2:3, 2:1)`, `(2:3, 2:2)`. *)
Example sliced : places_of (PadText None [[at_ 2 3]; [at_ 2 1]] []) 0 (grid 2 2) = Some [0; 1; 3; 4].
Proof. reflexivity. Qed.
Example every_second : places_of (PadText None [[at_ 2 3]; [at_ 2 2]] []) 0 (grid 2 2) = Some [0; 2; 3; 5].
Proof. reflexivity. Qed.
(** Figure 4: `((4_PE, 3:8), (8:1))`: row i is in PE i / 3, at i mod 3 x 8. *)
Definition blocks := PadText None [[SubText 4 (Some 1%nat) None; at_ 3 8]; [at_ 8 1]] [].
Example figure_4 :
  places_of blocks 1 (grid 12 8) = Some (map (fun i => nth 0 i 0 / 3) (grid 12 8)) /\
  places_of blocks 0 (grid 12 8) = Some (map (fun i => nth 0 i 0 mod 3 * 8 + nth 1 i 0) (grid 12 8)).
Proof. split; reflexivity. Qed.
(** Neighbouring rows on different PEs: `((3:8, 4_PE), (8:1))`. *)
Example neighbours : places_of (PadText None [[at_ 3 8; SubText 4 (Some 1%nat) None]; [at_ 8 1]] []) 1
    (map (fun i => [N.of_nat i; 0]) (seq 0 12)) = Some [0; 1; 2; 3; 0; 1; 2; 3; 0; 1; 2; 3].
Proof. reflexivity. Qed.
(** Without strides of addresses a layout means nothing: `((4_PE, 3), (8))`. *)
Example incomplete : meant (PadText None [[SubText 4 (Some 1%nat) None; SubText 3 None None]; [SubText 8 None None]] []) = None.
Proof. reflexivity. Qed.
(** Figure 8: a level that occurs twice needs strides: `((2_PE, 6:4), (2_PE, 4:1))`; with them, blocks are numbered by rows. *)
Definition pe n s := SubText n (Some 1%nat) s.
Example ambiguous : meant (PadText None [[pe 2 None; at_ 6 4]; [pe 2 None; at_ 4 1]] []) = None.
Proof. reflexivity. Qed.
Example figure_8 : places_of (PadText None [[pe 2 (Some 2); at_ 6 4]; [pe 2 (Some 1); at_ 4 1]] []) 1
    [[0; 0]; [0; 4]; [6; 0]; [6; 4]] = Some [0; 1; 2; 3].
Proof. reflexivity. Qed.
(** Padding: `(10,7)/((3:7, 4_PE), (7:1))` has the shape that is written. *)
Example padded : option_map (fun L => map extent (axes L))
    (meant (PadText (Some [10; 7]) [[at_ 3 7; pe 4 None]; [at_ 7 1]] [])) = Some [10; 7].
Proof. reflexivity. Qed.

(** Dropped hypotheses of theorem 9: a bare replica of a level that a digit names means nothing, nor does one of `Addr`. *)
Example bare_of_used : meant (with_bare blocks 1) = None. Proof. reflexivity. Qed.
Example bare_of_addr : meant (with_bare (PadText None [] []) 0) = None. Proof. reflexivity. Qed.
(** A used level: `((4_PE))` holds element 1 in PE 1 only. *)
Example used_level_moves : ~ forall L i a u, here L i a -> here L i (fun k => if Nat.eqb k 1 then u else a k).
Proof.
  intros H. specialize (H (Layout [Axis 4 [Sub 4 (Level 1) 1]] [] [] [] [0%nat; 1%nat] []) [1] (fun k => N.of_nat k) 3).
  destruct H as (_ & c & _ & E).
  - split; [repeat constructor|]. exists 0. split; [reflexivity|].
    intros l [<-|[<-|[]]]; reflexivity.
  - specialize (E 1%nat (or_intror (or_introl eq_refl))). discriminate.
Qed.

Definition theorems := (@bare_means_nothing, @absent_levels_hold_copies).
Print Assumptions theorems.
