(** Theorem 2: what `LayoutBuilder::build` checks (`src/algebra/builder.rs`) implies that 64 bits suffice: wrapping
    arithmetic computes the same numbers as unbounded arithmetic, for every index, padding included. *)
From Coq Require Import NArith List Lia Bool Arith.
Require Import TensorLayout.Radix TensorLayout.Model TensorLayout.Equations TensorLayout.Element.
Import ListNotations.
Open Scope N_scope.
Local Arguments deqb : simpl never.
Local Arguments N.add : simpl never.
Local Arguments N.mul : simpl never.
Local Arguments N.sub : simpl never.

Definition M := 2 ^ 64.

(** * The checks of the builder *)

Definition power_of_two (n : N) : bool := n =? 2 ^ N.log2 n.
Definition feeds (L : layout) (j : nat) : list sub := filter (fun s => deqb (Der j) (to s)) (all_subs L).
(** `check_axes`: sizes of at least 1, feeds that go on to derived axes from `first` on, slots that fit and hold the extent. *)
Definition check_axis (first last : nat) (a : axis) : bool :=
  forallb (fun s => (1 <=? size s) && match to s with Level _ => true | Der j => (first <=? j)%nat && (j <? last)%nat end) (subs a)
  && (slots (subs a) <? M) && (extent a <=? slots (subs a)).
Fixpoint check_nodes (first last : nat) (ds : list derived) : bool :=
  match ds with [] => true | d :: ds => check_axis (S first) last (dax d) && check_nodes (S first) last ds end.
(** `check_xor`, and `flipping_bits` of the digits that feed it. *)
Definition flips_ok (extent : N) (s : sub) : bool :=
  power_of_two (size s) && ((size s =? 1) || (weight s * (size s / 2) <? extent)).
Definition check_xor (L : layout) (j : nat) (d : derived) : bool :=
  match how d with
  | Sum => true
  | Xor => forallb (fun s => power_of_two (size s)) (subs (dax d)) && power_of_two (extent (dax d))
      && (extent (dax d) =? slots (subs (dax d))) && (start d <? extent (dax d))
      && forallb (flips_ok (extent (dax d))) (feeds L j) && (total (map (fun s => N.log2 (size s)) (feeds L j)) <=? 64)
  end.
(** `check_counts`: elements, copies of all elements, slots. *)
Definition landing_sizes (L : layout) : list N :=
  map size (filter (fun s => match to s with Level _ => true | Der _ => false end) (all_subs L)) ++ map rsize (reps L).
Definition check_counts (L : layout) : bool :=
  (prod (map extent (axes L)) <? M) && (prod (map extent (axes L)) * copies L <? M) && (prod (landing_sizes L) <? M).
(** `check_extents` and `with_offset`: every coordinate, and the number of values up to it. *)
Definition named_levels (L : layout) : list nat :=
  0%nat :: flat_map (fun s => match to s with Level l => [l] | Der _ => [] end) (all_subs L)
  ++ map rlevel (reps L) ++ map fst (offs L) ++ used L.
Definition check_extents (L : layout) : bool := forallb (fun l => level_extent L l <? M) (named_levels L).
(** `check_values`: the greatest value of a derived axis. *)
Definition check_value (L : layout) (j : nat) (d : derived) : bool :=
  (start d <? M) &&
  match feeds L j with
  | [] => true
  | ss => start d + match how d with Sum => total (map (fun s => (size s - 1) * weight s) ss) | Xor => 0 end + 1 <? M
  end.
Definition each_derived (f : nat -> derived -> bool) (L : layout) : bool :=
  forallb (fun '(j, d) => f j d) (combine (seq 0 (length (ders L))) (ders L)).
Definition checked (L : layout) : bool :=
  forallb (check_axis 0 (length (ders L))) (axes L) && check_nodes 0 (length (ders L)) (ders L)
  && forallb (fun r => 1 <=? rsize r) (reps L) && each_derived (check_xor L) L && check_counts L
  && check_extents L && each_derived (check_value L) L.

(** * The machine *)

(** Every product and sum wraps; a shift drops bits. *)
Definition one64 (c : comb) (w digit old : N) : N :=
  match c with Sum => (old + (digit * w) mod M) mod M | Xor => N.lxor old (xorp w digit) mod M end.
Definition add64 ds (s : sub) (digit : N) (a : acc) : acc :=
  fun x => if deqb x (to s) then one64 (comb_of ds x) (weight s) digit (a x) else a x.
Fixpoint push64 ds (ss : list sub) (rest : N) (a : acc) : acc :=
  match ss with [] => a | s :: ss => push64 ds ss (rest / size s) (add64 ds s (rest mod size s) a) end.
Fixpoint axes64 ds (axs : list axis) (index : list N) (a : acc) : acc :=
  match axs, index with
  | ax :: axs, i :: index => axes64 ds axs index (push64 ds (subs ax) i a) | _, _ => a end.
Fixpoint ders64 all (ds : list derived) (n : nat) (a : acc) : acc :=
  match ds with [] => a | d :: ds => ders64 all ds (S n) (push64 all (subs (dax d)) (a (Der n)) a) end.
Definition land64 (L : layout) (index : list N) : acc :=
  ders64 (ders L) (ders L) 0 (axes64 (ders L) (axes L) index (first L)).

(** The greatest sum that digits add to x. *)
Definition most ds x (s : sub) := match comb_of ds x with Sum => (size s - 1) * weight s | Xor => 0 end.
Fixpoint reach ds x (ss : list sub) : N :=
  match ss with [] => 0 | s :: ss => (if deqb x (to s) then most ds x s else 0) + reach ds x ss end.
Definition xor_ok ds (s : sub) := forall x, x = to s -> comb_of ds x = Xor -> forall d, d < size s -> xorp (weight s) d < M.
Definition ok ds (s : sub) := 0 < size s /\ xor_ok ds s.

Lemma lxor_lt a b k : a < 2 ^ k -> b < 2 ^ k -> N.lxor a b < 2 ^ k.
Proof.
  intros Ha Hb. destruct (N.eq_dec (N.lxor a b) 0) as [->|E]; [apply N.neq_0_lt_0, N.pow_nonzero; lia|].
  apply N.log2_lt_pow2; [lia|].
  pose proof (N.log2_lxor a b) as L. assert (0 < k).
  { destruct k; [|lia]. simpl in *. assert (a = 0) by lia. assert (b = 0) by lia. subst. now simpl in E. }
  eapply N.le_lt_trans; [exact L|]. apply N.max_lub_lt.
  - destruct (N.eq_dec a 0) as [->|]; [simpl; lia|]. apply N.log2_lt_pow2; lia.
  - destruct (N.eq_dec b 0) as [->|]; [simpl; lia|]. apply N.log2_lt_pow2; lia.
Qed.

Definition fits ds (R : dest -> N) (a : acc) := forall x,
  match comb_of ds x with Sum => a x + R x < M | Xor => a x < M end.
Definition plus (f g : dest -> N) := fun x => f x + g x.
Definition eqf (a b : acc) := forall x, a x = b x.

Lemma add_fits ds s v a b R : ok ds s -> eqf a b ->
  fits ds (plus (fun x => if deqb x (to s) then most ds x s else 0) R) a ->
  eqf (add64 ds s (v mod size s) a) (add ds s (v mod size s) b) /\ fits ds R (add ds s (v mod size s) b).
Proof.
  intros [Os Ox] E H.
  assert (D : v mod size s < size s) by (apply N.mod_lt; lia).
  assert (B : v mod size s * weight s <= (size s - 1) * weight s) by (apply N.mul_le_mono_r; lia).
  assert (P : forall x, add64 ds s (v mod size s) a x = add ds s (v mod size s) b x /\
    match comb_of ds x with Sum => add ds s (v mod size s) b x + R x < M | Xor => add ds s (v mod size s) b x < M end).
  { intros x. specialize (H x). unfold add64, add, plus, most, one64, one in *. rewrite E in *.
    destruct (deqb_spec x (to s)) as [Ex|]; destruct (comb_of ds x) eqn:C; cbn [one64 one]; [| |split; [auto|lia]|split; [auto|lia]].
    - rewrite (N.mod_small (v mod size s * weight s)) by lia. rewrite N.mod_small by lia. split; [auto|lia].
    - assert (N.lxor (b x) (xorp (weight s) (v mod size s)) < M).
      { apply (lxor_lt _ _ 64); [exact H|apply (Ox x); auto]. }
      rewrite N.mod_small by auto. auto. }
  split; intros x; apply P.
Qed.

Lemma fits_ext ds R1 R2 a : (forall x, R1 x = R2 x) -> fits ds R1 a -> fits ds R2 a.
Proof. intros E H x. specialize (H x). rewrite <- E. auto. Qed.

Lemma push_fits ds ss : Forall (ok ds) ss -> forall v a b R, eqf a b ->
  fits ds (plus (fun x => reach ds x ss) R) a ->
  eqf (push64 ds ss v a) (push ds ss v b) /\ fits ds R (push ds ss v b).
Proof.
  induction 1 as [|s ss O _ IH]; simpl; intros v a b R E H.
  - split; auto. intros x; specialize (H x); unfold plus in H; simpl in H. rewrite E in H. auto.
  - destruct (add_fits ds s v a b (plus (fun x => reach ds x ss) R) O E) as [E' F'].
    + eapply fits_ext; [|exact H]. intros x; unfold plus; lia.
    + apply IH; auto. intros x. rewrite (E' x). apply F'.
Qed.

Definition reach_all ds x (axs : list axis) := fold_right (fun a r => reach ds x (subs a) + r) 0 axs.
Lemma reach_all_app ds x l1 l2 : reach_all ds x (l1 ++ l2) = reach_all ds x l1 + reach_all ds x l2.
Proof. induction l1; simpl; lia. Qed.
Lemma axes_fits ds axs : Forall (fun ax => Forall (ok ds) (subs ax)) axs -> forall idx a b R, eqf a b ->
  fits ds (plus (fun x => reach_all ds x axs) R) a ->
  eqf (axes64 ds axs idx a) (push_axes ds axs idx b) /\ fits ds R (push_axes ds axs idx b).
Proof.
  induction 1 as [|ax axs O _ IH]; intros [|i idx] a b R E H; simpl in *;
    try (split; [exact E|]; intros x; specialize (H x); unfold plus in H; rewrite E in H; destruct (comb_of ds x); lia).
  destruct (push_fits ds _ O i a b (plus (fun x => reach_all ds x axs) R) E) as [E' F'].
  - eapply fits_ext; [|exact H]. intros x; unfold plus; lia.
  - apply IH; auto. intros x. rewrite (E' x). apply F'.
Qed.
Lemma ders_fits all ds : Forall (fun d => Forall (ok all) (subs (dax d))) ds -> forall n a b, eqf a b ->
  fits all (fun x => reach_all all x (map dax ds)) a ->
  eqf (ders64 all ds n a) (push_ders all ds n b) /\ fits all (fun _ => 0) (push_ders all ds n b).
Proof.
  induction 1 as [|d ds O _ IH]; intros n a b E H; simpl in *.
  - split; auto. intros x; specialize (H x). rewrite E in H; auto.
  - destruct (push_fits all _ O (a (Der n)) a b (fun x => reach_all all x (map dax ds)) E) as [E' F'].
    + exact H.
    + rewrite (E (Der n)) in *. apply IH; auto. intros x. rewrite (E' x). apply F'.
Qed.


(** * What the checks say *)

Lemma xorpos_lt p : forall w b k, N.pos p < 2 ^ b -> w * 2 ^ (b - 1) < 2 ^ k -> xorpos w p < 2 ^ k.
Proof.
  assert (D : forall w b k, 1 < b -> w * 2 ^ (b - 1) < 2 ^ k -> N.double w * 2 ^ (b - 1 - 1) < 2 ^ k /\ w < 2 ^ k).
  { intros w b k Hb H. assert (E : 2 ^ (b - 1) = 2 * 2 ^ (b - 1 - 1)) by (rewrite <- N.pow_succ_r'; f_equal; lia).
    rewrite N.double_spec. split; [lia|].
    assert (2 ^ (b - 1 - 1) <> 0) by (apply N.pow_nonzero; lia). nia. }
  assert (B : forall p b, N.pos p < 2 ^ b -> 2 <= N.pos p -> 1 < b).
  { intros q b H H2. destruct (N.le_gt_cases b 1) as [Hb|]; auto.
    assert (2 ^ b <= 2 ^ 1) by (apply N.pow_le_mono_r; lia). simpl in *. lia. }
  assert (H2 : forall q b, 2 * N.pos q < 2 ^ b -> 1 < b -> N.pos q < 2 ^ (b - 1)).
  { intros q b H Hb. replace (2 ^ b) with (2 * 2 ^ (b - 1)) in H by (rewrite <- N.pow_succ_r'; f_equal; lia). lia. }
  induction p as [p IH|p IH|]; intros w b k Hp Hw; simpl.
  - assert (Hb : 1 < b) by (apply (B _ _ Hp); lia). destruct (D w b k Hb Hw). apply lxor_lt; auto.
    apply IH with (b - 1); auto. apply H2; auto. lia.
  - assert (Hb : 1 < b) by (apply (B _ _ Hp); lia). destruct (D w b k Hb Hw). apply IH with (b - 1); auto.
  - assert (2 ^ (b - 1) <> 0) by (apply N.pow_nonzero; lia). nia.
Qed.
Lemma xorp_lt w d b k : d < 2 ^ b -> w * 2 ^ (b - 1) < 2 ^ k -> xorp w d < 2 ^ k.
Proof.
  intros Hd Hw. destruct d as [|p]; simpl; [apply N.neq_0_lt_0, N.pow_nonzero; lia|]. apply xorpos_lt with b; auto.
Qed.

Lemma reach_le ds x ss : reach ds x ss <= total (map (fun s => (size s - 1) * weight s) (filter (fun s => deqb x (to s)) ss)).
Proof.
  induction ss as [|s ss IH]; simpl; [lia|]. destruct (deqb x (to s)); simpl; [|lia].
  unfold most. generalize ((size s - 1) * weight s). intros m. destruct (comb_of ds x); lia.
Qed.
Lemma reach_all_flat ds x axs : reach_all ds x axs = reach ds x (flat_map subs axs).
Proof.
  assert (A : forall s1 s2, reach ds x (s1 ++ s2) = reach ds x s1 + reach ds x s2) by (induction s1; simpl; intros; auto; rewrite IHs1; lia).
  induction axs; simpl; auto. rewrite A, IHaxs; auto.
Qed.
Lemma reach_level ds l ss : reach ds (Level l) ss = total (map (step_to l) ss).
Proof.
  induction ss as [|s ss IH]; simpl; auto. rewrite IH. f_equal. unfold step_to, most, deqb. simpl.
  destruct (to s) as [k|j]; auto. destruct (Nat.eqb_spec l k), (Nat.eqb_spec k l); congruence.
Qed.
Lemma reach_none ds x ss : filter (fun s => deqb x (to s)) ss = [] -> reach ds x ss = 0.
Proof. intros H. pose proof (reach_le ds x ss) as R. rewrite H in R. simpl in R. lia. Qed.

Lemma each_derived_nth f L : each_derived f L = true -> forall j d, nth_error (ders L) j = Some d -> f j d = true.
Proof.
  unfold each_derived. intros H j d Hj. rewrite forallb_forall in H. apply (H (j, d)).
  assert (G : forall ds n k, nth_error ds k = Some d -> In ((n + k)%nat, d) (combine (seq n (length ds)) ds)).
  { induction ds as [|e ds IH]; intros n [|k] E; simpl in *; try discriminate.
    - left. inversion E. f_equal. lia.
    - right. rewrite <- Nat.add_succ_comm. auto. }
  apply (G _ 0%nat j Hj).
Qed.
Ltac ands H := repeat (rewrite andb_true_iff in H); repeat match type of H with _ /\ _ => let A := fresh "H" in destruct H as [H A] end.

Lemma checked_sizes L : checked L = true -> Forall (fun s => 0 < size s) (all_subs L).
Proof.
  intros C. unfold checked in C. ands C. apply Forall_forall. intros s Hs.
  apply in_flat_map in Hs as (a & Ha & Hs). apply in_app_or in Ha as [Ha|Ha].
  - rewrite forallb_forall in C. specialize (C a Ha). unfold check_axis in C. ands C.
    rewrite forallb_forall in C. specialize (C s Hs). ands C. apply N.leb_le in C. lia.
  - apply in_map_iff in Ha as (d & <- & Hd).
    assert (G : forall ds n k, check_nodes n k ds = true -> In d ds -> exists n, check_axis n k (dax d) = true).
    { induction ds as [|e ds IH]; simpl; intros n k E I; [contradiction|]. ands E. destruct I as [->|I]; eauto. }
    destruct (G _ _ _ H4 Hd) as (n & A). unfold check_axis in A. ands A.
    rewrite forallb_forall in A. specialize (A s Hs). ands A. apply N.leb_le in A. lia.
Qed.

Lemma checked_ok L : checked L = true -> Forall (fun ax => Forall (ok (ders L)) (subs ax)) (nodes L).
Proof.
  intros C. pose proof (checked_sizes L C) as S. unfold checked in C. ands C.
  apply Forall_forall. intros a Ha. apply Forall_forall. intros s Hs.
  assert (Is : In s (all_subs L)) by (apply in_flat_map; eauto).
  rewrite Forall_forall in S. split; [apply S; auto|].
  intros x -> X d Hd. destruct (to s) as [l|j] eqn:Et; [discriminate|]. simpl in X.
  destruct (nth_error (ders L) j) as [e|] eqn:Ej; [|discriminate].
  pose proof (each_derived_nth _ _ H2 _ _ Ej) as E. unfold check_xor in E. rewrite X in E. ands E.
  rewrite forallb_forall in H6. specialize (H6 s).
  assert (F : In s (feeds L j)) by (apply filter_In; split; auto; rewrite Et; apply deqb_refl).
  specialize (H6 F). unfold flips_ok in H6. ands H6. unfold power_of_two in H6. apply N.eqb_eq in H6.
  destruct (N.eq_dec (size s) 1) as [U|U]; [assert (d = 0) by lia; subst; reflexivity|].
  apply orb_true_iff in H10 as [W|W]; [apply N.eqb_eq in W; congruence|].
  apply N.ltb_lt in W. set (b := N.log2 (size s)) in *.
    unfold power_of_two in H9. apply N.eqb_eq in H9. set (k := N.log2 (extent (dax e))) in *.
    assert (Mk : 2 ^ k < M).
    { apply N.eqb_eq in H8. rewrite <- H9, H8. clear - H4 Ej.
      assert (G : forall ds n m, check_nodes n m ds = true -> forall j, nth_error ds j = Some e -> slots (subs (dax e)) < M).
      { induction ds as [|q ds IH]; intros n m E [|i] I; simpl in *; try discriminate; ands E.
        - inversion I; subst. unfold check_axis in E. ands E. apply N.ltb_lt; auto.
        - eapply IH; eauto. }
      eapply G; eauto. }
    apply N.lt_trans with (2 ^ k); auto. apply xorp_lt with b; [congruence|].
    assert (b <> 0) by (intros Eb; rewrite Eb in H6; simpl in H6; congruence).
    rewrite <- H9. replace (2 ^ (b - 1)) with (size s / 2); auto. rewrite H6.
      replace (2 ^ b) with (2 ^ (b - 1) * 2) by (rewrite N.mul_comm, <- N.pow_succ_r'; f_equal; lia). apply N.div_mul. lia.
Qed.

Lemma checked_fits L : checked L = true ->
  fits (ders L) (fun x => reach_all (ders L) x (nodes L)) (first L).
Proof.
  intros C. unfold checked in C. ands C. intros x. rewrite reach_all_flat. fold (all_subs L).
  destruct x as [l|j]; simpl.
  - rewrite reach_level. unfold check_extents in H0. rewrite forallb_forall in H0.
    destruct (in_dec Nat.eq_dec l (named_levels L)) as [I|I].
    + specialize (H0 l I). apply N.ltb_lt in H0. unfold level_extent in H0. lia.
    + assert (Z : offset l (offs L) = 0 /\ total (map (step_to l) (all_subs L)) = 0); [|destruct Z as [-> ->]; reflexivity].
      split.
      * assert (G : forall os, ~ In l (map fst os) -> offset l os = 0).
        { induction os as [|[k o] os IH]; simpl; intros N; auto. rewrite IH by tauto. destruct (Nat.eqb_spec k l); [tauto|reflexivity]. }
        apply G. intros J. apply I. unfold named_levels. right. apply in_or_app; right. apply in_or_app; right. apply in_or_app; left; auto.
      * assert (G : forall ss, (forall s, In s ss -> to s <> Level l) -> total (map (step_to l) ss) = 0).
        { induction ss as [|s ss IH]; simpl; intros N; auto. rewrite IH by auto. unfold step_to. specialize (N s (or_introl eq_refl)).
          destruct (to s) as [k|]; [|reflexivity]. destruct (Nat.eqb_spec k l); [congruence|reflexivity]. }
        apply G. intros s Hs E. apply I. unfold named_levels. right. apply in_or_app; left.
        apply in_flat_map. exists s. rewrite E. simpl; auto.
  - destruct (nth_error (ders L) j) as [d|] eqn:Ej.
    + pose proof (each_derived_nth _ _ H _ _ Ej) as V. pose proof (each_derived_nth _ _ H2 _ _ Ej) as X.
      unfold check_value in V. ands V. apply N.ltb_lt in V. destruct (how d) eqn:Eh; [|exact V].
      pose proof (reach_le (ders L) (Der j) (all_subs L)) as R. fold (feeds L j) in R.
      destruct (feeds L j) as [|s ss]; [simpl in R; lia|]. apply N.ltb_lt in H5.
      generalize dependent (total (map (fun s => (size s - 1) * weight s) (s :: ss))). intros. lia.
    + rewrite reach_none; [reflexivity|]. destruct (filter _ _) as [|s ss] eqn:F; auto. exfalso.
      assert (I : In s (s :: ss)) by (simpl; auto). rewrite <- F in I. apply filter_In in I as [I E].
      destruct (deqb_spec (Der j) (to s)) as [E'|]; [|discriminate].
      assert (Lt : (j < length (ders L))%nat); [|apply nth_error_None in Ej; lia].
      apply in_flat_map in I as (a & Ha & Hs). apply in_app_or in Ha as [Ha|Ha].
      * rewrite forallb_forall in C. specialize (C a Ha). unfold check_axis in C. ands C.
        rewrite forallb_forall in C. specialize (C s Hs). rewrite <- E' in C. cbv iota in C. ands C. apply Nat.ltb_lt; tauto.
      * apply in_map_iff in Ha as (d & <- & Hd).
        assert (G : forall ds n k, check_nodes n k ds = true -> In d ds -> exists n, check_axis n k (dax d) = true).
        { induction ds as [|e ds IH]; simpl; intros n k Q I; [contradiction|]. ands Q. destruct I as [->|I]; eauto. }
        destruct (G _ _ _ H4 Hd) as (n & A). unfold check_axis in A. ands A.
        rewrite forallb_forall in A. specialize (A s Hs). rewrite <- E' in A. cbv iota in A. ands A. apply Nat.ltb_lt; tauto.
Qed.

(** Theorem 2, forward: for a layout that the builder accepts and any index at all, wrapping arithmetic computes every
    coordinate and every value of a derived axis, and none exceeds 64 bits. XORs, offsets and padding are included. *)
Theorem land_fits L index : checked L = true ->
  forall x, land64 L index x = land L index x /\ land L index x < M.
Proof.
  intros C. pose proof (checked_ok L C) as O. pose proof (checked_fits L C) as H.
  unfold nodes in O, H. apply Forall_app in O as [O1 O2].
  destruct (axes_fits (ders L) _ O1 index (first L) (first L) (fun x => reach_all (ders L) x (map dax (ders L)))) as [E F].
  - intros x; auto.
  - eapply fits_ext; [|exact H]. intros x. unfold plus. apply reach_all_app.
  - destruct (ders_fits (ders L) (ders L)) with (n := 0%nat) (1 := proj1 (Forall_map _ _ _) O2 : Forall (fun d => Forall (ok (ders L)) (subs (dax d))) (ders L)) (2 := E) as [E2 F2].
    + intros x. rewrite (E x). apply F.
    + intros x. split; [apply E2|]. specialize (F2 x). simpl in F2. unfold land. destruct (comb_of (ders L) x); lia.
Qed.

(** Upper bounds of sums: a coordinate is at most what all digits can add. *)
Lemma digits_le l ss : Forall (fun s => 0 < size s) ss -> forall v st,
  digits_to Sum (Level l) ss v st <= st + total (map (step_to l) ss).
Proof.
  induction 1 as [|s ss Hs _ IH]; simpl; intros v st; [lia|].
  eapply N.le_trans; [apply IH|]. unfold step_to at 2. unfold one.
  assert (B : v mod size s * weight s <= (size s - 1) * weight s).
  { apply N.mul_le_mono_r. pose proof (N.mod_lt v (size s)). lia. }
  generalize dependent (v mod size s * weight s). generalize ((size s - 1) * weight s). intros m b B.
  destruct (deqb_spec (Level l) (to s)) as [E|E]; destruct (to s) as [k|j]; try (inversion E; subst).
  - rewrite Nat.eqb_refl. lia.
  - destruct (Nat.eqb_spec k l); [congruence|lia].
  - lia.
Qed.
Lemma axes_le l axs : Forall (fun s => 0 < size s) (flat_map subs axs) -> forall vs st,
  axes_to Sum (Level l) axs vs st <= st + total (map (step_to l) (flat_map subs axs)).
Proof.
  assert (T : forall a b, total (a ++ b) = total a + total b) by (induction a; simpl; intros; auto; rewrite IHa; lia).
  induction axs as [|a axs IH]; simpl; intros H [|v vs] st; try lia.
  apply Forall_app in H as [H1 H2]. rewrite map_app, T.
  eapply N.le_trans; [apply IH; auto|]. pose proof (digits_le l _ H1 v st). lia.
Qed.
Lemma copy_le l rs c : Forall (fun r => 0 < rsize r) rs -> copy_step rs c l <= total (map (rep_to l) rs).
Proof.
  intros H. revert c. induction H as [|r rs Hr _ IH]; simpl; intros c; [lia|]. specialize (IH (c / rsize r)). unfold rep_to at 1.
  assert (B : c mod rsize r * rstride r <= (rsize r - 1) * rstride r).
  { apply N.mul_le_mono_r. pose proof (N.mod_lt c (rsize r)). lia. }
  generalize dependent (c mod rsize r * rstride r). generalize ((rsize r - 1) * rstride r). intros.
  destruct (Nat.eqb_spec l (rlevel r)), (Nat.eqb_spec (rlevel r) l); try congruence; lia.
Qed.
Lemma total_rev l : total (rev l) = total l.
Proof.
  assert (T : forall a b, total (a ++ b) = total a + total b) by (induction a; simpl; intros; auto; rewrite IHa; lia).
  induction l as [|x l IH]; cbn [rev]; auto. rewrite T, IH. change (total (x :: l)) with (x + total l). change (total [x]) with (x + 0). lia.
Qed.

(** A slot is within the extent of every level: every index, padding included, and every copy. *)
Theorem slots_in_extents L i c l : checked L = true -> ordered 0 (ders L) -> length i = length (axes L) ->
  offset l (offs L) <= copy_place L i c l < level_extent L l.
Proof.
  intros C O Li. pose proof (checked_sizes L C) as S. unfold checked in C. ands C.
  assert (P : offset l (offs L) <= place L i l <= offset l (offs L) + total (map (step_to l) (all_subs L))).
  { unfold place. rewrite (land_solves L i Li O (Level l)). split; [|apply axes_le; auto].
    assert (G : forall ss v st, st <= digits_to Sum (Level l) ss v st).
    { induction ss as [|s ss IH]; simpl; intros v st; [lia|]. eapply N.le_trans; [|apply IH]. unfold one. generalize (v mod size s * weight s). intros q. destruct (deqb _ _); lia. }
    change (first L (Level l)) with (offset l (offs L)). generalize (offset l (offs L)). simpl comb_of.
    generalize (i ++ map (fun j => land L i (Der j)) (seq 0 (length (ders L)))). fold (nodes L). generalize (nodes L).
    induction l0 as [|a axs IH]; intros [|v vs] n; simpl; try lia. eapply N.le_trans; [|apply IH]. apply G. }
  assert (R : copy_step (rev (reps L)) c l <= total (map (rep_to l) (reps L))).
  { rewrite <- (total_rev (map (rep_to l) (reps L))), <- map_rev. apply copy_le. apply Forall_rev, Forall_forall. intros r Hr.
    rewrite forallb_forall in H3. specialize (H3 r Hr). apply N.leb_le in H3. lia. }
  unfold copy_place, level_extent. lia.
Qed.

(** The same sum in the machine: offsets and digits first, then the digits of the copy. *)
Fixpoint copy_place64 (rs : list replica) (copy : N) (l : nat) (at_ : N) : N :=
  match rs with
  | [] => at_
  | r :: rs => copy_place64 rs (copy / rsize r) l
      (if Nat.eqb l (rlevel r) then (at_ + (copy mod rsize r * rstride r) mod M) mod M else at_)
  end.
Lemma copy64 l rs : forall c a, a + copy_step rs c l < M -> copy_place64 rs c l a = a + copy_step rs c l.
Proof.
  induction rs as [|r rs IH]; simpl; intros c a H; [lia|].
  destruct (Nat.eqb l (rlevel r)).
  - rewrite !N.mod_small by (rewrite ?(N.mod_small (c mod rsize r * rstride r)); lia). rewrite IH; lia.
  - rewrite IH; lia.
Qed.
(** Theorem 2, `locate_all`: no coordinate of any copy exceeds 64 bits; the number of coordinates up to it fits, too. *)
Theorem copies_fit L i c l : checked L = true -> ordered 0 (ders L) -> length i = length (axes L) -> In l (named_levels L) ->
  copy_place64 (rev (reps L)) c l (land64 L i (Level l)) = copy_place L i c l /\ copy_place L i c l + 1 < M.
Proof.
  intros C O Li I. pose proof (slots_in_extents L i c l C O Li) as [_ H].
  assert (E : level_extent L l < M).
  { unfold checked in C. ands C. unfold check_extents in H1. rewrite forallb_forall in H1. apply N.ltb_lt. auto. }
  split; [|lia]. rewrite (proj1 (land_fits L i C (Level l))). apply copy64. unfold copy_place, place in H. lia.
Qed.

(** Theorem 2, backward: the value that digits join to is below the slots of its axis, which fit; so are all partial
    values on the way. What a level's digits can add up to, the bound of the search, is below its extent. *)
Theorem decoding_fits L : checked L = true ->
  (forall a ds, In a (nodes L) -> Forall2 N.lt ds (map size (subs a)) -> value (map size (subs a)) ds < slots (subs a) /\ slots (subs a) < M)
  /\ (forall x t, In t (terms (nodes L) x) -> comb_of (ders L) x = Sum -> (size (snd t) - 1) * weight (snd t) < M).
Proof.
  intros C. pose proof (checked_fits L C) as F. split.
  - intros a ds Ha H. split; [apply (proj2 (digits_value _ _ H))|].
    unfold checked in C. ands C. apply in_app_or in Ha as [Ha|Ha].
    + rewrite forallb_forall in C. specialize (C a Ha). unfold check_axis in C. ands C. apply N.ltb_lt; auto.
    + apply in_map_iff in Ha as (d & <- & Hd).
      assert (G : forall ds n k, check_nodes n k ds = true -> In d ds -> exists n, check_axis n k (dax d) = true).
      { induction ds0 as [|e ds0 IH]; simpl; intros n k Q I; [contradiction|]. ands Q. destruct I as [->|I]; eauto. }
      destruct (G _ _ _ H5 Hd) as (n & A). unfold check_axis in A. ands A. apply N.ltb_lt; auto.
  - intros x t Ht X. specialize (F x). rewrite X in F. rewrite reach_all_flat in F. fold (all_subs L) in F.
    unfold terms in Ht. apply filter_In in Ht as [Ht E].
    assert (I : In (snd t) (all_subs L)).
    { unfold all_subs. revert Ht. generalize 0%nat. generalize (nodes L). clear. induction l as [|a axs IH]; simpl; intros n H; [contradiction|].
      apply in_or_app. apply in_app_or in H as [H|H]; [left|right; eauto].
      destruct t as [k s]. apply in_combine_r in H. auto. }
    apply N.le_lt_trans with (reach (ders L) x (all_subs L)); [|lia].
    assert (G : forall ss, In (snd t) ss -> (size (snd t) - 1) * weight (snd t) <= reach (ders L) x ss).
    { induction ss as [|s ss IH]; simpl; [contradiction|]. intros [->|J].
      - rewrite E. unfold most. rewrite X. lia.
      - specialize (IH J). lia. }
    apply G; auto.
Qed.

(** Dropped hypotheses. A stride of 2^63 with three values, which the builder refuses, wraps. *)
Definition wide := Layout [Axis 3 [Sub 3 (Level 0) (2^63)]] [] [] [] [0%nat] [].
Example wraps : checked wide = false /\ land64 wide [2] (Level 0) <> place wide [2] 0.
Proof. split; [reflexivity|discriminate]. Qed.
(** An offset alone may do it, and so may a flipped bit beyond the extent. *)
Definition far := Layout [Axis 2 [Sub 2 (Level 0) 1]] [] [] [(0%nat, 2^64 - 1)] [0%nat] [].
Example offset_wraps : checked far = false /\ land64 far [1] (Level 0) = 0. Proof. split; reflexivity. Qed.
Definition flipped := Layout [Axis 4 [Sub 4 (Der 0) (2^63)]] [Derived Xor 0 (Axis 4 [Sub 4 (Level 0) 1])] [] [] [0%nat] [].
Example bit_lost : checked flipped = false /\ land64 flipped [2] (Der 0) <> land flipped [2] (Der 0).
Proof. split; [reflexivity|discriminate]. Qed.
(** The greatest that the builder accepts. *)
Example greatest : checked (Layout [Axis 2 [Sub 2 (Level 0) (2^64 - 2)]] [] [] [] [0%nat] []) = true. Proof. reflexivity. Qed.

Definition theorems := (@land_fits, @slots_in_extents, @copies_fit, @decoding_fits).
Print Assumptions theorems.
