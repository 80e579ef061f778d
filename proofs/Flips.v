(** Theorem 7, rules for XORs (`src/algebra/xor_simplify.rs`): digits are split into bits, an XOR sheds bits that alone flip a
    bit of its value and sorts its rows (`with_own_bits`, `with_sorted_rows`), and an axis is joined with the XOR that it
    feeds (`with_next_xor`). Bits are then merged again, and the axis that is left empty is removed: Rules.v.

    The theorems hold for every index, padding included. *)
From Coq Require Import NArith List Lia Bool Arith Permutation.
Require Import TensorLayout.Radix TensorLayout.Model TensorLayout.Equations TensorLayout.Bound TensorLayout.Nest
  TensorLayout.Xor TensorLayout.Simplify TensorLayout.Tops TensorLayout.Rules.
Import ListNotations.
Open Scope N_scope.
Local Arguments deqb : simpl never.

(** * Bits of digits: `bits`, `feed_again` *)

Fixpoint bit_subs (x : dest) (w : N) (n : nat) : list sub := match n with O => [] | S n => Sub 2 x w :: bit_subs x (2 * w) n end.
Definition split_bits (which : sub -> bool) (ss : list sub) : list sub :=
  flat_map (fun s => if which s then bit_subs (to s) (weight s) (N.to_nat (N.log2 (size s))) else [s]) ss.

Lemma alike_both cs a a' b b' : positive_sizes a' -> positive_sizes b' -> alike cs a a' -> alike cs b b' -> alike cs (a ++ b) (a' ++ b').
Proof.
  intros Pa Pb (P & S & A) (P2 & S2 & A2). split; [apply Forall_app; auto|]. split; [now rewrite !slots_app, S, S2|].
  intros v x st. rewrite !digits_to_app by auto. now rewrite S, A2, A.
Qed.
Lemma bits_alike cs x n : forall w, alike cs (bit_subs x w n) [Sub (2 ^ N.of_nat n) x w].
Proof.
  induction n as [|n IH]; intros w.
  - repeat split; [constructor|]. intros v y st. change (2 ^ N.of_nat 0) with 1. pose proof (units cs (fun s => negb (size s =? 1)) [Sub 1 x w] v) as U. apply U.
    repeat constructor. 
  - cbn [bit_subs]. rewrite Nat2N.inj_succ, N.pow_succ_r'. assert (P : 0 < 2 ^ N.of_nat n) by (apply N.neq_0_lt_0, N.pow_nonzero; lia).
    apply alike_trans with ([Sub 2 x w] ++ [Sub (2 ^ N.of_nat n) x (2 * w)]).
    + change (Sub 2 x w :: bit_subs x (2 * w) n) with ([Sub 2 x w] ++ bit_subs x (2 * w) n).
      apply (alike_both cs [Sub 2 x w] [Sub 2 x w]); [repeat constructor|repeat constructor; auto|apply alike_refl; repeat constructor|apply IH].
    + cbn [app]. split; [apply Forall_cons; [simpl; lia|]; apply Forall_cons; auto|]. split; [unfold slots; cbn [map prod size]; lia|]. intros v y st. symmetry.
      apply (merging cs 2 (2 ^ N.of_nat n) x w [] [] v); auto; [lia|]. intros _. exists 1%nat. reflexivity.
Qed.
(** Theorem 7, bits: digits of 2 ^ n values and their n bits are the same, in sums and XORs. *)
Theorem split_agrees cs which ss : positive_sizes ss -> Forall (fun s => which s = true -> exists n, size s = 2 ^ N.of_nat n) ss ->
  alike cs (split_bits which ss) ss.
Proof.
  intros P. induction P as [|s ss Hs P IH]; intros F; [apply alike_refl; constructor|]. inversion F as [|? ? Fs F']; subst.
  unfold split_bits; cbn [flat_map]. change (s :: ss) with ([s] ++ ss). apply alike_both; [repeat constructor; auto|auto| |apply IH; auto].
  destruct (which s); [|apply alike_refl; repeat constructor; auto]. destruct (Fs eq_refl) as [n E].
  assert (L : N.to_nat (N.log2 (size s)) = n) by (rewrite E, N.log2_pow2 by lia; lia). rewrite L.
  replace [s] with [Sub (2 ^ N.of_nat n) (to s) (weight s)] by (destruct s; simpl in *; congruence). apply bits_alike.
Qed.

(** * Bits of a value *)

Definition bit (v : N) (b : nat) : N := N.b2n (N.testbit v (N.of_nat b)).
(** `picked`: these bits of a value, the first as the lowest. *)
Fixpoint picked (order : list nat) (v : N) : N := match order with [] => 0 | b :: order => bit v b + 2 * picked order v end.
Lemma bit_lt v b : bit v b < 2. Proof. unfold bit. destruct (N.testbit v _); simpl; lia. Qed.
Lemma picked_lxor o a b : picked o (N.lxor a b) = N.lxor (picked o a) (picked o b).
Proof.
  induction o as [|k o IH]; auto. cbn [picked]. apply N.bits_inj. intros t. rewrite IH, N.lxor_spec. unfold bit. rewrite N.lxor_spec.
  assert (G : forall (x : bool) y, N.testbit (N.b2n x + 2 * y) t = if t =? 0 then x else N.testbit y (N.pred t)).
  { intros x y. rewrite N.add_comm. destruct (N.eqb_spec t 0) as [->|H]; [apply N.testbit_0_r|]. rewrite <- (N.succ_pred t) at 1 by auto. apply N.testbit_succ_r. }
  rewrite !G. destruct (t =? 0); [reflexivity|apply N.lxor_spec].
Qed.
Lemma picked_0 o : picked o 0 = 0.
Proof. induction o as [|b o IH]; auto. cbn [picked]. rewrite IH. unfold bit. now rewrite N.bits_0. Qed.
Lemma digs_picked R o v : (forall b, size (R b) = 2) -> digs (map R o) (picked o v) = map (fun b => (R b, bit v b)) o.
Proof.
  intros S. induction o as [|b o IH]; auto. cbn [map digs picked]. rewrite S. destruct (divmod_small 2 (bit v b) (picked o v) (bit_lt v b)) as [-> ->]. now rewrite IH.
Qed.
Lemma digs_bits R n v : (forall b, size (R b) = 2) -> forall s, digs (map R (seq s n)) (v / 2 ^ N.of_nat s) = map (fun b => (R b, bit v b)) (seq s n).
Proof.
  intros S. induction n as [|n IH]; intros s; auto. cbn [seq map digs]. rewrite S. unfold bit at 1. rewrite N.testbit_spec'. f_equal.
  rewrite N.div_div by (try apply N.pow_nonzero; lia). rewrite N.mul_comm, <- N.pow_succ_r', <- Nat2N.inj_succ. apply IH.
Qed.

(** * What feeds an XOR *)

Definition feeds_it (j : nat) (s : sub) : bool := deqb (Der j) (to s).
(** A digit that feeds j goes where its weight says: `feed_again`, bit by bit. *)
Definition redirect (j : nat) (target : N -> dest * N) (s : sub) : sub :=
  if feeds_it j s then Sub (size s) (fst (target (weight s))) (snd (target (weight s))) else s.
Definition redirect_axis j target (a : axis) := Axis (extent a) (map (redirect j target) (subs a)).
Definition redirected j target (sd : sub * N) := (redirect j target (fst sd), snd sd).
Lemma redirect_size j t s : size (redirect j t s) = size s.
Proof. unfold redirect. destruct (feeds_it j s); auto. Qed.
Lemma digs_redirect j t ss : forall v, digs (map (redirect j t) ss) v = map (redirected j t) (digs ss v).
Proof. induction ss as [|s ss IH]; intros v; cbn [map digs]; auto. now rewrite redirect_size, IH. Qed.
Lemma alld_redirect j t axs : forall vs, alld (map (redirect_axis j t) axs) vs = map (redirected j t) (alld axs vs).
Proof. induction axs as [|a axs IH]; intros [|v vs]; cbn [map alld]; auto. cbn [redirect_axis subs]. now rewrite digs_redirect, IH, map_app. Qed.

Lemma tot_cons c x sd l st : tot c x (sd :: l) st = tot c x l (if deqb x (to (fst sd)) then one c (weight (fst sd)) (snd sd) st else st).
Proof. reflexivity. Qed.
Lemma tot_app c x a b st : tot c x (a ++ b) st = tot c x b (tot c x a st).
Proof. unfold tot. apply fold_left_app. Qed.
(** Bits that feed j. *)
Definition bit_fed j (sd : sub * N) := feeds_it j (fst sd) = true -> size (fst sd) = 2 /\ snd sd < 2.
Lemma xorp_bit w d : d < 2 -> xorp w d = if N.testbit d 0 then w else 0.
Proof. intros H. assert (E : d = 0 \/ d = 1) by lia. destruct E as [->| ->]; reflexivity. Qed.

(** The values of an index with derived axis j in the middle. *)
Lemma vals_split L i (v : acc) j : (j < length (ders L))%nat ->
  vals_of L i v = (i ++ map (fun k => v (Der k)) (seq 0 j)) ++ v (Der j) :: map (fun k => v (Der k)) (seq (S j) (length (ders L) - j - 1)).
Proof.
  intros H. unfold vals_of. replace (length (ders L)) with (j + S (length (ders L) - j - 1))%nat at 1 by lia. rewrite seq_app, map_app, <- app_assoc. reflexivity.
Qed.
(** Two layouts alike but for the start of j. *)
Definition heads_but j L L' := length (axes L) = length (axes L') /\ length (ders L) = length (ders L') /\
  (forall x, comb_of (ders L) x = comb_of (ders L') x) /\ forall x, x <> Der j -> first L x = first L' x.

Section Rewire.
(** The rows of j, each a bit of its value: R b is the digit of bit b. Own rows are flipped by one bit alone. *)
Variables (j n : nat) (R : nat -> sub) (own : nat -> bool) (order : list nat).
Hypothesis R_bits : forall b, size (R b) = 2 /\ to (R b) <> Der j.
Definition left_rows := filter (fun b => negb (own b)) (seq 0 n).
Hypothesis Order : Permutation order left_rows.
(** `own[lowest_bit(column)]` of a column that is a power of two. *)
Definition row_of (c : N) : nat := N.to_nat (N.log2 c).
Definition own_column (c : N) : bool := (c =? 2 ^ N.log2 c) && own (row_of c) && (row_of c <? n)%nat.
Definition target (c : N) : dest * N := if own_column c then (to (R (row_of c)), weight (R (row_of c))) else (Der j, picked order c).
(** `is_own`: nothing else flips the bit, nor the start, and the column flips nothing else. *)
Definition is_own (start : N) (columns : list N) := forall b, (b < n)%nat -> own b = true ->
  N.testbit start (N.of_nat b) = false /\ filter (fun c => N.testbit c (N.of_nat b)) columns = [2 ^ N.of_nat b].
Definition columns_of (E : list (sub * N)) := map (fun sd => weight (fst sd)) (filter (fun sd => feeds_it j (fst sd)) E).

Lemma own_picked b : own b = true -> picked order (2 ^ N.of_nat b) = 0.
Proof.
  intros O. assert (F : Forall (fun k => own k = false) order).
  { eapply Permutation_Forall; [symmetry; exact Order|]. apply Forall_forall. intros k Hk. apply filter_In in Hk as [_ Hk]. destruct (own k); auto. }
  clear - O F. induction F as [|k o Hk _ IH]; auto. cbn [picked]. rewrite IH. unfold bit. rewrite N.pow2_bits_eqb.
  destruct (N.eqb_spec (N.of_nat b) (N.of_nat k)) as [E|]; [|reflexivity]. apply Nat2N.inj in E. congruence.
Qed.
Lemma own_is c : own_column c = true -> c = 2 ^ N.of_nat (row_of c) /\ own (row_of c) = true /\ (row_of c < n)%nat.
Proof.
  unfold own_column. intros H. apply andb_true_iff in H as [H H3]. apply andb_true_iff in H as [H1 H2]. apply N.eqb_eq in H1. apply Nat.ltb_lt in H3.
  unfold row_of at 1. rewrite N2Nat.id. auto.
Qed.
(** The new value of j: its bits that are left, in the new order. *)
Lemma rewire_value E : Forall (bit_fed j) E -> forall st,
  tot Xor (Der j) (map (redirected j target) E) (picked order st) = picked order (tot Xor (Der j) E st).
Proof.
  induction 1 as [|[s d] E B _ IH]; intros st; auto. cbn [map]. rewrite !tot_cons. cbn [redirected fst snd]. unfold redirect, bit_fed, feeds_it in *. cbn [fst snd] in *.
  destruct (deqb_spec (Der j) (to s)) as [Es|Es]; [|rewrite deqb_neq by auto; apply IH]. specialize (B eq_refl). destruct B as [_ B]. cbn [to weight]. unfold target.
  destruct (own_column (weight s)) eqn:O; cbn [fst snd].
  - rewrite deqb_neq by (destruct (R_bits (row_of (weight s))) as [_ Nq]; congruence). rewrite <- IH. f_equal. cbn [one]. rewrite picked_lxor, xorp_bit by auto.
    apply own_is in O as (E1 & O & _). destruct (N.testbit d 0); [rewrite E1, own_picked by auto|rewrite picked_0]; now rewrite N.lxor_0_r.
  - rewrite deqb_refl. rewrite <- IH. f_equal. cbn [one]. rewrite picked_lxor, !xorp_bit by auto. destruct (N.testbit d 0); auto. now rewrite picked_0.
Qed.
(** A bit of the value: that of the start and of all columns that have it. *)
Lemma value_bit E b : Forall (bit_fed j) E -> forall st, N.testbit (tot Xor (Der j) E st) b =
  xorb (N.testbit st b) (fold_right (fun sd r => xorb (N.testbit (snd sd) 0) r) false (filter (fun sd => N.testbit (weight (fst sd)) b) (filter (fun sd => feeds_it j (fst sd)) E))).
Proof.
  induction 1 as [|[s d] E B _ IH]; intros st; [simpl; now rewrite xorb_false_r|]. rewrite tot_cons, IH. unfold bit_fed in B. cbn [filter fst snd] in *. unfold feeds_it in *.
  destruct (deqb (Der j) (to s)); auto. specialize (B eq_refl). cbn [one filter fst]. rewrite N.lxor_spec.
  destruct B as [_ B]. rewrite xorp_bit by auto. destruct (N.testbit (weight s) b) eqn:W; cbn [fold_right snd].
  - generalize (fold_right (fun sd r => xorb (N.testbit (snd sd) 0) r) false (filter (fun sd => N.testbit (weight (fst sd)) b) (filter (fun sd => deqb (Der j) (to (fst sd))) E))).
    intros r. destruct (N.testbit d 0), (N.testbit st b), r; rewrite ?W, ?N.bits_0; reflexivity.
  - destruct (N.testbit d 0); rewrite ?W, ?N.bits_0, ?xorb_false_r; auto.
Qed.
Lemma own_unique E start b : is_own start (columns_of E) -> (b < n)%nat -> own b = true -> exists e,
  filter (fun sd => N.testbit (weight (fst sd)) (N.of_nat b)) (filter (fun sd => feeds_it j (fst sd)) E) = [e] /\ weight (fst e) = 2 ^ N.of_nat b.
Proof.
  intros I Hb O. destruct (I b Hb O) as [_ F]. unfold columns_of in F.
  assert (M : forall l : list (sub * N), filter (fun c => N.testbit c (N.of_nat b)) (map (fun sd => weight (fst sd)) l) = map (fun sd => weight (fst sd)) (filter (fun sd => N.testbit (weight (fst sd)) (N.of_nat b)) l)).
  { induction l as [|e l IH]; auto. cbn [map filter]. destruct (N.testbit _ _); cbn [map]; congruence. }
  rewrite M in F. destruct (filter _ (filter _ E)) as [|e [|]]; try discriminate. exists e. split; auto. simpl in F. congruence.
Qed.

(** The bits that are redirected are the own bits of the value. *)
Lemma own_rows E start : Forall (bit_fed j) E -> is_own start (columns_of E) ->
  Permutation (map (redirected j target) (filter (fun sd => feeds_it j (fst sd) && own_column (weight (fst sd))) E))
    (map (fun b => (R b, bit (tot Xor (Der j) E start) b)) (filter own (seq 0 n))).
Proof.
  intros B I. set (v := tot Xor (Der j) E start). set (Own := filter (fun sd => feeds_it j (fst sd) && own_column (weight (fst sd))) E).
  assert (Perm : Permutation (map (fun sd => row_of (weight (fst sd))) Own) (filter own (seq 0 n))).
  { apply (Permutation_count_occ Nat.eq_dec). intros b.
    assert (C1 : count_occ Nat.eq_dec (filter own (seq 0 n)) b = if own b && (b <? n)%nat then 1%nat else 0%nat).
    { assert (Nd : NoDup (filter own (seq 0 n))) by (apply NoDup_filter, seq_NoDup). destruct (own b && (b <? n)%nat) eqn:O.
      - apply andb_true_iff in O as [O H]. apply Nat.ltb_lt in H. apply NoDup_count_occ'; auto. apply filter_In. split; auto. apply in_seq. lia.
      - apply count_occ_not_In. intros H. apply filter_In in H as [H O2]. apply in_seq in H. rewrite O2 in O. destruct (Nat.ltb_spec b n); [discriminate|lia]. }
    rewrite C1. assert (C2 : forall l, count_occ Nat.eq_dec (map (fun sd : sub * N => row_of (weight (fst sd))) l) b = length (filter (fun sd => Nat.eqb (row_of (weight (fst sd))) b) l)).
    { induction l as [|e l IH]; auto. cbn [map count_occ filter]. destruct (Nat.eq_dec (row_of (weight (fst e))) b) as [e1|e1]; destruct (Nat.eqb_spec (row_of (weight (fst e))) b); try congruence; cbn [length]; auto. }
    rewrite C2. destruct (own b && (b <? n)%nat) eqn:O.
    - apply andb_true_iff in O as [O H]. apply Nat.ltb_lt in H. destruct (own_unique E start b I H O) as (e & Fe & We).
      assert (Eq : filter (fun sd => Nat.eqb (row_of (weight (fst sd))) b) Own = filter (fun sd => N.testbit (weight (fst sd)) (N.of_nat b)) (filter (fun sd => feeds_it j (fst sd)) E)).
      { unfold Own. assert (FF : forall (p q : sub * N -> bool) l, filter p (filter q l) = filter (fun x => q x && p x) l).
        { induction l as [|x l IH]; auto. cbn [filter]. destruct (q x) eqn:Q; cbn [filter andb]; [destruct (p x)|]; congruence. }
        rewrite !FF. apply filter_ext_in. intros x Hx. destruct (feeds_it j (fst x)) eqn:Fx; auto. cbn [andb].
        destruct (N.testbit (weight (fst x)) (N.of_nat b)) eqn:T.
        - assert (Ix : In x [e]). { rewrite <- Fe. apply filter_In. split; auto. apply filter_In. auto. }
          destruct Ix as [<-|[]]. rewrite We. unfold own_column, row_of. rewrite !N.log2_pow2, N.eqb_refl, Nat2N.id by lia. rewrite O. destruct (Nat.ltb_spec b n); [|lia]. simpl. apply Nat.eqb_refl.
        - destruct (own_column (weight (fst x))) eqn:Oc; auto. cbn [andb]. apply own_is in Oc as (W & _ & _). destruct (Nat.eqb_spec (row_of (weight (fst x))) b) as [Rb|]; auto.
          rewrite W, Rb, N.pow2_bits_true in T. discriminate. }
      rewrite Eq, Fe. reflexivity.
    - destruct (filter _ Own) as [|e l] eqn:Fo; auto. exfalso. assert (Ie : In e (filter (fun sd => Nat.eqb (row_of (weight (fst sd))) b) Own)) by (rewrite Fo; simpl; auto).
      apply filter_In in Ie as [Ie Rb]. apply Nat.eqb_eq in Rb. unfold Own in Ie. apply filter_In in Ie as [_ Oc]. apply andb_true_iff in Oc as [_ Oc]. apply own_is in Oc as (_ & O1 & H). rewrite Rb in *.
      rewrite O1 in O. destruct (Nat.ltb_spec b n); [discriminate|lia]. }
  assert (Eq : map (redirected j target) Own = map (fun b => (R b, bit v b)) (map (fun sd => row_of (weight (fst sd))) Own)).
  { rewrite map_map. apply map_ext_in. intros [s d] He. unfold Own in He. apply filter_In in He as [He Oc]. cbn [fst snd] in *. apply andb_true_iff in Oc as [Fs Oc].
    unfold redirected, redirect, target. cbn [fst snd]. rewrite Fs, Oc. cbn [fst snd]. apply own_is in Oc as (W & O & H). set (b := row_of (weight s)) in *.
    rewrite Forall_forall in B. destruct (B _ He Fs) as [Sz Bd]. cbn [fst snd] in Sz, Bd. destruct (R_bits b) as [Rs _]. f_equal.
    - destruct (R b) as [z x w] eqn:Er. cbn [size to weight] in *. congruence.
    - destruct (own_unique E start b I H O) as (e & Fe & We). destruct (I b H O) as [St _].
      assert (Ix : In (s, d) [e]). { rewrite <- Fe. apply filter_In. cbn [fst]. split; [apply filter_In; auto|]. rewrite W. apply N.pow2_bits_true. }
      destruct Ix as [->|[]]. unfold bit, v. rewrite value_bit, Fe, St by (apply Forall_forall; auto). cbn [fold_right snd]. rewrite xorb_false_r, xorb_false_l.
      assert (D : d = 0 \/ d = 1) by lia. destruct D as [->| ->]; reflexivity. }
  rewrite Eq. apply Permutation_map; auto.
Qed.
End Rewire.

Lemma partition_perm {A} (p : A -> bool) l : Permutation l (filter p l ++ filter (fun x => negb (p x)) l).
Proof. induction l as [|a l IH]; auto. cbn [filter]. destruct (p a); cbn [negb app]; [auto|]. etransitivity; [apply perm_skip; exact IH|apply Permutation_middle]. Qed.
Lemma alld_fst axs : forall vs, length vs = length axs -> map fst (alld axs vs) = flat_map subs axs.
Proof.
  induction axs as [|a axs IH]; intros [|v vs] L; simpl in *; try lia; auto. rewrite map_app, IH by lia. f_equal.
  revert v. induction (subs a) as [|s ss IH2]; intros v; simpl; f_equal; auto.
Qed.
Lemma alld_bits j axs : Forall (fun s => to s = Der j -> size s = 2) (flat_map subs axs) -> forall vs, Forall (bit_fed j) (alld axs vs).
Proof.
  assert (D : forall ss, Forall (fun s => to s = Der j -> size s = 2) ss -> forall v, Forall (bit_fed j) (digs ss v)).
  { induction 1 as [|s ss H _ IH]; intros v; constructor; auto. intros F. unfold feeds_it in F. cbn [fst snd] in *.
    destruct (deqb_spec (Der j) (to s)) as [E|]; [|discriminate]. rewrite H by auto. split; auto. apply N.mod_lt; lia. }
  induction axs as [|a axs IH]; intros F [|v vs]; cbn [alld flat_map] in *; try constructor. apply Forall_app in F as [F1 F2]. apply Forall_app; auto.
Qed.
Lemma filter_weights j E : columns_of j E = map weight (filter (feeds_it j) (map fst E)).
Proof. unfold columns_of. induction E as [|e E IH]; auto. cbn [map filter]. destruct (feeds_it j (fst e)); cbn [map]; congruence. Qed.

(** Theorem 7, own bits and sorted rows: with own bits none and any order this is `with_sorted_rows`, with the order of the rows
    that are left `with_own_bits`. *)
Theorem rewired L L' i j n R own order N1 N2 e e' :
  (forall b, size (R b) = 2 /\ to (R b) <> Der j) -> Permutation order (left_rows n own) ->
  length i = length (axes L) -> ordered 0 (ders L) -> ordered 0 (ders L') -> heads_but j L L' -> (j < length (ders L))%nat ->
  nodes L = N1 ++ [Axis e (map R (seq 0 n))] ++ N2 ->
  nodes L' = map (redirect_axis j (target j n R own order)) N1 ++ [Axis e' (map R order)] ++ map (redirect_axis j (target j n R own order)) N2 ->
  length N1 = (length (axes L) + j)%nat -> comb_of (ders L) (Der j) = Xor -> first L' (Der j) = picked order (first L (Der j)) ->
  Forall (fun s => to s = Der j -> size s = 2) (flat_map subs (N1 ++ N2)) ->
  is_own n own (first L (Der j)) (map weight (filter (feeds_it j) (flat_map subs (N1 ++ N2)))) ->
  forall l, place L' i l = place L i l.
Proof.
  intros Rb Po Li O O' (La & Ld & Cb & Fs) Hj EN EN' LN X Fj Bs Ow l. set (v := land L i). pose proof (land_solves L i Li O) as Sv. fold v in Sv.
  set (V1 := i ++ map (fun k => v (Der k)) (seq 0 j)). set (V2 := map (fun k => v (Der k)) (seq (S j) (length (ders L) - j - 1))). set (tg := target j n R own order) in *.
  assert (L1 : length N1 = length V1) by (unfold V1; rewrite app_length, map_length, seq_length; lia).
  assert (L2 : length N2 = length V2).
  { pose proof (f_equal (@length axis) EN) as E. unfold nodes in E. rewrite !app_length, map_length in E. simpl in E. unfold V2. rewrite map_length, seq_length. lia. }
  set (E := alld N1 V1 ++ alld N2 V2). set (b := v (Der j)).
  assert (Rows : forall o, digs (map R o) (picked o b) = map (fun k => (R k, bit b k)) o) by (intros; apply digs_picked; intros; apply Rb).
  assert (P : Permutation (alld (nodes L) (vals_of L i v)) (E ++ map (fun k => (R k, bit b k)) (seq 0 n))).
  { rewrite (vals_split L i v j Hj). fold V1 V2 b. rewrite EN. change (b :: V2) with ([b] ++ V2). rewrite !alld_app by (simpl; lia). cbn [alld subs]. rewrite app_nil_r.
    pose proof (digs_bits R n b ltac:(intros; apply Rb) 0) as Dg. change (2 ^ N.of_nat 0) with 1 in Dg. rewrite N.div_1_r in Dg. rewrite Dg.
    unfold E. rewrite <- app_assoc. apply Permutation_app_head, Permutation_app_comm. }
  assert (BE : Forall (bit_fed j) E) by (rewrite flat_map_app in Bs; apply Forall_app in Bs as [B1 B2]; unfold E; apply Forall_app; split; apply alld_bits; auto).
  assert (OE : is_own n own (first L (Der j)) (columns_of j E)).
  { rewrite filter_weights. unfold E. rewrite map_app, !alld_fst by auto. rewrite <- flat_map_app. exact Ow. }
  assert (Nr : Forall (fun sd : sub * N => to (fst sd) <> Der j) (map (fun k => (R k, bit b k)) (seq 0 n))) by (apply Forall_map, Forall_forall; intros; apply Rb).
  assert (Vj : b = tot Xor (Der j) E (first L (Der j))).
  { unfold b. rewrite (Sv (Der j)). fold (nodes L) (vals_of L i v). now rewrite axes_tot, (tot_perm _ _ _ _ P), X, tot_app, (tot_none _ _ _ Nr). }
  set (v' := fun x => if deqb x (Der j) then picked order b else v x).
  assert (P' : Permutation (alld (nodes L') (vals_of L' i v')) (map (redirected j tg) E ++ map (fun k => (R k, bit b k)) order)).
  { assert (Hj' : (j < length (ders L'))%nat) by lia. rewrite (vals_split L' i v' j Hj'). rewrite <- Ld.
    assert (E1 : map (fun k => v' (Der k)) (seq 0 j) = map (fun k => v (Der k)) (seq 0 j)).
    { apply map_ext_in. intros k Hk. apply in_seq in Hk. unfold v'. rewrite deqb_neq; auto. intros Q; inversion Q; lia. }
    assert (E2 : map (fun k => v' (Der k)) (seq (S j) (length (ders L) - j - 1)) = V2).
    { apply map_ext_in. intros k Hk. apply in_seq in Hk. unfold v'. rewrite deqb_neq; auto. intros Q; inversion Q; lia. }
    rewrite E1, E2. fold V1. unfold v' at 1. rewrite deqb_refl, EN'. change (picked order b :: V2) with ([picked order b] ++ V2).
    rewrite !alld_app by (rewrite ?map_length; simpl; lia). cbn [alld subs]. rewrite app_nil_r, Rows, !alld_redirect. unfold E. rewrite map_app, <- app_assoc.
    apply Permutation_app_head, Permutation_app_comm. }
  change (place L i l) with (v' (Level l)). unfold place. symmetry. apply land_unique; [congruence|auto|].
  intros y. fold (nodes L') (vals_of L' i v'). rewrite axes_tot, (tot_perm _ _ _ _ P'), <- Cb. unfold v' at 1. destruct (deqb_spec y (Der j)) as [->|Ny].
  - rewrite X, Fj, tot_app, (rewire_value j n R own order Rb Po E BE), <- Vj, tot_none; auto. apply Forall_map, Forall_forall; intros; apply Rb.
  - rewrite <- (Fs y Ny). rewrite (Sv y). fold (nodes L) (vals_of L i v). rewrite axes_tot, (tot_perm _ _ _ _ P).
    set (c := comb_of (ders L) y). set (st := first L y). set (p := fun sd : sub * N => feeds_it j (fst sd) && own_column n own (weight (fst sd))).
    assert (NotOwn : Forall (fun sd : sub * N => to (fst sd) <> y) (filter p E)).
    { apply Forall_forall. intros sd Hs. apply filter_In in Hs as [_ Hs]. apply andb_true_iff in Hs as [Hs _]. unfold feeds_it in Hs. destruct (deqb_spec (Der j) (to (fst sd))); congruence. }
    assert (Others : forall l st, tot c y (map (redirected j tg) (filter (fun sd => negb (p sd)) l)) st = tot c y (filter (fun sd => negb (p sd)) l) st).
    { clear - Ny. intros l. induction l as [|sd l IH]; intros st; auto. cbn [filter]. destruct (p sd) eqn:Hp; cbn [negb]; auto. cbn [map]. rewrite !tot_cons, IH. f_equal.
      unfold redirected, redirect. cbn [fst snd]. destruct (feeds_it j (fst sd)) eqn:F; [|reflexivity]. unfold p in Hp. rewrite F in Hp. cbn [andb] in Hp.
      unfold tg, target. rewrite Hp. cbn [fst snd to]. unfold feeds_it in F. destruct (deqb_spec (Der j) (to (fst sd))) as [Q|]; [|discriminate]. now rewrite <- Q, !(deqb_neq y (Der j)) by auto. }
    pose proof (own_rows j n R own order Rb E (first L (Der j)) BE OE) as Rw. rewrite <- Vj in Rw.
    set (Oth := filter (fun sd => negb (p sd)) E). set (rows := map (fun k => (R k, bit b k))) in *.
    assert (PR : Permutation (rows (seq 0 n)) (rows (filter own (seq 0 n)) ++ rows order)).
    { unfold rows. rewrite <- map_app. apply Permutation_map. etransitivity; [apply (partition_perm own)|]. apply Permutation_app_head. symmetry. exact Po. }
    transitivity (tot c y (Oth ++ (rows (filter own (seq 0 n)) ++ rows order)) st).
    + rewrite (tot_perm _ _ _ _ (Permutation_app (partition_perm p E) PR)), <- app_assoc, tot_app, (tot_none _ _ _ NotOwn). reflexivity.
    + rewrite tot_app. unfold Oth at 1. rewrite <- Others, <- tot_app. apply tot_perm. rewrite app_assoc. apply Permutation_app_tail.
      etransitivity; [apply Permutation_app_comm|]. etransitivity; [apply Permutation_app_tail; symmetry; exact Rw|]. rewrite <- map_app. apply Permutation_map. symmetry. apply partition_perm.
Qed.

(** * An axis and the XOR that it feeds *)
(** A sum without a carry is an XOR. *)
Lemma sum_is_xor j E : Forall (bit_fed j) E -> forall st taken, within st taken -> carried taken (columns_of j E) = false -> tot Sum (Der j) E st = tot Xor (Der j) E st.
Proof.
  induction 1 as [|[s d] E B _ IH]; intros st taken W C; auto. rewrite !tot_cons. unfold columns_of, bit_fed, feeds_it in *. cbn [filter fst snd] in *.
  destruct (deqb (Der j) (to s)); [|eapply IH; eauto]. destruct (B eq_refl) as [_ D]. cbn [map carried fst] in C. apply orb_false_iff in C as [C1 C2].
  apply negb_false_iff, N.eqb_eq in C1. assert (Q : one Sum (weight s) d st = one Xor (weight s) d st).
  { cbn [one]. rewrite xorp_bit by auto. assert (K : d = 0 \/ d = 1) by lia. destruct K as [->| ->]; cbn [N.testbit].
    - rewrite N.lxor_0_r. lia.
    - rewrite N.mul_1_l. apply N.add_nocarry_lxor. eapply within_land; eauto. }
  rewrite Q. apply (IH _ (N.lor taken (weight s))); auto. cbn [one]. apply within_lor; auto. rewrite xorp_bit by auto. destruct (N.testbit d 0); [apply within_refl|apply within_0].
Qed.
Lemma xor_below x k E : Forall (fun sd => to (fst sd) = x -> xorp (weight (fst sd)) (snd sd) < 2 ^ k) E -> forall st, st < 2 ^ k -> tot Xor x E st < 2 ^ k.
Proof.
  induction 1 as [|sd E H _ IH]; intros st S; auto. rewrite tot_cons. apply IH. destruct (deqb_spec x (to (fst sd))); auto. cbn [one]. apply lxor_lt; auto.
Qed.

Section Join.
(** Axis j1 has m bits with rows R1, the next XOR j2 has n bits with rows R2. *)
Variables (j1 j2 m n : nat) (R1 R2 : nat -> sub).
Hypothesis R1_bits : forall b, size (R1 b) = 2 /\ to (R1 b) <> Der j1.
Hypothesis R2_bits : forall b, size (R2 b) = 2 /\ to (R2 b) <> Der j1 /\ to (R2 b) <> Der j2.
Hypothesis Apart : j1 <> j2.
Definition kept_rows := filter (fun b => negb (feeds_it j2 (R1 b))) (seq 0 m).
Definition flip_rows := filter (fun b => feeds_it j2 (R1 b)) (seq 0 m).
Fixpoint flipped (o : list nat) (v : N) : N := match o with [] => 0 | b :: o => N.lxor (xorp (weight (R1 b)) (bit v b)) (flipped o v) end.
(** `joined`: the bits that a value flips in the next, its other bits above. *)
Definition joined_value (v : N) : N := N.lxor (flipped flip_rows v) (2 ^ N.of_nat n * picked kept_rows v).

Lemma flipped_lxor o a b : flipped o (N.lxor a b) = N.lxor (flipped o a) (flipped o b).
Proof.
  induction o as [|k o IH]; auto. cbn [flipped]. rewrite IH. rewrite !xorp_bit by apply bit_lt. unfold bit. rewrite N.lxor_spec.
  assert (Q : forall c : bool, N.testbit (N.b2n c) 0 = c) by (intros []; reflexivity). rewrite !Q.
  generalize (flipped o a), (flipped o b), (weight (R1 k)). intros x y w.
  destruct (N.testbit a _), (N.testbit b _); cbn [xorb]; apply N.bits_inj; intros t; rewrite !N.lxor_spec, ?N.bits_0;
    destruct (N.testbit x t), (N.testbit y t), (N.testbit w t); reflexivity.
Qed.
Lemma flipped_0 o : flipped o 0 = 0.
Proof. induction o; auto. Qed.
Lemma joined_lxor a b : joined_value (N.lxor a b) = N.lxor (joined_value a) (joined_value b).
Proof.
  unfold joined_value. rewrite flipped_lxor, picked_lxor. rewrite !(N.mul_comm (2 ^ N.of_nat n)), <- !N.shiftl_mul_pow2, N.shiftl_lxor.
  generalize (flipped flip_rows a), (flipped flip_rows b), (N.shiftl (picked kept_rows a) (N.of_nat n)), (N.shiftl (picked kept_rows b) (N.of_nat n)). intros x y z w.
  rewrite !N.lxor_assoc. f_equal. rewrite <- !N.lxor_assoc. f_equal. apply N.lxor_comm.
Qed.
Lemma joined_0 : joined_value 0 = 0.
Proof. unfold joined_value. now rewrite flipped_0, picked_0, N.mul_0_r. Qed.
Definition to_next (c : N) : dest * N := (Der j2, joined_value c).

Lemma join_values E : Forall (bit_fed j1) E -> forall s2 s1,
  tot Xor (Der j2) (map (redirected j1 to_next) E) (N.lxor s2 (joined_value s1)) = N.lxor (tot Xor (Der j2) E s2) (joined_value (tot Xor (Der j1) E s1)).
Proof.
  induction 1 as [|[s d] E B _ IH]; intros s2 s1; auto. cbn [map]. rewrite !tot_cons. cbn [redirected fst snd]. unfold bit_fed, redirect, feeds_it in *. cbn [fst snd] in *.
  destruct (deqb_spec (Der j1) (to s)) as [Q|Q].
  - destruct (B eq_refl) as [_ D]. cbn [fst snd to weight to_next]. rewrite deqb_refl. rewrite (deqb_neq (Der j2) (to s)) by congruence. rewrite <- IH. f_equal. cbn [one].
    rewrite joined_lxor, !xorp_bit by auto. destruct (N.testbit d 0); [now rewrite N.lxor_assoc|now rewrite joined_0, !N.lxor_0_r].
  - rewrite <- IH. destruct (deqb_spec (Der j2) (to s)); auto. f_equal. cbn [one]. rewrite !N.lxor_assoc. f_equal. apply N.lxor_comm.
Qed.
Lemma join_others c y E : y <> Der j1 -> y <> Der j2 -> forall st, tot c y (map (redirected j1 to_next) E) st = tot c y E st.
Proof.
  intros N1 N2. induction E as [|[s d] E IH]; intros st; auto. cbn [map]. rewrite !tot_cons, IH. f_equal. unfold redirected, redirect, feeds_it; cbn [fst snd].
  destruct (deqb_spec (Der j1) (to s)) as [Q|]; [|reflexivity]. cbn [to to_next fst]. now rewrite <- Q, !deqb_neq by auto.
Qed.
Lemma flip_sum v o : forall st, tot Xor (Der j2) (map (fun b => (R1 b, bit v b)) o) st = N.lxor st (flipped (filter (fun b => feeds_it j2 (R1 b)) o) v).
Proof.
  induction o as [|b o IH]; intros st; [now rewrite N.lxor_0_r|]. cbn [map filter]. rewrite tot_cons, IH. cbn [fst snd]. unfold feeds_it at 2. destruct (deqb (Der j2) (to (R1 b))); auto.
  cbn [one flipped]. now rewrite N.lxor_assoc.
Qed.
End Join.

Lemma vals_split2 L i (v : acc) j1 j2 : (j1 < j2)%nat -> (j2 < length (ders L))%nat ->
  vals_of L i v = (i ++ map (fun k => v (Der k)) (seq 0 j1)) ++ v (Der j1) :: map (fun k => v (Der k)) (seq (S j1) (j2 - j1 - 1)) ++ v (Der j2) :: map (fun k => v (Der k)) (seq (S j2) (length (ders L) - j2 - 1)).
Proof.
  intros H1 H2. rewrite (vals_split L i v j1) by lia. f_equal. f_equal. replace (length (ders L) - j1 - 1)%nat with ((j2 - j1 - 1) + S (length (ders L) - j2 - 1))%nat at 1 by lia.
  rewrite seq_app, map_app. f_equal. replace (S j1 + (j2 - j1 - 1))%nat with j2 by lia. reflexivity.
Qed.
Lemma alld_sizes axs : Forall (fun s => 0 < size s) (flat_map subs axs) -> forall vs, Forall (fun sd => snd sd < size (fst sd)) (alld axs vs).
Proof.
  assert (D : forall ss, Forall (fun s => 0 < size s) ss -> forall v, Forall (fun sd => snd sd < size (fst sd)) (digs ss v)).
  { induction 1 as [|s ss H _ IH]; intros v; constructor; auto. cbn [fst snd]. apply N.mod_lt; lia. }
  induction axs as [|a axs IH]; intros F [|v vs]; cbn [alld flat_map] in *; try constructor. apply Forall_app in F as [F1 F2]. apply Forall_app; auto.
Qed.
Lemma slots_bits (R : nat -> sub) o : (forall b, size (R b) = 2) -> slots (map R o) = 2 ^ N.of_nat (length o).
Proof. intros S. induction o as [|b o IH]; auto. unfold slots in *. cbn [map prod length]. rewrite S, IH, Nat2N.inj_succ, N.pow_succ_r'. reflexivity. Qed.

(** Theorem 7, joining: the bits of an axis (an XOR, or a sum without a carry) that feed an XOR flip it directly; the others
    become bits of it. The first axis is left without digits and feeders. *)
Theorem joined_xors L L' i j1 j2 m n R1 R2 N1 N2 N3 e1 e1' e2 e2' :
  (forall b, size (R1 b) = 2 /\ to (R1 b) <> Der j1) -> (forall b, size (R2 b) = 2 /\ to (R2 b) <> Der j1 /\ to (R2 b) <> Der j2) ->
  length i = length (axes L) -> ordered 0 (ders L) -> ordered 0 (ders L') -> (j1 < j2)%nat -> (j2 < length (ders L))%nat ->
  length (axes L) = length (axes L') -> length (ders L) = length (ders L') ->
  (forall x, x <> Der j1 -> comb_of (ders L) x = comb_of (ders L') x) -> (forall x, x <> Der j1 -> x <> Der j2 -> first L x = first L' x) ->
  nodes L = N1 ++ [Axis e1 (map R1 (seq 0 m))] ++ N2 ++ [Axis e2 (map R2 (seq 0 n))] ++ N3 ->
  (let red := map (redirect_axis j1 (to_next j2 m n R1)) in
   nodes L' = red N1 ++ [Axis e1' []] ++ red N2 ++ [Axis e2' (map R2 (seq 0 n) ++ map R1 (kept_rows j2 m R1))] ++ red N3) ->
  length N1 = (length (axes L) + j1)%nat -> length N2 = (j2 - j1 - 1)%nat ->
  comb_of (ders L) (Der j2) = Xor -> first L' (Der j2) = N.lxor (first L (Der j2)) (joined_value j2 m n R1 (first L (Der j1))) ->
  let others := flat_map subs (N1 ++ N2 ++ N3) in
  (comb_of (ders L) (Der j1) = Xor \/ carried (first L (Der j1)) (map weight (filter (feeds_it j1) others)) = false) ->
  Forall (fun s => 0 < size s) others -> Forall (fun s => to s = Der j1 -> size s = 2) others ->
  Forall (fun s => to s = Der j2 -> forall d, d < size s -> xorp (weight s) d < 2 ^ N.of_nat n) (others ++ map R1 (seq 0 m)) -> first L (Der j2) < 2 ^ N.of_nat n ->
  forall l, place L' i l = place L i l.
Proof.
  intros Rb1 Rb2 Li O O' J12 J2 La Ld Cb Fs EN EN' LN1 LN2 X2 F2 others C1 Ps Bs Bd Sb l. cbv zeta in EN'.
  set (v := land L i). pose proof (land_solves L i Li O) as Sv. fold v in Sv. set (tg := to_next j2 m n R1) in *.
  set (V1 := i ++ map (fun k => v (Der k)) (seq 0 j1)). set (V2 := map (fun k => v (Der k)) (seq (S j1) (j2 - j1 - 1))).
  set (V3 := map (fun k => v (Der k)) (seq (S j2) (length (ders L) - j2 - 1))).
  assert (L1 : length N1 = length V1) by (unfold V1; rewrite app_length, map_length, seq_length; lia).
  assert (L2 : length N2 = length V2) by (unfold V2; rewrite map_length, seq_length; lia).
  assert (L3 : length N3 = length V3).
  { pose proof (f_equal (@length axis) EN) as E. unfold nodes in E. repeat (rewrite ?app_length, ?map_length in E; cbn [length] in E). unfold V3. rewrite map_length, seq_length. lia. }
  set (E := alld N1 V1 ++ alld N2 V2 ++ alld N3 V3). set (a := v (Der j1)). set (b := v (Der j2)).
  set (rows1 := fun o => map (fun k => (R1 k, bit a k)) o). set (rows2 := map (fun k => (R2 k, bit b k)) (seq 0 n)).
  assert (DB : forall (R : nat -> sub) k w, (forall q, size (R q) = 2) -> digs (map R (seq 0 k)) w = map (fun q => (R q, bit w q)) (seq 0 k)).
  { intros R k w SR. pose proof (digs_bits R k w SR 0) as Dg. change (2 ^ N.of_nat 0) with 1 in Dg. now rewrite N.div_1_r in Dg. }
  assert (P : Permutation (alld (nodes L) (vals_of L i v)) (E ++ rows1 (seq 0 m) ++ rows2)).
  { rewrite (vals_split2 L i v j1 j2) by auto. fold V1 V2 V3 a b. rewrite EN. change (a :: V2 ++ b :: V3) with ([a] ++ V2 ++ [b] ++ V3).
    rewrite !alld_app by (simpl; lia). cbn [alld subs]. rewrite !app_nil_r, !DB by (intros; try apply Rb1; apply Rb2). fold rows2. unfold E, rows1. set (r1 := map _ (seq 0 m)).
    rewrite <- !app_assoc. apply Permutation_app_head. transitivity (r1 ++ alld N2 V2 ++ alld N3 V3 ++ rows2).
    - do 2 apply Permutation_app_head. apply Permutation_app_comm.
    - rewrite !app_assoc. apply Permutation_app_tail. rewrite <- app_assoc. apply Permutation_app_comm. }
  assert (BE : Forall (bit_fed j1) E).
  { unfold others in Bs. rewrite !flat_map_app, !Forall_app in Bs. destruct Bs as (B1 & B2 & B3). unfold E. rewrite !Forall_app. repeat split; apply alld_bits; auto. }
  assert (Nr1 : Forall (fun sd : sub * N => to (fst sd) <> Der j1) (rows1 (seq 0 m) ++ rows2)).
  { apply Forall_app; split; apply Forall_map, Forall_forall; intros; [apply Rb1|apply Rb2]. }
  assert (Nr2 : Forall (fun sd : sub * N => to (fst sd) <> Der j2) rows2) by (apply Forall_map, Forall_forall; intros; apply Rb2).
  assert (Va : a = tot Xor (Der j1) E (first L (Der j1))).
  { unfold a. rewrite (Sv (Der j1)). fold (nodes L) (vals_of L i v). rewrite axes_tot, (tot_perm _ _ _ _ P), tot_app, (tot_none _ _ _ Nr1).
    destruct C1 as [->|C]; auto. destruct (comb_of (ders L) (Der j1)); auto. apply (sum_is_xor j1 E BE _ _ (within_refl _)).
    rewrite filter_weights. unfold E. rewrite !map_app, !alld_fst by auto. rewrite <- !flat_map_app. exact C. }
  assert (Vb : b = N.lxor (tot Xor (Der j2) E (first L (Der j2))) (flipped R1 (flip_rows j2 m R1) a)).
  { unfold b. rewrite (Sv (Der j2)). fold (nodes L) (vals_of L i v). rewrite axes_tot, (tot_perm _ _ _ _ P), X2, !tot_app, (tot_none _ _ _ Nr2). apply flip_sum. }
  assert (Lb : b < 2 ^ N.of_nat n).
  { unfold b. rewrite (Sv (Der j2)). fold (nodes L) (vals_of L i v). rewrite axes_tot, (tot_perm _ _ _ _ P), X2, app_assoc, tot_app, (tot_none _ _ _ Nr2). apply xor_below; auto.
    apply Forall_app in Bd as [Bd1 Bd2]. apply Forall_app; split.
    - unfold others in Bd1, Ps. rewrite !flat_map_app, !Forall_app in Bd1, Ps. destruct Bd1 as (D1 & D2 & D3), Ps as (Q1 & Q2 & Q3).
      assert (G : forall axs vs, Forall (fun s => to s = Der j2 -> forall d, d < size s -> xorp (weight s) d < 2 ^ N.of_nat n) (flat_map subs axs) -> Forall (fun s => 0 < size s) (flat_map subs axs) ->
        Forall (fun sd => to (fst sd) = Der j2 -> xorp (weight (fst sd)) (snd sd) < 2 ^ N.of_nat n) (alld axs vs)).
      { intros axs vs D Q. pose proof (alld_forall _ axs D vs) as A. pose proof (alld_sizes axs Q vs) as B. rewrite Forall_forall in *. intros sd Hs Et. apply (A sd Hs Et), (B sd Hs). }
      unfold E. rewrite !Forall_app. auto.
    - unfold rows1. apply Forall_map, Forall_forall. intros k Hk Et. cbn [fst snd] in *. rewrite Forall_forall in Bd2. apply Bd2; auto; [apply in_map; auto|]. destruct (Rb1 k) as [-> _]. apply bit_lt. }
  set (kept := kept_rows j2 m R1). set (b' := b + 2 ^ N.of_nat n * picked kept a).
  assert (Eb' : b' = N.lxor b (2 ^ N.of_nat n * picked kept a)).
  { unfold b'. apply N.add_nocarry_lxor. apply N.bits_inj. intros k. rewrite N.land_spec, N.bits_0. destruct (N.lt_ge_cases k (N.of_nat n)) as [H|H].
    - rewrite N.mul_comm, N.mul_pow2_bits_low by auto. apply andb_false_r.
    - assert (Z : N.testbit b k = false). { destruct (N.eq_dec b 0) as [->|Nz]; [apply N.bits_0|]. apply N.bits_above_log2. apply N.log2_lt_pow2 in Lb; lia. } now rewrite Z. }
  set (v' := fun x => if deqb x (Der j1) then first L' (Der j1) else if deqb x (Der j2) then b' else v x).
  assert (P' : Permutation (alld (nodes L') (vals_of L' i v')) (map (redirected j1 tg) E ++ rows2 ++ rows1 kept)).
  { rewrite (vals_split2 L' i v' j1 j2) by (auto; lia). rewrite <- Ld.
    assert (Same : forall s q, (forall k, (s <= k < s + q)%nat -> k <> j1 /\ k <> j2) -> map (fun k => v' (Der k)) (seq s q) = map (fun k => v (Der k)) (seq s q)).
    { intros s q H. apply map_ext_in. intros k Hk. apply in_seq in Hk. destruct (H k Hk). unfold v'. rewrite !deqb_neq by congruence. auto. }
    rewrite !Same by (intros; lia). fold V1 V2 V3. assert (E2 : v' (Der j2) = b') by (unfold v'; rewrite deqb_neq by (intros Q; inversion Q; lia); now rewrite deqb_refl).
    rewrite E2, EN'. set (a' := v' (Der j1)). change (a' :: V2 ++ b' :: V3) with ([a'] ++ V2 ++ [b'] ++ V3). rewrite !alld_app by (rewrite ?map_length; simpl; lia). cbn [alld subs digs app]. rewrite !app_nil_r, !alld_redirect.
    fold kept. assert (Sz : Forall (fun s => 0 < size s) (map R2 (seq 0 n))) by (apply Forall_map, Forall_forall; intros k _; destruct (Rb2 k) as [-> _]; lia).
    rewrite digs_app by auto. rewrite (slots_bits R2) by (intros; apply Rb2). rewrite seq_length.
    assert (Db : b' / 2 ^ N.of_nat n = picked kept a) by (unfold b'; apply (divmod_small _ _ _ Lb)). rewrite Db.
    rewrite (DB R2) by (intros; apply Rb2). rewrite digs_picked by (intros; apply Rb1). fold (rows1 kept).
    assert (R2e : map (fun q => (R2 q, bit b' q)) (seq 0 n) = rows2).
    { unfold rows2. apply map_ext_in. intros k Hk. apply in_seq in Hk. f_equal. unfold bit. rewrite Eb', N.lxor_spec, N.mul_comm, N.mul_pow2_bits_low by lia. now rewrite xorb_false_r. }
    rewrite R2e. unfold E. rewrite !map_app, <- !app_assoc. do 2 apply Permutation_app_head. rewrite !app_assoc. etransitivity; [apply Permutation_app_comm|]. rewrite <- !app_assoc. apply Permutation_refl. }
  change (place L i l) with (v' (Level l)). unfold place. symmetry. apply land_unique; [congruence|auto|].
  intros y. fold (nodes L') (vals_of L' i v'). rewrite axes_tot, (tot_perm _ _ _ _ P'). unfold v' at 1. destruct (deqb_spec y (Der j1)) as [->|Ny1].
  - rewrite tot_none; auto. rewrite !Forall_app. repeat split.
    + apply Forall_map, Forall_forall. intros [s d] _. unfold redirected, redirect, feeds_it. cbn [fst]. destruct (deqb_spec (Der j1) (to s)); [|congruence]. cbn [to tg to_next fst]. intros Q; inversion Q; lia.
    + apply Forall_map, Forall_forall; intros; apply Rb2.
    + apply Forall_map, Forall_forall; intros; apply Rb1.
  - rewrite <- (Cb y Ny1). destruct (deqb_spec y (Der j2)) as [->|Ny2].
    + rewrite X2, F2, !tot_app. rewrite (tot_none _ _ rows2) by auto. rewrite (tot_none _ _ (rows1 kept)).
      2: { unfold rows1, kept, kept_rows. apply Forall_map, Forall_forall. intros k Hk. apply filter_In in Hk as [_ Hk]. cbn [fst]. unfold feeds_it in Hk. destruct (deqb_spec (Der j2) (to (R1 k))); [discriminate|congruence]. }
      unfold tg. rewrite join_values by (auto; lia). rewrite <- Va. unfold joined_value. rewrite <- N.lxor_assoc, <- Vb. exact Eb'.
    + rewrite <- (Fs y) by auto. rewrite (Sv y). fold (nodes L) (vals_of L i v). rewrite axes_tot, (tot_perm _ _ _ _ P). set (c := comb_of (ders L) y). rewrite !tot_app.
      unfold tg. rewrite join_others by auto. generalize (tot c y E (first L y)). intros st. rewrite <- !tot_app.
      rewrite (tot_perm c y (rows1 (seq 0 m) ++ rows2) (rows1 (flip_rows j2 m R1) ++ rows2 ++ rows1 kept)).
      * rewrite tot_app, (tot_none c y (rows1 (flip_rows j2 m R1))); auto. unfold rows1, flip_rows. apply Forall_map, Forall_forall. intros k Hk. apply filter_In in Hk as [_ Hk]. cbn [fst]. unfold feeds_it in Hk. destruct (deqb_spec (Der j2) (to (R1 k))); [congruence|discriminate].
      * transitivity ((rows1 (flip_rows j2 m R1) ++ rows1 kept) ++ rows2); [|rewrite <- app_assoc; apply Permutation_app_head, Permutation_app_comm].
        apply Permutation_app_tail. unfold rows1. rewrite <- map_app. apply Permutation_map. apply (partition_perm (fun b => feeds_it j2 (R1 b))).
Qed.

(** * Dropped hypotheses *)

(** A digit of 3 values is not two bits. *)
Example not_bits : digits_to Sum (Level 0) (split_bits (fun _ => true) [Sub 3 (Level 0) 1]) 2 0 = 0. Proof. reflexivity. Qed.
(** One XOR: a bit of each of two axes, columns 1 and 3. Bit 1 is the second's alone, but its column flips bit 0, too: it is not
    own, and where it were redirected, bit 0 would be lost. *)
Definition row (b : nat) : sub := Sub 2 (Level 0) (2 ^ N.of_nat b * 10).
Definition two_flips (c1 c2 : N) := Layout [Axis 2 [Sub 2 (Der 0) c1]; Axis 2 [Sub 2 (Der 0) c2]] [Derived Xor 0 (Axis 4 [row 0; row 1])] [] [] [0%nat] [].
Definition shed := Layout [Axis 2 [Sub 2 (Der 0) 1]; Axis 2 [row 1]] [Derived Xor 0 (Axis 2 [row 0])] [] [] [0%nat] [].
Example own_bit : is_own 2 (fun b => Nat.eqb b 1) 0 [1; 2] /\ place (two_flips 1 2) [1; 1] 0 = 30 /\ place shed [1; 1] 0 = 30.
Proof. split; [|split; reflexivity]. intros [|[|b]] Hb O; try discriminate. split; reflexivity. Qed.
Example not_own : ~ is_own 2 (fun b => Nat.eqb b 1) 0 [1; 3] /\ place (two_flips 1 3) [1; 1] 0 = 20 /\ place shed [1; 1] 0 = 30.
Proof. split; [|split; reflexivity]. intros H. destruct (H 1%nat ltac:(lia) eq_refl) as [_ F]. discriminate. Qed.
(** A start that has the bit: it would be lost. *)
Example start_not_own : ~ is_own 2 (fun b => Nat.eqb b 1) 2 [1; 2]. Proof. intros H. destruct (H 1%nat ltac:(lia) eq_refl) as [F _]. discriminate. Qed.
(** Joining a sum with a carry: 1 + 1 = 2 flips bit 1, 1 ^ 1 = 0 flips nothing. *)
Example carry : carried 0 [1; 1] = true /\ joined_value 1 2 2 (fun b => Sub 2 (Der 1) (2 ^ N.of_nat b)) (1 + 1) = 2 /\
  N.lxor (joined_value 1 2 2 (fun b => Sub 2 (Der 1) (2 ^ N.of_nat b)) 1) (joined_value 1 2 2 (fun b => Sub 2 (Der 1) (2 ^ N.of_nat b)) 1) = 0.
Proof. repeat split; reflexivity. Qed.

Definition theorems := (@split_agrees, @rewired, @joined_xors).
Print Assumptions theorems.
