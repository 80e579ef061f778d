(** Theorem 5: `element` (`src/algebra/element.rs`) answers what the definitions of element, padding, hole and outside say. *)
From Coq Require Import NArith List Lia Bool Arith.
Require Import TensorLayout.Radix TensorLayout.Model TensorLayout.Equations.
Import ListNotations.
Open Scope N_scope.

(** * Replicas as an axis *)

(** The copies of an element, as one more axis whose value is the number of the copy. *)
Definition rep_sub (r : replica) := Sub (rsize r) (Level (rlevel r)) (rstride r).
Definition rep_axis (L : layout) := Axis (copies L) (map rep_sub (rev (reps L))).
Definition explicit (L : layout) :=
  Layout (axes L ++ [rep_axis L]) (ders L) [] (offs L) (used L) (spans L).

(** * The search *)

(** Digits are numbered, axis by axis; an assignment gives some of them a value. *)
Fixpoint numbered (n : nat) (axs : list axis) : list (nat * sub) :=
  match axs with
  | [] => []
  | a :: axs => combine (seq n (length (subs a))) (subs a) ++ numbered (n + length (subs a)) axs
  end.
Definition terms (axs : list axis) (x : dest) := filter (fun t => deqb x (to (snd t))) (numbered 0 axs).
Definition assignment := list (nat * N).
Fixpoint get (A : assignment) (n : nat) : N :=
  match A with [] => 0 | (k, d) :: A => if Nat.eqb k n then d else get A n end.

Definition below (n : N) : list N := map N.of_nat (seq 0 (N.to_nat n)).
Definition reach (ts : list (nat * sub)) : N := total (map (fun t => (size (snd t) - 1) * weight (snd t)) ts).
(** What is left for the other digits after one has taken its part; `None` where they cannot add it. *)
Definition rest_after (c : comb) (w d t : N) (ts : list (nat * sub)) : option N :=
  match c with
  | Sum => if (d * w <=? t) && (t - d * w <=? reach ts) then Some (t - d * w) else None
  | Xor => Some (N.lxor t (xorp w d))
  end.
(** `Sum::solve` and `BitSystem::solve`: all digits whose sum or XOR is t. *)
Fixpoint solve (c : comb) (ts : list (nat * sub)) (t : N) (A : assignment) : list assignment :=
  match ts with
  | [] => if t =? 0 then [A] else []
  | (n, s) :: ts =>
      flat_map (fun d => match rest_after c (weight s) d t ts with
                         | Some t => solve c ts t ((n, d) :: A) | None => [] end) (below (size s))
  end.

Section Search.
Variable L : layout.
Let all := nodes (explicit L).
Let rank := S (length (axes L)).

(** `PlaceSearch::level`: the digits that land, level by level. *)
Fixpoint solve_levels (ls : list nat) (p : nat -> N) (A : assignment) : list assignment :=
  match ls with
  | [] => [A]
  | l :: ls => flat_map (solve_levels ls p) (solve Sum (terms all (Level l)) (p l - offset l (offs L)) A)
  end.
Fixpoint first_digit (k : nat) (axs : list axis) : nat :=
  match k, axs with S k, a :: axs => (length (subs a) + first_digit k axs)%nat | _, _ => 0%nat end.
(** The value of axis k by its digits: `real_value`. *)
Definition value_of (A : assignment) (k : nat) : N :=
  let ss := subs (nth k all (Axis 0 [])) in
  value (map size ss) (map (get A) (seq (first_digit k all) (length ss))).
(** `Decoder::derived`: derived axes, last to first. *)
Fixpoint solve_ders (k : nat) (A : assignment) : list assignment :=
  match k with
  | O => [A]
  | S k =>
      match nth_error (ders L) k with
      | None => []
      | Some d =>
          let v := value_of A (rank + k) in
          if extent (dax d) <=? v then []
          else match how d with
               | Sum => if v <? start d then []
                        else flat_map (solve_ders k) (solve Sum (terms all (Der k)) (v - start d) A)
               | Xor => flat_map (solve_ders k) (solve Xor (terms all (Der k)) (N.lxor v (start d)) A)
               end
      end
  end.
(** `read_index`; the number of the copy is dropped. *)
Definition index_of (A : assignment) : list N := map (value_of A) (seq 0 (length (axes L))).
Definition is_real (i : list N) : bool :=
  forallb (fun '(v, a) => v <? extent a) (combine i (axes L)).
Definition indexes_at (p : nat -> N) : list (list N) :=
  filter is_real (map index_of (flat_map (solve_ders (length (ders L))) (solve_levels (used L) p []))).

Inductive found := Element (i : list N) | Padding | Hole | Outside.
Definition element (p : nat -> N) : found :=
  if existsb (fun l => span L l <=? p l) (used L) then Outside
  else if existsb (fun l => (p l <? offset l (offs L)) || (level_extent L l <=? p l)) (used L) then Hole
  else match solve_levels (used L) p [] with
       | [] => Hole
       | _ => match indexes_at p with i :: _ => Element i | [] => Padding end
       end.
End Search.

(** * The axis of the copies gives what `locate_all` gives *)

Lemma f2_app {A B} (R : A -> B -> Prop) a b c d : length a = length c -> Forall2 R (a ++ b) (c ++ d) -> Forall2 R a c /\ Forall2 R b d.
Proof.
  revert c; induction a; intros [|x c]; simpl; intros L H; try lia; [split; auto|].
  inversion H; subst. destruct (IHa c) as [? ?]; auto; try lia.
Qed.
Lemma digits_shift x ss : forall v s k, digits_to Sum x ss v (s + k) = digits_to Sum x ss v s + k.
Proof.
  induction ss as [|u ss IH]; simpl; intros v s k; auto.
  rewrite <- IH. f_equal. destruct (deqb x (to u)); unfold one; lia.
Qed.
Lemma axes_shift x axs : forall vs s k, axes_to Sum x axs vs (s + k) = axes_to Sum x axs vs s + k.
Proof. induction axs as [|a axs IH]; intros [|v vs] s k; simpl; auto. now rewrite digits_shift, IH. Qed.
Lemma digits_reps l rs : forall c s, digits_to Sum (Level l) (map rep_sub rs) c s = s + copy_step rs c l.
Proof.
  induction rs as [|r rs IH]; simpl; intros c s; [lia|]. rewrite IH. unfold deqb. destruct (Nat.eqb l (rlevel r)); lia.
Qed.
Lemma digits_reps_der c j rs : forall v s, digits_to c (Der j) (map rep_sub rs) v s = s.
Proof. induction rs as [|r rs IH]; simpl; intros v s; auto. Qed.

Lemma explicit_land L i c : length i = length (axes L) -> ordered 0 (ders L) ->
  (forall l, land (explicit L) (i ++ [c]) (Level l) = copy_place L i c l) /\
  (forall j, land (explicit L) (i ++ [c]) (Der j) = land L i (Der j)).
Proof.
  intros Li O. set (v := fun x => match x with Level l => copy_place L i c l | Der j => land L i (Der j) end).
  assert (S : forall x, v x = land (explicit L) (i ++ [c]) x).
  { apply land_unique; auto; [unfold explicit; simpl; rewrite !app_length; simpl; lia|].
    intros x. pose proof (land_solves L i Li O x) as E. unfold explicit; cbn [axes ders].
    change (first _ x) with (first L x). rewrite <- !app_assoc. rewrite axes_to_app in * by auto.
    cbn [app axes_to]. unfold rep_axis; cbn [subs]. destruct x as [l|j]; cbn [v].
    - rewrite digits_reps. rewrite (axes_shift (Level l)). unfold copy_place, place. rewrite E at 1. reflexivity.
    - rewrite digits_reps_der. exact E. }
  split; intros; rewrite <- S; reflexivity.
Qed.
