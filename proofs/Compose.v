(** Theorem 6: composition (`src/algebra/compose.rs`): the places of `f . g` are the places of f at the index that g gives.

    This is the layout before `into_simplified`, built by `compose_derived`. Its two shortcuts are in Regroup.v: `regrouped`,
    which takes digits in the order of the map, and `joined`, which leaves out the linear index where the digits of f write
    it. *)
From Coq Require Import NArith List Lia Bool Arith.
Require Import TensorLayout.Radix TensorLayout.Model TensorLayout.Equations.
Import ListNotations.
Open Scope N_scope.
Local Arguments deqb : simpl never.

(** A map lands in the levels i0, i1, ..: here level k of a map is axis k of the layout that it indexes. *)
Definition re_sub (r : dest -> dest) (s : sub) := Sub (size s) (r (to s)) (weight s).
Definition re_axis r (a : axis) := Axis (extent a) (map (re_sub r) (subs a)).
Definition re_der r (d : derived) := Derived (how d) (start d) (re_axis r (dax d)).
Definition of_map (m : nat) (x : dest) := match x with Level k => Der (m + k) | Der j => Der j end.
Definition shift (n : nat) (x : dest) := match x with Level l => Level l | Der j => Der (n + j) end.

Definition compose (f g : layout) : layout :=
  let m := length (ders g) in let r := length (axes f) in
  Layout (map (re_axis (of_map m)) (axes g))
    (map (re_der (of_map m)) (ders g)
     ++ map (fun '(k, a) => Derived Sum (offset k (offs g)) (re_axis (shift (m + r)) a)) (combine (seq 0 r) (axes f))
     ++ map (re_der (shift (m + r))) (ders f))
    (reps f) (offs f) (used f) (spans f).

Lemma digits_re c x y r ss : (forall s, In s ss -> deqb x (r (to s)) = deqb y (to s)) ->
  forall v st, digits_to c x (map (re_sub r) ss) v st = digits_to c y ss v st.
Proof.
  induction ss as [|s ss IH]; simpl; intros H v st; auto.
  rewrite IH by auto. rewrite H by auto. auto.
Qed.
Lemma axes_re c x y r axs : (forall a s, In a axs -> In s (subs a) -> deqb x (r (to s)) = deqb y (to s)) ->
  forall vs st, axes_to c x (map (re_axis r) axs) vs st = axes_to c y axs vs st.
Proof.
  induction axs as [|a axs IH]; intros H [|v vs] st; simpl; auto.
  rewrite (digits_re c x y) by (intros; apply (H a); simpl; auto). apply IH. intros; eapply H; simpl; eauto.
Qed.
Lemma digits_none c x r ss : (forall s, In s ss -> x <> r (to s)) ->
  forall v st, digits_to c x (map (re_sub r) ss) v st = st.
Proof.
  induction ss as [|s ss IH]; simpl; intros H v st; auto. rewrite IH by auto.
  destruct (deqb_spec x (r (to s))); auto. exfalso; eapply H; eauto.
Qed.
Lemma axes_none c x r axs : (forall a s, In a axs -> In s (subs a) -> x <> r (to s)) ->
  forall vs st, axes_to c x (map (re_axis r) axs) vs st = st.
Proof.
  induction axs as [|a axs IH]; intros H [|v vs] st; simpl; auto.
  rewrite digits_none by (intros; apply (H a); simpl; auto). apply IH. intros; eapply H; simpl; eauto.
Qed.

(** Invariant 2 in part: a digit feeds only derived axes that there are. A map lands only in axes of the layout. *)
Definition closed L := forall a s j, In a (nodes L) -> In s (subs a) -> to s = Der j -> (j < length (ders L))%nat.
Definition maps_into n L := forall a s k, In a (nodes L) -> In s (subs a) -> to s = Level k -> (k < n)%nat.

Lemma dax_re r ds : map dax (map (re_der r) ds) = map (re_axis r) (map dax ds).
Proof. rewrite !map_map. auto. Qed.
Lemma dax_read r f s l : map dax (map (fun '(k, a) => Derived Sum (f k) (re_axis r a)) (combine (seq s (length l)) l)) = map (re_axis r) l.
Proof. revert s; induction l; simpl; intros; f_equal; auto. Qed.

Lemma nodes_compose f g : let m := length (ders g) in let r := length (axes f) in
  nodes (compose f g) = map (re_axis (of_map m)) (nodes g) ++ map (re_axis (shift (m + r))) (nodes f).
Proof.
  intros m r. unfold nodes, compose; simpl. fold m r.
  rewrite !map_app, dax_re, dax_re. unfold r at 2. rewrite dax_read. now rewrite <- app_assoc.
Qed.

Lemma feeds_re n r a : (forall s, In s (subs a) -> match r (to s) with Der j => (n <= j)%nat | _ => True end) ->
  feeds_after n (re_axis r a).
Proof. intros H. unfold feeds_after; simpl. apply Forall_forall; intros s Hs. apply in_map_iff in Hs as (u & <- & Hu). simpl; apply H; auto. Qed.
Lemma ordered_app ds1 ds2 : forall n, ordered n ds1 -> ordered (n + length ds1) ds2 -> ordered n (ds1 ++ ds2).
Proof.
  induction ds1; simpl; intros n H1 H2; [now rewrite Nat.add_0_r in H2|]. destruct H1; split; auto.
  apply IHds1; auto. now rewrite Nat.add_succ_comm.
Qed.

Lemma ordered_compose f g : ordered 0 (ders f) -> ordered 0 (ders g) -> ordered 0 (ders (compose f g)).
Proof.
  intros Of Og. unfold compose; simpl. set (m := length (ders g)). set (r := length (axes f)).
  assert (G : forall n ds, (n + length ds <= m)%nat -> ordered n ds -> ordered n (map (re_der (of_map m)) ds)).
  { intros n ds; revert n; induction ds as [|d ds IH]; simpl; intros n Hn H; auto. destruct H as [H1 H2]. split; [|apply IH; auto; lia].
    apply feeds_re. intros s Hs. unfold feeds_after in H1. eapply Forall_forall in H1; eauto.
    destruct (to s); simpl; auto; lia. }
  assert (A : forall l s, (s + length l <= r)%nat ->
     ordered (m + s) (map (fun '(k, a) => Derived Sum (offset k (offs g)) (re_axis (shift (m + r)) a)) (combine (seq s (length l)) l))).
  { induction l; simpl; intros s Hs; auto. split.
    - apply feeds_re. intros u _. destruct (to u); simpl; auto; lia.
    - rewrite <- Nat.add_succ_r. apply IHl; lia. }
  assert (F : forall n ds, ordered n ds -> ordered (m + r + n) (map (re_der (shift (m + r))) ds)).
  { intros n ds; revert n; induction ds as [|d ds IH]; simpl; intros n H; auto. destruct H as [H1 H2]. split.
    - apply feeds_re. intros s Hs. unfold feeds_after in H1. eapply Forall_forall in H1; eauto.
      destruct (to s); simpl; auto; lia.
    - rewrite <- Nat.add_succ_r. apply IH; auto. }
  apply ordered_app; [apply G; auto|]. rewrite map_length. fold m. apply ordered_app.
  - specialize (A (axes f) 0%nat). simpl in A. rewrite Nat.add_0_r in A. apply A; auto.
  - rewrite map_length, combine_length, seq_length. fold r. rewrite Nat.min_id.
    specialize (F 0%nat (ders f) Of). rewrite Nat.add_0_r in F. exact F.
Qed.

Lemma seq_plus n len : forall s, map (fun k => (n + k)%nat) (seq s len) = seq (n + s) len.
Proof. induction len; simpl; intros; f_equal; auto. rewrite IHlen. f_equal; lia. Qed.

Definition at_ g i := map (fun k => land g i (Level k)).
(** The values of all derived axes of the composed layout, and its places: a solution of its equations. *)
Definition sol f g i : acc := fun x =>
  let m := length (ders g) in let r := length (axes f) in
  let fi := land f (at_ g i (seq 0 r)) in
  match x with
  | Level l => fi (Level l)
  | Der j => if (j <? m)%nat then land g i (Der j)
             else if (j <? m + r)%nat then land g i (Level (j - m)) else fi (Der (j - m - r))
  end.

Lemma nth3 {A} (a b c : list A) j : nth_error (a ++ b ++ c) j =
  if (j <? length a)%nat then nth_error a j
  else if (j <? length a + length b)%nat then nth_error b (j - length a) else nth_error c (j - length a - length b).
Proof.
  destruct (Nat.ltb_spec j (length a)); [apply nth_error_app1; auto|]. rewrite nth_error_app2 by auto.
  destruct (Nat.ltb_spec j (length a + length b)); [apply nth_error_app1; lia|apply nth_error_app2; lia].
Qed.

Lemma nth_read {B} (h : nat -> axis -> B) l : forall s k, (k < length l)%nat ->
  exists a, nth_error (map (fun '(k, a) => h k a) (combine (seq s (length l)) l)) k = Some (h (s + k)%nat a).
Proof.
  induction l; simpl; intros s k H; [lia|]. destruct k; simpl; [rewrite Nat.add_0_r; eauto|].
  rewrite <- Nat.add_succ_comm. apply IHl; lia.
Qed.

(** Theorem 6: for every index, padding and XORs included, and then every copy. *)
Theorem compose_place f g i :
  ordered 0 (ders f) -> ordered 0 (ders g) -> closed g -> maps_into (length (axes f)) g ->
  length i = length (axes g) ->
  forall l, place (compose f g) i l = place f (map (place g i) (seq 0 (length (axes f)))) l.
Proof.
  intros Of Og Cg Mg Li l.
  set (m := length (ders g)). set (r := length (axes f)).
  change (place f (map (place g i) (seq 0 r)) l) with (sol f g i (Level l)). symmetry.
  apply land_unique; [unfold compose; simpl; rewrite map_length; auto|apply ordered_compose; auto|].
  intros x.
  assert (Lf : length (at_ g i (seq 0 r)) = length (axes f)) by (unfold at_; rewrite map_length, seq_length; auto).
  set (vg := i ++ map (fun j => land g i (Der j)) (seq 0 m)).
  set (vf := at_ g i (seq 0 r) ++ map (fun j => land f (at_ g i (seq 0 r)) (Der j)) (seq 0 (length (ders f)))).
  assert (V : i ++ map (fun j => sol f g i (Der j)) (seq 0 (length (ders (compose f g)))) = vg ++ vf).
  { unfold compose; simpl. rewrite !app_length, !map_length, combine_length, seq_length. fold m r. rewrite Nat.min_id.
    unfold vg, vf, at_. rewrite <- app_assoc. f_equal. rewrite seq_app, map_app, seq_app, map_app.
    f_equal; [|f_equal].
    - apply map_ext_in. intros j Hj. apply in_seq in Hj. unfold sol. fold m r. destruct (Nat.ltb_spec j m); auto; lia.
    - replace (seq (0 + m) r) with (map (fun k => (m + k)%nat) (seq 0 r)).
      + rewrite map_map. apply map_ext_in. intros j Hj. apply in_seq in Hj. unfold sol. fold m r.
        destruct (Nat.ltb_spec (m + j) m); [lia|]. destruct (Nat.ltb_spec (m + j) (m + r)); [|lia]. repeat f_equal; lia.
      + rewrite seq_plus. f_equal; lia.
    - replace (seq (0 + m + r) (length (ders f))) with (map (fun k => (m + r + k)%nat) (seq 0 (length (ders f)))).
      + rewrite map_map. apply map_ext_in. intros j Hj. apply in_seq in Hj. unfold sol. fold m r.
        destruct (Nat.ltb_spec (m + r + j) m); [lia|]. destruct (Nat.ltb_spec (m + r + j) (m + r)); [lia|]. repeat f_equal; lia.
      + rewrite seq_plus. f_equal; lia. }
  rewrite V. change (axes (compose f g) ++ map dax (ders (compose f g))) with (nodes (compose f g)).
  rewrite nodes_compose. fold m r.
  rewrite axes_to_app by (unfold vg, nodes; rewrite !map_length, !app_length, !map_length, seq_length; lia).
  pose proof (land_solves g i Li Og) as Sg. pose proof (land_solves f _ Lf Of) as Sf.
  assert (NG : forall c x st, match x with Level _ => True | Der j => (m + r <= j)%nat end ->
     axes_to c x (map (re_axis (of_map m)) (nodes g)) vg st = st).
  { intros c y st Hy. apply axes_none. intros a s Ha Hs E. destruct (to s) eqn:Et; simpl in E; subst y.
    - specialize (Mg a s _ Ha Hs Et). fold r in Mg. lia.
    - specialize (Cg a s _ Ha Hs Et). fold m in Cg. lia. }
  assert (NF : forall c j st, (j < m + r)%nat -> axes_to c (Der j) (map (re_axis (shift (m + r))) (nodes f)) vf st = st).
  { intros c j st Hj. apply axes_none. intros a s Ha Hs E. destruct (to s); simpl in E; inversion E; lia. }
  destruct x as [k|j].
  - rewrite NG by auto. change (sol f g i (Level k)) with (land f (at_ g i (seq 0 r)) (Level k)).
    rewrite (Sf (Level k)). fold (nodes f). fold vf.
    symmetry. apply axes_re. intros a s _ _. destruct (to s); reflexivity.
  - assert (E : nth_error (ders (compose f g)) j =
       if (j <? m)%nat then nth_error (map (re_der (of_map m)) (ders g)) j
       else if (j <? m + r)%nat then nth_error (map (fun '(k, a) => Derived Sum (offset k (offs g)) (re_axis (shift (m + r)) a)) (combine (seq 0 r) (axes f))) (j - m)
       else nth_error (map (re_der (shift (m + r))) (ders f)) (j - m - r)).
    { unfold compose; cbn [ders]. fold m r. rewrite nth3, !map_length, combine_length, seq_length. fold m r. now rewrite Nat.min_id. }
    unfold sol, comb_of, first. rewrite E. fold m r.
    destruct (Nat.ltb_spec j m); [|destruct (Nat.ltb_spec j (m + r))].
    + rewrite NF by lia. rewrite (Sg (Der j)). fold (nodes g) m vg. symmetry.
      rewrite nth_error_map. unfold comb_of, first. destruct (nth_error (ders g) j); simpl;
      (rewrite axes_re with (y := Der j); [reflexivity|]; intros a s Ha Hs; destruct (to s) eqn:Et; simpl; auto;
       unfold deqb; apply Nat.eqb_neq; lia).
    + rewrite NF by lia. rewrite (Sg (Level (j - m))). fold (nodes g) m vg. symmetry.
      destruct (nth_read (fun k a => Derived Sum (offset k (offs g)) (re_axis (shift (m + r)) a)) (axes f) 0 (j - m)) as [a Ea]; [fold r; lia|].
      fold r in Ea. rewrite Ea. simpl. apply axes_re. intros b s Hb Hs. destruct (to s) eqn:Et; simpl; unfold deqb.
      * destruct (Nat.eqb_spec (j - m) l0), (Nat.eqb_spec j (m + l0)); auto; lia.
      * apply Nat.eqb_neq. specialize (Cg b s _ Hb Hs Et). fold m in Cg. lia.
    + rewrite NG by lia. rewrite (Sf (Der (j - m - r))). fold (nodes f) vf. symmetry.
      rewrite nth_error_map. unfold comb_of, first. destruct (nth_error (ders f) (j - m - r)); simpl;
      (rewrite axes_re with (y := Der (j - m - r)); [reflexivity|]; intros a s Ha Hs; destruct (to s) eqn:Et; simpl; auto;
       unfold deqb; destruct (Nat.eqb_spec j (m + r + d)), (Nat.eqb_spec (j - m - r) d); auto; lia) ||
      (rewrite axes_re with (y := Der (j - m - r)); [reflexivity|]; intros a s Ha Hs; destruct (to s) eqn:Et; simpl; auto;
       unfold deqb; destruct (Nat.eqb_spec j (m + r + d0)), (Nat.eqb_spec (j - m - r) d0); auto; lia).
Qed.


Theorem compose_copies f g i c :
  ordered 0 (ders f) -> ordered 0 (ders g) -> closed g -> maps_into (length (axes f)) g ->
  length i = length (axes g) ->
  forall l, copy_place (compose f g) i c l = copy_place f (map (place g i) (seq 0 (length (axes f)))) c l.
Proof. intros. unfold copy_place. rewrite compose_place by auto. reflexivity. Qed.

(** * Linear maps: `Addr` of the map is the linear index of f in some order of its axes *)

(** The index of a linear index, as a layout: one axis, with a digit for each axis of f in the given order, minor first
    (`linear_axis`; the order is 0, 1, .. for colexicographic, the reverse for row-major). *)
Definition linear_map (order : list nat) (f : layout) : layout :=
  Layout [Axis (prod (map extent (axes f))) (map (fun k => Sub (extent (nth k (axes f) (Axis 1 []))) (Level k) 1) order)]
    [] [] [] [] [].
Definition compose_linear order (f g : layout) : layout := compose f (compose (linear_map order f) g).

(** The index that linear index v names, entry k being the digit of axis k. *)
Definition entry (order : list nat) (f : layout) (v : N) (k : nat) : N :=
  fold_right (fun '(j, d) e => if Nat.eqb j k then d + e else e) 0
    (combine order (digits (map (fun j => extent (nth j (axes f) (Axis 1 []))) order) v)).

Lemma linear_place order f v k : place (linear_map order f) [v] k = entry order f v k.
Proof.
  unfold place, land, entry, linear_map. cbn [axes ders push_axes push_ders subs].
  assert (E : forall order v a, push [] (map (fun k => Sub (extent (nth k (axes f) (Axis 1 []))) (Level k) 1) order) v a (Level k)
     = a (Level k) + fold_right (fun '(j, d) e => if Nat.eqb j k then d + e else e) 0
         (combine order (digits (map (fun j => extent (nth j (axes f) (Axis 1 []))) order) v))).
  { clear. induction order as [|j order IH]; intros v a; simpl; [lia|].
    rewrite IH. unfold add; simpl. unfold deqb. destruct (Nat.eqb_spec k j), (Nat.eqb_spec j k); try congruence; lia. }
  rewrite E. simpl. lia.
Qed.

(** Theorem 6 for linear maps: the composed layout is f at the entries of the linear index that g gives. *)
Theorem compose_linear_place order f g i :
  ordered 0 (ders f) -> ordered 0 (ders g) -> closed g -> maps_into 1 g -> Forall (fun k => (k < length (axes f))%nat) order ->
  length i = length (axes g) ->
  forall l, place (compose_linear order f g) i l
            = place f (map (entry order f (place g i 0)) (seq 0 (length (axes f)))) l.
Proof.
  intros Of Og Cg Mg Ord Li l. unfold compose_linear.
  assert (Oh : ordered 0 (ders (linear_map order f))) by exact Logic.I.
  rewrite compose_place; auto.
  - f_equal. apply map_ext. intros k. rewrite compose_place by auto. apply linear_place.
  - apply ordered_compose; auto.
  - intros a s j Ha Hs E. rewrite nodes_compose in Ha. unfold compose; cbn [ders].
    rewrite !app_length, !map_length, combine_length, seq_length. simpl.
    apply in_app_or in Ha as [Ha|Ha]; apply in_map_iff in Ha as (b & <- & Hb); apply in_map_iff in Hs as (t & <- & Ht); simpl in E.
    + destruct (to t) eqn:Et; simpl in E; inversion E; subst.
      * specialize (Mg b t _ Hb Ht Et). lia.
      * specialize (Cg b t _ Hb Ht Et). lia.
    + unfold nodes, linear_map in Hb. simpl in Hb. destruct Hb as [<-|[]]. simpl in Ht. apply in_map_iff in Ht as (k & <- & _). discriminate.
  - intros a s k Ha Hs E. rewrite nodes_compose in Ha.
    apply in_app_or in Ha as [Ha|Ha]; apply in_map_iff in Ha as (b & <- & Hb); apply in_map_iff in Hs as (t & <- & Ht); simpl in E.
    + destruct (to t); discriminate.
    + unfold nodes, linear_map in Hb. simpl in Hb. destruct Hb as [<-|[]]. simpl in Ht. apply in_map_iff in Ht as (j & <- & Hj).
      simpl in E. inversion E; subst. rewrite Forall_forall in Ord. auto.
  - unfold compose; simpl. rewrite map_length. auto.
Qed.

(** Dropped hypotheses. A map that lands beyond the axes of f: its digit feeds a derived axis of f by mistake. *)
Definition f1 := Layout [Axis 2 [Sub 2 (Der 0) 1]] [Derived Sum 0 (Axis 4 [Sub 4 (Level 0) 1])] [] [] [0%nat] [].
Definition beyond := Layout [Axis 2 [Sub 2 (Level 1) 1]] [] [] [] [] [].
Example map_beyond : place (compose f1 beyond) [1] 0 = 1 /\ place f1 [place beyond [1] 0] 0 = 0.
Proof. split; reflexivity. Qed.
(** A map with copies in different places has no single index: Rust refuses it, and `compose` reads the first copy only. *)

Definition theorems := (@compose_place, @compose_copies, @compose_linear_place).
Print Assumptions theorems.
