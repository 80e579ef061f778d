(** Theorem 4 with the tops that Rust has (`src/algebra/fed.rs`, `digits.rs`): the greatest value of a derived axis by what
    its feeders can add, and a common divisor of its values. Both say less than an extent, and both hold.

    Rust's sums saturate; a value is then cut at its extent, which is below 2 ^ 64, so that they are the same. *)
From Coq Require Import NArith List Lia Bool Arith.
Require Import TensorLayout.Radix TensorLayout.Model TensorLayout.Equations TensorLayout.Element TensorLayout.Bound
  TensorLayout.Nest TensorLayout.Xor TensorLayout.Simplify.
Import ListNotations.
Open Scope N_scope.
Local Arguments deqb : simpl never.

(** * The greatest values: `greatest_values` *)

(** `greatest_sum` over the digits of an axis up to the value g, minor to major: of any values, and of those up to g. *)
Fixpoint greatest_sum x (ss : list sub) (g free bound : N) : N :=
  match ss with
  | [] => bound
  | s :: ss => let w := if deqb x (to s) then weight s else 0 in let t := g mod size s in
      greatest_sum x ss (g / size s) (free + (size s - 1) * w)
        (N.max (bound + t * w) (if 0 <? t then free + (t - 1) * w else 0))
  end.
(** `Axis::flips`: the bits that digits up to their tops can flip. *)
Fixpoint ors (cols : list N) : N := match cols with [] => 0 | c :: cols => N.lor c (ors cols) end.
Fixpoint flips x (ss : list sub) (tops : list N) : N :=
  match ss, tops with
  | s :: ss, t :: tops => N.lor (if deqb x (to s) then ors (bit_columns (weight s) (bits_of t)) else 0) (flips x ss tops)
  | _, _ => 0
  end.
(** `feed_bounds` and `greatest_values`. *)
Definition feed ds (ss : list sub) (g : N) (b : acc) : acc := fun x =>
  match comb_of ds x with
  | Sum => b x + greatest_sum x ss g 0 0
  | Xor => N.lor (b x) (flips x ss (reaches (map size ss) g))
  end.
Fixpoint feed_axes ds (axs : list axis) (b : acc) : acc :=
  match axs with [] => b | a :: axs => feed_axes ds axs (feed ds (subs a) (extent a - 1) b) end.
Fixpoint greatest_ders all (ds : list derived) (n : nat) (b : acc) : list N :=
  match ds with
  | [] => []
  | d :: ds => let g := N.min (b (Der n)) (extent (dax d) - 1) in g :: greatest_ders all ds (S n) (feed all (subs (dax d)) g b)
  end.
Definition greatest_values L : list N :=
  map (fun a => extent a - 1) (axes L) ++ greatest_ders (ders L) (ders L) 0 (feed_axes (ders L) (axes L) (first L)).

Lemma greatest_sum_right x ss : Forall (fun s => 0 < size s) ss -> forall v g free bound st r (low : Prop),
  v < slots ss -> g < slots ss -> r <= free -> (low -> r <= bound) -> (v < g \/ (v = g /\ low)) ->
  digits_to Sum x ss v (st + r) <= st + greatest_sum x ss g free bound.
Proof.
  induction 1 as [|s ss Hs _ IH]; intros v g free bound st r low Hv Hg Hf Hb H; unfold slots in *; cbn [digits_to greatest_sum map prod] in *.
  - assert (low) by (destruct H as [|[]]; [lia|auto]). apply Hb in H0. lia.
  - set (w := if deqb x (to s) then weight s else 0). set (d := v mod size s). set (t := g mod size s).
    assert (Ev : v = size s * (v / size s) + d) by (apply N.div_mod; lia). assert (Eg : g = size s * (g / size s) + t) by (apply N.div_mod; lia).
    assert (Hd : d < size s) by (apply N.mod_lt; lia). assert (Ht : t < size s) by (apply N.mod_lt; lia).
    assert (D1 : v / size s < prod (map size ss)) by (apply N.div_lt_upper_bound; lia).
    assert (D2 : g / size s < prod (map size ss)) by (apply N.div_lt_upper_bound; lia).
    assert (Ed : (if deqb x (to s) then one Sum (weight s) d (st + r) else st + r) = st + (r + d * w)).
    { unfold w. destruct (deqb x (to s)); cbn [one]; lia. }
    rewrite Ed. apply (IH _ _ _ _ _ _ (d < t \/ (d = t /\ low))); auto.
    + apply N.add_le_mono; auto. apply N.mul_le_mono_r. lia.
    + intros [L|[L Hl]]; apply N.max_le_iff.
      * right. destruct (N.ltb_spec 0 t); [|lia]. apply N.add_le_mono; auto. apply N.mul_le_mono_r. lia.
      * left. rewrite L. apply Hb in Hl. lia.
    + generalize dependent (v / size s). generalize dependent (g / size s). intros q Eg D2 p Ev D1.
      destruct (N.lt_trichotomy p q) as [|[->|L]]; [left; auto|right; split; auto|exfalso].
      * destruct H as [H|[H1 H2]]; [left; lia|right; split; [lia|auto]].
      * assert (size s * (q + 1) <= size s * p) by (apply N.mul_le_mono_l; lia). lia.
Qed.

Lemma within_refl a : within a a. Proof. apply N.land_diag. Qed.
Lemma within_0 m : within 0 m. Proof. reflexivity. Qed.
Lemma within_or_l a m n : within a m -> within a (N.lor m n).
Proof. unfold within. intros H. rewrite <- H, N.land_lor_distr_r, <- N.land_assoc, N.land_diag. apply N.bits_inj. intros k. rewrite N.lor_spec, !N.land_spec. destruct (N.testbit a k), (N.testbit m k), (N.testbit n k); auto. Qed.
Lemma within_or_r a m n : within a n -> within a (N.lor m n).
Proof. rewrite N.lor_comm. apply within_or_l. Qed.
Lemma within_le a m : within a m -> a <= m.
Proof.
  unfold within. intros <-. rewrite <- (N.lor_ldiff_and m a) at 2. rewrite N.lor_comm, (N.land_comm m a).
  assert (Z : N.land (N.land a m) (N.ldiff m a) = 0).
  { apply N.bits_inj. intros k. rewrite !N.land_spec, N.ldiff_spec, N.bits_0. destruct (N.testbit a k), (N.testbit m k); auto. }
  rewrite <- N.lxor_lor, <- N.add_nocarry_lxor by auto. lia.
Qed.
Lemma within_xorp n : forall w d, d < 2 ^ N.of_nat n -> within (xorp w d) (ors (bit_columns w n)).
Proof.
  induction n as [|n IH]; intros w d H.
  - change (2 ^ N.of_nat 0) with 1 in H. assert (d = 0) by lia. subst. reflexivity.
  - rewrite xorp_next. cbn [bit_columns ors]. apply within_lor.
    + destruct (N.odd d); [apply within_refl|apply within_0].
    + apply IH. rewrite Nat2N.inj_succ, N.pow_succ_r' in H. pose proof (N.div2_odd d). lia.
Qed.
Lemma flips_right x ss : forall tops v st m, Forall2 N.le (digits (map size ss) v) tops -> within st m ->
  within (digits_to Xor x ss v st) (N.lor m (flips x ss tops)).
Proof.
  induction ss as [|s ss IH]; intros [|t tops] v st m H W; inversion H; subst; cbn [digits_to flips]; [now apply within_or_l|].
  rewrite N.lor_assoc. apply IH; auto. destruct (deqb x (to s)); [|now apply within_or_l].
  cbn [one]. apply within_lor; auto. apply within_xorp, top_bits; auto.
Qed.

(** A value is below its bound; the bits of an XOR are within it. *)
Definition bounds ds (a b : acc) := forall x, match comb_of ds x with Sum => a x <= b x | Xor => within (a x) (b x) end.
Lemma bounds_le ds a b x : bounds ds a b -> a x <= b x.
Proof. intros H. specialize (H x). destruct (comb_of ds x); auto using within_le. Qed.
Lemma push_bounds ds ss v g a b : Forall (fun s => 0 < size s) ss -> v <= g -> g < slots ss -> bounds ds a b ->
  bounds ds (push ds ss v a) (feed ds ss g b).
Proof.
  intros S Hv Hg B x. specialize (B x). rewrite push_to. unfold feed. destruct (comb_of ds x).
  - pose proof (greatest_sum_right x ss S v g 0 0 (a x) 0 True) as G. rewrite N.add_0_r in G.
    eapply N.le_trans; [apply G; auto; lia|lia].
  - apply flips_right; auto. apply reaches_hold; auto. apply Forall_map; auto.
Qed.
Definition good_axis (a : axis) := Forall (fun s => 0 < size s) (subs a) /\ extent a <= slots (subs a).
Lemma axes_bounds ds axs : Forall good_axis axs -> forall i a b, Forall2 (fun v ax => v < extent ax) i axs -> bounds ds a b ->
  bounds ds (push_axes ds axs i a) (feed_axes ds axs b).
Proof.
  induction 1 as [|ax axs [S X] _ IH]; intros i a b R B; inversion R; subst; auto. cbn [push_axes feed_axes].
  apply IH; auto. apply push_bounds; auto; lia.
Qed.
Lemma ders_bounds all ds : forall n a b, ordered n ds -> Forall good_axis (map dax ds) -> bounds all a b ->
  Forall2 (fun v ax => v < extent ax) (map (fun j => push_ders all ds n a (Der j)) (seq n (length ds))) (map dax ds) ->
  Forall2 N.le (map (fun j => push_ders all ds n a (Der j)) (seq n (length ds))) (greatest_ders all ds n b).
Proof.
  induction ds as [|d ds IH]; intros n a b O X B R; [constructor|]. cbn [push_ders ordered map length seq greatest_ders] in *.
  destruct O as [O1 O2]. inversion X as [|? ? [S Xd] Xs]; subst. inversion R as [|? ? ? ? R1 R2]; subst.
  assert (E : push_ders all ds (Datatypes.S n) (push all (subs (dax d)) (a (Der n)) a) (Der n) = a (Der n)).
  { rewrite ders_before, (push_to all (Der n)), (before _ n (Datatypes.S n)) by (auto; lia). reflexivity. }
  assert (G : a (Der n) <= N.min (b (Der n)) (extent (dax d) - 1)).
  { rewrite E in R1. apply N.min_glb; [apply (bounds_le all); auto|lia]. }
  constructor; [now rewrite E|]. apply IH; auto. apply push_bounds; auto. rewrite E in R1. lia.
Qed.
(** What these theorems need of the builder; with the copies as an axis it still holds. *)
Definition good L := ordered 0 (ders L) /\ Forall good_axis (nodes L).
Lemma good_sizes L : good L -> Forall (fun s => 0 < size s) (all_subs L).
Proof.
  intros [_ G]. rewrite Forall_forall in G. apply Forall_forall. intros s Hs. apply in_flat_map in Hs as (a & Ha & Hs).
  destruct (G a Ha) as [S _]. rewrite Forall_forall in S; auto.
Qed.
Lemma slots_copies L : slots (map rep_sub (rev (reps L))) = copies L.
Proof.
  unfold slots, copies. transitivity (prod (rev (map rsize (reps L)))); [now rewrite <- map_rev, map_map|].
  induction (map rsize (reps L)) as [|x l IH]; auto. cbn [rev]. rewrite prod_app, IH. simpl. lia.
Qed.
Lemma checked_good L : checked L = true -> good L /\ good (explicit L).
Proof.
  intros C. destruct (checked_nodes L C) as (O & _ & X). pose proof (explicit_sizes L C) as S.
  assert (G : Forall good_axis (nodes (explicit L))).
  { assert (Xe : Forall (fun ax => extent ax <= slots (subs ax)) (nodes (explicit L))).
    { rewrite explicit_nodes. unfold nodes in X. apply Forall_app in X as [X1 X2]. rewrite !Forall_app. repeat split; auto.
      constructor; auto. cbn [extent subs rep_axis]. rewrite slots_copies. lia. }
    apply Forall_forall. intros a Ha. rewrite Forall_forall in Xe, S. split; auto. apply Forall_forall. intros s Hs.
    apply S. apply in_flat_map; eauto. }
  split; split; auto. rewrite explicit_nodes in G. unfold nodes. rewrite !Forall_app in *. tauto.
Qed.
(** Theorem 4, greatest values: a real index gives no axis a value above what Rust computes. *)
Theorem greatest_hold L i : good L -> real_index L i -> Forall2 (fun v ax => v < extent ax) (vals L i) (nodes L) ->
  Forall2 N.le (vals L i) (greatest_values L).
Proof.
  intros [O G] R I3.
  unfold vals, greatest_values, nodes in *. apply Forall_app in G as [G1 G2].
  apply f2_app in I3 as [I1 I2]; [|apply (f2_len _ _ _ R)]. apply Forall2_app.
  - clear - R. induction R as [|v a i axs H _ IH]; constructor; auto. lia.
  - unfold land in *. apply ders_bounds; auto. apply axes_bounds; auto. intros x. destruct (comb_of (ders L) x); [lia|apply within_refl].
Qed.

(** * The divisors: `divisors` and `push_axis` *)

Fixpoint lowest_bit (p : positive) : N := match p with xO p => 2 * lowest_bit p | _ => 1 end.
Definition low (n : N) : N := match n with 0 => 0 | Npos p => lowest_bit p end.
Definition feeding L j := filter (fun s => deqb (Der j) (to s) && (1 <? size s)) (all_subs L).
(** The greatest common divisor of the start and the weights; of an XOR the lowest bit that is ever set. *)
Definition divisor L j : N :=
  match comb_of (ders L) (Der j) with
  | Sum => fold_right (fun s c => N.gcd (weight s) c) (first L (Der j)) (feeding L j)
  | Xor => low (fold_right (fun s c => N.lor (weight s) c) (first L (Der j)) (feeding L j))
  end.

Lemma low_within o : forall a, within a o -> (low o | a).
Proof.
  destruct o as [|p]; intros a W; [unfold within in W; rewrite N.land_0_r in W; subst; apply N.divide_0_r|]. cbn [low].
  revert a W. induction p as [p IH|p IH|]; intros a W; cbn [lowest_bit]; try (now exists a; lia).
  destruct a as [|q]; [apply N.divide_0_r|].
  assert (Wq : exists r, q = xO r /\ within (N.pos r) (N.pos p)).
  { unfold within in *. destruct q as [r|r|]; simpl in W; destruct (Pos.land r p) eqn:E || idtac; try discriminate;
      exists r; split; auto; simpl; rewrite E; simpl in *; congruence. }
  destruct Wq as (r & -> & Wq). rename r into q.
  destruct (IH _ Wq) as [k Hk]. exists k. change (N.pos q~0) with (2 * N.pos q). rewrite Hk. lia.
Qed.
Lemma low_power p : exists b, lowest_bit p = 2 ^ b.
Proof.
  induction p as [p IH|p IH|]; cbn [lowest_bit]; try (exists 0; reflexivity). destruct IH as [b IH]. exists (N.succ b). now rewrite IH, N.pow_succ_r'.
Qed.
Lemma divide_lxor c a b : (exists k, c = 2 ^ k) \/ c = 0 -> (c | a) -> (c | b) -> (c | N.lxor a b).
Proof.
  intros [[k ->]| ->] [p ->] [q ->].
  - exists (N.lxor p q). rewrite <- !N.shiftl_mul_pow2. symmetry. apply N.shiftl_lxor.
  - rewrite !N.mul_0_r. apply N.divide_0_r.
Qed.
Lemma divide_xorp c w d : (exists k, c = 2 ^ k) \/ c = 0 -> (c | w) -> (c | xorp w d).
Proof.
  intros P. destruct d as [|p]; cbn [xorp]; intros W; [apply N.divide_0_r|]. revert w W.
  induction p as [p IH|p IH|]; intros w W; cbn [xorpos]; auto.
  - apply divide_lxor; auto. apply IH. rewrite N.double_spec. apply N.divide_mul_r; auto.
  - apply IH. rewrite N.double_spec. apply N.divide_mul_r; auto.
Qed.
Lemma divide_digits c cc x ss : (cc = Xor -> (exists k, c = 2 ^ k) \/ c = 0) -> Forall (fun s => 0 < size s) ss ->
  (forall s, In s ss -> to s = x -> 1 < size s -> (c | weight s)) -> forall v st, (c | st) -> (c | digits_to cc x ss v st).
Proof.
  intros P. induction 1 as [|s ss Hs _ IH]; intros W v st D; cbn [digits_to]; auto. apply IH; [intros; apply W; simpl; auto|].
  destruct (deqb_spec x (to s)) as [->|]; auto. destruct (N.eq_dec (size s) 1) as [E|E].
  - rewrite E, N.mod_1_r. destruct cc; cbn [one xorp]; [rewrite N.mul_0_l, N.add_0_r|rewrite N.lxor_0_r]; auto.
  - assert (Dw : (c | weight s)) by (apply W; simpl; auto; lia). destruct cc; cbn [one].
    + apply N.divide_add_r; auto. apply N.divide_mul_r; auto.
    + apply divide_lxor; auto. apply divide_xorp; auto.
Qed.
Lemma divide_axes c cc x axs : (cc = Xor -> (exists k, c = 2 ^ k) \/ c = 0) -> Forall (fun s => 0 < size s) (flat_map subs axs) ->
  (forall s, In s (flat_map subs axs) -> to s = x -> 1 < size s -> (c | weight s)) -> forall vs st, (c | st) -> (c | axes_to cc x axs vs st).
Proof.
  intros P. induction axs as [|a axs IH]; cbn [flat_map]; intros S W [|v vs] st D; cbn [axes_to]; auto. apply Forall_app in S as [S1 S2].
  apply IH; auto; [intros; apply W; auto; apply in_or_app; auto|]. apply divide_digits; auto. intros; apply W; auto; apply in_or_app; auto.
Qed.
(** Theorem 4, divisors: every value of a derived axis is a multiple of its divisor, for any index. *)
Theorem divisor_holds L i j : good L -> length i = length (axes L) -> (divisor L j | land L i (Der j)).
Proof.
  intros C Li. pose proof (good_sizes L C) as S. destruct C as [O _].
  assert (F : forall s, In s (all_subs L) -> to s = Der j -> 1 < size s -> In s (feeding L j)).
  { intros s Hs E H. apply filter_In. split; auto. rewrite E, deqb_refl. apply N.ltb_lt; auto. }
  rewrite (land_solves L i Li O (Der j)). unfold divisor. destruct (comb_of (ders L) (Der j)).
  - set (l := feeding L j) in *. assert (D : (fold_right (fun s c => N.gcd (weight s) c) (first L (Der j)) l | first L (Der j)) /\
      forall s, In s l -> (fold_right (fun s c => N.gcd (weight s) c) (first L (Der j)) l | weight s)).
    { clear. induction l as [|u l [IH1 IH2]]; simpl; [split; [apply N.divide_refl|tauto]|]. split.
      - eapply N.divide_trans; [apply N.gcd_divide_r|auto].
      - intros s [->|H]; [apply N.gcd_divide_l|]. eapply N.divide_trans; [apply N.gcd_divide_r|auto]. }
    destruct D as [D1 D2]. apply divide_axes; auto. congruence.
  - set (l := feeding L j) in *. set (o := fold_right _ _ l).
    assert (D : within (first L (Der j)) o /\ forall s, In s l -> within (weight s) o).
    { unfold o. clear. induction l as [|u l [IH1 IH2]]; simpl; [split; [apply within_refl|tauto]|]. split; [apply within_or_r; auto|].
      intros s [->|H]; [apply within_or_l, within_refl|]. apply within_or_r; auto. }
    destruct D as [D1 D2]. apply divide_axes; auto using low_within.
    intros _. destruct o as [|p]; [auto|left; apply low_power].
Qed.

(** Digits whose values all are multiples of c: those within c are 0. *)
Fixpoint zeroed (c P : N) (sizes tops : list N) : list N :=
  match sizes, tops with s :: ss, t :: ts => (if c mod (P * s) =? 0 then 0 else t) :: zeroed c (P * s) ss ts | _, _ => [] end.
Lemma zeroed_right c u sizes : (c | u) -> Forall (fun s => 0 < s) sizes -> forall P tops, 0 < P ->
  Forall2 N.le (digits sizes (u / P)) tops -> Forall2 N.le (digits sizes (u / P)) (zeroed c P sizes tops).
Proof.
  intros D. induction 1 as [|s ss Hs _ IH]; intros P tops HP F; inversion F as [|d t ds ts F1 F2]; subst; cbn [digits zeroed]; constructor.
  - destruct (N.eqb_spec (c mod (P * s)) 0) as [E|]; auto. apply N.mod_divide in E; [|lia].
    assert (Q : (P * s | u)) by (eapply N.divide_trans; eauto). destruct Q as [k ->].
    replace (k * (P * s)) with (k * s * P) by ring. rewrite N.div_mul, N.mod_mul by lia. lia.
  - rewrite N.div_div in * by lia. apply IH; auto. lia.
Qed.

(** * The test with these tops: `Layout::digits` *)

Definition commons L : list N := repeat 1 (length (axes L)) ++ map (divisor L) (seq 0 (length (ders L))).
Fixpoint all_tops (axs : list axis) (commons greatest : list N) : topped :=
  match axs, commons, greatest with
  | a :: axs, c :: commons, g :: greatest =>
      combine (subs a) (zeroed c 1 (map size (subs a)) (reaches (map size (subs a)) g)) :: all_tops axs commons greatest
  | _, _, _ => []
  end.
Definition rust_tops L : topped := all_tops (nodes L) (commons L) (greatest_values L).

Lemma len_zeroed c sizes : forall P tops, length tops = length sizes -> length (zeroed c P sizes tops) = length sizes.
Proof. induction sizes as [|s ss IH]; intros P [|t ts] H; simpl in *; try lia. rewrite IH; lia. Qed.
Lemma len_greatest all ds : forall n b, length (greatest_ders all ds n b) = length ds.
Proof. induction ds; simpl; intros; auto. Qed.
Lemma rust_tops_subs L : map (map fst) (rust_tops L) = map subs (nodes L).
Proof.
  unfold rust_tops. assert (E1 : length (commons L) = length (nodes L)) by (unfold commons, nodes; rewrite !app_length, !map_length, repeat_length, seq_length; lia).
  assert (E2 : length (greatest_values L) = length (nodes L)) by (unfold greatest_values, nodes; rewrite !app_length, !map_length, len_greatest; lia).
  revert E1 E2. generalize (commons L), (greatest_values L). induction (nodes L) as [|a axs IH]; intros [|c cs] [|g gs] E1 E2; simpl in *; try lia; auto.
  rewrite IH by lia. f_equal. apply map_fst_combine. rewrite len_zeroed; rewrite ?len_reaches, ?map_length; auto.
Qed.
Lemma rust_tops_hold L i : good L -> real_index L i -> Forall2 (fun v ax => v < extent ax) (vals L i) (nodes L) ->
  tops_hold L (rust_tops L) i.
Proof.
  intros C R I3. pose proof (good_sizes L C) as S. pose proof (greatest_hold L i C R I3) as G. pose proof (f2_len _ _ _ R) as Li.
  assert (D : Forall2 (fun c v => (c | v)) (commons L) (vals L i)).
  { unfold commons, vals. apply Forall2_app.
    - rewrite <- Li. clear. induction i; simpl; constructor; auto. apply N.divide_1_l.
    - generalize (seq 0 (length (ders L))). induction l; simpl; constructor; auto. apply divisor_holds; auto. }
  unfold tops_hold, rust_tops, all_subs in *. revert I3 G D S. generalize (vals L i), (commons L), (greatest_values L). clear.
  induction (nodes L) as [|a axs IH]; intros vs cs gs I3 G D S; inversion I3 as [|v ? vs' ? _ I3']; subst; inversion G as [|? g ? gs' Hg G']; subst; inversion D as [|c ? cs' ? Hc D']; subst; cbn [all_tops]; constructor.
  - cbn [flat_map] in S. apply Forall_app in S as [S _]. assert (Sz : Forall (fun s => 0 < s) (map size (subs a))) by (apply Forall_map; auto).
    pose proof (zeroed_right c v (map size (subs a)) Hc Sz 1 (reaches (map size (subs a)) g)) as Z. rewrite N.div_1_r in Z.
    specialize (Z ltac:(lia) (reaches_hold _ Sz _ _ Hg)). pose proof (f2_len _ _ _ Z) as Lz.
    rewrite map_fst_combine by (rewrite len_zeroed; rewrite ?len_reaches, ?map_length; auto).
    clear - Z. revert Z. generalize (zeroed c 1 (map size (subs a)) (reaches (map size (subs a)) g)). generalize v. generalize (subs a).
    induction l as [|s ss IH]; simpl; intros w [|t ts] Z; inversion Z; subst; simpl; constructor; auto.
  - cbn [flat_map] in S. apply Forall_app in S as [_ S]. apply IH; auto.
Qed.
(** Theorem 4: if the test says yes with Rust's tops, copies (of one element or of two) share no place. *)
Theorem nesting_decides L i1 c1 i2 c2 :
  checked L = true -> invariant_3 L -> apart (explicit L) (rust_tops (explicit L)) ->
  real_index L i1 -> real_index L i2 -> c1 < copies L -> c2 < copies L ->
  (forall l, copy_place L i1 c1 l = copy_place L i2 c2 l) -> i1 = i2 /\ c1 = c2.
Proof.
  intros C I3 A R1 R2 H1 H2. destruct (checked_nodes L C) as (O & _). destruct (checked_good L C) as [_ G].
  assert (T : forall i c, real_index L i -> c < copies L -> tops_hold (explicit L) (rust_tops (explicit L)) (i ++ [c])).
  { intros i c R Hc. apply rust_tops_hold; auto using explicit_real. unfold real_index, explicit; cbn [axes].
    apply Forall2_app; auto. }
  apply (copies_apart L (rust_tops (explicit L))); auto using rust_tops_subs.
Qed.

(** * Dropped hypotheses *)

(** The tops say more than the extents: a value 2 a + 4 b, below 8 but even, nests where 8 values would not. *)
Definition evens := Layout [Axis 2 [Sub 2 (Der 0) 2]; Axis 2 [Sub 2 (Der 0) 4]; Axis 2 [Sub 2 (Level 0) 1]]
  [Derived Sum 0 (Axis 8 [Sub 2 (Level 0) 1; Sub 4 (Level 0) 2])] [] [] [0%nat] [].
Example more_than_extents : greatest_values evens = [1; 1; 1; 6] /\ divisor evens 0 = 2 /\
  map (map snd) (rust_tops evens) = [[1]; [1]; [1]; [0; 3]] /\ reaches [2; 4] 7 = [1; 3].
Proof. repeat split; reflexivity. Qed.
(** Invariant 3: without it a value is above the greatest, which Rust cuts at the extent. *)
Definition beyond := Layout [Axis 4 [Sub 4 (Der 0) 1]] [Derived Sum 0 (Axis 2 [Sub 4 (Level 0) 1])] [] [] [0%nat] [].
Example invariant_3_needed : greatest_values beyond = [3; 1] /\ land beyond [3] (Der 0) = 3. Proof. split; reflexivity. Qed.
(** The greatest sum need not be that of the greatest value: up to 10 it is 3, of 7 = 3 + 4, where 10 = 2 + 8 adds 2. *)
Example greatest_of_sums : greatest_sum (Level 0) [Sub 4 (Level 0) 1; Sub 4 (Level 0) 0] 10 0 0 = 3 /\
  digits_to Sum (Level 0) [Sub 4 (Level 0) 1; Sub 4 (Level 0) 0] 10 0 = 2. Proof. split; reflexivity. Qed.
(** A digit of size 1 does not count for the divisor; one of size 2 does. *)
Example size_matters : divisor (Layout [Axis 1 [Sub 1 (Der 0) 1]] [Derived Sum 4 (Axis 8 [Sub 8 (Level 0) 1])] [] [] [] []) 0 = 4 /\
  divisor (Layout [Axis 2 [Sub 2 (Der 0) 1]] [Derived Sum 4 (Axis 8 [Sub 8 (Level 0) 1])] [] [] [] []) 0 = 1. Proof. split; reflexivity. Qed.

Definition theorems := (@greatest_hold, @divisor_holds, @nesting_decides).
Print Assumptions theorems.
