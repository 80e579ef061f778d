(** Theorem 7: rules of `simplified` (`src/algebra/simplify.rs`, `xor_simplify.rs`) keep the map, rule by rule.

    Here: units are dropped, two neighbours that step evenly are merged (in sums and XORs), a sum that one digit feeds takes
    its place (both cases of `joined`), an XOR whose bits do not overlap is a sum, constant axes move to the front of an
    axis. Cancel.v: a common divisor cancels. Rules.v: what merges, cuts and removes. Flips.v: XORs. Regroup.v: digits of
    compositions. Plain.v: derived axes as plain digits. *)
From Coq Require Import NArith List Lia Bool Arith Permutation.
Require Import TensorLayout.Radix TensorLayout.Model TensorLayout.Equations TensorLayout.Bound TensorLayout.Nest TensorLayout.Xor.
Import ListNotations.
Open Scope N_scope.
Local Arguments deqb : simpl never.

(** * Rules for one axis *)

(** Two lists of digits add the same to every destination while their axis has the value v. *)
Definition agree (cs : dest -> comb) (v : N) (a b : list sub) : Prop :=
  forall x st, digits_to (cs x) x a v st = digits_to (cs x) x b v st.
Fixpoint all_agree cs (vs : list N) (A B : list axis) : Prop :=
  match vs, A, B with
  | v :: vs, a :: A, b :: B => agree cs v (subs a) (subs b) /\ all_agree cs vs A B
  | [], [], [] => True
  | _, _, _ => False
  end.
Definition same_heads L L' := length (axes L) = length (axes L') /\ length (ders L) = length (ders L') /\
  (forall x, comb_of (ders L) x = comb_of (ders L') x) /\ forall x, first L x = first L' x.

Lemma axes_agree cs x : forall vs A B st, all_agree cs vs A B -> axes_to (cs x) x A vs st = axes_to (cs x) x B vs st.
Proof.
  induction vs as [|v vs IH]; intros [|a A] [|b B] st H; simpl in H; try contradiction; auto.
  destruct H as [H1 H2]. simpl. rewrite H1. apply IH; auto.
Qed.
(** Theorem 7, any rule inside axes: if the digits of every axis add the same for the values that an index gives, the
    places are the same. *)
Theorem inside_axes L L' i : ordered 0 (ders L) -> ordered 0 (ders L') -> length i = length (axes L) -> same_heads L L' ->
  all_agree (comb_of (ders L)) (vals L i) (nodes L) (nodes L') -> forall x, land L' i x = land L i x.
Proof.
  intros O O' Li (La & Ld & Hc & Hf) A x. symmetry. apply land_unique; auto; [congruence|].
  intros y. rewrite (land_solves L i Li O y). fold (nodes L) (vals L i). rewrite (axes_agree _ y _ _ _ _ A).
  unfold vals. rewrite <- Hc, <- Hf, <- Ld. reflexivity.
Qed.

(** Units: digits of size 1 are always 0 (`drop_units`, which keeps some). For every value, padding included. *)
Theorem units cs keep ss v : Forall (fun s => keep s = false -> size s = 1) ss -> agree cs v (filter keep ss) ss.
Proof.
  intros U x st. revert v st. induction U as [|s ss H _ IH]; intros v st; auto. cbn [filter digits_to].
  destruct (keep s); cbn [digits_to]; [apply IH|]. rewrite H by auto.
  rewrite N.mod_1_r, N.div_1_r, IH. f_equal. destruct (deqb x (to s)); auto. destruct (cs x); cbn [one xorp]; [lia|now rewrite N.lxor_0_r].
Qed.

(** Merging: a digit joins the next more major one where all its steps make one of that one (`steps_evenly`); in an XOR the
    size of the minor one is a power of two. *)
Lemma bit_columns_app a b : forall w, bit_columns w (a + b) = bit_columns w a ++ bit_columns (2 ^ N.of_nat a * w) b.
Proof.
  induction a as [|a IH]; intros w; cbn [Nat.add bit_columns app].
  - change (2 ^ N.of_nat 0) with 1. now rewrite N.mul_1_l.
  - rewrite IH, Nat2N.inj_succ, N.pow_succ_r', N.double_spec. do 3 f_equal. lia.
Qed.
Lemma xorp_columns n w d : d < 2 ^ N.of_nat n -> xorp w d = xor_of (bit_columns w n) 0 d.
Proof.
  intros H. pose proof (xor_bits n w d [] 0 H) as E. rewrite app_nil_r, N.mul_0_r, N.add_0_r in E. rewrite E. simpl. now rewrite N.lxor_0_r.
Qed.
Lemma xorp_split a w d e : d < 2 ^ N.of_nat a -> xorp w (d + 2 ^ N.of_nat a * e) = N.lxor (xorp w d) (xorp (2 ^ N.of_nat a * w) e).
Proof.
  intros H. set (b := N.to_nat (N.size e)).
  assert (He : e < 2 ^ N.of_nat b) by (unfold b; rewrite N2Nat.id; apply N.size_gt).
  rewrite (xorp_columns (a + b)).
  - rewrite bit_columns_app, xor_bits by auto. f_equal. symmetry. apply xorp_columns; auto.
  - rewrite Nat2N.inj_add, N.pow_add_r. eapply N.lt_le_trans; [|apply (N.mul_le_mono_l (e + 1)); lia]. lia.
Qed.
Theorem merging cs n m x w pre post v : 0 < n -> (cs x = Xor -> exists a, n = 2 ^ N.of_nat a) -> Forall (fun s => 0 < size s) pre -> 0 < m ->
  agree cs v (pre ++ Sub (n * m) x w :: post) (pre ++ Sub n x w :: Sub m x (n * w) :: post).
Proof.
  intros Hn Hx Hp Hm y st. revert v st. induction Hp as [|s pre Hs _ IH]; intros v st; cbn [app digits_to size to weight]; [|apply IH].
  rewrite N.div_div by lia. f_equal. destruct (deqb_spec y x) as [->|]; auto.
  rewrite N.mod_mul_r by lia. destruct (cs x) eqn:E; cbn [one].
  - generalize ((v / n) mod m) (v mod n). intros. lia.
  - destruct (Hx eq_refl) as (a & ->). rewrite xorp_split by (apply N.mod_lt; lia). now rewrite N.lxor_assoc.
Qed.

(** Constants: digits in front of an axis are 0 for values that the others write (`lead_with_constants` moves the digits
    of a derived axis with start 0 that nothing feeds). *)
Lemma digits_zero c x ss : forall st, digits_to c x ss 0 st = st.
Proof.
  induction ss as [|s ss IH]; intros st; cbn [digits_to]; auto.
  replace (0 / size s) with 0 by (destruct (size s); reflexivity). replace (0 mod size s) with 0 by (destruct (size s); reflexivity).
  rewrite IH. destruct (deqb x (to s)); auto. destruct c; cbn [one xorp]; [lia|apply N.lxor_0_r].
Qed.
Theorem constants cs ss extra v : Forall (fun s => 0 < size s) ss -> v < slots ss -> agree cs v (ss ++ extra) ss /\ agree cs 0 [] extra.
Proof.
  intros P Hv. split; intros x st; [|symmetry; apply digits_zero]. revert v Hv st. induction P as [|s ss Hs _ IH]; intros v Hv st; cbn [app digits_to].
  - unfold slots in Hv; simpl in Hv. assert (v = 0) by lia. subst. apply digits_zero.
  - apply IH. unfold slots in *; simpl in Hv. apply N.div_lt_upper_bound; lia.
Qed.

(** * A derived axis that one digit feeds *)

Fixpoint digs (ss : list sub) (v : N) : list (sub * N) :=
  match ss with [] => [] | s :: ss => (s, v mod size s) :: digs ss (v / size s) end.
Fixpoint alld (axs : list axis) (vs : list N) : list (sub * N) :=
  match axs, vs with a :: axs, v :: vs => digs (subs a) v ++ alld axs vs | _, _ => [] end.
Definition tot c x (l : list (sub * N)) (st : N) :=
  fold_left (fun st sd => if deqb x (to (fst sd)) then one c (weight (fst sd)) (snd sd) st else st) l st.
Lemma one_comm c w d w' d' st : one c w d (one c w' d' st) = one c w' d' (one c w d st).
Proof. destruct c; simpl; [lia|]. rewrite !N.lxor_assoc. f_equal. apply N.lxor_comm. Qed.
Lemma tot_perm c x l l' : Permutation l l' -> forall st, tot c x l st = tot c x l' st.
Proof.
  induction 1 as [|sd l l' H IH|sd sd' l|l1 l2 l3 H1 IH1 H2 IH2]; intros st; auto.
  - apply IH.
  - unfold tot; simpl. f_equal.
    destruct (deqb x (to (fst sd))), (deqb x (to (fst sd'))); auto. apply one_comm.
  - now rewrite IH1.
Qed.
Lemma digits_tot c x ss : forall v st, digits_to c x ss v st = tot c x (digs ss v) st.
Proof. induction ss as [|s ss IH]; simpl; intros v st; [reflexivity|apply IH]. Qed.
Lemma axes_tot c x axs : forall vs st, axes_to c x axs vs st = tot c x (alld axs vs) st.
Proof.
  induction axs as [|a axs IH]; intros [|v vs] st; simpl; auto.
  unfold tot. rewrite fold_left_app. rewrite IH, digits_tot. reflexivity.
Qed.
Lemma alld_app a1 a2 v1 v2 : length a1 = length v1 -> alld (a1 ++ a2) (v1 ++ v2) = alld a1 v1 ++ alld a2 v2.
Proof. revert v1; induction a1; intros [|v v1]; simpl; intros; try lia; auto. rewrite IHa1, app_assoc by lia; auto. Qed.

Lemma digs_app s1 s2 v : Forall (fun s => 0 < size s) s1 -> digs (s1 ++ s2) v = digs s1 v ++ digs s2 (v / slots s1).
Proof.
  intros H; revert v; induction H as [|s s1 Hs H IH]; simpl; intros v; [now rewrite N.div_1_r|].
  f_equal. rewrite IH. f_equal. f_equal. unfold slots; simpl. apply N.div_div; [lia|].
  clear - H. induction H; simpl; lia.
Qed.
Lemma slots_pos ss : Forall (fun s => 0 < size s) ss -> 0 < slots ss.
Proof. unfold slots; induction 1; simpl; lia. Qed.
Lemma digs_mod ss : Forall (fun s => 0 < size s) ss -> forall v, digs ss (v mod slots ss) = digs ss v.
Proof.
  induction 1 as [|s ss Hs H IH]; simpl; intros v; auto. unfold slots; simpl. fold (slots ss).
  pose proof (slots_pos _ H).
  rewrite N.mod_mul_r by lia. f_equal.
  - f_equal. rewrite N.add_mod, (N.mul_comm (size s)), N.mod_mul, N.add_0_r, !N.mod_mod by lia. auto.
  - rewrite (N.mul_comm (size s)), N.div_add, N.div_small, N.add_0_l by (lia || apply N.mod_lt; lia). auto.
Qed.

Lemma alld_forall (P : sub -> Prop) axs : Forall P (flat_map subs axs) -> forall vs, Forall (fun sd => P (fst sd)) (alld axs vs).
Proof.
  assert (D : forall ss, Forall P ss -> forall v, Forall (fun sd => P (fst sd)) (digs ss v)).
  { induction 1; simpl; constructor; auto. }
  induction axs; simpl; intros H [|v vs]; auto. apply Forall_app in H as [? ?]. apply Forall_app; auto.
Qed.
Lemma digs_forall (P : sub -> Prop) ss : Forall P ss -> forall v, Forall (fun sd => P (fst sd)) (digs ss v).
Proof. induction 1; simpl; constructor; auto. Qed.
Lemma alld_same axs : forall vs ws, length vs = length ws ->
  (forall k a, nth_error axs k = Some a -> nth k vs 0 = nth k ws 0 \/ subs a = []) -> alld axs vs = alld axs ws.
Proof.
  induction axs as [|a axs IH]; intros [|v vs] [|w ws] L H; simpl in *; try lia; auto.
  rewrite (IH vs ws) by (try lia; intros k b Hk; apply (H (Datatypes.S k) b Hk)).
  destruct (H 0%nat a eq_refl) as [E|E]; simpl in E; rewrite E; auto.
Qed.
Lemma tot_none c x l : Forall (fun sd => to (fst sd) <> x) l -> forall st, tot c x l st = st.
Proof.
  unfold tot; induction 1 as [|sd l H F IH]; simpl; intros st; auto.
  destruct (deqb_spec x (to (fst sd))); [congruence|apply IH].
Qed.

Lemma nth_map_seq (g : nat -> N) n k : nth k (map g (seq 0 n)) 0 = if (k <? n)%nat then g k else 0.
Proof.
  destruct (Nat.ltb_spec k n).
  - rewrite (nth_indep _ 0 (g 0%nat)) by (rewrite map_length, seq_length; auto). rewrite map_nth, seq_nth; auto.
  - apply nth_overflow. rewrite map_length, seq_length; auto.
Qed.

Definition vals_of L (i : list N) (v : acc) := i ++ map (fun j => v (Der j)) (seq 0 (length (ders L))).
(** A digit that feeds derived axis j is dropped, and so is everything of j. *)
Lemma drop_feeder L L' i j s q rest v : 
  solves L i v -> same_heads L L' -> to s = Der j ->
  Permutation (alld (nodes L) (vals_of L i v)) ((s, q) :: rest) ->
  Forall (fun sd => to (fst sd) <> Der j) rest ->
  let v' := fun x => if deqb x (Der j) then first L x else v x in
  Permutation (alld (nodes L') (vals_of L' i v')) rest -> solves L' i v'.
Proof.
  intros S (_ & Ld & Hc & Hf) Hs P F v' P' x. unfold solves in S.
  fold (nodes L') (vals_of L' i v'). rewrite axes_tot, (tot_perm _ _ _ _ P'), <- Hc, <- Hf.
  unfold v'. destruct (deqb_spec x (Der j)) as [->|n].
  - clear - F. generalize (first L (Der j)). induction F as [|sd l H F IH]; intros st; auto.
    unfold tot in *; simpl. destruct (deqb_spec (Der j) (to (fst sd))); [congruence|]. apply IH.
  - rewrite (S x). fold (nodes L) (vals_of L i v). rewrite axes_tot, (tot_perm _ _ _ _ P). unfold tot; simpl.
    destruct (deqb_spec x (to s)); congruence.
Qed.

(** Splicing (`splice_all`, `joined`): a sum that one digit of weight 1 feeds gives its digits to the axis of that digit.
    Either it writes exactly the values of the digit (`is_exact`), and the places of every index stay, padding included;
    or the digit is the major-most of its axis, and those of every index stay that gives the axis a value below its slots. *)
Theorem splice L L' i j N1 N2 N3 e e2 n pre D post :
  length i = length (axes L) -> ordered 0 (ders L) -> ordered 0 (ders L') -> same_heads L L' ->
  nodes L = N1 ++ [Axis e (pre ++ [Sub n (Der j) 1] ++ post)] ++ N2 ++ [Axis e2 D] ++ N3 ->
  nodes L' = N1 ++ [Axis e (pre ++ D ++ post)] ++ N2 ++ [Axis e2 []] ++ N3 ->
  (j < length (ders L))%nat -> length (N1 ++ [Axis e []] ++ N2) = (length (axes L) + j)%nat ->
  comb_of (ders L) (Der j) = Sum -> first L (Der j) = 0 ->
  n = slots D \/ (post = [] /\ nth (length N1) (vals L i) 0 < slots pre * n) ->
  Forall (fun s => 0 < size s) pre -> Forall (fun s => 0 < size s) D ->
  Forall (fun s => to s <> Der j) (flat_map subs N1 ++ pre ++ post ++ flat_map subs N2 ++ D ++ flat_map subs N3) ->
  forall l, place L' i l = place L i l.
Proof.
  intros Li O O' SH EN EN' Hj Ln Hc Hf Ex Hp HD F l. pose proof SH as (La & Ld & _).
  set (v := land L i). pose proof (land_solves L i Li O) as S. fold v in S.
  set (v' := fun x => if deqb x (Der j) then first L x else v x).
  change (place L i l) with (v' (Level l)). symmetry. apply land_unique; [congruence|auto|].
  (* the values of the nodes, in five parts *)
  assert (Lv : length (vals_of L i v) = length (nodes L)) by (unfold vals_of, nodes; rewrite !app_length, !map_length, seq_length; lia).
  rewrite EN in Lv. repeat (rewrite app_length in Lv; simpl in Lv). repeat (rewrite app_length in Ln; simpl in Ln).
  remember (length N1) as k eqn:Hk. remember (length N2) as m eqn:Hm.
  assert (E : exists V1 a V2 b V3, vals_of L i v = V1 ++ [a] ++ V2 ++ [b] ++ V3 /\ length V1 = k /\ length V2 = m /\ length V3 = length N3).
  { revert Lv. generalize (vals_of L i v). intros V LV.
    exists (firstn k V). destruct (skipn k V) as [|a W] eqn:EW; [apply (f_equal (@length N)) in EW; rewrite skipn_length in EW; simpl in EW; lia|].
    exists a, (firstn m W). pose proof (f_equal (@length N) EW) as LW. rewrite skipn_length in LW; simpl in LW.
    destruct (skipn m W) as [|b X] eqn:EX; [apply (f_equal (@length N)) in EX; rewrite skipn_length in EX; simpl in EX; lia|].
    exists b, X. pose proof (f_equal (@length N) EX) as LX. rewrite skipn_length in LX; simpl in LX.
    rewrite !firstn_length. repeat split; try lia. simpl. rewrite <- EX, firstn_skipn, <- EW. symmetry; apply firstn_skipn. }
  destruct E as (V1 & a & V2 & b & V3 & EV & L1 & L2 & L3).
  (* b is the value of j *)
  assert (Eb : b = v (Der j)).
  { assert (nth (length (axes L) + j) (vals_of L i v) 0 = b).
    { rewrite EV. rewrite app_nth2 by lia. simpl. replace (length (axes L) + j - length V1)%nat with (Datatypes.S m) by lia.
      simpl. rewrite app_nth2 by lia. replace (m - length V2)%nat with 0%nat by lia. reflexivity. }
    rewrite <- H. unfold vals_of. rewrite app_nth2 by lia. replace (length (axes L) + j - length i)%nat with j by lia.
    rewrite (nth_indep _ 0 (v (Der 0))) by (rewrite map_length, seq_length; auto).
    rewrite (map_nth (fun j => v (Der j))), seq_nth by auto. auto. }
  set (w := a / slots pre). set (q := w mod n). set (sj := Sub n (Der j) 1).
  set (rest := alld N1 V1 ++ digs pre a ++ digs post (w / n) ++ alld N2 V2 ++ digs D b ++ alld N3 V3).
  assert (P : Permutation (alld (nodes L) (vals_of L i v)) ((sj, q) :: rest)).
  { rewrite EN, EV. rewrite !alld_app by (simpl; lia). simpl. rewrite !app_nil_r.
    rewrite digs_app by auto. simpl. fold w q sj. unfold rest. rewrite <- !app_assoc. simpl.
    rewrite !app_assoc. rewrite <- (app_assoc _ (digs post _)), <- !app_assoc. rewrite (app_assoc (alld N1 V1)).
    symmetry. rewrite (app_assoc (alld N1 V1)). apply Permutation_middle. }
  assert (FR : Forall (fun sd => to (fst sd) <> Der j) rest).
  { rewrite !Forall_app in F. destruct F as (F1 & F2 & F3 & F4 & F5 & F6).
    unfold rest. rewrite !Forall_app. repeat split;
      (apply (alld_forall (fun s => to s <> Der j)) || apply (digs_forall (fun s => to s <> Der j))); auto. }
  assert (Q : b = q).
  { rewrite Eb, (S (Der j)). fold (nodes L) (vals_of L i v). rewrite axes_tot, (tot_perm _ _ _ _ P), Hc, Hf.
    change (tot Sum (Der j) rest (if deqb (Der j) (Der j) then 0 + q * 1 else 0) = q).
    destruct (deqb_spec (Der j) (Der j)); [|congruence]. rewrite tot_none by auto. lia. }
  apply (drop_feeder L L' i j sj q rest v); auto.
  fold v'. assert (Lw : length (vals_of L' i v') = length (vals_of L i v)) by (unfold vals_of; rewrite !app_length, !map_length, !seq_length; lia).
  rewrite (alld_same (nodes L') _ (vals_of L i v) Lw).
  - rewrite EN', EV. rewrite !alld_app by (simpl; lia). simpl. rewrite !app_nil_r.
    rewrite !digs_app by auto. fold w.
    assert (Dw : digs D w = digs D b /\ digs post (w / slots D) = digs post (w / n)).
    { destruct Ex as [->|[-> B]]; [rewrite Q; unfold q; now rewrite digs_mod|]. split; [|reflexivity]. f_equal. rewrite Q. symmetry. apply N.mod_small.
      apply N.div_lt_upper_bound; [pose proof (slots_pos _ Hp); lia|].
      change (vals L i) with (vals_of L i v) in B. rewrite EV, <- L1, app_nth2, Nat.sub_diag in B by auto. exact B. }
    destruct Dw as [-> ->]. unfold rest.
    apply Permutation_app_head. rewrite <- !app_assoc. apply Permutation_app_head.
    rewrite !app_assoc. apply Permutation_app_tail.
    rewrite <- app_assoc. apply Permutation_app_comm.
  - intros u x Hx. destruct (Nat.eq_dec u (length (axes L) + j)) as [->|Hn].
    + right. rewrite EN' in Hx. rewrite nth_error_app2 in Hx by lia. simpl in Hx.
      replace (length (axes L) + j - length N1)%nat with (Datatypes.S m) in Hx by lia. simpl in Hx.
      rewrite nth_error_app2 in Hx by lia. replace (m - length N2)%nat with 0%nat in Hx by lia.
      simpl in Hx. inversion Hx; auto.
    + left. unfold vals_of. destruct (Nat.lt_ge_cases u (length i)) as [H|H]; [rewrite !app_nth1; auto|].
      rewrite !app_nth2 by auto. rewrite <- Ld.
      rewrite (nth_map_seq (fun j => v' (Der j))), (nth_map_seq (fun j => v (Der j))).
      unfold v'. destruct (deqb_spec (Der (u - length i)) (Der j)) as [Ej|]; auto. inversion Ej. lia.
Qed.


(** * An XOR whose bits do not overlap *)

(** `is_carried`: some bit is in two of these numbers. *)
Fixpoint carried (taken : N) (cols : list N) : bool :=
  match cols with [] => false | c :: cols => negb (N.land taken c =? 0) || carried (N.lor taken c) cols end.
Fixpoint sum_of (cols : list N) (a m : N) : N :=
  match cols with [] => 0 | c :: cols => (if N.testbit m a then c else 0) + sum_of cols (N.succ a) m end.
(** v has only bits of t. *)
Definition within (v t : N) := N.land v t = v.
Lemma within_land v t c : within v t -> N.land t c = 0 -> N.land v c = 0.
Proof. unfold within. intros <- H. now rewrite <- N.land_assoc, H, N.land_0_r. Qed.
Lemma within_lor v w t c : within v t -> within w c -> within (N.lxor v w) (N.lor t c).
Proof.
  unfold within. intros Hv Hw. apply N.bits_inj. intros k. apply (f_equal (fun x => N.testbit x k)) in Hv, Hw.
  rewrite !N.land_spec, !N.lxor_spec, N.lor_spec in *. destruct (N.testbit v k), (N.testbit w k), (N.testbit t k), (N.testbit c k); simpl in *; congruence.
Qed.
Lemma not_carried cols : forall t v a m, within v t -> carried t cols = false -> v + sum_of cols a m = N.lxor v (xor_of cols a m).
Proof.
  induction cols as [|c cols IH]; intros t v a m Hv H; cbn [sum_of xor_of carried] in *; [now rewrite N.add_0_r, N.lxor_0_r|].
  apply orb_false_iff in H as [Hc H]. apply negb_false_iff, N.eqb_eq in Hc.
  set (d := if N.testbit m a then c else 0).
  assert (Wd : within d c) by (unfold d, within; destruct (N.testbit m a); [apply N.land_diag|reflexivity]).
  assert (E : v + d = N.lxor v d).
  { apply N.add_nocarry_lxor. unfold d. destruct (N.testbit m a); [eapply within_land; eauto|apply N.land_0_r]. }
  rewrite N.add_assoc, E, (IH (N.lor t c)), N.lxor_assoc; auto. apply within_lor; auto.
Qed.
Lemma sum_of_next cols : forall a m, sum_of cols (N.succ a) m = sum_of cols a (N.div2 m).
Proof. induction cols as [|c cols IH]; simpl; intros a m; auto. now rewrite IH, N.div2_spec, N.shiftr_spec, N.add_1_r by lia. Qed.
Lemma sum_bits n : forall w d rest m, d < 2 ^ N.of_nat n ->
  sum_of (bit_columns w n ++ rest) 0 (d + 2 ^ N.of_nat n * m) = d * w + sum_of rest 0 m.
Proof.
  induction n as [|n IH]; intros w d rest m H.
  - change (2 ^ N.of_nat 0) with 1 in *. assert (d = 0) by lia. subst. now rewrite N.add_0_l, N.mul_1_l.
  - rewrite Nat2N.inj_succ, N.pow_succ_r' in *. cbn [bit_columns app sum_of]. rewrite (sum_of_next _ 0).
    assert (E : d + 2 * 2 ^ N.of_nat n * m = N.b2n (N.odd d) + 2 * (N.div2 d + 2 ^ N.of_nat n * m)) by (rewrite (N.div2_odd d) at 1; lia).
    rewrite E, N.add_b2n_double_bit0, N.div2_div, N.add_b2n_double_div2, IH, N.double_spec.
    + rewrite (N.div2_odd d) at 3. destruct (N.odd d); simpl N.b2n; lia.
    + pose proof (N.div2_odd d). lia.
Qed.
Definition sums (l : list (N * N)) := fold_right (fun '(w, d) r => d * w + r) 0 l.
Lemma mask_sum l ds : Forall2 (fun d t => d <= fst t) ds l -> sum_of (columns l) 0 (mask_of l ds) = sums (combine (map snd l) ds).
Proof.
  induction 1 as [|d [top w] ds l H _ IH]; auto. cbn [columns flat_map mask_of map combine sums fold_right fst snd] in *.
  rewrite sum_bits by (apply top_bits; auto). f_equal. exact IH.
Qed.
(** Theorem 7, XOR as sum (`xors_simplified`): where no column of the digits overlaps another, or the start, the XOR of
    digits up to their tops is their sum. *)
Theorem xor_is_sum start l ds : carried start (columns l) = false -> Forall2 (fun d t => d <= fst t) ds l ->
  N.lxor start (xors (combine (map snd l) ds)) = start + sums (combine (map snd l) ds).
Proof.
  intros C H. rewrite <- mask_xor, <- mask_sum by auto. symmetry. apply not_carried with start; auto. apply N.land_diag.
Qed.

(** * Dropped hypotheses *)

(** A unit that is dropped has size 1; a digit of size 2 moves. *)
Example not_a_unit : digits_to Sum (Level 0) [Sub 2 (Level 0) 5] 1 0 <> digits_to Sum (Level 0) [] 1 0. Proof. discriminate. Qed.
(** 3 x 1 then 2 x 4 do not step evenly: 3 is at 4, not at 3. *)
Example not_even : digits_to Sum (Level 0) [Sub 3 (Level 0) 1; Sub 2 (Level 0) 4] 3 0 <> digits_to Sum (Level 0) [Sub 6 (Level 0) 1] 3 0.
Proof. discriminate. Qed.
(** In an XOR the minor size must be a power of two: 3 x 1 and 2 x 3 flip 2 ^ 3 for 5, one digit of 6 flips 5. *)
Example odd_xor : digits_to Xor (Level 0) [Sub 3 (Level 0) 1; Sub 2 (Level 0) 3] 5 0 <> digits_to Xor (Level 0) [Sub 6 (Level 0) 1] 5 0.
Proof. discriminate. Qed.
(** Splicing a digit that is not the major-most and is not exact: 2 of 3 values, padding inside. *)
Definition inner := Layout [Axis 4 [Sub 2 (Der 0) 1; Sub 2 (Level 0) 10]] [Derived Sum 0 (Axis 2 [Sub 3 (Level 0) 1])] [] [] [0%nat] [].
Definition inner_spliced := Layout [Axis 4 [Sub 3 (Level 0) 1; Sub 2 (Level 0) 10]] [Derived Sum 0 (Axis 2 [])] [] [] [0%nat] [].
Example inexact_inside : place inner [2] 0 = 10 /\ place inner_spliced [2] 0 = 2. Proof. split; reflexivity. Qed.
(** The major-most digit, inexact: real indexes keep their places, padding does not (Rust keeps its slots). *)
Definition outer := Layout [Axis 2 [Sub 2 (Der 0) 1]] [Derived Sum 0 (Axis 2 [Sub 3 (Level 0) 1])] [] [] [0%nat] [].
Definition outer_spliced := Layout [Axis 2 [Sub 3 (Level 0) 1]] [Derived Sum 0 (Axis 2 [])] [] [] [0%nat] [].
Example padding_moves : map (fun i => place outer [i] 0) [0; 1; 2] = [0; 1; 0] /\ map (fun i => place outer_spliced [i] 0) [0; 1; 2] = [0; 1; 2].
Proof. split; reflexivity. Qed.
(** Overlapping bits: 3 ^ 1 is no sum. *)
Example overlap : carried 0 (columns [(1, 3); (1, 1)]) = true /\ xors [(3, 1); (1, 1)] <> sums [(3, 1); (1, 1)]. Proof. split; [reflexivity|discriminate]. Qed.
(** Digits in front of values that the others do not write. *)
Example not_constant : digits_to Sum (Level 0) [Sub 2 (Level 0) 1; Sub 2 (Level 0) 7] 2 0 <> digits_to Sum (Level 0) [Sub 2 (Level 0) 1] 2 0.
Proof. discriminate. Qed.

Definition theorems := (@inside_axes, @units, @merging, @constants, @splice, @xor_is_sum).
Print Assumptions theorems.
