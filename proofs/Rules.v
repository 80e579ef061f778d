(** Theorem 7, rules that take digits and axes away: neighbours that step evenly are merged, sums and flips in one function
    (`merged` of `src/algebra/steps.rs`, which `with_merged_flips` and `with_merged_digits` apply); digits are cut to the
    greatest values (`merged_digits`, and `of_elements` for derived axes that stay); derived axes without digits that nothing
    feeds are removed and the others renumbered (`into_layout`, `without_derived`); a layout without elements is written in
    plain digits (`into_padding_alone`). *)
From Coq Require Import NArith List Lia Bool Arith Permutation.
Require Import TensorLayout.Radix TensorLayout.Model TensorLayout.Equations TensorLayout.Compose TensorLayout.Element TensorLayout.Bound TensorLayout.Nest
  TensorLayout.Xor TensorLayout.Simplify TensorLayout.Tops.
Import ListNotations.
Open Scope N_scope.
Local Arguments deqb : simpl never.

(** * Merging *)

(** `takes_minor`, and `merged`: `dedup_by` goes from the major end; lists here are minor to major. *)
Definition evenly_sub (minor major : sub) : bool := deqb (to minor) (to major) && (size minor * weight minor =? weight major).
Fixpoint dedup (kept : sub) (rest : list sub) : list sub :=
  match rest with
  | [] => [kept]
  | minor :: rest => if evenly_sub minor kept then dedup (Sub (size minor * size kept) (to minor) (weight minor)) rest
                     else kept :: dedup minor rest
  end.
(** `normal`: stride 0 has no effect in any level. *)
Definition norm_sub (s : sub) : sub :=
  match to s with Level _ => if weight s =? 0 then Sub (size s) (Level 0) 0 else s | Der _ => s end.
Definition merged (ss : list sub) : list sub :=
  match rev (map norm_sub ss) with [] => [] | s :: rest => rev (dedup s rest) end.

Definition positive_sizes := Forall (fun s => 0 < size s).
(** A digit that flips has 2 ^ a values, as the builder checks. *)
Definition bits ds (s : sub) := comb_of ds (to s) = Xor -> exists a, size s = 2 ^ N.of_nat a.
(** All but the major-most: that one may be cut. *)
Fixpoint inner_bits ds (ss : list sub) : Prop :=
  match ss with [] => True | s :: ss => match ss with [] => True | _ => bits ds s /\ inner_bits ds ss end end.

Lemma slots_app a b : slots (a ++ b) = slots a * slots b.
Proof. unfold slots. now rewrite map_app, prod_app. Qed.
Lemma digits_to_app c x a b : positive_sizes a -> forall v st, digits_to c x (a ++ b) v st = digits_to c x b (v / slots a) (digits_to c x a v st).
Proof.
  induction 1 as [|s a Hs H IH]; intros v st; cbn [app digits_to]; [unfold slots; simpl; now rewrite N.div_1_r|].
  rewrite IH. f_equal. unfold slots; cbn [map prod]. apply N.div_div; [lia|]. pose proof (slots_pos _ H). unfold slots in *. lia.
Qed.
Definition alike cs (a b : list sub) := positive_sizes a /\ slots a = slots b /\ forall v, agree cs v a b.
Lemma alike_app cs a b c : positive_sizes b -> positive_sizes c -> alike cs a b -> alike cs (a ++ c) (b ++ c).
Proof.
  intros Pb Pc (Pa & S & A). split; [apply Forall_app; auto|]. split; [now rewrite !slots_app, S|].
  intros v x st. now rewrite !digits_to_app, S, A by auto.
Qed.
Lemma alike_refl cs a : positive_sizes a -> alike cs a a.
Proof. repeat split; auto. Qed.
Lemma alike_trans cs a b c : alike cs a b -> alike cs b c -> alike cs a c.
Proof. intros (P & S & A) (_ & S2 & A2). repeat split; auto; [congruence|]. intros v x st. rewrite A. apply A2. Qed.

Lemma dedup_right ds rest : positive_sizes rest -> Forall (bits ds) rest -> forall kept, 0 < size kept ->
  alike (comb_of ds) (rev (dedup kept rest)) (rev rest ++ [kept]).
Proof.
  induction rest as [|m rest IH]; intros P B kept K; cbn [dedup rev app]; [apply alike_refl; repeat constructor; auto|].
  inversion P; inversion B; subst. assert (Pr : positive_sizes (rev rest)) by (apply Forall_rev; auto). unfold evenly_sub.
  destruct (deqb_spec (to m) (to kept)) as [E|]; simpl; [destruct (N.eqb_spec (size m * weight m) (weight kept)) as [W|]|].
  - apply alike_trans with (rev rest ++ [Sub (size m * size kept) (to m) (weight m)]); [apply IH; auto; simpl; lia|].
    rewrite <- app_assoc. simpl. repeat split.
    + apply Forall_app; split; auto. repeat constructor. simpl; lia.
    + rewrite !slots_app. unfold slots. simpl. lia.
    + intros v. destruct m as [n x w], kept as [k y u]; simpl in *; subst. apply merging; auto.
  - apply alike_app; auto; [apply Forall_app; split; auto|]; repeat constructor; auto.
  - apply alike_app; auto; [apply Forall_app; split; auto|]; repeat constructor; auto.
Qed.
Lemma norm_agree ds ss v : agree (comb_of ds) v (map norm_sub ss) ss.
Proof.
  intros x st. revert v st. induction ss as [|s ss IH]; intros v st; auto. cbn [map digits_to].
  assert (Z : size (norm_sub s) = size s) by (unfold norm_sub; destruct (to s); auto; destruct (weight s =? 0); auto).
  rewrite Z, IH. f_equal. unfold norm_sub. destruct (to s) as [l|j] eqn:E; [|now rewrite E].
  destruct (N.eqb_spec (weight s) 0) as [W|]; [|now rewrite E]. cbn [to weight]. rewrite W.
  assert (Q : forall k, one (comb_of ds (Level k)) 0 (v mod size s) st = st) by (intros; cbn [comb_of one]; lia).
  destruct (deqb_spec x (Level 0)) as [Ex|], (deqb_spec x (Level l)) as [Ey|]; rewrite ?Ex, ?Q, <- ?Ex, ?Ey, ?Q; auto.
Qed.
Lemma norm_sizes ss : map size (map norm_sub ss) = map size ss.
Proof. rewrite map_map. apply map_ext. intros s. unfold norm_sub. destruct (to s); auto. destruct (weight s =? 0); auto. Qed.
Lemma norm_bits ds s : bits ds s -> bits ds (norm_sub s).
Proof. unfold bits, norm_sub. destruct (to s) eqn:E; [|now rewrite E]. destruct (weight s =? 0); simpl; try rewrite E; simpl; congruence. Qed.
Lemma inner_init ds ss : forall s, inner_bits ds (ss ++ [s]) <-> Forall (bits ds) ss.
Proof.
  induction ss as [|t ss IH]; intros s; simpl; [split; constructor|]. specialize (IH s). destruct (ss ++ [s]) eqn:E; [destruct ss; discriminate|].
  rewrite IH. split; [intros [? ?]; constructor; auto|]. intros H; inversion H; auto.
Qed.
(** Theorem 7, merging of all digits of an axis, flips included: for every value, padding included. *)
Theorem merged_agrees ds ss : positive_sizes ss -> inner_bits ds ss -> alike (comb_of ds) (merged ss) ss.
Proof.
  intros P B. destruct ss as [|s ss] using rev_ind; [apply alike_refl; constructor|]. clear IHss.
  unfold merged. rewrite map_app, rev_app_distr. cbn [map rev app]. apply Forall_app in P as [P Ps]. inversion Ps; subst.
  apply inner_init in B. assert (Z : size (norm_sub s) = size s) by (pose proof (norm_sizes [s]) as Z; simpl in Z; congruence).
  assert (Pn : positive_sizes (map norm_sub ss)).
  { apply (Forall_map size (fun n => 0 < n)) in P. unfold positive_sizes. apply (Forall_map size (fun n => 0 < n)). now rewrite norm_sizes. }
  eapply alike_trans.
  - apply dedup_right; [apply Forall_rev; auto| |rewrite Z; auto]. apply Forall_rev, Forall_map. eapply Forall_impl; [|exact B]. apply norm_bits.
  - rewrite rev_involutive. repeat split.
    + apply Forall_app; split; auto. repeat constructor. rewrite Z; auto.
    + change (map norm_sub ss ++ [norm_sub s]) with (map norm_sub ss ++ map norm_sub [s]). unfold slots. rewrite <- map_app, norm_sizes. auto.
    + intros v. change (map norm_sub ss ++ [norm_sub s]) with (map norm_sub ss ++ map norm_sub [s]). rewrite <- map_app. apply norm_agree.
Qed.

(** * New digits in every axis *)

Definition set_nodes (axs : list axis) (L : layout) : layout :=
  let r := length (axes L) in
  Layout (firstn r axs) (map (fun '(d, a) => Derived (how d) (start d) a) (combine (ders L) (skipn r axs))) (reps L) (offs L) (used L) (spans L).
(** No new target. *)
Definition targets_in (a b : list sub) := forall s, In s a -> match to s with Level _ => True | Der j => exists t, In t b /\ to t = Der j end.

Lemma set_ders ds : forall axs, length axs = length ds -> map dax (map (fun '(d, a) => Derived (how d) (start d) a) (combine ds axs)) = axs.
Proof. induction ds as [|d ds IH]; intros [|a axs] L; simpl in *; try lia; auto. now rewrite IH by lia. Qed.
Lemma set_nth ds : forall axs j, length axs = length ds -> nth_error (map (fun '(d, a) => Derived (how d) (start d) a) (combine ds axs)) j =
  match nth_error ds j, nth_error axs j with Some d, Some a => Some (Derived (how d) (start d) a) | _, _ => None end.
Proof. induction ds as [|d ds IH]; intros [|a axs] [|j] L; simpl in *; try lia; auto. Qed.
Lemma set_nodes_nodes L axs : length axs = length (nodes L) -> nodes (set_nodes axs L) = axs.
Proof.
  unfold nodes at 1. rewrite app_length, map_length. intros E. unfold nodes, set_nodes; cbn [axes ders].
  rewrite set_ders by (rewrite skipn_length; lia). apply firstn_skipn.
Qed.
Lemma set_heads L axs : length axs = length (nodes L) -> same_heads L (set_nodes axs L).
Proof.
  unfold nodes. rewrite app_length, map_length. intros E. unfold same_heads, set_nodes; cbn [axes ders].
  rewrite firstn_length, map_length, combine_length, skipn_length. repeat split; try lia.
  - intros [l|j]; auto. cbn [comb_of]. rewrite set_nth by (rewrite skipn_length; lia).
    destruct (nth_error (ders L) j) eqn:N; auto. destruct (nth_error (skipn _ axs) j) eqn:K; auto.
    apply nth_error_None in K. rewrite skipn_length in K. assert (j < length (ders L))%nat by (apply nth_error_Some; congruence). lia.
  - intros [l|j]; auto. unfold first; cbn [ders]. rewrite set_nth by (rewrite skipn_length; lia).
    destruct (nth_error (ders L) j) eqn:N; auto. destruct (nth_error (skipn _ axs) j) eqn:K; auto.
    apply nth_error_None in K. rewrite skipn_length in K. assert (j < length (ders L))%nat by (apply nth_error_Some; congruence). lia.
Qed.
Lemma set_ordered ds : forall n axs, ordered n ds -> Forall2 (fun a d => targets_in (subs a) (subs (dax d))) axs ds ->
  ordered n (map (fun '(d, a) => Derived (how d) (start d) a) (combine ds axs)).
Proof.
  induction ds as [|d ds IH]; intros n axs O F; inversion F as [|a ? axs' ? T F']; subst; cbn [combine map ordered]; auto.
  cbn [ordered] in O. destruct O as [O1 O2]. split; [|apply IH; auto]. unfold feeds_after in *. cbn [dax]. apply Forall_forall. intros s Hs.
  specialize (T s Hs). destruct (to s) as [|j]; auto. destruct T as (t & Ht & E). rewrite Forall_forall in O1. specialize (O1 t Ht). now rewrite E in O1.
Qed.
Lemma f2_map_r {A B C} (R : A -> B -> Prop) (g : C -> B) l : forall m, Forall2 R l (map g m) <-> Forall2 (fun a c => R a (g c)) l m.
Proof.
  induction l as [|x l IH]; intros [|y m]; simpl; split; intros H; inversion H; subst; constructor; auto; apply IH; auto.
Qed.
(** Theorem 7, new digits in every axis that add the same for the values of an index. *)
Lemma set_place L axs i : ordered 0 (ders L) -> length i = length (axes L) -> Forall2 (fun a b => targets_in (subs a) (subs b)) axs (nodes L) ->
  all_agree (comb_of (ders L)) (vals L i) (nodes L) axs -> forall x, land (set_nodes axs L) i x = land L i x.
Proof.
  intros O Li T A. pose proof (f2_len _ _ _ T) as E. apply inside_axes; auto using set_heads; [|now rewrite set_nodes_nodes].
  unfold set_nodes; cbn [ders]. apply set_ordered; auto. rewrite <- (firstn_skipn (length (axes L)) axs) in T. unfold nodes in *.
  apply f2_app in T as [_ T]; [|rewrite firstn_length, E, app_length; lia]. now apply f2_map_r in T.
Qed.
Lemma all_agree_map cs (m : axis -> axis) A : (forall a v, In a A -> agree cs v (subs a) (subs (m a))) -> forall vs, length vs = length A ->
  all_agree cs vs A (map m A).
Proof. induction A as [|a A IH]; intros H [|v vs] L; simpl in *; try lia; auto. Qed.
Lemma len_vals L i : length i = length (axes L) -> length (vals L i) = length (nodes L).
Proof. intros H. unfold vals, nodes. rewrite !app_length, !map_length, seq_length. lia. Qed.
Lemma f2_map_l {A} (R : A -> A -> Prop) (m : A -> A) l : (forall a, In a l -> R (m a) a) -> Forall2 R (map m l) l.
Proof. induction l; simpl; intros H; constructor; auto. Qed.

Lemma dedup_targets rest : forall kept s, In s (dedup kept rest) -> exists t, In t (kept :: rest) /\ to t = to s.
Proof.
  induction rest as [|m rest IH]; intros kept s; cbn [dedup]; [intros [<-|[]]; exists kept; simpl; auto|].
  destruct (evenly_sub m kept); [|intros [<-|H]; [exists kept; simpl; auto|]].
  - intros H. apply IH in H as (t & [<-|Ht] & E); [exists m; simpl; auto|exists t; simpl; auto].
  - apply IH in H as (t & Ht & E). exists t. simpl in *. tauto.
Qed.
Lemma norm_to s j : to (norm_sub s) = Der j -> to s = Der j.
Proof. unfold norm_sub. destruct (to s) eqn:E; [destruct (weight s =? 0); simpl; congruence|congruence]. Qed.
Lemma merged_targets ss : targets_in (merged ss) ss.
Proof.
  intros s Hs. unfold merged in Hs. destruct (rev (map norm_sub ss)) as [|k rest] eqn:E; [contradiction|].
  apply in_rev, dedup_targets in Hs as (t & Ht & Et). rewrite <- E in Ht. apply in_rev, in_map_iff in Ht as (u & <- & Hu).
  destruct (to s) eqn:Es; auto. exists u. split; auto. apply norm_to; congruence.
Qed.

(** Theorem 7, `with_merged_digits` of all axes, and `with_merged_flips` of those that feed an XOR: the places of every
    index stay, padding included. *)
Definition merged_in (which : axis -> bool) (L : layout) : layout :=
  set_nodes (map (fun a => if which a then Axis (extent a) (merged (subs a)) else a) (nodes L)) L.
Theorem merged_place which L i : ordered 0 (ders L) -> length i = length (axes L) -> positive_sizes (all_subs L) ->
  Forall (bits (ders L)) (all_subs L) -> forall x, land (merged_in which L) i x = land L i x.
Proof.
  intros O Li P B. assert (In_all : forall Q a, Forall Q (all_subs L) -> In a (nodes L) -> Forall Q (subs a)).
  { intros Q a F Ha. rewrite Forall_forall in *. intros s Hs. apply F. apply in_flat_map; eauto. }
  apply set_place; auto.
  - apply f2_map_l. intros a _. destruct (which a); [apply merged_targets|]. intros s Hs. destruct (to s) eqn:E; eauto.
  - apply all_agree_map; [|apply len_vals; auto]. intros a v Ha. destruct (which a); [|intros x st; auto]. intros x st. symmetry.
    apply merged_agrees; [eapply In_all; eauto|]. pose proof (In_all _ a B Ha) as Ba. destruct (subs a) as [|s ss] using rev_ind; [constructor|].
    apply inner_init. apply Forall_app in Ba; tauto.
Qed.

(** * Cutting digits to the greatest value: `merged_digits` *)

(** Digits up to the first that moves, without those that never do. *)
Fixpoint needed (ss : list sub) (g : N) : list sub :=
  match ss with
  | [] => []
  | s :: ss => let top := if 0 <? g / size s then size s - 1 else g mod size s in
               (if 0 <? top then [Sub (top + 1) (to s) (weight s)] else []) ++ needed ss (g / size s)
  end.
Fixpoint cut_major (ss : list sub) (g : N) : list sub :=
  match ss with
  | [] => []
  | s :: ss => match ss with [] => [Sub (N.min (size s) (g + 1)) (to s) (weight s)] | _ => s :: cut_major ss (g / size s) end
  end.
Definition merged_to (g : N) (ss : list sub) : list sub := cut_major (merged (needed ss g)) g.

Lemma div_0 n : 0 / n = 0. Proof. destruct n; reflexivity. Qed.
Lemma mod_0 n : 0 mod n = 0. Proof. destruct n; reflexivity. Qed.
Lemma needed_0 ss : needed ss 0 = [].
Proof. induction ss; auto. Qed.
Lemma one_0 c w st : one c w 0 st = st.
Proof. destruct c; simpl; [lia|apply N.lxor_0_r]. Qed.
Lemma needed_agrees cs ss : positive_sizes ss -> forall g v, v <= g -> agree cs v (needed ss g) ss.
Proof.
  induction 1 as [|s ss Hs _ IH]; intros g v Hv x st; auto. cbn [needed digits_to].
  destruct (N.ltb_spec 0 (g / size s)) as [E|E].
  - assert (D : v / size s <= g / size s) by (apply N.div_le_mono; lia).
    destruct (N.ltb_spec 0 (size s - 1)) as [T|T]; cbn [app digits_to size to weight].
    + replace (size s - 1 + 1) with (size s) by lia. apply IH; auto.
    + assert (Q : size s = 1) by lia. cbn [app]. rewrite Q, N.mod_1_r, one_0, !N.div_1_r. destruct (deqb x (to s)); apply IH; auto.
  - apply N.le_0_r in E. pose proof E as G. apply N.div_small_iff in G; [|lia]. rewrite E, needed_0, app_nil_r.
    rewrite (N.mod_small g), (N.mod_small v), (N.div_small v) by lia. rewrite digits_zero.
    destruct (N.ltb_spec 0 g) as [T|T]; cbn [digits_to size to weight]; [now rewrite N.mod_small by lia|].
    assert (v = 0) by lia. subst. rewrite one_0. now destruct (deqb x (to s)).
Qed.
Lemma needed_shape ds ss : positive_sizes ss -> Forall (bits ds) ss -> forall g, g < slots ss ->
  positive_sizes (needed ss g) /\ inner_bits ds (needed ss g) /\ g < slots (needed ss g) /\ targets_in (needed ss g) ss.
Proof.
  induction 1 as [|s ss Hs P IH]; intros B g Hg; [repeat split; auto; try constructor; intros s []|]. inversion B; subst. cbn [needed].
  unfold slots in Hg; cbn [map prod] in Hg. assert (D : g / size s < slots ss) by (unfold slots; apply N.div_lt_upper_bound; lia).
  destruct (IH H2 _ D) as (P1 & B1 & G1 & T1).
  assert (T2 : targets_in (needed ss (g / size s)) (s :: ss)).
  { intros t Ht. specialize (T1 t Ht). destruct (to t); auto. destruct T1 as (u & Hu & E). exists u. simpl; auto. }
  assert (T3 : forall n, targets_in [Sub n (to s) (weight s)] (s :: ss)).
  { intros n t [<-|[]]. cbn [to]. destruct (to s) eqn:E; auto. exists s. simpl; auto. }
  destruct (N.ltb_spec 0 (g / size s)) as [E|E].
  - destruct (N.ltb_spec 0 (size s - 1)) as [T|T].
    + replace (size s - 1 + 1) with (size s) by lia. replace (Sub (size s) (to s) (weight s)) with s by (destruct s; auto). cbn [app]. repeat split.
      * constructor; auto.
      * cbn [inner_bits]. destruct (needed ss (g / size s)); auto.
      * unfold slots in *; cbn [map prod]. assert (g < size s * (g / size s + 1)) by (pose proof (N.mod_lt g (size s)); pose proof (N.div_mod g (size s)); lia).
        eapply N.lt_le_trans; [exact H|]. apply N.mul_le_mono_l. lia.
      * intros t [<-|Ht]; [|apply (T2 t Ht)]. destruct (to s) eqn:E2; auto. exists s. simpl; auto.
    + assert (Q : size s = 1) by lia. rewrite Q, N.div_1_r in P1, B1, G1, T2 |- *. cbn [app]. repeat split; auto.
  - apply N.le_0_r in E. pose proof E as G. apply N.div_small_iff in G; [|lia]. rewrite E, needed_0, app_nil_r, (N.mod_small g) by lia.
    destruct (N.ltb_spec 0 g) as [T|T].
    + repeat split; auto; [repeat constructor; simpl; lia|unfold slots; simpl; lia].
    + repeat split; try constructor; [unfold slots; simpl; lia|intros t []].
Qed.
Lemma dedup_all_bits ds rest : Forall (bits ds) rest -> forall kept, bits ds kept -> Forall (bits ds) (dedup kept rest).
Proof.
  induction 1 as [|m rest Bm B IH]; intros kept K; cbn [dedup]; [repeat constructor; auto|]. unfold evenly_sub.
  destruct (deqb_spec (to m) (to kept)) as [E|]; simpl; [|constructor; auto]. destruct (_ =? _); [|constructor; auto].
  apply IH. intros X; cbn [to size] in *. destruct (Bm X) as [a Ea]. rewrite E in X. destruct (K X) as [b Eb].
  exists (a + b)%nat. now rewrite Ea, Eb, Nat2N.inj_add, N.pow_add_r.
Qed.
Lemma dedup_bits ds rest : Forall (bits ds) rest -> forall kept, inner_bits ds (rev (dedup kept rest)).
Proof.
  induction 1 as [|m rest Bm B IH]; intros kept; cbn [dedup]; [constructor|]. destruct (evenly_sub m kept); [apply IH|].
  cbn [rev]. apply inner_init. apply Forall_rev, dedup_all_bits; auto.
Qed.
Lemma merged_bits ds ss : inner_bits ds ss -> inner_bits ds (merged ss).
Proof.
  intros B. destruct ss as [|s ss] using rev_ind; [constructor|]. apply inner_init in B. unfold merged. rewrite map_app, rev_app_distr. cbn [map rev app].
  apply dedup_bits. apply Forall_rev, Forall_map. eapply Forall_impl; [|exact B]. apply norm_bits.
Qed.
Lemma cut_agrees cs ss : positive_sizes ss -> forall g v, v <= g -> agree cs v (cut_major ss g) ss.
Proof.
  induction 1 as [|s ss Hs P IH]; intros g v Hv x st; auto. destruct ss as [|t ss].
  - cbn [cut_major digits_to size to weight]. destruct (N.le_gt_cases (size s) (g + 1)); [now rewrite N.min_l by auto|].
    rewrite N.min_r by lia. now rewrite !N.mod_small by lia.
  - change (cut_major (s :: t :: ss) g) with (s :: cut_major (t :: ss) (g / size s)). cbn [digits_to]. apply (IH (g / size s)). apply N.div_le_mono; lia.
Qed.
Lemma cut_shape ds ss : positive_sizes ss -> inner_bits ds ss -> forall g, g < slots ss ->
  positive_sizes (cut_major ss g) /\ inner_bits ds (cut_major ss g) /\ g < slots (cut_major ss g) /\ targets_in (cut_major ss g) ss.
Proof.
  induction 1 as [|s ss Hs P IH]; intros B g Hg; [repeat split; auto; try constructor; intros s []|]. destruct ss as [|t ss].
  - unfold slots in *; simpl in Hg |- *. repeat split; [repeat constructor; simpl; lia|lia|].
    intros u [<-|[]]; cbn [to]. destruct (to s) eqn:E; auto. exists s; simpl; auto.
  - change (cut_major (s :: t :: ss) g) with (s :: cut_major (t :: ss) (g / size s)). cbn [inner_bits] in B. destruct B as [B1 B2].
    assert (D : g / size s < slots (t :: ss)) by (apply N.div_lt_upper_bound; [lia|]; unfold slots in *; exact Hg).
    destruct (IH B2 _ D) as (P1 & B3 & G1 & T1). repeat split.
    + constructor; auto.
    + cbn [inner_bits]. destruct (cut_major (t :: ss) (g / size s)); auto.
    + unfold slots in *; cbn [map prod] in *. assert (g < size s * (g / size s + 1)) by (pose proof (N.mod_lt g (size s)); pose proof (N.div_mod g (size s)); lia).
      eapply N.lt_le_trans; [exact H|]. apply N.mul_le_mono_l. lia.
    + intros u [<-|Hu]; [destruct (to s) eqn:E; auto; exists s; simpl; auto|]. specialize (T1 u Hu). destruct (to u); auto.
      destruct T1 as (w & Hw & E). exists w. simpl in *; tauto.
Qed.
(** Theorem 7, `merged_digits`: the same for every value up to the greatest. *)
Theorem merged_to_agrees ds ss g : positive_sizes ss -> Forall (bits ds) ss -> g < slots ss ->
  (forall v, v <= g -> agree (comb_of ds) v (merged_to g ss) ss) /\
  positive_sizes (merged_to g ss) /\ inner_bits ds (merged_to g ss) /\ g < slots (merged_to g ss) /\ targets_in (merged_to g ss) ss.
Proof.
  intros P B Hg. destruct (needed_shape ds ss P B g Hg) as (P1 & B1 & G1 & T1). destruct (merged_agrees ds _ P1 B1) as (P2 & S2 & A2).
  rewrite <- S2 in G1. destruct (cut_shape ds _ P2 (merged_bits ds _ B1) g G1) as (P3 & B3 & G3 & T3). split.
  - intros v Hv x st. unfold merged_to. rewrite cut_agrees, A2, needed_agrees; auto.
  - repeat split; auto. intros s Hs. specialize (T3 s Hs). destruct (to s) as [|j]; auto. destruct T3 as (t & Ht & E).
    pose proof (merged_targets _ t Ht) as T. rewrite E in T. destruct T as (u & Hu & E2). specialize (T1 u Hu). now rewrite E2 in T1.
Qed.

(** * Derived axes that stay, cut to the values that elements have: `of_elements` of `src/algebra/without_padding.rs` *)

(** A digit that feeds an XOR and was cut is rounded up to a power of two again; so is the greatest value of an XOR. *)
Definition round_sub ds (s : sub) := match comb_of ds (to s) with Sum => s | Xor => Sub (2 ^ N.log2_up (size s)) (to s) (weight s) end.
Definition kept_top (cg : comb * N) : N := match fst cg with Sum => snd cg | Xor => 2 ^ N.log2_up (snd cg + 1) - 1 end.
Definition kept_tops L : list N := map kept_top (combine (repeat Sum (length (axes L)) ++ map how (ders L)) (greatest_values L)).
Definition cut_axis ds (ag : axis * N) := Axis (snd ag + 1) (map (round_sub ds) (merged_to (snd ag) (subs (fst ag)))).
(** All derived axes stay: what `without_padding` builds where it finds no plain digits. *)
Definition of_elements L := set_nodes (map (cut_axis (ders L)) (combine (nodes L) (kept_tops L))) L.

Lemma pow_up n : n <= 2 ^ N.log2_up n.
Proof. destruct (N.le_gt_cases n 1); [|apply N.log2_up_spec; auto]. assert (2 ^ N.log2_up n <> 0) by (apply N.pow_nonzero; lia). lia. Qed.
Lemma combine_app {A B} (a1 : list A) : forall (b1 : list B) a2 b2, length a1 = length b1 -> combine (a1 ++ a2) (b1 ++ b2) = combine a1 b1 ++ combine a2 b2.
Proof. induction a1; intros [|y b1] a2 b2 L; simpl in *; try lia; auto. now rewrite IHa1 by lia. Qed.
Lemma round_agrees ds ss : positive_sizes ss -> inner_bits ds ss -> forall v, v < slots ss -> agree (comb_of ds) v (map (round_sub ds) ss) ss.
Proof.
  assert (T : forall s, to (round_sub ds s) = to s /\ weight (round_sub ds s) = weight s) by (intros s; unfold round_sub; destruct (comb_of ds (to s)); auto).
  induction 1 as [|s ss Hs P IH]; intros B v Hv x st; auto. cbn [map digits_to]. destruct (T s) as [-> ->]. destruct ss as [|t ss].
  - unfold slots in Hv; simpl in Hv. cbn [map digits_to]. unfold round_sub. destruct (comb_of ds (to s)); auto. cbn [size].
    assert (size s <= 2 ^ N.log2_up (size s)) by apply pow_up.
    rewrite !N.mod_small by lia. reflexivity.
  - cbn [inner_bits] in B. destruct B as [B1 B2]. assert (Z : size (round_sub ds s) = size s).
    { unfold round_sub. destruct (comb_of ds (to s)) eqn:E; auto. cbn [size]. destruct (B1 E) as [a ->]. now rewrite N.log2_up_pow2 by lia. }
    rewrite Z. apply IH; auto. apply N.div_lt_upper_bound; [lia|]. unfold slots in *; exact Hv.
Qed.
Lemma kept_le c g : g <= kept_top (c, g).
Proof. destruct c; cbn [kept_top fst snd]; [lia|]. pose proof (pow_up (g + 1)). lia. Qed.
Lemma kept_below c g n : 0 < n -> g <= n - 1 -> (c = Xor -> exists k, n = 2 ^ k) -> kept_top (c, g) < n.
Proof.
  intros Hn Hg P. destruct c; cbn [kept_top fst snd]; [lia|]. destruct (P eq_refl) as [k ->].
  assert (2 ^ N.log2_up (g + 1) <= 2 ^ k); [|lia]. apply N.pow_le_mono_r; [lia|]. rewrite <- (N.log2_up_pow2 k) by lia. apply N.log2_up_le_mono. lia.
Qed.
Lemma greatest_ders_le all ds : forall n b, Forall2 (fun g d => g <= extent (dax d) - 1) (greatest_ders all ds n b) ds.
Proof. induction ds as [|d ds IH]; intros n b; constructor; auto. lia. Qed.
Lemma checked_xor L d : checked L = true -> In d (ders L) -> how d = Xor -> exists k, slots (subs (dax d)) = 2 ^ k.
Proof.
  intros C Hd X. unfold checked in C. ands C. apply In_nth_error in Hd as [j Hj]. pose proof (each_derived_nth _ _ H2 _ _ Hj) as E.
  unfold check_xor in E. rewrite X in E. ands E. unfold power_of_two in H9. apply N.eqb_eq in H9, H8. exists (N.log2 (extent (dax d))). congruence.
Qed.
Lemma checked_bits L : checked L = true -> Forall (bits (ders L)) (all_subs L).
Proof.
  intros C. unfold checked in C. ands C. apply Forall_forall. intros s Hs X. destruct (to s) as [l|j] eqn:Et; [discriminate|]. cbn [comb_of] in X.
  destruct (nth_error (ders L) j) as [e|] eqn:Ej; [|discriminate]. pose proof (each_derived_nth _ _ H2 _ _ Ej) as E. unfold check_xor in E. rewrite X in E. ands E.
  rewrite forallb_forall in H6. specialize (H6 s). assert (F : In s (feeds L j)) by (apply filter_In; split; auto; rewrite Et; apply deqb_refl).
  specialize (H6 F). unfold flips_ok in H6. ands H6. unfold power_of_two in H6. apply N.eqb_eq in H6. exists (N.to_nat (N.log2 (size s))). now rewrite N2Nat.id.
Qed.

(** Theorem 7, cutting: every element keeps its place, and every derived axis its value. *)
Theorem of_elements_place L i : checked L = true -> invariant_3 L -> real_index L i -> forall x, land (of_elements L) i x = land L i x.
Proof.
  intros C I3 R. destruct (checked_nodes L C) as (O & _ & X). pose proof (proj1 (checked_good L C)) as G. pose proof (f2_len _ _ _ R) as Li.
  pose proof (checked_bits L C) as B. pose proof (checked_sizes L C) as S. specialize (I3 i R).
  pose proof (greatest_hold L i G R I3) as GH.
  (* the tops: as many as nodes, at least the values, below the slots *)
  assert (Lg : length (repeat Sum (length (axes L)) ++ map how (ders L)) = length (greatest_values L)).
  { unfold greatest_values. rewrite !app_length, repeat_length, !map_length, len_greatest. auto. }
  assert (Le : Forall2 N.le (vals L i) (kept_tops L)).
  { unfold kept_tops. revert Lg GH. generalize (repeat Sum (length (axes L)) ++ map how (ders L)), (greatest_values L). generalize (vals L i).
    clear. induction l as [|v vs IH]; intros [|c cs] gs Lg H; inversion H; subst; simpl in *; try lia; constructor; auto.
    pose proof (kept_le c y). lia. }
  assert (Lt : Forall2 (fun g a => g < slots (subs a)) (kept_tops L) (nodes L)).
  { unfold kept_tops, greatest_values, nodes in *. rewrite combine_app by (now rewrite repeat_length, map_length). rewrite map_app.
    assert (E : Forall (fun a => 0 < extent a) (axes L ++ map dax (ders L))) by (clear - I3; induction I3; constructor; auto; lia).
    apply Forall_app in E as [E1 E2], X as [X1 X2]. apply Forall2_app.
    - clear - E1 X1. induction (axes L) as [|a axs IH]; inversion E1; inversion X1; subst; simpl; constructor; auto. unfold kept_top; simpl. lia.
    - pose proof (checked_xor L) as Q. pose proof (greatest_ders_le (ders L) (ders L) 0 (feed_axes (ders L) (axes L) (first L))) as F.
      assert (Q2 : forall d, In d (ders L) -> how d = Xor -> exists k, slots (subs (dax d)) = 2 ^ k) by (intros; eapply Q; eauto).
      revert E2 X2 F Q2. generalize (greatest_ders (ders L) (ders L) 0 (feed_axes (ders L) (axes L) (first L))). generalize (ders L). clear.
      induction l as [|d ds IH]; intros gs E2 X2 F Q; inversion E2; inversion X2; inversion F; subst; simpl; constructor.
      + apply kept_below; [lia|lia|]. intros; apply Q; simpl; auto.
      + apply IH; auto. intros; apply Q; simpl; auto. }
  assert (Each : Forall2 (fun a' a => targets_in (subs a') (subs a)) (map (cut_axis (ders L)) (combine (nodes L) (kept_tops L))) (nodes L)
     /\ all_agree (comb_of (ders L)) (vals L i) (nodes L) (map (cut_axis (ders L)) (combine (nodes L) (kept_tops L)))).
  { unfold all_subs in *. revert Le Lt B S. generalize (vals L i), (kept_tops L). clear. induction (nodes L) as [|a axs IH]; intros vs gs Le Lt B S;
      inversion Lt as [|g ? gs' ? Hg Lt']; subst; inversion Le as [|v ? vs' ? Hv Le']; subst; cbn [combine map]; [split; constructor|].
    cbn [flat_map] in B, S. apply Forall_app in B as [B1 B2], S as [S1 S2]. destruct (IH _ _ Le' Lt' B2 S2) as [I1 I2].
    destruct (merged_to_agrees (ders L) (subs a) g S1 B1 Hg) as (A & P & Bi & Gs & T). split; [constructor; auto|cbn [all_agree]; split; auto].
    - intros s Hs. cbn [cut_axis fst snd subs] in Hs. apply in_map_iff in Hs as (t & <- & Ht). specialize (T t Ht). unfold round_sub. destruct (comb_of (ders L) (to t)); auto.
    - cbn [cut_axis fst snd subs]. intros y st. rewrite round_agrees by (auto; lia). symmetry. apply A; auto. }
  destruct Each as [E1 E2]. apply set_place; auto.
Qed.

(** * Removal: `into_layout`, `without_derived` *)

Definition renumber (j : nat) (x : dest) : dest :=
  match x with Der k => if (j <? k)%nat then Der (k - 1) else Der k | Level l => Level l end.
Definition remove (j : nat) (L : layout) : layout :=
  Layout (map (re_axis (renumber j)) (axes L)) (map (re_der (renumber j)) (firstn j (ders L) ++ skipn (S j) (ders L)))
    (reps L) (offs L) (used L) (spans L).
(** The number of a derived axis before the removal. *)
Definition before_removal (j : nat) (x : dest) : dest := match x with Der k => if (k <? j)%nat then Der k else Der (S k) | Level l => Level l end.

Lemma ordered_remove ds : forall n j, ordered n ds -> (n <= j)%nat ->
  ordered n (map (re_der (renumber j)) (firstn (j - n) ds ++ skipn (S (j - n)) ds)).
Proof.
  assert (After : forall es n j, ordered (S n) es -> (j <= n)%nat -> ordered n (map (re_der (renumber j)) es)).
  { induction es as [|d es IH]; intros n j Or H; auto. cbn [map ordered] in *. destruct Or as [O1 O2]. split; [|apply IH; auto; lia].
    apply feeds_re. intros s Hs. unfold feeds_after in O1. eapply Forall_forall in O1; eauto. unfold renumber.
    destruct (to s) as [|k]; auto. destruct (Nat.ltb_spec j k); lia. }
  induction ds as [|d ds IH]; intros n j O H; [destruct (j - n)%nat; constructor|]. cbn [ordered] in O. destruct O as [O1 O2].
  destruct (Nat.eq_dec n j) as [->|Hn].
  - rewrite Nat.sub_diag. cbn [firstn skipn app]. apply After; auto.
  - replace (j - n)%nat with (S (j - S n)) by lia. cbn [firstn skipn app map ordered]. split; [|apply (IH (S n)); auto; lia].
    apply feeds_re. intros s Hs. unfold feeds_after in O1. eapply Forall_forall in O1; eauto. unfold renumber.
    destruct (to s) as [|k]; auto. destruct (Nat.ltb_spec j k); lia.
Qed.
Lemma split_at {A} (l : list A) j d : nth_error l j = Some d -> l = firstn j l ++ d :: skipn (S j) l.
Proof. revert j; induction l as [|a l IH]; intros [|j] H; simpl in *; try discriminate; [congruence|f_equal; auto]. Qed.

(** Theorem 7, removal: a derived axis without digits, which nothing feeds, goes; every index keeps its places, padding
    included, and the other derived axes their values. *)
Theorem removal L i j d : length i = length (axes L) -> ordered 0 (ders L) -> nth_error (ders L) j = Some d -> subs (dax d) = [] ->
  Forall (fun s => to s <> Der j) (all_subs L) -> forall x, land (remove j L) i x = land L i (before_removal j x).
Proof.
  intros Li O Hd Hs F. set (v := fun x => land L i (before_removal j x)).
  assert (Hj : (j < length (ders L))%nat) by (apply nth_error_Some; congruence).
  set (A := firstn j (ders L)). set (B := skipn (S j) (ders L)). pose proof (split_at _ _ _ Hd) as Ds. fold A B in Ds.
  assert (LA : length A = j) by (unfold A; rewrite firstn_length; lia).
  assert (LD : length (ders L) = (j + S (length B))%nat) by (rewrite Ds, app_length; simpl; lia).
  intros x. symmetry. apply (land_unique (remove j L) i v); [unfold remove; cbn [axes]; now rewrite map_length| |].
  { unfold remove; cbn [ders]. replace j with (j - 0)%nat at 2 3 by lia. apply ordered_remove; auto. lia. }
  clear x. intros x.
  assert (Dx : comb_of (ders (remove j L)) x = comb_of (ders L) (before_removal j x) /\ first (remove j L) x = first L (before_removal j x)).
  { destruct x as [l|k]; [auto|]. unfold remove, before_removal, first, comb_of; cbn [ders]. fold A B. rewrite nth_error_map.
    destruct (Nat.ltb_spec k j) as [H|H].
    - rewrite Ds, !nth_error_app1 by lia. destruct (nth_error A k); auto.
    - rewrite Ds, !nth_error_app2 by lia. replace (S k - length A)%nat with (S (k - length A)) by lia. cbn [nth_error]. destruct (nth_error B (k - length A)); auto. }
  destruct Dx as [-> ->]. unfold v at 1. rewrite (land_solves L i Li O (before_removal j x)).
  (* the same digits, the values of the removed axis left out *)
  set (y := before_removal j x). set (c := comb_of (ders L) y). set (vL := fun k => land L i (Der k)).
  assert (VL : map vL (seq 0 (length (ders L))) = map vL (seq 0 j) ++ vL j :: map vL (seq (S j) (length B))) by (rewrite LD, seq_app, map_app; reflexivity).
  assert (VR : map (fun k => v (Der k)) (seq 0 (length (ders (remove j L)))) = map vL (seq 0 j) ++ map vL (seq (S j) (length B))).
  { unfold remove; cbn [ders]. fold A B. rewrite map_length, app_length, LA, seq_app, map_app. f_equal.
    - apply map_ext_in. intros k Hk. apply in_seq in Hk. unfold v, before_removal. destruct (Nat.ltb_spec k j); auto; lia.
    - rewrite <- seq_shift, map_map. apply map_ext_in. intros k Hk. apply in_seq in Hk. unfold v, before_removal. destruct (Nat.ltb_spec k j); auto; lia. }
  rewrite VR. change (map (fun j0 => land L i (Der j0)) (seq 0 (length (ders L)))) with (map vL (seq 0 (length (ders L)))). rewrite VL.
  assert (Re : forall axs vs st, Forall (fun s => to s <> Der j) (flat_map subs axs) -> axes_to c x (map (re_axis (renumber j)) axs) vs st = axes_to c y axs vs st).
  { intros axs vs st Fa. apply axes_re. intros a s Ha Hs'. rewrite Forall_forall in Fa. assert (N : to s <> Der j) by (apply Fa; apply in_flat_map; eauto).
    unfold y, before_removal, renumber. destruct x as [l|k], (to s) as [m|q]; auto.
    - destruct (Nat.ltb_spec j q); reflexivity.
    - destruct (Nat.ltb_spec k j); reflexivity.
    - assert (q <> j) by congruence. destruct (Nat.ltb_spec k j), (Nat.ltb_spec j q); unfold deqb; destruct (Nat.eqb_spec k (q - 1)), (Nat.eqb_spec k q), (Nat.eqb_spec (S k) q); auto; lia. }
  unfold all_subs, nodes in F. rewrite Ds, map_app in F. cbn [map] in F. rewrite !flat_map_app in F. cbn [flat_map] in F. rewrite !Forall_app in F. destruct F as (F1 & F2 & _ & F3).
  unfold remove; cbn [axes ders]. fold A B. rewrite dax_re, !map_app. rewrite Ds at 1. rewrite map_app. cbn [map].
  rewrite !axes_to_app; try (now rewrite ?map_length, ?seq_length). cbn [axes_to]. rewrite Hs. cbn [digits_to]. now rewrite !Re by auto.
Qed.

(** * Layouts without elements: `into_padding_alone` *)

Definition lands (s : sub) : bool := match to s with Level _ => true | Der _ => false end.
(** Digits that land, major to minor, as Rust takes them. *)
Definition landing L : list sub := flat_map (fun a => rev (filter lands (subs a))) (nodes L).
(** An axis takes digits until they write its extent. *)
Fixpoint take_digits (extent P : N) (ds : list sub) : option (list sub * list sub) :=
  if extent <=? P then Some ([], ds) else
  match ds with
  | [] => None
  | d :: ds => match take_digits extent (P * size d) ds with Some (own, rest) => Some (d :: own, rest) | None => None end
  end.
Fixpoint fill (axs : list axis) (ds : list sub) : option (list axis * list sub) :=
  match axs with
  | [] => Some ([], ds)
  | a :: axs => match take_digits (extent a) 1 ds with
                | None => None
                | Some (own, ds) => match fill axs ds with Some (axs, rest) => Some (Axis (extent a) (rev own) :: axs, rest) | None => None end
                end
  end.
(** The first axis of extent 0 takes the rest. *)
Fixpoint give (rest : list sub) (axs : list axis) : list axis :=
  match axs with
  | [] => []
  | a :: axs => if extent a =? 0 then Axis 0 (rev rest ++ subs a) :: axs else a :: give rest axs
  end.
Definition padding_alone (L : layout) : layout :=
  match fill (axes L) (landing L) with
  | None => L
  | Some (axs, rest) => Layout (give rest axs) [] (reps L) (offs L) (used L) (spans L)
  end.

(** The places of all slots: digits that land and copies, each at any of its values. *)
Definition reached (D : list (sub * N)) (l : nat) : N := total (map (fun sd => if deqb (Level l) (to (fst sd)) then snd sd * weight (fst sd) else 0) D).
Definition slot_places L (p : nat -> N) : Prop := exists D c, map fst D = filter lands (all_subs L) /\ Forall (fun sd => snd sd < size (fst sd)) D /\
  c < copies L /\ forall l, p l = offset l (offs L) + reached D l + copy_step (rev (reps L)) c l.
(** The same slots: as many, in the same places, so that the extents are the same, too. *)
Definition same_slots L L' := Permutation (landing_sizes L) (landing_sizes L') /\ (forall l, level_extent L l = level_extent L' l) /\ forall p, slot_places L p <-> slot_places L' p.

Lemma slots_by_digits L L' : Permutation (filter lands (all_subs L)) (filter lands (all_subs L')) -> reps L = reps L' -> offs L = offs L' -> same_slots L L'.
Proof.
  intros P R O. split; [|split].
  - unfold landing_sizes. rewrite R. apply Permutation_app_tail, Permutation_map. exact P.
  - intros l. unfold level_extent. rewrite R, O. f_equal. f_equal.
    assert (F : forall ss, total (map (step_to l) ss) = total (map (step_to l) (filter lands ss))).
    { induction ss as [|s ss IH]; auto. cbn [filter map]. unfold lands at 1. destruct (to s) eqn:E; cbn [map]; unfold total in *; cbn [fold_right]; rewrite IH; auto.
      unfold step_to at 1. rewrite E. reflexivity. }
    rewrite (F (all_subs L)), (F (all_subs L')). apply total_perm, Permutation_map; auto.
  - assert (G : forall A B, Permutation (filter lands (all_subs A)) (filter lands (all_subs B)) -> reps A = reps B -> offs A = offs B -> forall p, slot_places A p -> slot_places B p).
    { intros A B Pm Rm Om p (D & c & E & F & Hc & Hp). rewrite <- E in Pm. apply Permutation_sym, Permutation_map_inv in Pm as (D' & E' & PD).
      exists D', c. split; [auto|]. split; [eapply Permutation_Forall; eauto|]. unfold copies in *. rewrite <- Rm, <- Om. split; auto.
      intros l. rewrite Hp. unfold reached. now rewrite (total_perm _ _ (Permutation_map _ PD)). }
    intros p. split; apply G; auto. now apply Permutation_sym.
Qed.
Lemma take_right e ds : forall P own rest, take_digits e P ds = Some (own, rest) -> ds = own ++ rest /\ e <= P * slots own.
Proof.
  induction ds as [|d ds IH]; intros P own rest; cbn [take_digits]; destruct (N.leb_spec e P) as [H|H];
    try (intros E; inversion E; subst; unfold slots; simpl; split; [auto|lia]); try discriminate.
  destruct (take_digits e (P * size d) ds) as [[o r]|] eqn:T; [|discriminate]. intros E; inversion E; subst. apply IH in T as [-> T]. split; auto.
  unfold slots in *; cbn [map prod]. lia.
Qed.
Lemma slots_rev ss : slots (rev ss) = slots ss.
Proof. induction ss as [|s ss IH]; auto. cbn [rev]. rewrite slots_app, IH. unfold slots; simpl. lia. Qed.
Lemma fill_right axs : forall ds axs' rest, fill axs ds = Some (axs', rest) ->
  Permutation (flat_map subs axs' ++ rest) ds /\ map extent axs' = map extent axs /\ Forall (fun a => extent a <= slots (subs a)) axs'.
Proof.
  induction axs as [|a axs IH]; intros ds axs' rest; cbn [fill]; [intros E; inversion E; subst; auto|].
  destruct (take_digits (extent a) 1 ds) as [[own ds']|] eqn:T; [|discriminate]. destruct (fill axs ds') as [[as' r]|] eqn:F; [|discriminate].
  intros E; inversion E; subst. apply take_right in T as [-> T]. apply IH in F as (P & X & S). cbn [flat_map map subs extent]. repeat split.
  - rewrite <- app_assoc. apply Permutation_app; auto. symmetry. apply Permutation_rev.
  - now rewrite X.
  - constructor; auto. cbn [subs extent]. rewrite slots_rev. lia.
Qed.
Lemma give_right rest axs : Exists (fun a => extent a = 0) axs ->
  Permutation (flat_map subs (give rest axs)) (flat_map subs axs ++ rest) /\ map extent (give rest axs) = map extent axs /\
  (Forall (fun a => extent a <= slots (subs a)) axs -> Forall (fun a => extent a <= slots (subs a)) (give rest axs)).
Proof.
  induction axs as [|a axs IH]; intros H; [inversion H|]. cbn [give]. destruct (N.eqb_spec (extent a) 0) as [E|E]; cbn [flat_map subs map extent].
  - repeat split; [|congruence|intros F; inversion F; constructor; auto; cbn [extent]; lia]. rewrite <- !app_assoc.
    transitivity (rest ++ (subs a ++ flat_map subs axs)); [apply Permutation_app_tail; symmetry; apply Permutation_rev|].
    rewrite (app_assoc (subs a)). apply Permutation_app_comm.
  - inversion H; [contradiction|]; subst. destruct (IH H1) as (P & X & S). repeat split.
    + rewrite <- app_assoc. apply Permutation_app_head; auto.
    + now rewrite X.
    + intros F; inversion F; subst. constructor; auto.
Qed.
Lemma landing_perm L : Permutation (landing L) (filter lands (all_subs L)).
Proof.
  unfold landing, all_subs. induction (nodes L) as [|a axs IH]; auto. cbn [flat_map]. rewrite filter_app.
  apply Permutation_app; auto. symmetry. apply Permutation_rev.
Qed.
(** Theorem 7, padding alone: a layout without elements keeps its shape and its slots, and each axis holds its extent, as
    the builder asks. There is no element to keep. *)
Theorem padding_alone_keeps L : Exists (fun a => extent a = 0) (axes L) -> padding_alone L <> L ->
  map extent (axes (padding_alone L)) = map extent (axes L) /\ Forall (fun a => extent a <= slots (subs a)) (axes (padding_alone L)) /\
  same_slots (padding_alone L) L /\ forall i, ~ real_index (padding_alone L) i.
Proof.
  intros Z. unfold padding_alone. destruct (fill (axes L) (landing L)) as [[axs rest]|] eqn:F; [intros _|congruence].
  apply fill_right in F as (P & X & S).
  assert (Z2 : Exists (fun a => extent a = 0) axs).
  { apply Exists_exists in Z as (a & Ha & E). apply (in_map extent) in Ha. rewrite <- X in Ha. apply in_map_iff in Ha as (b & Eb & Hb).
    apply Exists_exists. exists b. split; auto. congruence. }
  destruct (give_right rest axs Z2) as (P2 & X2 & S2). set (L' := Layout _ _ _ _ _ _).
  assert (Q : Permutation (all_subs L') (filter lands (all_subs L))).
  { unfold all_subs at 1, nodes, L'; cbn [axes ders map]. rewrite app_nil_r. etransitivity; [exact P2|]. etransitivity; [exact P|]. apply landing_perm. }
  assert (A : filter lands (all_subs L') = all_subs L').
  { assert (Fa : Forall (fun s => lands s = true) (all_subs L')).
    { eapply Permutation_Forall; [symmetry; exact Q|]. apply Forall_forall. intros s Hs. apply filter_In in Hs; tauto. }
    clear - Fa. induction Fa as [|s l H _ IH]; simpl; auto. now rewrite H, IH. }
  split; [unfold L'; cbn [axes]; now rewrite X2|]. split; [apply S2; auto|]. split; [apply slots_by_digits; auto; now rewrite A|].
  intros i R. assert (Z3 : Exists (fun a => extent a = 0) (give rest axs)).
  { apply Exists_exists in Z2 as (a & Ha & E). apply (in_map extent) in Ha. rewrite <- X2 in Ha. apply in_map_iff in Ha as (b & Eb & Hb).
    apply Exists_exists. exists b. split; auto. congruence. }
  unfold real_index in R. cbn [axes L'] in R. clear - R Z3. induction R; inversion Z3; subst; [lia|auto].
Qed.

(** * Dropped hypotheses *)

(** Cutting to a value that is exceeded: of 4 values 3 are left, and 3 wraps. That a minor digit of an XOR must be a power of
    two is `odd_xor` in Simplify.v. *)
Example cut_too_far : merged_to 2 [Sub 4 (Level 0) 1] = [Sub 3 (Level 0) 1] /\
  digits_to Sum (Level 0) [Sub 3 (Level 0) 1] 3 0 <> digits_to Sum (Level 0) [Sub 4 (Level 0) 1] 3 0. Proof. split; [reflexivity|discriminate]. Qed.
(** A digit of an XOR that is cut is no power of two, and is rounded up again. *)
Example rounded : let ds := [Derived Xor 0 (Axis 8 [Sub 8 (Level 0) 1])] in
  merged_to 4 [Sub 8 (Der 0) 1] = [Sub 5 (Der 0) 1] /\ map (round_sub ds) [Sub 5 (Der 0) 1] = [Sub 8 (Der 0) 1]. Proof. split; reflexivity. Qed.
(** Invariant 3: without it a value is above the greatest, and is cut. *)
Example cut_beyond : place beyond [3] 0 = 3 /\ place (of_elements beyond) [3] 0 = 1. Proof. split; reflexivity. Qed.
(** The order of merging is that of neighbours: 2 x 1 and 2 x 4 with 2 x 2 in between, and without. *)
Example neighbours : merged [Sub 2 (Level 0) 1; Sub 2 (Level 0) 2; Sub 2 (Level 0) 4] = [Sub 8 (Level 0) 1] /\
  merged [Sub 2 (Level 0) 1; Sub 2 (Level 0) 4; Sub 2 (Level 0) 2] = [Sub 2 (Level 0) 1; Sub 2 (Level 0) 4; Sub 2 (Level 0) 2]. Proof. split; reflexivity. Qed.
(** A derived axis with digits that nothing feeds may not go: its start is split. One that is fed may not go either where
    it is first spliced or left without digits. *)
Definition started := Layout [] [Derived Sum 1 (Axis 2 [Sub 2 (Level 0) 7])] [] [] [0%nat] [].
Example removal_moves : place started [] 0 = 7 /\ place (remove 0 started) [] 0 = 0. Proof. split; reflexivity. Qed.
Definition fed_empty := Layout [Axis 2 [Sub 2 (Der 0) 1]] [Derived Sum 0 (Axis 1 []); Derived Sum 0 (Axis 2 [Sub 2 (Level 0) 7])] [] [] [0%nat] [].
Example removal_feeds : place fed_empty [1] 0 = 0 /\ place (remove 0 fed_empty) [1] 0 = 7. Proof. split; reflexivity. Qed.
(** Without elements: 3 x 4 padding in an axis of 0 and through a derived axis, and the 12 slots in plain digits. *)
Definition empty_derived := Layout [Axis 0 [Sub 3 (Der 0) 1]; Axis 2 [Sub 4 (Level 0) 3]] [Derived Sum 0 (Axis 3 [Sub 3 (Level 0) 1])] [] [] [0%nat] [].
Example padding_example : axes (padding_alone empty_derived) = [Axis 0 [Sub 3 (Level 0) 1]; Axis 2 [Sub 4 (Level 0) 3]]. Proof. reflexivity. Qed.
(** With elements it would be another map: nothing asks for the order of the digits. *)
Definition full_derived := Layout [Axis 2 [Sub 2 (Der 0) 1]; Axis 2 [Sub 2 (Level 0) 1]] [Derived Sum 0 (Axis 2 [Sub 2 (Level 0) 3])] [] [] [0%nat] [].
Example padding_needs_none : place full_derived [1; 0] 0 = 3 /\ place (padding_alone full_derived) [1; 0] 0 = 1. Proof. split; reflexivity. Qed.

Definition theorems := (@merged_agrees, @merged_place, @merged_to_agrees, @of_elements_place, @removal, @padding_alone_keeps).
Print Assumptions theorems.
