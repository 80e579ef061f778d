(** Theorem 11: the canonical form (`src/algebra/canonical.rs`): equal forms are equal maps, with derived axes and XORs, too;
    without derived axes equal maps have equal forms, of layouts without elements, too. The form is that of the layout that
    `plainest` finds, which the rules of theorem 7 and the search of `without_padding` make.

    A step is (level, stride), and stride 0 is normalised to level 0. Digits are minor to major. *)
From Coq Require Import NArith List Lia Bool Arith.
Require Import TensorLayout.Radix TensorLayout.Model TensorLayout.Equations TensorLayout.Bound TensorLayout.Nest
  TensorLayout.Simplify TensorLayout.Rules.
Import ListNotations.
Open Scope N_scope.

Definition stepv := (nat * N)%type.
Definition app (s : stepv) (d : N) : nat -> N := fun l => if Nat.eqb l (fst s) then d * snd s else 0.
Definition digit := (N * stepv)%type.
Fixpoint f (ds : list digit) (v : N) (l : nat) : N :=
  match ds with [] => 0 | (n, s) :: ds => app s (v mod n) l + f ds (v / n) l end.
Definition normal (s : stepv) := snd s = 0 -> fst s = 0%nat.
Definition evenly (minor : digit) (major : stepv) :=
  fst (snd minor) = fst major /\ snd (snd minor) * fst minor = snd major.
(** Canonical for the values 0 .. top: sizes of at least 2, the major-most digit cut, nothing to merge. *)
Fixpoint canon (ds : list digit) (top : N) : Prop :=
  match ds with
  | [] => top = 0
  | (n, s) :: ds => 2 <= n /\ normal s /\
      match ds with
      | [] => top = n - 1
      | (_, s2) :: _ => ~ evenly (n, s) s2 /\ canon ds (top / n)
      end
  end.

Lemma app_inj s d s2 : normal s -> normal s2 -> 0 < d -> (forall l, app s d l = app s2 1 l) ->
  fst s = fst s2 /\ d * snd s = snd s2.
Proof.
  intros N1 N2 Hd E. pose proof (E (fst s)) as E1. pose proof (E (fst s2)) as E2. unfold app in *.
  rewrite Nat.eqb_refl in *. destruct (Nat.eqb_spec (fst s) (fst s2)) as [e|n].
  - rewrite e in *. split; auto. lia.
  - destruct (Nat.eqb_spec (fst s2) (fst s)); [congruence|].
    assert (snd s = 0) by nia. assert (snd s2 = 0) by lia. exfalso. apply n. rewrite N1, N2 by auto. auto.
Qed.

Lemma canon_top ds top : canon ds top -> ds <> [] -> 0 < top.
Proof.
  revert top; induction ds as [|[n s] ds IH]; intros top C H; [congruence|]. simpl in C.
  destruct C as (Hn & _ & C). destruct ds as [|[n2 s2] ds]; [lia|]. destruct C as [_ C].
  apply IH in C; [|discriminate]. destruct (N.eq_dec top 0); [subst; rewrite N.div_0_l in C; lia|lia].
Qed.
Lemma canon_size n s ds top : canon ((n, s) :: ds) top -> n <= top + 1 /\ (ds <> [] -> n <= top).
Proof.
  intros C. simpl in C. destruct C as (Hn & _ & C). destruct ds as [|[n2 s2] ds]; [split; [lia|congruence]|].
  destruct C as [_ C]. apply canon_top in C; [|discriminate].
  assert (n <= top); [|lia]. destruct (N.le_gt_cases n top); auto. rewrite N.div_small in C by auto; lia.
Qed.

(** Below the first size, values step evenly; at it, the second digit steps. *)
Lemma f_small n s ds v l : v < n -> f ((n, s) :: ds) v l = app s v l.
Proof.
  intros H. simpl. rewrite N.mod_small, N.div_small by auto.
  assert (Z : f ds 0 l = 0).
  { clear. induction ds as [|[m s] ds IH]; simpl; auto.
    replace (0 mod m) with 0 by (destruct m; reflexivity). replace (0 / m) with 0 by (destruct m; reflexivity).
    rewrite IH. unfold app. destruct (Nat.eqb l (fst s)); lia. }
  rewrite Z; lia.
Qed.
Lemma f_at n s m s2 ds l : 2 <= n -> 2 <= m -> f ((n, s) :: (m, s2) :: ds) n l = app s2 1 l.
Proof.
  intros Hn Hm. change (app s (n mod n) l + f ((m, s2) :: ds) (n / n) l = app s2 1 l).
  rewrite N.mod_same, N.div_same by lia. rewrite f_small by lia. unfold app at 1. destruct (Nat.eqb l (fst s)); lia.
Qed.
Lemma f_mul n s ds v l : 0 < n -> f ((n, s) :: ds) (n * v) l = f ds v l.
Proof.
  intros H. simpl. rewrite (N.mul_comm n v), N.mod_mul, N.div_mul by lia. unfold app. destruct (Nat.eqb l (fst s)); lia.
Qed.

Lemma size_le n s ds m t es top : canon ((n, s) :: ds) top -> canon ((m, t) :: es) top ->
  s = t -> (forall v l, v <= top -> f ((n, s) :: ds) v l = f ((m, t) :: es) v l) -> m <= n.
Proof.
  intros C D -> E. destruct (N.le_gt_cases m n) as [|L]; auto. exfalso.
  pose proof (canon_size _ _ _ _ D) as [Sm _]. 
  destruct ds as [|[n2 s2] ds]; [simpl in C; lia|].
  assert (n <= top) by (apply canon_size in C as [_ C]; apply C; discriminate).
  simpl in C. destruct C as (Hn & Nt & Ne & C). destruct C as (Hn2 & Ns2 & _).
  apply Ne. assert (A : forall l, app t n l = app s2 1 l).
  { intros l. rewrite <- (f_at n t n2 s2 ds l), E, f_small by auto. auto. }
  apply app_inj in A; auto; [|lia]. destruct A as [A1 A2]. split; simpl; auto. lia.
Qed.

Lemma canon_ge2 n s ds top : canon ((n, s) :: ds) top -> 2 <= n /\ normal s.
Proof. simpl; tauto. Qed.

(** Theorem 11, one axis: two canonical lists of digits that are the same map are equal. *)
Theorem canonical_unique ds : forall es top, canon ds top -> canon es top ->
  (forall v l, v <= top -> f ds v l = f es v l) -> ds = es.
Proof.
  induction ds as [|[n s] ds IH]; intros [|[m t] es] top C D E; auto.
  - simpl in C. apply canon_top in D; [lia|discriminate].
  - simpl in D. apply canon_top in C; [lia|discriminate].
  - assert (T : 0 < top) by (apply canon_top in C; auto; discriminate).
    assert (St : s = t).
    { assert (A : forall l, app s 1 l = app t 1 l).
      { intros l. specialize (E 1 l). destruct (canon_ge2 _ _ _ _ C), (canon_ge2 _ _ _ _ D).
        rewrite !f_small in E by lia. apply E; lia. }
      destruct (canon_ge2 _ _ _ _ C) as [_ Ns], (canon_ge2 _ _ _ _ D) as [_ Nt].
      destruct (app_inj s 1 t Ns Nt) as [A1 A2]; [lia|exact A|].
      rewrite N.mul_1_l in A2. destruct s, t; simpl in A1, A2; congruence. }
    assert (Nm : n = m).
    { apply N.le_antisymm.
      - apply (size_le m t es n s ds top); auto. intros; symmetry; auto.
      - apply (size_le n s ds m t es top); auto. }
    subst. f_equal.
    assert (P : 2 <= m) by (simpl in D; tauto).
    assert (C2 : canon ds (top / m)).
    { simpl in C. destruct ds as [|[]]; [|tauto]. simpl. destruct C as (_ & _ & ->). apply N.div_small; lia. }
    assert (D2 : canon es (top / m)).
    { simpl in D. destruct es as [|[]]; [|tauto]. simpl. destruct D as (_ & _ & ->). apply N.div_small; lia. }
    apply (IH es (top / m)); auto. intros v l Hv.
    rewrite <- (f_mul m t ds v l), <- (f_mul m t es v l) by lia. apply E.
    pose proof (N.mul_div_le top m). nia.
Qed.


(** * The digits that Rust keeps: `merged_digits` in `src/algebra/steps.rs` *)

Definition norm (s : stepv) : stepv := if snd s =? 0 then (0%nat, 0) else s.
(** Digits up to the first that moves, without those of size 1 (`reaches`, and the filter by tops). *)
Fixpoint need (ds : list digit) (g : N) : list digit :=
  match ds with
  | [] => []
  | (n, s) :: ds => if g / n =? 0 then (if g =? 0 then [] else [(g + 1, norm s)])
                    else if n =? 1 then need ds g else (n, norm s) :: need ds (g / n)
  end.
Definition evenlyb (minor : digit) (major : stepv) : bool :=
  Nat.eqb (fst (snd minor)) (fst major) && (snd (snd minor) * fst minor =? snd major).
(** `merged`: a digit joins the one before it, which is major, where all its steps make one of the major's. *)
Fixpoint merge (ds : list digit) : list digit :=
  match ds with
  | [] => []
  | (n, s) :: ds => match merge ds with
                    | (m, t) :: r => if evenlyb (n, s) t then (n * m, s) :: r else (n, s) :: (m, t) :: r
                    | [] => [(n, s)]
                    end
  end.
(** `cut`: the major-most digit has no more values than the greatest value needs. *)
Fixpoint cut (ds : list digit) (g : N) : list digit :=
  match ds with
  | [] => []
  | [(n, s)] => [(N.min n (g + 1), s)]
  | (n, s) :: ds => (n, s) :: cut ds (g / n)
  end.
Definition merged_digits (ds : list digit) (g : N) : list digit := cut (merge (need ds g)) g.

(** The digits in terms of tops, as Rust writes it. *)
Lemma need_reaches ds : Forall (fun d => 0 < fst d) ds -> forall g,
  need ds g = map (fun '((n, s), t) => (t + 1, norm s)) (filter (fun dt => 0 <? snd dt) (combine ds (reaches (map fst ds) g))).
Proof.
  assert (Z : forall ds, filter (fun dt : digit * N => 0 <? snd dt) (combine ds (reaches (map fst ds) 0)) = []).
  { induction ds0 as [|[n s] ds0 IH]; cbn [map reaches combine filter fst snd]; auto. }
  induction 1 as [|[n s] ds H _ IH]; intros g; auto. cbn [need map reaches combine filter fst snd] in *.
  destruct (N.eqb_spec (g / n) 0) as [E|E].
  - rewrite E. change (0 <? 0) with false. cbv iota. rewrite Z.
    apply N.div_small_iff in E; [|lia]. rewrite N.mod_small by auto. destruct (N.eqb_spec g 0) as [->|G]; auto.
    destruct (N.ltb_spec 0 g); [reflexivity|lia].
  - destruct (N.ltb_spec 0 (g / n)) as [_|Q]; [|exfalso; apply E, N.le_0_r, Q]. destruct (N.eqb_spec n 1) as [->|Hn].
    + rewrite N.div_1_r in *. simpl. apply IH.
    + destruct (N.ltb_spec 0 (n - 1)); [|lia]. cbn [map]. rewrite IH. do 2 f_equal. lia.
Qed.

(** Enough digits for the values up to g, and none too many. *)
Fixpoint room (ds : list digit) (g : N) : Prop :=
  match ds with
  | [] => g = 0
  | (n, s) :: ds => 2 <= n /\ normal s /\ match ds with [] => 1 <= g <= n - 1 | _ => 1 <= g / n /\ room ds (g / n) end
  end.
Fixpoint apart_all (ds : list digit) : Prop :=
  match ds with [] => True | d :: ds => match ds with [] => True | (_, t) :: _ => ~ evenly d t end /\ apart_all ds end.

Lemma norm_normal s : normal (norm s).
Proof. unfold norm, normal. destruct (N.eqb_spec (snd s) 0); simpl; auto. intros; contradiction. Qed.
Lemma app_norm s d l : app (norm s) d l = app s d l.
Proof.
  unfold norm, app. destruct (N.eqb_spec (snd s) 0) as [E|]; auto. rewrite E. simpl.
  destruct (Nat.eqb l 0), (Nat.eqb l (fst s)); lia.
Qed.
Lemma app_add s a b l : app s (a + b) l = app s a l + app s b l.
Proof. unfold app. destruct (Nat.eqb l (fst s)); lia. Qed.
Lemma f_zero ds l : f ds 0 l = 0.
Proof.
  induction ds as [|[m s] ds IH]; cbn [f]; auto.
  replace (0 mod m) with 0 by (destruct m; reflexivity). replace (0 / m) with 0 by (destruct m; reflexivity).
  rewrite IH. unfold app. destruct (Nat.eqb l (fst s)); lia.
Qed.

Lemma need_right ds : Forall (fun d => 0 < fst d) ds -> forall g, g < prod (map fst ds) ->
  room (need ds g) g /\ forall v l, v <= g -> f (need ds g) v l = f ds v l.
Proof.
  induction 1 as [|[n s] ds H _ IH]; cbn [map prod fst] in *; intros g Hg; [split; [cbn; lia|auto]|].
  cbn [need]. destruct (N.eqb_spec (g / n) 0) as [E|E].
  - apply N.div_small_iff in E; [|lia]. assert (Q : forall v, v <= g -> v mod n = v /\ v / n = 0).
    { intros v Hv. split; [apply N.mod_small|apply N.div_small]; lia. }
    destruct (N.eqb_spec g 0) as [->|G].
    + split; [reflexivity|]. intros v l Hv. cbn [f]. destruct (Q v Hv) as [-> ->]. rewrite f_zero.
      assert (v = 0) by lia. subst. unfold app. destruct (Nat.eqb l (fst s)); lia.
    + split; [cbn; repeat split; try lia; apply norm_normal|]. intros v l Hv. cbn [f]. destruct (Q v Hv) as [-> ->].
      rewrite f_zero, N.mod_small, app_norm by lia. lia.
  - assert (Hq : g / n < prod (map fst ds)) by (apply N.div_lt_upper_bound; lia). destruct (N.eqb_spec n 1) as [->|Hn].
    + rewrite N.div_1_r in *. destruct (IH g Hq) as [R F]. split; auto. intros v l Hv. cbn [f]. rewrite N.mod_1_r, N.div_1_r, F by auto.
      unfold app. destruct (Nat.eqb l (fst s)); lia.
    + destruct (IH (g / n) Hq) as [R F]. split.
      * cbn [room]. split; [lia|]. split; [apply norm_normal|]. destruct (need ds (g / n)) as [|d r]; [contradiction|]. split; auto.
        revert E. generalize (g / n). intros; lia.
      * intros v l Hv. cbn [f]. rewrite F, app_norm by (apply N.div_le_mono; lia). reflexivity.
Qed.
Lemma evenlyb_iff d t : evenlyb d t = true <-> evenly d t.
Proof. unfold evenlyb, evenly. rewrite andb_true_iff, Nat.eqb_eq, N.eqb_eq. tauto. Qed.
Lemma merge_empty ds : merge ds = [] -> ds = [].
Proof. destruct ds as [|[n s] ds]; simpl; auto. destruct (merge ds) as [|[m t] r]; [discriminate|]. destruct (evenlyb (n, s) t); discriminate. Qed.
Lemma merge_right ds : forall g, room ds g -> room (merge ds) g /\ apart_all (merge ds) /\ forall v l, f (merge ds) v l = f ds v l.
Proof.
  induction ds as [|[n s] ds IH]; intros g R; [repeat split; auto|]. cbn [merge]. cbn [room] in R. destruct R as (Hn & Ns & R).
  destruct (merge ds) as [|[m t] r] eqn:E.
  - apply merge_empty in E. subst. cbn in R. split; [cbn; auto|]. split; [cbn; auto|auto].
  - assert (Ne : ds <> []) by (intros ->; discriminate). destruct ds as [|d0 ds0]; [congruence|]. destruct R as [R1 R2].
    destruct (IH _ R2) as (A & B & C). cbn [room] in A. destruct A as (Hm & Nt & A).
    destruct (evenlyb (n, s) t) eqn:Ev.
    + apply evenlyb_iff in Ev. unfold evenly in Ev; cbn in Ev. destruct Ev as [E1 E2]. split; [|split].
      * cbn [room]. split; [nia|]. split; auto. destruct r as [|d r].
        -- assert (Dm : g = n * (g / n) + g mod n) by (apply N.div_mod; lia). assert (Lm : g mod n < n) by (apply N.mod_lt; lia).
           revert Dm Lm A. generalize (g / n) (g mod n). intros q x Dm Lm A.
           assert (n * q <= n * (m - 1)) by (apply N.mul_le_mono_l; lia). rewrite N.mul_sub_distr_l in H. nia.
        -- rewrite <- N.div_div by lia. auto.
      * cbn [apart_all] in *. destruct B as [B1 B2]. split; auto. destruct r as [|[k u] r]; auto.
        intros [X1 X2]. apply B1. unfold evenly; cbn in *. split; [congruence|]. rewrite <- E2, <- X2. lia.
      * intros v l. change (f ((n, s) :: d0 :: ds0) v l) with (app s (v mod n) l + f (d0 :: ds0) (v / n) l). rewrite <- C. cbn [f]. rewrite N.add_assoc. f_equal; [|now rewrite N.div_div by lia].
        rewrite N.mod_mul_r by lia. rewrite app_add. f_equal. unfold app. rewrite E1. destruct (Nat.eqb l (fst t)); [rewrite <- E2; ring|auto].
    + split; [|split].
      * cbn [room]. repeat split; auto; lia.
      * cbn [apart_all] in *. split; auto. rewrite <- evenlyb_iff. congruence.
      * intros v l. change (f ((n, s) :: d0 :: ds0) v l) with (app s (v mod n) l + f (d0 :: ds0) (v / n) l). rewrite <- C. reflexivity.
Qed.
Lemma cut_right ds : forall g, room ds g -> apart_all ds -> canon (cut ds g) g /\ forall v l, v <= g -> f (cut ds g) v l = f ds v l.
Proof.
  induction ds as [|[n s] ds IH]; intros g R A; [split; auto|]. cbn [room] in R. destruct R as (Hn & Ns & R). destruct ds as [|[m t] ds].
  - assert (E : N.min n (g + 1) = g + 1) by lia. cbn [cut]. rewrite E. split; [cbn; repeat split; auto; lia|].
    intros v l Hv. cbn [f]. rewrite !N.mod_small by lia. reflexivity.
  - destruct R as [R1 R2]. cbn [apart_all] in A. destruct A as [A1 A2]. destruct (IH _ R2 A2) as [C F].
    change (cut ((n, s) :: (m, t) :: ds) g) with ((n, s) :: cut ((m, t) :: ds) (g / n)). split.
    + assert (Hd : exists k r, cut ((m, t) :: ds) (g / n) = (k, t) :: r) by (cbn [cut]; destruct ds; eauto).
      destruct Hd as (k & r & Hd). unfold digit in *. rewrite Hd in C |- *. split; [lia|]. split; [auto|]. split; [exact A1|exact C].
    + intros v l Hv. cbn [f] in F |- *. rewrite <- F by (apply N.div_le_mono; lia). reflexivity.
Qed.
(** Theorem 11, the program: the digits that Rust keeps are canonical and have the same map for every real value. *)
Theorem merged_digits_right ds g : Forall (fun d => 0 < fst d) ds -> g < prod (map fst ds) ->
  canon (merged_digits ds g) g /\ forall v l, v <= g -> f (merged_digits ds g) v l = f ds v l.
Proof.
  intros P Hg. destruct (need_right ds P g Hg) as [R F]. destruct (merge_right _ g R) as (R2 & A & F2).
  destruct (cut_right _ g R2 A) as [C F3]. split; auto. intros v l Hv. unfold merged_digits. rewrite F3, F2, F; auto.
Qed.

(** * Layouts *)

(** The digits of an axis as steps, when they land. *)
Definition digit_steps (ss : list sub) : list digit :=
  map (fun s => (size s, match to s with Level l => (l, weight s) | Der _ => (0%nat, 0) end)) ss.
Definition form_digits (a : axis) : list digit := merged_digits (digit_steps (subs a)) (extent a - 1).
Definition all_levels (ss : list sub) := Forall (fun s => match to s with Level _ => True | Der _ => False end) ss.

Lemma steps_right l ss : all_levels ss -> forall v st, digits_to Sum (Level l) ss v st = st + f (digit_steps ss) v l.
Proof.
  unfold digit_steps. induction 1 as [|s ss H _ IH]; simpl; intros v st; [lia|]. rewrite IH. destruct (to s) as [k|]; [|contradiction].
  unfold app, deqb; simpl. destruct (Nat.eqb l k); lia.
Qed.
(** The place of an index, axis by axis. *)
Fixpoint sum_axes (axs : list axis) (i : list N) (l : nat) : N :=
  match axs, i with a :: axs, v :: i => f (digit_steps (subs a)) v l + sum_axes axs i l | _, _ => 0 end.
Lemma plain_place L i : ders L = [] -> all_levels (all_subs L) -> length i = length (axes L) ->
  forall l, place L i l = offset l (offs L) + sum_axes (axes L) i l.
Proof.
  intros D A Li l. unfold place. rewrite (land_solves L i Li) by (rewrite D; exact I). rewrite D. cbn [length seq map comb_of].
  rewrite !app_nil_r. change (first L (Level l)) with (offset l (offs L)).
  unfold all_subs, nodes in A. rewrite D in A. simpl in A. rewrite app_nil_r in A. revert A i Li. generalize (offset l (offs L)).
  generalize (axes L). induction l0 as [|a axs IH]; intros st A [|v i] Li; simpl in *; try lia.
  apply Forall_app in A as [A1 A2]. rewrite IH, steps_right by (auto; lia). lia.
Qed.

(** Two sets of coordinates, given by a property, are the same. *)
Definition same_set (P Q : (nat -> N) -> Prop) := forall p, P p <-> Q p.
Definition copy_set L : (nat -> N) -> Prop := fun p => exists c, c < copies L /\ forall l, p l = copy_step (rev (reps L)) c l.
Definition place_set L i : (nat -> N) -> Prop := fun p => exists c, c < copies L /\ forall l, p l = copy_place L i c l.
(** Slots: digits that land and copies, each at any of its values. *)
Definition slot_set L : (nat -> N) -> Prop := slot_places L.

(** Layouts without derived axes, with elements, that the builder accepts. *)
Definition plain_layout L := ders L = [] /\ all_levels (all_subs L) /\ Forall (fun a => 0 < extent a <= slots (subs a)) (axes L)
  /\ Forall (fun s => 0 < size s) (all_subs L) /\ 0 < copies L.
(** The canonical form: `Canonical`. Rust lists or nests the coordinates of its two sets per level; here they are sets. *)
Definition same_form L L' :=
  map extent (axes L) = map extent (axes L') /\ map form_digits (axes L) = map form_digits (axes L') /\ used L = used L' /\
  (forall l, offset l (offs L) = offset l (offs L')) /\ (forall l, span L l = span L' l) /\
  same_set (copy_set L) (copy_set L') /\ same_set (slot_set L) (slot_set L').
(** The same map: shape, used levels, spans, the places of every element, and the places of all slots. *)
Definition same_map L L' :=
  map extent (axes L) = map extent (axes L') /\ used L = used L' /\ (forall l, span L l = span L' l) /\
  (forall i, real_index L i -> same_set (place_set L i) (place_set L' i)) /\ same_set (slot_set L) (slot_set L').

Lemma form_right L a : plain_layout L -> In a (axes L) ->
  canon (form_digits a) (extent a - 1) /\ forall v l, v < extent a -> f (form_digits a) v l = f (digit_steps (subs a)) v l.
Proof.
  intros (D & A & X & S & _) Ha. rewrite Forall_forall in X. destruct (X a Ha) as [X1 X2].
  destruct (merged_digits_right (digit_steps (subs a)) (extent a - 1)) as [C F].
  - unfold digit_steps. apply Forall_map. simpl. unfold all_subs, nodes in S. rewrite Forall_forall in S |- *.
    intros s Hs. apply S, in_flat_map. exists a. split; auto. apply in_or_app; auto.
  - replace (map fst (digit_steps (subs a))) with (map size (subs a)) by (unfold digit_steps; rewrite map_map; reflexivity).
    unfold slots in X2. lia.
  - split; auto. intros v l Hv. unfold form_digits. apply F. lia.
Qed.
Lemma copy_zero rs l : copy_step rs 0 l = 0.
Proof.
  induction rs as [|r rs IH]; cbn [copy_step]; auto. replace (0 / rsize r) with 0 by (destruct (rsize r); reflexivity).
  replace (0 mod rsize r) with 0 by (destruct (rsize r); reflexivity). rewrite IH. destruct (Nat.eqb l (rlevel r)); lia.
Qed.
(** Places of elements that are the same as sets have the same first copy. *)
Lemma first_copy L L' i : 0 < copies L -> 0 < copies L' -> same_set (place_set L i) (place_set L' i) -> forall l, place L i l = place L' i l.
Proof.
  intros P P' E l.
  assert (Le : forall A B, 0 < copies A -> same_set (place_set A i) (place_set B i) -> place B i l <= place A i l).
  { intros A B PA H. destruct (H (place A i)) as [H1 _]. destruct H1 as (c & _ & Hc).
    - exists 0. split; auto. intros k. unfold copy_place. rewrite copy_zero. lia.
    - rewrite (Hc l). unfold copy_place. lia. }
  apply N.le_antisymm; apply Le; auto. intros p. symmetry. apply E.
Qed.
Lemma sum_axes_0 axs l : sum_axes axs (repeat 0 (length axs)) l = 0.
Proof. induction axs as [|a axs IH]; simpl; auto. now rewrite f_zero, IH. Qed.
(** The index that is v along axis k. *)
Definition along (n k : nat) (v : N) : list N := repeat 0 k ++ v :: repeat 0 (n - k - 1).
Lemma sum_along axs : forall k v l a, nth_error axs k = Some a -> sum_axes axs (along (length axs) k v) l = f (digit_steps (subs a)) v l.
Proof.
  induction axs as [|b axs IH]; intros [|k] v l a H; simpl in H; try discriminate.
  - inversion H; subst. unfold along. simpl. rewrite Nat.sub_0_r, sum_axes_0. lia.
  - unfold along in *. simpl. rewrite f_zero. change (S (length axs) - S k - 1)%nat with (length axs - k - 1)%nat. now rewrite (IH k v l a H).
Qed.
Lemma along_real axs : Forall (fun a => 0 < extent a) axs -> forall k v a, nth_error axs k = Some a -> v < extent a ->
  Forall2 (fun i a => i < extent a) (along (length axs) k v) axs.
Proof.
  assert (Z : forall axs, Forall (fun a => 0 < extent a) axs -> Forall2 (fun i a => i < extent a) (repeat 0 (length axs)) axs)
    by (induction 1; simpl; constructor; auto).
  induction 1 as [|b axs Hb H IH]; intros [|k] v a Hk Hv; simpl in Hk; try discriminate.
  - inversion Hk; subst. unfold along; simpl. rewrite Nat.sub_0_r. constructor; auto.
  - unfold along in *. simpl. constructor; auto. apply (IH k v a); auto.
Qed.

(** Theorem 11: equal forms are equal maps, and equal maps have equal forms. *)
Theorem canonical_iff L L' : plain_layout L -> plain_layout L' -> (same_form L L' <-> same_map L L').
Proof.
  intros P P'. pose proof P as (D & A & X & S & C). pose proof P' as (D' & A' & X' & S' & C').
  assert (Pos : forall axs, Forall (fun a => 0 < extent a <= slots (subs a)) axs -> Forall (fun a => 0 < extent a) axs)
    by (intros axs; apply Forall_impl; tauto).
  split.
  - intros (E1 & E2 & E3 & E4 & E5 & E6 & E7). split; [auto|]. split; [auto|]. split; [auto|]. split; [|auto].
    intros i R. assert (Ln : length (axes L) = length (axes L')) by (rewrite <- (map_length extent), E1, map_length; auto).
    assert (Pl : forall l, place L i l = place L' i l).
    { intros l. pose proof (f2_len _ _ _ R) as Li. rewrite !plain_place by (auto; congruence). rewrite E4. f_equal.
      assert (F : forall a, In a (axes L) -> forall v, v < extent a -> f (form_digits a) v l = f (digit_steps (subs a)) v l)
        by (intros a Ha v Hv; apply (form_right L a P Ha); auto).
      assert (F' : forall a, In a (axes L') -> forall v, v < extent a -> f (form_digits a) v l = f (digit_steps (subs a)) v l)
        by (intros a Ha v Hv; apply (form_right L' a P' Ha); auto).
      clear - E1 E2 F F' R. unfold real_index in R. revert F F' E1 E2. revert R. generalize i. generalize (axes L'). 
      induction (axes L) as [|a axs IH]; intros [|b axs'] j R F F' E1 E2; simpl in *; try discriminate; inversion R; subst; auto.
      injection E1 as X1 X2. injection E2 as Y1 Y2. simpl. rewrite <- F, <- F' by (auto; congruence). rewrite Y1. f_equal.
      apply IH; auto. }
    intros p. split; intros (c & Hc & Hp).
    + destruct (proj1 (E6 (copy_step (rev (reps L)) c)) (ex_intro _ c (conj Hc (fun l => eq_refl)))) as (c' & Hc' & H').
      exists c'. split; auto. intros l. rewrite Hp. unfold copy_place. now rewrite Pl, H'.
    + destruct (proj2 (E6 (copy_step (rev (reps L')) c)) (ex_intro _ c (conj Hc (fun l => eq_refl)))) as (c' & Hc' & H').
      exists c'. split; auto. intros l. rewrite Hp. unfold copy_place. now rewrite <- Pl, H'.
  - intros (E1 & E3 & E5 & E6 & E7).
    assert (Ln : length (axes L) = length (axes L')) by (rewrite <- (map_length extent), E1, map_length; auto).
    assert (Pl : forall i, real_index L i -> forall l, place L i l = place L' i l) by (intros i R; apply first_copy; auto).
    assert (R0 : real_index L (repeat 0 (length (axes L)))) by (unfold real_index; specialize (Pos _ X); clear - Pos; induction Pos; simpl; constructor; auto).
    assert (E4 : forall l, offset l (offs L) = offset l (offs L')).
    { intros l. specialize (Pl _ R0 l). rewrite !plain_place in Pl by (auto; rewrite repeat_length; congruence).
      rewrite sum_axes_0, Ln, sum_axes_0 in Pl. lia. }
    assert (E2 : map form_digits (axes L) = map form_digits (axes L')).
    { apply nth_ext with [] []; rewrite !map_length; auto. intros k Hk.
      rewrite (nth_indep _ [] (form_digits (Axis 0 []))) by (now rewrite map_length).
      rewrite (nth_indep (map form_digits (axes L')) [] (form_digits (Axis 0 []))) by (rewrite map_length; lia). rewrite !map_nth.
      pose proof (nth_error_nth' (axes L) (Axis 0 []) Hk) as N. pose proof (nth_error_nth' (axes L') (Axis 0 []) (eq_ind _ (fun n => (k < n)%nat) Hk _ Ln)) as N'.
      set (a := nth k (axes L) (Axis 0 [])) in *. set (b := nth k (axes L') (Axis 0 [])) in *.
      assert (Xe : extent a = extent b).
      { pose proof (f_equal (fun l => nth_error l k) E1) as Q. cbv beta in Q. rewrite !nth_error_map, N, N' in Q. inversion Q; auto. }
      destruct (form_right L a P (nth_error_In _ _ N)) as [Ca Fa]. destruct (form_right L' b P' (nth_error_In _ _ N')) as [Cb Fb].
      apply (canonical_unique _ _ (extent a - 1)); auto; [now rewrite Xe|].
      assert (Ea : 0 < extent a) by (rewrite Forall_forall in X; apply (X a (nth_error_In _ _ N))).
      intros v l Hv. rewrite Fa, Fb by lia.
      assert (Hr : real_index L (along (length (axes L)) k v)) by (apply along_real with a; auto; lia).
      pose proof (Pl _ Hr l) as Q. pose proof (f2_len _ _ _ Hr) as Lh. rewrite !plain_place in Q by (auto; congruence).
      rewrite (sum_along _ _ _ _ _ N), Ln, (sum_along _ _ _ _ _ N'), E4 in Q. lia. }
    assert (E8 : same_set (copy_set L) (copy_set L')).
    { intros p. specialize (E6 _ R0 (fun l => offset l (offs L) + p l)).
      assert (Q : forall l, place L (repeat 0 (length (axes L))) l = offset l (offs L)).
      { intros l. rewrite plain_place by (auto; now rewrite repeat_length). rewrite sum_axes_0. lia. }
      assert (Q' : forall l, place L' (repeat 0 (length (axes L))) l = offset l (offs L)) by (intros l; rewrite <- Pl, Q by auto; auto).
      unfold place_set, copy_set, copy_place in *. split.
      - intros (c & Hc & Hp). destruct (proj1 E6) as (c' & Hc' & H'); [exists c; split; auto; intros l; now rewrite Q, Hp|].
        exists c'. split; auto. intros l. specialize (H' l). rewrite Q' in H'. lia.
      - intros (c & Hc & Hp). destruct (proj2 E6) as (c' & Hc' & H'); [exists c; split; auto; intros l; now rewrite Q', Hp|].
        exists c'. split; auto. intros l. specialize (H' l). rewrite Q in H'. lia. }
    repeat split; auto; apply E8 || apply E7.
Qed.

(** * Derived axes, and layouts without elements *)

(** Equal first copies and equal sets of copies are equal sets of places. *)
Lemma copies_of_places L L' i : (forall l, place L i l = place L' i l) -> same_set (copy_set L) (copy_set L') -> same_set (place_set L i) (place_set L' i).
Proof.
  assert (G : forall A B, (forall l, place A i l = place B i l) -> same_set (copy_set A) (copy_set B) -> forall p, place_set A i p -> place_set B i p).
  { intros A B Pl E p (c & Hc & Hp). destruct (proj1 (E (copy_step (rev (reps A)) c)) (ex_intro _ c (conj Hc (fun l => eq_refl)))) as (c' & Hc' & H').
    exists c'. split; auto. intros l. rewrite Hp. unfold copy_place. now rewrite Pl, H'. }
  intros Pl E p. split; apply G; auto. intros q. split; apply E.
Qed.
(** The form of a layout that keeps derived axes has its digits and its derived axes as they are. *)
Definition same_derived_form L L' :=
  map extent (axes L) = map extent (axes L') /\ map subs (axes L) = map subs (axes L') /\ ders L = ders L' /\ used L = used L' /\
  (forall l, offset l (offs L) = offset l (offs L')) /\ (forall l, span L l = span L' l) /\
  same_set (copy_set L) (copy_set L') /\ same_set (slot_set L) (slot_set L').
Lemma agree_all cs A : forall vs, length vs = length A -> all_agree cs vs A A.
Proof. induction A as [|a A IH]; intros [|v vs] E; simpl in *; try lia; auto. split; [|auto]. intros x st; auto. Qed.
(** Theorem 11 with derived axes, sums and XORs: equal forms are equal maps. Nothing more is claimed: `is_unique` says no. *)
Theorem derived_form L L' : ordered 0 (ders L) -> same_derived_form L L' -> same_map L L'.
Proof.
  intros O (E1 & E2 & E3 & E4 & E5 & E6 & E7 & E8). assert (A : axes L = axes L').
  { revert E1 E2. generalize (axes L'). induction (axes L) as [|[e ss] axs IH]; intros [|[e' ss'] axs']; simpl; intros X Y; try discriminate; auto.
    inversion X; inversion Y; subst. f_equal; auto. }
  split; [auto|]. split; [auto|]. split; [auto|]. split; [|auto]. intros i R. apply copies_of_places; auto. intros l. symmetry. unfold place. pose proof (f2_len _ _ _ R) as Li.
  apply inside_axes; auto; [congruence| |].
  - repeat split; try congruence. intros [k|j]; cbn [first]; [auto|now rewrite E3].
  - assert (Nd : nodes L' = nodes L) by (unfold nodes; congruence). rewrite Nd. apply agree_all. apply len_vals; auto.
Qed.

(** Without elements the form has no digits and no copies: shape, used levels, offsets, spans, slots. *)
Definition same_empty_form L L' :=
  map extent (axes L) = map extent (axes L') /\ used L = used L' /\ (forall l, offset l (offs L) = offset l (offs L')) /\
  (forall l, span L l = span L' l) /\ same_set (slot_set L) (slot_set L').
Lemma least_slot L : Forall (fun s => 0 < size s) (all_subs L) -> 0 < copies L -> slot_set L (fun l => offset l (offs L)).
Proof.
  intros S C. exists (map (fun s => (s, 0)) (filter lands (all_subs L))), 0. split; [now rewrite map_map, map_id|]. split.
  - apply Forall_map, Forall_forall. intros s Hs. apply filter_In in Hs as [Hs _]. rewrite Forall_forall in S. simpl. auto.
  - split; auto. intros l. rewrite copy_zero. assert (Z : reached (map (fun s => (s, 0)) (filter lands (all_subs L))) l = 0); [|lia].
    unfold reached, total. induction (filter lands (all_subs L)) as [|s ss IH]; auto. cbn [map fold_right fst snd]. rewrite IH. destruct (deqb (Level l) (to s)); lia.
Qed.
(** Theorem 11 without elements: the form decides the map, derived axes or not. *)
Theorem empty_iff L L' : Exists (fun a => extent a = 0) (axes L) -> Forall (fun s => 0 < size s) (all_subs L) -> Forall (fun s => 0 < size s) (all_subs L') ->
  0 < copies L -> 0 < copies L' -> (same_empty_form L L' <-> same_map L L').
Proof.
  intros Z S S' C C'. split.
  - intros (E1 & E2 & E3 & E4 & E5). split; [auto|]. split; [auto|]. split; [auto|]. split; [|auto]. intros i R. exfalso. clear - Z R. unfold real_index in R. induction R; inversion Z; subst; [lia|auto].
  - intros (E1 & E2 & E4 & _ & E5). split; [auto|]. split; [auto|]. split; [|auto]. intros l.
    assert (Le : forall A B, Forall (fun s => 0 < size s) (all_subs A) -> 0 < copies A -> same_set (slot_set A) (slot_set B) -> offset l (offs B) <= offset l (offs A)).
    { intros A B SA CA E. destruct (proj1 (E _) (least_slot A SA CA)) as (D & c & _ & _ & _ & H). rewrite (H l). lia. }
    apply N.le_antisymm; apply Le; auto. intros p. symmetry. apply E5.
Qed.

(** Dropped hypotheses: digits that are not merged are the same map in another form; so is a major digit that is not cut,
    and a step of 0 in another level. *)
Example not_merged : forall v l, v <= 3 -> f [(2, (0%nat, 1)); (2, (0%nat, 2))] v l = f [(4, (0%nat, 1))] v l.
Proof.
  intros v l H. assert (E : v = 0 \/ v = 1 \/ v = 2 \/ v = 3) by lia.
  destruct E as [->|[->|[->| ->]]]; unfold f, app; simpl; destruct (Nat.eqb l 0); reflexivity.
Qed.
Example merged_example : merged_digits [(2, (0%nat, 1)); (2, (0%nat, 2))] 2 = [(3, (0%nat, 1))]. Proof. reflexivity. Qed.
Example not_cut : merged_digits [(5, (0%nat, 1))] 2 = merged_digits [(3, (0%nat, 1))] 2. Proof. reflexivity. Qed.
Example stride_0 : merged_digits [(2, (1%nat, 0))] 1 = merged_digits [(2, (2%nat, 0))] 1. Proof. reflexivity. Qed.
(** With derived axes the form keeps them as they are, and two forms may be one map: an axis of 4, and the same through a
    derived axis (which `plainest` would remove). *)
Example derived_forms : forall v, v < 4 -> place (Layout [Axis 4 [Sub 4 (Der 0) 1]] [Derived Sum 0 (Axis 4 [Sub 4 (Level 0) 1])] [] [] [0%nat] []) [v] 0
  = place (Layout [Axis 4 [Sub 4 (Level 0) 1]] [] [] [] [0%nat] []) [v] 0.
Proof.
  intros v H. assert (E : v = 0 \/ v = 1 \/ v = 2 \/ v = 3) by lia. destruct E as [->|[->|[->| ->]]]; reflexivity.
Qed.

Definition theorems := (@canonical_unique, @merged_digits_right, @canonical_iff, @derived_form, @empty_iff).
Print Assumptions theorems.
