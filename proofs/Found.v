(** Theorem 5: `element` answers what the definitions say, and one of them always holds: the place is outside, or an
    element is there, or landing digits have it and no element does (padding), or no landing digits have it (a hole). *)
From Coq Require Import NArith List Lia Bool Arith.
Require Import TensorLayout.Radix TensorLayout.Model TensorLayout.Equations TensorLayout.Element TensorLayout.Bound TensorLayout.Nest
  TensorLayout.Tops.
Require TensorLayout.Compose.
Import ListNotations.
Open Scope N_scope.
Local Arguments deqb : simpl never.

(** * Digits by number *)

(** What numbered digits add to a value. *)
Fixpoint tot (c : comb) (D : nat -> N) (ts : list (nat * sub)) (st : N) : N :=
  match ts with [] => st | t :: ts => tot c D ts (one c (weight (snd t)) (D (fst t)) st) end.
Definition sized (D : nat -> N) (ts : list (nat * sub)) := Forall (fun t => D (fst t) < size (snd t)) ts.
Definition numbers (ts : list (nat * sub)) := map fst ts.

Lemma tot_sum D ts : forall a, tot Sum D ts a = a + tot Sum D ts 0.
Proof. induction ts as [|t ts IH]; simpl; intros a; [lia|]. rewrite IH, (IH (D (fst t) * weight (snd t))). lia. Qed.
Lemma tot_xor D ts : forall a, tot Xor D ts a = N.lxor a (tot Xor D ts 0).
Proof.
  induction ts as [|t ts IH]; cbn [tot one]; intros a; [now rewrite N.lxor_0_r|].
  rewrite IH, (IH (N.lxor 0 _)), N.lxor_0_l, N.lxor_assoc. reflexivity.
Qed.
Lemma tot_ext c D D' ts : (forall n, In n (numbers ts) -> D n = D' n) -> forall a, tot c D ts a = tot c D' ts a.
Proof. induction ts as [|t ts IH]; simpl; intros H a; auto. rewrite H by auto. apply IH; auto. Qed.
Lemma tot_reach D ts : sized D ts -> tot Sum D ts 0 <= Element.reach ts.
Proof.
  induction 1 as [|t ts H _ IH]; simpl; [lia|]. rewrite tot_sum. unfold Element.reach in *; simpl. unfold total in *. simpl.
  assert (D (fst t) * weight (snd t) <= (size (snd t) - 1) * weight (snd t)) by (apply N.mul_le_mono_r; lia). lia.
Qed.
Lemma below_iff d n : In d (below n) <-> d < n.
Proof.
  unfold below. rewrite in_map_iff. split.
  - intros (k & <- & H). apply in_seq in H. lia.
  - intros H. exists (N.to_nat d). split; [lia|]. apply in_seq. lia.
Qed.

(** * One sum *)

Lemma solve_sound c ts : NoDup (numbers ts) -> forall t A B, In B (solve c ts t A) ->
  sized (get B) ts /\ (forall n, ~ In n (numbers ts) -> get B n = get A n) /\ tot c (get B) ts 0 = t.
Proof.
  induction ts as [|[n s] ts IH]; simpl; intros Nd t A B H.
  - destruct (N.eqb_spec t 0); [|contradiction]. destruct H as [<-|[]]. repeat split; auto. constructor.
  - apply NoDup_cons_iff in Nd as [Nn Nd]. apply in_flat_map in H as (d & Hd & H). apply below_iff in Hd.
    destruct (rest_after c (weight s) d t ts) as [t'|] eqn:R; [|contradiction].
    destruct (IH Nd t' _ _ H) as (S & K & T).
    assert (E : get B n = d) by (rewrite K by auto; simpl; now rewrite Nat.eqb_refl).
    split; [constructor; simpl; [lia|auto]|]. split.
    + intros m Hm. rewrite K by tauto. simpl. destruct (Nat.eqb_spec n m); [exfalso; auto|auto].
    + rewrite E. destruct c; cbn [one rest_after] in *.
      * destruct ((d * weight s <=? t) && _) eqn:Q; [|discriminate]. apply andb_true_iff in Q as [Q _]. apply N.leb_le in Q.
        injection R as <-. rewrite tot_sum, T. lia.
      * injection R as <-. rewrite tot_xor, T, N.lxor_0_l, (N.lxor_comm t), <- N.lxor_assoc, N.lxor_nilpotent. apply N.lxor_0_l.
Qed.

Lemma solve_complete c ts D : NoDup (numbers ts) -> sized D ts -> forall A, exists B, In B (solve c ts (tot c D ts 0) A) /\
  (forall n, In n (numbers ts) -> get B n = D n) /\ (forall n, ~ In n (numbers ts) -> get B n = get A n).
Proof.
  intros Nd S. induction S as [|[n s] ts H S IH]; cbn [fst snd] in *; intros A.
  - exists A. simpl. repeat split; auto. intros; contradiction.
  - apply NoDup_cons_iff in Nd as [Nn Nd]. destruct (IH Nd ((n, D n) :: A)) as (B & HB & K & O). exists B. split; [|split].
    + simpl. apply in_flat_map. exists (D n). split; [apply below_iff; auto|]. destruct c; cbn [one rest_after].
      * rewrite (tot_sum D ts (0 + _)). pose proof (tot_reach D ts S) as R.
        replace (0 + D n * weight s + tot Sum D ts 0 - D n * weight s) with (tot Sum D ts 0) by lia.
        destruct (N.leb_spec (D n * weight s) (0 + D n * weight s + tot Sum D ts 0)); [|lia].
        destruct (N.leb_spec (tot Sum D ts 0) (Element.reach ts)); [auto|lia].
      * rewrite tot_xor. rewrite N.lxor_0_l, N.lxor_comm, <- N.lxor_assoc, N.lxor_nilpotent, N.lxor_0_l. auto.
    + intros m [<-|Hm]; [|auto]. rewrite O by auto. simpl. now rewrite Nat.eqb_refl.
    + intros m Hm. simpl in Hm. rewrite O by tauto. simpl. destruct (Nat.eqb_spec n m); [exfalso; auto|auto].
Qed.

(** * Numbers of digits *)

Lemma numbers_seq axs : forall n, numbers (numbered n axs) = seq n (length (flat_map subs axs)).
Proof.
  unfold numbers. induction axs as [|a axs IH]; simpl; intros n; auto. rewrite map_app, IH, app_length, seq_app. f_equal.
  apply map_fst_combine. now rewrite seq_length.
Qed.
Lemma numbers_nodup axs : NoDup (numbers (numbered 0 axs)).
Proof. rewrite numbers_seq. apply seq_NoDup. Qed.
Lemma nodup_filter {A B} (f : A -> B) p l : NoDup (map f l) -> NoDup (map f (filter p l)).
Proof.
  induction l as [|x l IH]; simpl; intros H; auto. apply NoDup_cons_iff in H as [H1 H2]. destruct (p x); simpl; auto.
  constructor; auto. intros Hx. apply H1. apply in_map_iff in Hx as (y & <- & Hy). apply filter_In in Hy as [Hy _]. apply in_map; auto.
Qed.
Lemma terms_nodup axs x : NoDup (numbers (terms axs x)).
Proof. apply nodup_filter, numbers_nodup. Qed.
Lemma nodup_fun {A} (l : list (nat * A)) n a b : NoDup (map fst l) -> In (n, a) l -> In (n, b) l -> a = b.
Proof.
  induction l as [|[k x] l IH]; simpl; intros H Ha Hb; [contradiction|]. apply NoDup_cons_iff in H as [H1 H2].
  destruct Ha as [Ea|Ha], Hb as [Eb|Hb]; [congruence| | |auto].
  - inversion Ea; subst. exfalso. apply H1. apply in_map with (f := fst) in Hb. auto.
  - inversion Eb; subst. exfalso. apply H1. apply in_map with (f := fst) in Ha. auto.
Qed.
(** A digit goes to one place only. *)
Lemma one_destination axs x y n : In n (numbers (terms axs x)) -> In n (numbers (terms axs y)) -> x = y.
Proof.
  unfold numbers, terms. rewrite !in_map_iff. intros ((k & s) & E & H) ((k2 & s2) & E2 & H2). simpl in *. subst k k2.
  apply filter_In in H as [H Hx]. apply filter_In in H2 as [H2 Hy]. simpl in *.
  assert (s = s2) by (eapply nodup_fun; eauto; apply numbers_nodup). subst.
  destruct (deqb_spec x (to s2)), (deqb_spec y (to s2)); congruence.
Qed.

(** The digits of one axis among all. *)
Lemma own_digits axs : forall k n, (k < length axs)%nat ->
  incl (combine (seq (n + first_digit k axs) (length (subs (nth k axs (Axis 0 []))))) (subs (nth k axs (Axis 0 [])))) (numbered n axs).
Proof.
  induction axs as [|a axs IH]; simpl; intros k n Hk; [lia|]. destruct k; simpl.
  - rewrite Nat.add_0_r. apply incl_appl, incl_refl.
  - apply incl_appr. replace (n + (length (subs a) + first_digit k axs))%nat with (n + length (subs a) + first_digit k axs)%nat by lia.
    apply IH. lia.
Qed.

(** The digits of all values, and what they add: the equations, by numbers. *)
Fixpoint all_digits (axs : list axis) (vs : list N) : list N :=
  match axs, vs with a :: axs, v :: vs => digits (map size (subs a)) v ++ all_digits axs vs | _, _ => [] end.
Lemma len_digits ss : forall v, length (digits ss v) = length ss.
Proof. induction ss; simpl; intros; auto. Qed.
Lemma digits_tot c x D ss : forall n v st, (forall m, (m < length ss)%nat -> D (n + m)%nat = nth m (digits (map size ss) v) 0) ->
  digits_to c x ss v st = tot c D (filter (fun t => deqb x (to (snd t))) (combine (seq n (length ss)) ss)) st.
Proof.
  induction ss as [|s ss IH]; simpl; intros n v st H; auto.
  assert (E : D n = v mod size s) by (specialize (H 0%nat); rewrite Nat.add_0_r in H; apply H; lia).
  rewrite (IH (S n)).
  - destruct (deqb x (to s)); simpl; rewrite ?E; auto.
  - intros m Hm. rewrite Nat.add_succ_comm. apply (H (S m)). lia.
Qed.
Lemma tot_app c D a b st : tot c D (a ++ b) st = tot c D b (tot c D a st).
Proof. revert st; induction a; simpl; intros; auto. Qed.
Lemma axes_tot c x D axs : forall vs n st, length vs = length axs ->
  (forall m, (m < length (flat_map subs axs))%nat -> D (n + m)%nat = nth m (all_digits axs vs) 0) ->
  axes_to c x axs vs st = tot c D (filter (fun t => deqb x (to (snd t))) (numbered n axs)) st.
Proof.
  induction axs as [|a axs IH]; intros [|v vs] n st L H; simpl in *; try lia; auto.
  rewrite filter_app, tot_app. rewrite <- (digits_tot c x D (subs a) n v).
  - apply IH; auto. intros m Hm. rewrite <- Nat.add_assoc, H by (rewrite app_length; lia).
    rewrite app_nth2; rewrite len_digits, map_length; [f_equal; lia|lia].
  - intros m Hm. rewrite H by (rewrite app_length; lia). rewrite app_nth1; auto. now rewrite len_digits, map_length.
Qed.

Lemma f2_nth_error {A B} {R : A -> B -> Prop} {a b} : Forall2 R a b ->
  forall k x y, nth_error a k = Some x -> nth_error b k = Some y -> R x y.
Proof. induction 1; intros [|k] u v; simpl; intros; try discriminate; [congruence|eauto]. Qed.

Section Layout.
Variable L : layout.
Let all := nodes (explicit L).
Let rank := S (length (axes L)).

(** The value of axis k by its digits. *)
Definition value_by (D : nat -> N) (k : nat) : N :=
  let ss := subs (nth k all (Axis 0 [])) in value (map size ss) (map D (seq (first_digit k all) (length ss))).

(** * Definitions of the answers *)

Definition outside (p : nat -> N) := exists l, In l (used L) /\ span L l <= p l.
(** An element is at a place if one of its copies is. *)
Definition lives (p : nat -> N) (i : list N) :=
  real_index L i /\ exists c, c < copies L /\ forall l, In l (used L) -> copy_place L i c l = p l.
(** A slot is at a place: digits that land, of axes and copies, add up to it. *)
Definition slot_at (p : nat -> N) := exists D, forall l, In l (used L) ->
  sized D (terms all (Level l)) /\ tot Sum D (terms all (Level l)) (offset l (offs L)) = p l.

(** The builder's checks, invariant 3, and `mark_used`: levels that anything names are used. *)
Definition built := checked L = true /\ invariant_3 L /\ NoDup (used L) /\ incl (named_levels L) (used L).

(** * Levels, then derived axes *)

Lemma levels_sound ls : NoDup ls -> forall p A B, In B (solve_levels L ls p A) ->
  (forall l, In l ls -> sized (get B) (terms all (Level l)) /\ tot Sum (get B) (terms all (Level l)) 0 = p l - offset l (offs L)) /\
  (forall n, (forall l, In l ls -> ~ In n (numbers (terms all (Level l)))) -> get B n = get A n).
Proof.
  induction 1 as [|l ls Hl _ IH]; intros p A B H; cbn [solve_levels] in H.
  - destruct H as [<-|[]]. split; [contradiction|auto].
  - apply in_flat_map in H as (B1 & H1 & H). destruct (solve_sound _ _ (terms_nodup all _) _ _ _ H1) as (S1 & K1 & T1).
    destruct (IH p B1 B H) as (S & K).
    assert (Same : forall n, In n (numbers (terms all (Level l))) -> get B n = get B1 n).
    { intros n Hn. apply K. intros k Hk Hn2. assert (Level k = Level l) by (eapply one_destination; eauto). congruence. }
    split.
    + intros k [<-|Hk]; [|auto]. split; [|now rewrite (tot_ext _ _ _ _ Same)].
      unfold sized in *. rewrite Forall_forall in *. intros t Ht. rewrite Same by (apply in_map; auto). auto.
    + intros n Hn. rewrite K by (intros; apply Hn; simpl; auto). apply K1. apply Hn; simpl; auto.
Qed.
Lemma levels_complete ls D p : NoDup ls ->
  (forall l, In l ls -> sized D (terms all (Level l)) /\ tot Sum D (terms all (Level l)) 0 = p l - offset l (offs L)) ->
  forall A, exists B, In B (solve_levels L ls p A) /\
    (forall l n, In l ls -> In n (numbers (terms all (Level l))) -> get B n = D n).
Proof.
  induction 1 as [|l ls Hl Hd IH]; intros H A; cbn [solve_levels].
  - exists A. split; [simpl; auto|contradiction].
  - destruct (H l) as [S T]; [simpl; auto|].
    destruct (solve_complete Sum _ D (terms_nodup all (Level l)) S A) as (B1 & H1 & E1 & _). rewrite T in H1.
    destruct (IH (fun k Hk => H k (or_intror Hk)) B1) as (B & HB & E).
    exists B. split; [apply in_flat_map; eauto|]. intros k n [<-|Hk] Hn; [|eauto]. rewrite <- E1 by auto.
    assert (Nd : forall ls p B1 B, In B (solve_levels L ls p B1) -> NoDup ls -> ~ In l ls -> get B n = get B1 n).
    { intros ls0 p0 C0 C H0 N0 L0. apply (levels_sound ls0 N0 p0 C0 C H0). intros j Hj Hn2.
      assert (Level j = Level l) by (eapply one_destination; eauto). congruence. }
    apply (Nd ls p B1 B HB); auto.
Qed.

(** What derived axes ask of an assignment: their digits give a value below the extent, which is what is fed. *)
Definition fed_right (D : nat -> N) (j : nat) := forall d, nth_error (ders L) j = Some d ->
  value_by D (rank + j) < extent (dax d) /\ tot (how d) D (terms all (Der j)) (start d) = value_by D (rank + j).

Lemma value_same D D' k : (forall n, In n (seq (first_digit k all) (length (subs (nth k all (Axis 0 []))))) -> D n = D' n) ->
  value_by D k = value_by D' k.
Proof. intros H. unfold value_by. f_equal. apply map_ext_in. auto. Qed.

Hypothesis Built : built.
Lemma Ordered : ordered 0 (ders L).
Proof. destruct Built as (C & _). apply (checked_nodes L C). Qed.
Lemma node_of j d : nth_error (ders L) j = Some d -> nth (rank + j) all (Axis 0 []) = dax d /\ (rank + j < length all)%nat.
Proof.
  intros H. unfold all, nodes, explicit, rank; cbn [axes ders].
  assert (Lj : (j < length (ders L))%nat) by (apply nth_error_Some; congruence).
  split; [|rewrite !app_length, map_length; simpl; lia].
  rewrite app_nth2 by (rewrite app_length; simpl; lia).
  replace (S (length (axes L)) + j - length (axes L ++ [rep_axis L]))%nat with j by (rewrite app_length; cbn [length]; lia).
  apply nth_error_nth. rewrite nth_error_map, H. reflexivity.
Qed.
(** The digits of a derived axis go to levels, or to derived axes after it. *)
Lemma own_later j d i n : nth_error (ders L) j = Some d -> (i <= j)%nat ->
  In n (seq (first_digit (rank + j) all) (length (subs (dax d)))) -> ~ In n (numbers (terms all (Der i))).
Proof.
  intros Hj Hi Hn Ht. destruct (node_of j d Hj) as [E Lk]. pose proof (own_digits all (rank + j) 0 Lk) as I.
  rewrite E, Nat.add_0_l in I.
  assert (X : exists s, In (n, s) (combine (seq (first_digit (rank + j) all) (length (subs (dax d)))) (subs (dax d)))).
  { clear - Hn. revert Hn. generalize (first_digit (rank + j) all). generalize (subs (dax d)). induction l as [|s ss IH]; simpl; intros k H; [contradiction|].
    destruct H as [->|H]; [eauto|]. destruct (IH _ H) as (u & Hu); eauto. }
  destruct X as (s & Hs). pose proof (in_combine_r _ _ _ _ Hs) as Hss.
  pose proof (ordered_nth _ _ _ _ Ordered Hj) as F. unfold feeds_after in F. rewrite Forall_forall in F. specialize (F s Hss).
  unfold numbers, terms in Ht. apply in_map_iff in Ht as ((k & u) & Ek & Hu). simpl in Ek; subst k. apply filter_In in Hu as [Hu Hd].
  simpl in Hd. assert (u = s) by (eapply nodup_fun; eauto; apply numbers_nodup). subst.
  destruct (deqb_spec (Der i) (to s)) as [Es|]; [|discriminate]. rewrite <- Es in F. simpl in F. lia.
Qed.

Lemma ders_sound k : (k <= length (ders L))%nat -> forall A B, In B (solve_ders L k A) ->
  (forall j, (j < k)%nat -> sized (get B) (terms all (Der j)) /\ fed_right (get B) j) /\
  (forall n, (forall j, (j < k)%nat -> ~ In n (numbers (terms all (Der j)))) -> get B n = get A n).
Proof.
  induction k as [|k IH]; intros Hk A B H; cbn [solve_ders] in H; [destruct H as [<-|[]]; split; [lia|auto]|].
  destruct (nth_error (ders L) k) as [d|] eqn:Ed; [|contradiction].
  fold all in H. fold rank in H. change (value_of L A (rank + k)) with (value_by (get A) (rank + k)) in H.
  destruct (N.leb_spec (extent (dax d)) (value_by (get A) (rank + k))) as [|Hv]; [contradiction|].
  assert (Q : exists t B1, In B1 (solve (how d) (terms all (Der k)) t A) /\ In B (solve_ders L k B1) /\
     match how d with Sum => t + start d | Xor => N.lxor (start d) t end = value_by (get A) (rank + k)).
  { destruct (how d).
    - destruct (N.ltb_spec (value_by (get A) (rank + k)) (start d)); [contradiction|].
      apply in_flat_map in H as (B1 & H1 & H2). exists (value_by (get A) (rank + k) - start d), B1. repeat split; auto. lia.
    - apply in_flat_map in H as (B1 & H1 & H2). eexists _, B1. repeat split; eauto.
      rewrite (N.lxor_comm _ (start d)), <- N.lxor_assoc, N.lxor_nilpotent. apply N.lxor_0_l. }
  destruct Q as (t & B1 & H1 & H2 & Et). destruct (solve_sound _ _ (terms_nodup all _) _ _ _ H1) as (S1 & K1 & T1).
  destruct (IH ltac:(lia) B1 B H2) as (S & K).
  assert (Same : forall n, In n (numbers (terms all (Der k))) -> get B n = get B1 n).
  { intros n Hn. apply K. intros j Hj Hn2. assert (Der j = Der k) by (eapply one_destination; eauto). assert (j = k) by congruence. lia. }
  assert (Val : value_by (get B) (rank + k) = value_by (get A) (rank + k)).
  { apply value_same. destruct (node_of k d Ed) as [E _]. rewrite E. intros n Hn.
    rewrite K, K1; auto; [|intros j Hj]; eapply own_later; eauto; lia. }
  split.
  - intros j Hj. destruct (Nat.eq_dec j k) as [->|Nj]; [|apply S; lia]. split.
    + unfold sized in *. rewrite Forall_forall in *. intros u Hu. rewrite Same by (apply in_map; auto). auto.
    + intros d' E'. assert (d' = d) by congruence. subst d'. rewrite Val. split; auto.
      rewrite (tot_ext _ _ _ _ Same). rewrite <- Et. destruct (how d); [rewrite tot_sum, T1; lia|now rewrite tot_xor, T1].
  - intros n Hn. rewrite K by (intros; apply Hn; lia). apply K1. apply Hn. lia.
Qed.

Lemma ders_complete D : (forall j, sized D (terms all (Der j)) /\ fed_right D j) ->
  forall k, (k <= length (ders L))%nat -> forall A,
  (forall t, In t (numbered 0 all) -> (forall j, (j < k)%nat -> to (snd t) <> Der j) -> get A (fst t) = D (fst t)) ->
  exists B, In B (solve_ders L k A) /\ forall t, In t (numbered 0 all) -> get B (fst t) = D (fst t).
Proof.
  intros HD. induction k as [|k IH]; intros Hk A HA; [exists A; split; [simpl; auto|intros; apply HA; auto; lia]|].
  destruct (nth_error (ders L) k) as [d|] eqn:Ed; [|apply nth_error_None in Ed; lia].
  destruct (HD k) as [Sk Fk]. destruct (Fk d Ed) as [Lt Eq]. destruct (node_of k d Ed) as [En Lk].
  assert (Val : value_by (get A) (rank + k) = value_by D (rank + k)).
  { apply value_same. rewrite En. intros n Hn.
    pose proof (own_digits all (rank + k) 0 Lk) as I. rewrite En, Nat.add_0_l in I.
    assert (X : exists s, In (n, s) (combine (seq (first_digit (rank + k) all) (length (subs (dax d)))) (subs (dax d)))).
    { clear - Hn. revert Hn. generalize (first_digit (rank + k) all). generalize (subs (dax d)). induction l as [|s ss IH]; simpl; intros q H; [contradiction|].
      destruct H as [->|H]; [eauto|]. destruct (IH _ H) as (u & Hu); eauto. }
    destruct X as (s & Hs). apply (HA (n, s)); auto. simpl. intros j Hj E.
    apply (own_later k d j n Ed ltac:(lia) Hn). unfold numbers. apply in_map_iff. exists (n, s). split; auto.
    apply filter_In. split; [apply I; auto|]. simpl. rewrite E. apply deqb_refl. }
  destruct (solve_complete (how d) _ D (terms_nodup all (Der k)) Sk A) as (B1 & H1 & E1 & O1).
  destruct (IH ltac:(lia) B1) as (B & HB & E).
  { intros t Ht Nt. destruct (deqb_spec (Der k) (to (snd t))) as [Ek|Ek].
    - apply E1. apply in_map. apply filter_In. split; auto. rewrite Ek. apply deqb_refl.
    - rewrite O1.
      + apply HA; auto. intros j Hj Ej. destruct (Nat.eq_dec j k); [congruence|]. apply (Nt j); auto. lia.
      + intros Hn. unfold numbers, terms in Hn. apply in_map_iff in Hn as ((q & u) & Eq' & Hu). apply filter_In in Hu as [Hu Hd].
        destruct t as [m s]; simpl in *. subst q. assert (u = s) by (eapply nodup_fun; eauto; apply numbers_nodup). subst.
        destruct (deqb_spec (Der k) (to s)); congruence. }
  exists B. split; auto. cbn [solve_ders]. rewrite Ed. fold all. fold rank.
  change (value_of L A (rank + k)) with (value_by (get A) (rank + k)). rewrite Val.
  destruct (N.leb_spec (extent (dax d)) (value_by D (rank + k))); [lia|].
  destruct (how d) eqn:Eh.
  - rewrite tot_sum in Eq. destruct (N.ltb_spec (value_by D (rank + k)) (start d)); [lia|].
    apply in_flat_map. exists B1. split; auto. replace (value_by D (rank + k) - start d) with (tot Sum D (terms all (Der k)) 0) by lia. auto.
  - apply in_flat_map. exists B1. split; auto. rewrite <- Eq, tot_xor, (N.lxor_comm (start d)), N.lxor_assoc, N.lxor_nilpotent, N.lxor_0_r. auto.
Qed.

(** * Assignments and indexes *)

Definition consistent (D : nat -> N) (p : nat -> N) :=
  sized D (numbered 0 all)
  /\ (forall l, In l (used L) -> tot Sum D (terms all (Level l)) (offset l (offs L)) = p l)
  /\ forall j, fed_right D j.
Definition index_by (D : nat -> N) := map (value_by D) (seq 0 (length (axes L))).

Lemma digit_of_axis D axs : forall vs n k, (k < length axs)%nat -> length vs = length axs ->
  (forall m, (m < length (flat_map subs axs))%nat -> D (n + m)%nat = nth m (all_digits axs vs) 0) ->
  let ss := subs (nth k axs (Axis 0 [])) in
  map D (seq (n + first_digit k axs) (length ss)) = digits (map size ss) (nth k vs 0).
Proof.
  induction axs as [|a axs IH]; intros [|v vs] n k Hk Lv H; simpl in *; try lia.
  assert (Own : map D (seq n (length (subs a))) = digits (map size (subs a)) v).
  { apply nth_ext with 0 0; rewrite map_length, seq_length, ?len_digits, ?map_length; auto.
    intros m Hm. rewrite (nth_indep _ 0 (D 0%nat)) by (now rewrite map_length, seq_length). rewrite map_nth, seq_nth by auto.
    rewrite H by (rewrite app_length; lia). apply app_nth1. now rewrite len_digits, map_length. }
  destruct k; simpl; [now rewrite Nat.add_0_r|].
  replace (n + (length (subs a) + first_digit k axs))%nat with (n + length (subs a) + first_digit k axs)%nat by lia.
  apply IH; try lia. intros m Hm. rewrite <- Nat.add_assoc, H by (rewrite app_length; lia).
  rewrite app_nth2; rewrite len_digits, map_length; [f_equal; lia|lia].
Qed.
Lemma digits_sized D axs : Forall (fun s => 0 < size s) (flat_map subs axs) -> forall vs n, length vs = length axs ->
  (forall m, (m < length (flat_map subs axs))%nat -> D (n + m)%nat = nth m (all_digits axs vs) 0) -> sized D (numbered n axs).
Proof.
  induction axs as [|a axs IH]; intros S [|v vs] n Lv H; simpl in *; try lia; [constructor|].
  apply Forall_app in S as [S1 S2]. apply Forall_app. split.
  - assert (G : forall m, (m < length (subs a))%nat -> D (n + m)%nat = nth m (digits (map size (subs a)) v) 0).
    { intros m Hm. rewrite H by (rewrite app_length; lia). apply app_nth1. now rewrite len_digits, map_length. }
    clear - S1 G. revert n v G. induction S1 as [|s ss Hs _ IH]; simpl; intros n v G; constructor; simpl.
    + specialize (G 0%nat). rewrite Nat.add_0_r in G. rewrite G by lia. apply N.mod_lt; lia.
    + apply (IH (S n) (v / size s)). intros m Hm. rewrite Nat.add_succ_comm. apply (G (S m)). lia.
  - apply (IH S2 vs); try lia. intros m Hm. rewrite <- Nat.add_assoc, H by (rewrite app_length; lia).
    rewrite app_nth2; rewrite len_digits, map_length; [f_equal; lia|lia].
Qed.
(** The value of axis k by digits that are numbered from n on. *)
Definition value_at (D : nat -> N) (n : nat) (axs : list axis) (k : nat) : N :=
  let ss := subs (nth k axs (Axis 0 [])) in value (map size ss) (map D (seq (n + first_digit k axs) (length ss))).
Lemma value_at_next D n a axs k : value_at D n (a :: axs) (S k) = value_at D (n + length (subs a)) axs k.
Proof. unfold value_at; cbn [nth first_digit]. do 3 f_equal. lia. Qed.
Lemma digits_of_values D axs : forall n, sized D (numbered n axs) ->
  forall m, (m < length (flat_map subs axs))%nat -> D (n + m)%nat = nth m (all_digits axs (map (value_at D n axs) (seq 0 (length axs)))) 0.
Proof.
  induction axs as [|a axs IH]; intros n S m Hm; [simpl in Hm; lia|].
  cbn [numbered] in S. apply Forall_app in S as [S1 S2]. cbn [flat_map] in Hm. rewrite app_length in Hm.
  cbn [length seq map all_digits]. rewrite <- seq_shift, map_map. rewrite (map_ext _ _ (value_at_next D n a axs)).
  assert (Own : digits (map size (subs a)) (value_at D n (a :: axs) 0) = map D (seq n (length (subs a)))).
  { unfold value_at; cbn [nth first_digit]. rewrite Nat.add_0_r. apply digits_value.
    clear - S1. revert n S1. induction (subs a) as [|s ss IH]; simpl; intros n S1; constructor; inversion S1; subst; auto. }
  rewrite Own. destruct (Nat.lt_ge_cases m (length (subs a))) as [H|H].
  - rewrite app_nth1 by (now rewrite map_length, seq_length).
    rewrite (nth_indep _ 0 (D 0%nat)) by (now rewrite map_length, seq_length). now rewrite map_nth, seq_nth.
  - rewrite app_nth2 by (now rewrite map_length, seq_length). rewrite map_length, seq_length.
    rewrite <- (IH (n + length (subs a))%nat S2 (m - length (subs a))%nat) by lia. f_equal. lia.
Qed.

Lemma all_len : length all = (rank + length (ders L))%nat.
Proof. unfold all, nodes, explicit, rank; cbn [axes ders]. rewrite !app_length, map_length. simpl. lia. Qed.

Lemma all_sized : Forall (fun s => 0 < size s) (flat_map subs all).
Proof.
  destruct Built as (C & _). pose proof (checked_sizes L C) as S. unfold checked in C. ands C.
  unfold all, nodes, explicit; cbn [axes ders]. unfold all_subs, nodes in S. rewrite !flat_map_app in *. simpl.
  apply Forall_app in S as [S1 S2]. rewrite !Forall_app. repeat split; auto.
  apply Forall_map, Forall_rev, Forall_forall. intros r Hr. simpl.
  rewrite forallb_forall in H3. specialize (H3 r Hr). apply N.leb_le in H3. lia.
Qed.
Lemma copies_slots : slots (subs (rep_axis L)) = copies L.
Proof.
  unfold slots, copies, rep_axis; cbn [subs]. transitivity (prod (rev (map rsize (reps L)))); [now rewrite <- map_rev, map_map|].
  induction (map rsize (reps L)) as [|x l IH]; auto. cbn [rev]. rewrite prod_app, IH. simpl. lia.
Qed.
Lemma node_below k : (k < length (axes L))%nat -> nth k all (Axis 0 []) = nth k (axes L) (Axis 0 []).
Proof. intros H. unfold all, nodes, explicit; cbn [axes ders]. rewrite <- app_assoc. apply app_nth1; auto. Qed.
Lemma node_copies : nth (length (axes L)) all (Axis 0 []) = rep_axis L.
Proof. unfold all, nodes, explicit; cbn [axes ders]. rewrite <- app_assoc, app_nth2, Nat.sub_diag by lia. reflexivity. Qed.

Lemma real_consistent i c p : real_index L i -> c < copies L -> (forall l, In l (used L) -> copy_place L i c l = p l) ->
  exists D, consistent D p /\ index_by D = i.
Proof.
  intros R Hc Hp. destruct Built as (C & I3 & _). destruct (checked_nodes L C) as (O & _ & X).
  pose proof (f2_len _ _ _ R) as Li. destruct (explicit_land L i c Li O) as [PL PD].
  set (w := vals (explicit L) (i ++ [c])).
  assert (Lw : length w = length all).
  { rewrite all_len. unfold w, vals, explicit, rank; cbn [ders]. rewrite !app_length, map_length, seq_length. simpl. lia. }
  set (D := fun n => nth n (all_digits all w) 0).
  assert (HD : forall m, (m < length (flat_map subs all))%nat -> D (0 + m)%nat = nth m (all_digits all w) 0) by reflexivity.
  assert (Bw : Forall2 (fun v ax => v < slots (subs ax)) w all).
  { specialize (I3 i R). unfold vals, nodes in I3. apply f2_app in I3 as [I1 I2]; auto.
    unfold nodes in X. apply Forall_app in X as [X1 X2].
    unfold w, vals, all, nodes, explicit; cbn [axes ders]. rewrite <- !app_assoc.
    apply Forall2_app; [apply below_slots; auto|]. simpl. constructor; [fold (rep_axis L); rewrite copies_slots; auto|].
    fold (explicit L). rewrite (map_ext _ _ PD). apply below_slots; auto. }
  assert (Val : forall k, (k < length all)%nat -> value_by D k = nth k w 0).
  { intros k Hk. unfold value_by. pose proof (digit_of_axis D all w 0 k Hk Lw HD) as E. rewrite Nat.add_0_l in E. rewrite E.
    apply value_digits. clear - Bw Hk. revert k Hk. induction Bw; intros [|k] Hk; simpl in *; try lia; auto. apply IHBw. lia. }
  exists D. split; [split; [|split]|].
  - apply digits_sized with w; auto. apply all_sized.
  - intros l Hl. rewrite <- (Hp l Hl), <- PL.
    rewrite (land_solves (explicit L)) by (auto; unfold explicit; simpl; rewrite !app_length; simpl; lia).
    change (axes (explicit L) ++ map dax (ders (explicit L))) with all. fold w. symmetry. apply axes_tot; auto.
  - intros j d Ed. destruct (node_of j d Ed) as [En Lk]. rewrite Val by auto.
    assert (Lj : (j < length (ders L))%nat) by (apply nth_error_Some; congruence).
    assert (E : nth (rank + j) w 0 = land (explicit L) (i ++ [c]) (Der j)).
    { unfold w, vals, rank. rewrite app_nth2 by (rewrite app_length; simpl; lia).
      replace (S (length (axes L)) + j - length (i ++ [c]))%nat with j by (rewrite app_length; cbn [length]; lia).
      rewrite (nth_indep _ 0 (land (explicit L) (i ++ [c]) (Der 0))) by (now rewrite map_length, seq_length).
      rewrite (map_nth (fun j => land (explicit L) (i ++ [c]) (Der j))), seq_nth; auto. }
    split.
    + rewrite E, PD. specialize (I3 i R). unfold vals, nodes in I3. apply f2_app in I3 as [_ I2]; auto.
      pose proof (f2_nth_error I2 j) as Q. rewrite !nth_error_map, Ed in Q. rewrite (nth_error_nth' _ 0%nat) in Q by (now rewrite seq_length).
      rewrite seq_nth in Q by auto. apply Q; reflexivity.
    + rewrite E, (land_solves (explicit L)) by (auto; unfold explicit; simpl; rewrite !app_length; simpl; lia).
      change (axes (explicit L) ++ map dax (ders (explicit L))) with all. fold w.
      rewrite (axes_tot _ _ D all w 0) by auto. unfold terms. unfold comb_of, first, explicit; cbn [ders]. rewrite Ed. reflexivity.
  - unfold index_by. apply nth_ext with 0 0; [now rewrite map_length, seq_length|]. intros k Hk. rewrite map_length, seq_length in Hk.
    rewrite (nth_indep _ 0 (value_by D 0)) by (now rewrite map_length, seq_length). rewrite map_nth, seq_nth by auto.
    rewrite Val by (rewrite all_len; unfold rank; lia). simpl. unfold w, vals. rewrite <- app_assoc. apply app_nth1. lia.
Qed.

Lemma consistent_real D p : consistent D p -> is_real L (index_by D) = true -> lives p (index_by D).
Proof.
  intros (S & Lv & Fd) R. destruct Built as (C & I3 & _). destruct (checked_nodes L C) as (O & G & X).
  set (c := value_by D (length (axes L))).
  assert (Hi : length (index_by D) = length (axes L)) by (unfold index_by; now rewrite map_length, seq_length).
  set (full := map (value_at D 0 all) (seq 0 (length all))).
  assert (Lf : length full = length all) by (unfold full; now rewrite map_length, seq_length).
  assert (HD : forall m, (m < length (flat_map subs all))%nat -> D (0 + m)%nat = nth m (all_digits all full) 0)
    by (intros m Hm; apply digits_of_values; auto).
  assert (Va : forall k, value_at D 0 all k = value_by D k) by reflexivity.
  set (v := fun x => axes_to (comb_of (ders L) x) x all full (first L x)).
  assert (Vx : forall x, v x = tot (comb_of (ders L) x) D (terms all x) (first L x)) by (intros x; apply axes_tot; auto).
  assert (Vj : map (fun j => v (Der j)) (seq 0 (length (ders L))) = map (value_by D) (seq rank (length (ders L)))).
  { rewrite <- (Nat.add_0_r rank). rewrite <- Compose.seq_plus, map_map. apply map_ext_in. intros j Hj. apply in_seq in Hj.
    destruct (nth_error (ders L) j) as [d|] eqn:Ed; [|apply nth_error_None in Ed; lia].
    rewrite Vx. unfold comb_of, first. rewrite Ed. apply (Fd j d Ed). }
  assert (Sv : solves (explicit L) (index_by D ++ [c]) v).
  { intros x. change (axes (explicit L) ++ map dax (ders (explicit L))) with all. change (ders (explicit L)) with (ders L).
    rewrite Vj. change (first (explicit L) x) with (first L x). unfold v at 1. f_equal.
    unfold full. rewrite all_len. unfold rank. cbn [seq]. replace (Datatypes.S (length (axes L)) + length (ders L))%nat with (length (axes L) + (1 + length (ders L)))%nat by lia.
    rewrite seq_app, map_app. unfold index_by. rewrite <- app_assoc. f_equal. }
  destruct (explicit_land L (index_by D) c Hi O) as [PL _].
  assert (Real : real_index L (index_by D)).
  { unfold real_index. unfold is_real in R. rewrite forallb_forall in R. clear - R Hi. revert Hi R. generalize (index_by D). generalize (axes L).
    induction l as [|a axs IH]; intros [|i is] H R; simpl in H; try lia; constructor.
    - specialize (R (i, a) (or_introl eq_refl)). simpl in R. apply N.ltb_lt; auto.
    - apply IH; [lia|]. intros q Hq. apply R. simpl; auto. }
  split; auto. exists c. split.
  - unfold c, value_by. rewrite node_copies, <- copies_slots. apply (proj2 (digits_value _ _)) || apply digits_value.
    assert (Lk : (length (axes L) < length all)%nat) by (rewrite all_len; unfold rank; lia).
    pose proof (own_digits all (length (axes L)) 0 Lk) as I. rewrite node_copies, Nat.add_0_l in I.
    revert I. generalize (first_digit (length (axes L)) all). generalize (subs (rep_axis L)).
    induction l as [|s ss IH]; simpl; intros n I; constructor.
    + unfold sized in S. rewrite Forall_forall in S. apply (S (n, s)). apply I. simpl; auto.
    + apply IH. intros q Hq. apply I. simpl; auto.
  - intros l Hl. rewrite <- PL, <- (land_unique (explicit L) (index_by D ++ [c]) v); auto.
    + rewrite Vx. apply Lv; auto.
    + unfold explicit; simpl. rewrite !app_length. simpl; lia.
Qed.

(** * The theorem *)

(** A digit that lands is in a used level, one that feeds in a derived axis that there is. *)
Lemma goes_somewhere t : In t (numbered 0 all) -> (exists l, to (snd t) = Level l /\ In l (used L)) \/ (exists j, to (snd t) = Der j /\ (j < length (ders L))%nat).
Proof.
  intros Ht. destruct Built as (C & _ & _ & U). destruct (checked_nodes L C) as (_ & G & _).
  assert (I : In (snd t) (flat_map subs all)).
  { revert Ht. generalize all, 0%nat. clear. induction all as [|a axs IH]; simpl; intros n H; [contradiction|].
    apply in_or_app. apply in_app_or in H as [H|H]; [left|right; eauto]. destruct t; apply in_combine_r in H; auto. }
  unfold all, nodes, explicit in I; cbn [axes ders] in I. rewrite !flat_map_app in I.
  assert (J : In (snd t) (all_subs L) \/ In (snd t) (map rep_sub (rev (reps L)))).
  { unfold all_subs, nodes. rewrite flat_map_app. apply in_app_or in I as [I|I].
    - apply in_app_or in I as [I|I]; [left; apply in_or_app; auto|right]. simpl in I. now rewrite app_nil_r in I.
    - left; apply in_or_app; auto. }
  destruct J as [J|J].
  - destruct (to (snd t)) as [l|j] eqn:E; [left|right].
    + exists l. split; auto. apply U. unfold named_levels. right. apply in_or_app; left. apply in_flat_map. exists (snd t). rewrite E. simpl; auto.
    + exists j. split; auto. unfold in_range in G. rewrite Forall_forall in G. specialize (G _ J). now rewrite E in G.
  - left. apply in_map_iff in J as (r & E & Hr). rewrite <- E. simpl. exists (rlevel r). split; auto.
    apply U. unfold named_levels. right. apply in_or_app; right. apply in_or_app; left. apply in_map. apply in_rev; auto.
Qed.

Lemma found_consistent p A B : (forall l, In l (used L) -> offset l (offs L) <= p l) ->
  In A (solve_levels L (used L) p []) -> In B (solve_ders L (length (ders L)) A) -> consistent (get B) p.
Proof.
  intros Hp HA HB. destruct Built as (_ & _ & Nd & _).
  destruct (levels_sound _ Nd _ _ _ HA) as (SA & _). destruct (ders_sound _ (le_n _) _ _ HB) as (SB & KB).
  assert (Same : forall l n, In n (numbers (terms all (Level l))) -> get B n = get A n).
  { intros l n Hn. apply KB. intros j _ Hn2. assert (Level l = Der j) by (eapply one_destination; eauto). discriminate. }
  split; [|split].
  - unfold sized. apply Forall_forall. intros t Ht. destruct (goes_somewhere t Ht) as [(l & E & Hl)|(j & E & Hj)].
    + assert (I : In t (terms all (Level l))) by (apply filter_In; split; auto; rewrite E; apply deqb_refl).
      rewrite (Same l) by (apply in_map; auto). destruct (SA l Hl) as [S _]. unfold sized in S. rewrite Forall_forall in S. auto.
    + assert (I : In t (terms all (Der j))) by (apply filter_In; split; auto; rewrite E; apply deqb_refl).
      destruct (SB j Hj) as [S _]. unfold sized in S. rewrite Forall_forall in S. auto.
  - intros l Hl. rewrite (tot_ext _ _ _ _ (Same l)), tot_sum. destruct (SA l Hl) as [_ T]. rewrite T. specialize (Hp l Hl). lia.
  - intros j. destruct (Nat.lt_ge_cases j (length (ders L))) as [H|H]; [apply SB; auto|].
    intros d Ed. assert (nth_error (ders L) j <> None) by congruence. apply nth_error_Some in H0. lia.
Qed.
Lemma consistent_found p D : consistent D p ->
  exists A B, In A (solve_levels L (used L) p []) /\ In B (solve_ders L (length (ders L)) A) /\ index_of L B = index_by D.
Proof.
  intros (S & Lv & Fd). destruct Built as (_ & _ & Nd & _).
  assert (Sx : forall x, sized D (terms all x)).
  { intros x. unfold sized in *. rewrite Forall_forall in *. intros t Ht. apply filter_In in Ht as [Ht _]. auto. }
  destruct (levels_complete (used L) D p Nd) with (A := @nil (nat * N)) as (A & HA & EA).
  { intros l Hl. split; auto. specialize (Lv l Hl). rewrite tot_sum in Lv. lia. }
  destruct (ders_complete D (fun j => conj (Sx (Der j)) (Fd j)) (length (ders L)) (le_n _) A) as (B & HB & EB).
  { intros t Ht Nt. destruct (goes_somewhere t Ht) as [(l & E & Hl)|(j & E & Hj)]; [|exfalso; eapply Nt; eauto].
    apply (EA l); auto. apply in_map. apply filter_In. split; auto. rewrite E. apply deqb_refl. }
  exists A, B. repeat split; auto. unfold index_of, index_by. apply map_ext_in. intros k Hk. apply in_seq in Hk.
  apply value_same. intros n Hn.
  assert (Lk : (k < length all)%nat) by (rewrite all_len; unfold rank; lia).
  pose proof (own_digits all k 0 Lk) as I. rewrite Nat.add_0_l in I.
  assert (X : exists s, In (n, s) (combine (seq (first_digit k all) (length (subs (nth k all (Axis 0 []))))) (subs (nth k all (Axis 0 []))))).
  { clear - Hn. revert Hn. generalize (first_digit k all). generalize (subs (nth k all (Axis 0 []))). induction l as [|s ss IH]; simpl; intros q H; [contradiction|].
    destruct H as [->|H]; [eauto|]. destruct (IH _ H) as (u & Hu); eauto. }
  destruct X as (s & Hs). apply (EB (n, s)). apply I; auto.
Qed.

Lemma slot_iff p : (forall l, In l (used L) -> offset l (offs L) <= p l) ->
  slot_at p <-> solve_levels L (used L) p [] <> [].
Proof.
  intros Hp. destruct Built as (_ & _ & Nd & _). split.
  - intros (D & HD). destruct (levels_complete (used L) D p Nd) with (A := @nil (nat * N)) as (A & HA & _).
    + intros l Hl. destruct (HD l Hl) as [S T]. split; auto. rewrite tot_sum in T. lia.
    + intros E. rewrite E in HA. contradiction.
  - intros H. destruct (solve_levels L (used L) p []) as [|A As] eqn:E; [congruence|].
    destruct (levels_sound _ Nd p [] A) as (S & _); [rewrite E; simpl; auto|].
    exists (get A). intros l Hl. destruct (S l Hl) as [S1 T]. split; auto. rewrite tot_sum, T. specialize (Hp l Hl). lia.
Qed.
(** Slots are between the offset and the extent of every level. *)
Lemma slot_between p : slot_at p -> forall l, In l (used L) -> offset l (offs L) <= p l < level_extent L l.
Proof.
  intros (D & HD) l Hl. destruct (HD l Hl) as [S T]. rewrite tot_sum in T. pose proof (tot_reach _ _ S) as R.
  enough (Element.reach (terms all (Level l)) <= total (map (step_to l) (all_subs L)) + total (map (rep_to l) (reps L))) by (unfold level_extent; lia).
  assert (T2 : forall a b, total (a ++ b) = total a + total b) by (unfold total; induction a; simpl; intros; auto; rewrite IHa; lia).
  assert (E : forall axs n, Element.reach (filter (fun t => deqb (Level l) (to (snd t))) (numbered n axs)) = total (map (step_to l) (flat_map subs axs))).
  { assert (E1 : forall ss n, Element.reach (filter (fun t => deqb (Level l) (to (snd t))) (combine (seq n (length ss)) ss)) = total (map (step_to l) ss)).
    { induction ss as [|s ss IH]; intros n; auto. specialize (IH (Datatypes.S n)). cbn [length seq combine filter map snd].
      assert (Tc : forall x xs, total (x :: xs) = x + total xs) by reflexivity. rewrite Tc, <- IH. unfold step_to at 1.
      destruct (deqb_spec (Level l) (to s)) as [E|E].
      - rewrite <- E, Nat.eqb_refl. reflexivity.
      - destruct (to s) as [k|j]; auto. destruct (Nat.eqb_spec k l); [congruence|]. lia. }
    assert (R2 : forall a b, Element.reach (a ++ b) = Element.reach a + Element.reach b) by (intros; unfold Element.reach; now rewrite map_app, T2).
    induction axs as [|a axs IH]; intros n; simpl; auto. now rewrite filter_app, R2, map_app, T2, IH, E1. }
  unfold terms. rewrite E. unfold all, nodes, explicit, all_subs, nodes; cbn [axes ders].
  rewrite !flat_map_app, !map_app, !T2. simpl. rewrite app_nil_r.
  assert (Rp : total (map (step_to l) (map rep_sub (rev (reps L)))) = total (map (rep_to l) (reps L))).
  { rewrite map_map. transitivity (total (rev (map (rep_to l) (reps L)))); [|apply total_rev].
    rewrite <- map_rev. f_equal. }
  rewrite Rp. lia.
Qed.

(** Theorem 5: each answer of `element` is right. *)
Theorem element_right p :
  match element L p with
  | Outside => outside p
  | Element i => ~ outside p /\ lives p i
  | Padding => ~ outside p /\ slot_at p /\ forall i, ~ lives p i
  | Hole => ~ outside p /\ ~ slot_at p /\ forall i, ~ lives p i
  end.
Proof.
  assert (SL : forall i, lives p i -> slot_at p).
  { intros i (R & c & Hc & Hp). destruct (real_consistent i c p R Hc Hp) as (D & (S & Lv & _) & _). exists D.
    intros l Hl. split; auto. unfold sized in *. rewrite Forall_forall in *. intros t Ht. apply filter_In in Ht as [Ht _]. auto. }
  unfold element. destruct (existsb (fun l => span L l <=? p l) (used L)) eqn:Eo.
  { apply existsb_exists in Eo as (l & Hl & H). apply N.leb_le in H. exists l; auto. }
  assert (No : ~ outside p).
  { intros (l & Hl & H). rewrite <- not_true_iff_false in Eo. apply Eo. apply existsb_exists. exists l. split; auto. apply N.leb_le; auto. }
  destruct (existsb (fun l => (p l <? offset l (offs L)) || (level_extent L l <=? p l)) (used L)) eqn:Eh.
  { apply existsb_exists in Eh as (l & Hl & H).
    assert (Ns : ~ slot_at p).
    { intros S. pose proof (slot_between p S l Hl) as B. apply orb_true_iff in H as [H|H]; [apply N.ltb_lt in H|apply N.leb_le in H]; lia. }
    repeat split; auto. intros i Hi. eauto. }
  assert (Hp : forall l, In l (used L) -> offset l (offs L) <= p l).
  { intros l Hl. destruct (N.le_gt_cases (offset l (offs L)) (p l)) as [|H]; auto. exfalso.
    rewrite <- not_true_iff_false in Eh. apply Eh. apply existsb_exists. exists l. split; auto. apply orb_true_iff. left. apply N.ltb_lt; auto. }
  pose proof (slot_iff p Hp) as Si.
  assert (Li : forall i, In i (indexes_at L p) <-> exists A B, In A (solve_levels L (used L) p []) /\ In B (solve_ders L (length (ders L)) A)
       /\ index_of L B = i /\ is_real L i = true).
  { intros i. unfold indexes_at. rewrite filter_In, in_map_iff. split.
    - intros ((B & E & HB) & R). apply in_flat_map in HB as (A & HA & HB). exists A, B. auto.
    - intros (A & B & HA & HB & E & R). split; auto. exists B. split; auto. apply in_flat_map. eauto. }
  assert (Ex : forall i, In i (indexes_at L p) -> lives p i).
  { intros i Hi. apply Li in Hi as (A & B & HA & HB & <- & R). apply (consistent_real (get B)); auto. eapply found_consistent; eauto. }
  assert (Al : forall i, lives p i -> In i (indexes_at L p)).
  { intros i (R & c & Hc & Hq). destruct (real_consistent i c p R Hc Hq) as (D & Cn & <-).
    destruct (consistent_found p D Cn) as (A & B & HA & HB & E). apply Li. exists A, B. repeat split; auto.
    unfold is_real. apply forallb_forall. unfold real_index in R. clear - R. induction R; simpl; [contradiction|].
    intros q [<-|Hq]; auto. apply N.ltb_lt; auto. }
  destruct (solve_levels L (used L) p []) as [|A As] eqn:Es.
  - assert (Ns : ~ slot_at p) by (rewrite Si; auto). repeat split; auto. intros i Hi; eauto.
  - destruct (indexes_at L p) as [|i is] eqn:Ei.
    + split; auto. split; [apply Si; discriminate|]. intros i Hi. apply (Al i Hi).
    + split; auto. apply Ex. simpl; auto.
Qed.
End Layout.

Lemma extent_span L l : level_extent L l <= span L l.
Proof. unfold span. induction (map snd _) as [|x xs IH]; simpl; lia. Qed.
(** Exactly one: an element at a place excludes padding, and a slot excludes a hole; two elements at one place are
    excluded by theorem 4, without which `element` gives one of them. *)
Theorem element_unique L p i : built L -> apart (explicit L) (rust_tops (explicit L)) ->
  lives L p i -> element L p = Element i.
Proof.
  intros B A (R & c & Hc & Hp). pose proof (element_right L B p) as E. destruct (element L p) as [j| | |].
  - destruct E as [_ (R2 & c2 & Hc2 & Hp2)]. f_equal. destruct B as (C & I3 & _ & U).
    assert (Q : forall k, copy_place L j c2 k = copy_place L i c k).
    { intros l. destruct (in_dec Nat.eq_dec l (used L)) as [I|I]; [rewrite Hp2, Hp; auto|].
      destruct (checked_nodes L C) as (O & _). pose proof (f2_len _ _ _ R). pose proof (f2_len _ _ _ R2).
      assert (X : level_extent L l = 1).
      { unfold level_extent. assert (N : ~ In l (named_levels L)) by auto. unfold named_levels in N.
        assert (Z1 : offset l (offs L) = 0).
        { assert (G : forall os, ~ In l (map fst os) -> offset l os = 0).
          { induction os as [|[k o] os IH]; simpl; intros M; auto. rewrite IH by tauto. destruct (Nat.eqb_spec k l); tauto. }
          apply G. intros J. apply N. right. apply in_or_app; right. apply in_or_app; right. apply in_or_app; auto. }
        assert (Z2 : total (map (step_to l) (all_subs L)) = 0).
        { assert (G : forall ss, (forall s, In s ss -> to s <> Level l) -> total (map (step_to l) ss) = 0).
          { induction ss as [|s ss IH]; simpl; intros M; auto. unfold total in *; simpl. rewrite IH by auto.
            unfold step_to. specialize (M s (or_introl eq_refl)). destruct (to s) as [k|]; auto. destruct (Nat.eqb_spec k l); [congruence|auto]. }
          apply G. intros s Hs Es. apply N. right. apply in_or_app; left. apply in_flat_map. exists s. rewrite Es. simpl; auto. }
        assert (Z3 : total (map (rep_to l) (reps L)) = 0).
        { assert (G : forall rs, ~ In l (map rlevel rs) -> total (map (rep_to l) rs) = 0).
          { induction rs as [|r rs IH]; simpl; intros M; auto. unfold total in *; simpl. rewrite IH by tauto.
            unfold rep_to. destruct (Nat.eqb_spec (rlevel r) l); [tauto|auto]. }
          apply G. intros J. apply N. right. apply in_or_app; right. apply in_or_app; auto. }
        rewrite Z1, Z2, Z3. reflexivity. }
      pose proof (slots_in_extents L i c l C O H). pose proof (slots_in_extents L j c2 l C O H0). lia. }
    destruct (nesting_decides L j c2 i c C I3 A R2 R Hc2 Hc Q) as [<- _]. reflexivity.
  - destruct E as (_ & _ & E). exfalso. apply (E i). split; eauto.
  - destruct E as (_ & _ & E). exfalso. apply (E i). split; eauto.
  - exfalso. destruct B as (C & _), E as (l & Hl & H). destruct (checked_nodes L C) as (O & _).
    pose proof (slots_in_extents L i c l C O (f2_len _ _ _ R)). rewrite (Hp l Hl) in H0. pose proof (extent_span L l). lia.
Qed.

(** Padding, a hole and outside by computation: (10,7)/((3:7, 4_PE), (7:1)), level 1 is PE. *)
Definition rows := Layout [Axis 10 [Sub 4 (Level 1) 1; Sub 3 (Level 0) 7]; Axis 7 [Sub 7 (Level 0) 1]] [] [] [] [1%nat; 0%nat] [].
Definition at2 (a pe : N) : nat -> N := fun l => match l with 0%nat => a | _ => pe end.
Example found_all : map (fun '(a, pe) => element rows (at2 a pe)) [(15, 1); (15, 2); (0, 4)] = [Element [9; 1]; Padding; Outside].
Proof. reflexivity. Qed.
Definition gap := Layout [Axis 2 [Sub 2 (Level 0) 2]] [] [] [(0%nat, 1)] [0%nat] [(0%nat, 6)].
Example holes : map (fun a => element gap (fun _ => a)) [0; 1; 2; 3; 4; 5; 6] = [Hole; Element [0]; Hole; Element [1]; Hole; Hole; Outside].
Proof. reflexivity. Qed.
(** Dropped hypotheses. A level that is not marked as used is not searched: element 1 is not found where it lives. *)
Definition unmarked := Layout [Axis 2 [Sub 2 (Level 1) 1]] [] [] [] [0%nat] [].
Example level_needed : element unmarked (fun l => N.of_nat l) = Element [0] /\ place unmarked [1] 1 = 1. Proof. split; reflexivity. Qed.
(** Without invariant 3 a real index may have a value that reads as padding. *)
Definition cut := Layout [Axis 4 [Sub 4 (Der 0) 1]] [Derived Sum 0 (Axis 2 [Sub 4 (Level 0) 1])] [] [] [0%nat] [].
Example invariant_3_needed : place cut [3] 0 = 3 /\ element cut (fun _ => 3) = Padding. Proof. split; reflexivity. Qed.

Definition theorems := (@element_right, @element_unique).
Print Assumptions theorems.
