(** The model: a layout is what `src/algebra/layout.rs` says, and `land` is `feed_and_land` of `src/algebra/locate.rs`.

    Numbers are unbounded; Bound.v proves that the machine's 64 bits suffice. Digits are listed minor to major, the
    order in which they are computed; Rust keeps them major to minor. A level is a number, and level 0 is `Addr`. *)
From Coq Require Import NArith List Lia Bool Arith.
Require Import TensorLayout.Radix.
Import ListNotations.
Open Scope N_scope.

(** What a digit contributes to: `Target::Land` or `Target::Feed`. *)
Inductive dest := Level (l : nat) | Der (d : nat).
Definition deqb (a b : dest) : bool :=
  match a, b with Level x, Level y | Der x, Der y => Nat.eqb x y | _, _ => false end.
Lemma deqb_spec a b : reflect (a = b) (deqb a b).
Proof.
  destruct a as [x|x], b as [y|y]; simpl; try (constructor; congruence);
    destruct (Nat.eqb_spec x y); constructor; congruence.
Qed.
Lemma deqb_refl a : deqb a a = true.
Proof. destruct (deqb_spec a a); congruence. Qed.
Lemma deqb_neq a b : a <> b -> deqb a b = false.
Proof. destruct (deqb_spec a b); congruence. Qed.

(** `Subaxis`, `Axis`, `Combine`, `DerivedAxis`, `Replica`, `Layout`. *)
Record sub := Sub { size : N; to : dest; weight : N }.
Record axis := Axis { extent : N; subs : list sub }.
Inductive comb := Sum | Xor.
Record derived := Derived { how : comb; start : N; dax : axis }.
Record replica := Replica { rsize : N; rlevel : nat; rstride : N }.
Record layout := Layout
  { axes : list axis; ders : list derived; reps : list replica;
    offs : list (nat * N); used : list nat; spans : list (nat * N) }.

(** The greatest number of values that digits write: `Axis::slots`. *)
Definition slots (ss : list sub) : N := prod (map size ss).
(** All axes, those of the tensor first: `Layout::nodes`. *)
Definition nodes L := axes L ++ map dax (ders L).
Definition all_subs L := flat_map subs (nodes L).

(** `xor_product`: weight << k for every set bit k of the digit, by XOR. *)
Fixpoint xorpos (w : N) (p : positive) : N :=
  match p with
  | xH => w
  | xO p => xorpos (N.double w) p
  | xI p => N.lxor w (xorpos (N.double w) p)
  end.
Definition xorp (w d : N) : N := match d with 0 => 0 | Npos p => xorpos w p end.

(** A coordinate in every level, and a value of every derived axis. *)
Definition acc := dest -> N.
Definition comb_of (ds : list derived) (x : dest) : comb :=
  match x with
  | Level _ => Sum
  | Der d => match nth_error ds d with Some d => how d | None => Sum end
  end.
(** What a digit does to the value of its destination. *)
Definition one (c : comb) (w digit old : N) : N :=
  match c with Sum => old + digit * w | Xor => N.lxor old (xorp w digit) end.
Definition add ds (s : sub) (digit : N) (a : acc) : acc :=
  fun x => if deqb x (to s) then one (comb_of ds x) (weight s) digit (a x) else a x.

(** The digits of one axis, of the tensor's axes, and of the derived axes, whose values are complete by then. *)
Fixpoint push ds (ss : list sub) (rest : N) (a : acc) : acc :=
  match ss with
  | [] => a
  | s :: ss => push ds ss (rest / size s) (add ds s (rest mod size s) a)
  end.
Fixpoint push_axes ds (axs : list axis) (index : list N) (a : acc) : acc :=
  match axs, index with
  | ax :: axs, i :: index => push_axes ds axs index (push ds (subs ax) i a)
  | _, _ => a
  end.
Fixpoint push_ders all (ds : list derived) (n : nat) (a : acc) : acc :=
  match ds with
  | [] => a
  | d :: ds => push_ders all ds (S n) (push all (subs (dax d)) (a (Der n)) a)
  end.
Fixpoint offset (l : nat) (os : list (nat * N)) : N :=
  match os with [] => 0 | (k, o) :: os => (if Nat.eqb k l then o else 0) + offset l os end.
(** Before any digit: offsets of levels, starts of derived axes. *)
Definition first (L : layout) : acc := fun x =>
  match x with
  | Level l => offset l (offs L)
  | Der d => match nth_error (ders L) d with Some d => start d | None => 0 end
  end.
Definition land (L : layout) (index : list N) : acc :=
  push_ders (ders L) (ders L) 0 (push_axes (ders L) (axes L) index (first L)).

(** `locate`: the place of the first copy. *)
Definition place (L : layout) (index : list N) (l : nat) : N := land L index (Level l).

(** `locate_all`: copies are numbered row-major in the order of the replicas, so the last replica has the minor digit. *)
Definition copies L : N := prod (map rsize (reps L)).
Fixpoint copy_step (rs : list replica) (copy : N) (l : nat) : N :=
  match rs with
  | [] => 0
  | r :: rs => (if Nat.eqb l (rlevel r) then copy mod rsize r * rstride r else 0) + copy_step rs (copy / rsize r) l
  end.
Definition copy_place (L : layout) (index : list N) (copy : N) (l : nat) : N :=
  place L index l + copy_step (rev (reps L)) copy l.

(** An index is real if every entry is below the extent of its axis. *)
Definition real_index L (index : list N) := Forall2 (fun i a => i < extent a) index (axes L).

(** `Layout::extent` and `span`: one more than the greatest coordinate, padding and copies included, and its rounding. *)
Definition step_to (l : nat) (s : sub) : N :=
  match to s with Level k => if Nat.eqb k l then (size s - 1) * weight s else 0 | Der _ => 0 end.
Definition rep_to (l : nat) (r : replica) : N :=
  if Nat.eqb (rlevel r) l then (rsize r - 1) * rstride r else 0.
Definition total (l : list N) : N := fold_right N.add 0 l.
Definition level_extent L l : N :=
  1 + offset l (offs L) + total (map (step_to l) (all_subs L)) + total (map (rep_to l) (reps L)).
Definition span L l : N :=
  fold_right N.max (level_extent L l) (map snd (filter (fun s => Nat.eqb (fst s) l) (spans L))).

(** The example of docs/algebra.md, and its swizzle. *)
Example padded_twice :
  map (fun i => place (Layout [Axis 5 [Sub 4 (Der 0) 1; Sub 2 (Level 0) 6]]
    [Derived Sum 0 (Axis 4 [Sub 3 (Level 0) 1; Sub 2 (Level 0) 3])] [] [] [0%nat] []) [i] 0) [0; 1; 2; 3; 4]
  = [0; 1; 2; 3; 6].
Proof. reflexivity. Qed.
Example swizzled :
  place (Layout [Axis 8 [Sub 8 (Der 0) 72]; Axis 64 [Sub 64 (Der 0) 1]]
    [Derived Xor 0 (Axis 512 [Sub 512 (Level 0) 1])] [] [] [0%nat] []) [3; 17] 0 = 201.
Proof. reflexivity. Qed.
(** Two copies 5 apart, and two 10 apart: the last replica is the minor digit of the number of the copy. *)
Example copied :
  map (fun c => copy_place (Layout [] [] [Replica 2 0 5; Replica 2 0 10] [(0%nat, 1)] [0%nat] []) [] c 0) [0; 1; 2; 3]
  = [1; 11; 6; 16].
Proof. reflexivity. Qed.
