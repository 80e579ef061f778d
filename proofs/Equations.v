(** Theorem 0: `land` computes the only solution of the layout's equations, so that later proofs exhibit a solution and
    never speak about the order of execution. *)
From Coq Require Import NArith List Lia Bool Arith.
Require Import TensorLayout.Radix TensorLayout.Model.
Import ListNotations.
Open Scope N_scope.

Local Arguments deqb : simpl never.
(** What the digits of a value, and then those of all axes, add to x. *)
Fixpoint digits_to c (x : dest) (ss : list sub) (v start : N) : N :=
  match ss with
  | [] => start
  | s :: ss => digits_to c x ss (v / size s)
      (if deqb x (to s) then one c (weight s) (v mod size s) start else start)
  end.
Fixpoint axes_to c x (axs : list axis) (vs : list N) (start : N) : N :=
  match axs, vs with
  | a :: axs, v :: vs => axes_to c x axs vs (digits_to c x (subs a) v start)
  | _, _ => start
  end.
(** The equations, one for each level and derived axis: a valuation solves them if every value is its offset or start with
    what the digits of all axes add, the values of derived axes being those of the valuation. *)
Definition solves (L : layout) (index : list N) (v : acc) : Prop := forall x,
  v x = axes_to (comb_of (ders L) x) x (axes L ++ map dax (ders L))
          (index ++ map (fun j => v (Der j)) (seq 0 (length (ders L)))) (first L x).

(** Invariant 2: a digit feeds only derived axes after its own. *)
Definition feeds_after (n : nat) (a : axis) :=
  Forall (fun s => match to s with Der j => (n <= j)%nat | Level _ => True end) (subs a).
Fixpoint ordered (n : nat) (ds : list derived) : Prop :=
  match ds with [] => True | d :: ds => feeds_after (S n) (dax d) /\ ordered (S n) ds end.

Lemma push_to ds x ss : forall v a, push ds ss v a x = digits_to (comb_of ds x) x ss v (a x).
Proof.
  induction ss as [|s ss IH]; simpl; intros; auto. rewrite IH. unfold add.
  destruct (deqb x (to s)); auto.
Qed.
Lemma push_axes_to ds x axs : forall vs a,
  push_axes ds axs vs a x = axes_to (comb_of ds x) x axs vs (a x).
Proof. induction axs; destruct vs; simpl; intros; auto. rewrite IHaxs, push_to; auto. Qed.

Lemma before c j n ss : forall v st, (j < n)%nat -> feeds_after n (Axis 0 ss) -> digits_to c (Der j) ss v st = st.
Proof.
  unfold feeds_after; simpl; induction ss as [|s ss IH]; simpl; intros v st Hj H; auto.
  inversion H as [|? ? Hs Hss]; subst. rewrite IH by auto.
  destruct (deqb_spec (Der j) (to s)) as [E|]; auto. rewrite <- E in Hs; lia.
Qed.

Lemma ders_before all ds : forall n a j, ordered n ds -> (j <= n)%nat ->
  push_ders all ds n a (Der j) = a (Der j).
Proof.
  induction ds as [|d ds IH]; simpl; intros n a j H Hj; auto. destruct H as [H1 H2].
  rewrite IH by (auto; lia). rewrite push_to. apply before with (S n); auto; lia.
Qed.

Lemma ders_to all ds : forall n a x, ordered n ds ->
  push_ders all ds n a x = axes_to (comb_of all x) x (map dax ds)
    (map (fun j => push_ders all ds n a (Der j)) (seq n (length ds))) (a x).
Proof.
  induction ds as [|d ds IH]; simpl; intros n a x H; auto. destruct H as [H1 H2].
  rewrite IH at 1 by auto.
  rewrite (ders_before all ds (S n)) by (auto; lia).
  rewrite (push_to all (Der n)), (before _ n (S n)) by (auto; lia).
  rewrite push_to. reflexivity.
Qed.

Lemma axes_to_app c x a1 a2 v1 v2 s : length a1 = length v1 ->
  axes_to c x (a1 ++ a2) (v1 ++ v2) s = axes_to c x a2 v2 (axes_to c x a1 v1 s).
Proof. revert v1 s; induction a1; destruct v1; simpl; intros; try lia; auto. Qed.

(** Theorem 0, existence: for any index, padding included, `land` is a solution. *)
Theorem land_solves L index : length index = length (axes L) -> ordered 0 (ders L) ->
  solves L index (land L index).
Proof.
  intros Hi H x. unfold land at 1. rewrite ders_to by auto.
  rewrite push_axes_to, axes_to_app by auto. reflexivity.
Qed.

(** What is added to derived axis j comes only from axes before it. *)
Lemma axes_to_prefix j v w ds : forall n s, ordered n ds -> 
  (forall k, (n <= k < j)%nat -> v k = w k) ->
  forall c, axes_to c (Der j) (map dax ds) (map v (seq n (length ds))) s
          = axes_to c (Der j) (map dax ds) (map w (seq n (length ds))) s.
Proof.
  induction ds as [|d ds IH]; simpl; intros n s H E c; auto. destruct H as [H1 H2].
  destruct (Nat.lt_ge_cases n j) as [L|L].
  - rewrite E by lia. apply IH; auto. intros; apply E; lia.
  - rewrite !(before c j (S n)) by (auto; lia). apply IH; auto. intros; lia.
Qed.

(** Uniqueness: every solution is `land`. *)
Theorem land_unique L index v : length index = length (axes L) -> ordered 0 (ders L) ->
  solves L index v -> forall x, v x = land L index x.
Proof.
  intros Hi H Hv. pose proof (land_solves L index Hi H) as Hl.
  assert (D : forall j, v (Der j) = land L index (Der j)).
  { intros j. induction j as [j IH] using lt_wf_ind. rewrite (Hv (Der j)), (Hl (Der j)).
    rewrite !axes_to_app by auto. apply axes_to_prefix; auto. intros; apply IH; lia. }
  intros x. rewrite (Hv x), (Hl x). f_equal. f_equal. apply map_ext. intros; apply D.
Qed.

(** Dropped hypothesis, invariant 2: a digit that feeds an earlier derived axis comes too late, and a derived axis that
    feeds itself has every value as a solution. *)
Definition backward := Layout [Axis 2 [Sub 2 (Der 1) 1]]
  [Derived Sum 0 (Axis 2 [Sub 2 (Level 0) 1]); Derived Sum 0 (Axis 2 [Sub 2 (Der 0) 1])] [] [] [] [].
Example not_ordered : ~ solves backward [1] (land backward [1]).
Proof. intros H. specialize (H (Level 0%nat)). discriminate. Qed.
Definition circle := Layout [] [Derived Sum 0 (Axis 2 [Sub 2 (Der 0) 1])] [] [] [] [].
Example not_unique : forall n, n < 2 -> solves circle [] (fun x => match x with Der 0 => n | _ => 0 end).
Proof.
  intros n Hn [l|[|j]]; simpl; auto; [|destruct j; reflexivity].
  rewrite N.mod_small by auto. unfold deqb; simpl. lia.
Qed.

Definition theorems := (@land_solves, @land_unique).
Print Assumptions theorems.
