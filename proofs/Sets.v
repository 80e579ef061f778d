(** Theorem 11, sets of coordinates (`src/algebra/coordinates.rs`): of each level the form lists the sums of its digits, as nested
    terms or one by one, and equal sets have equal listings, however their digits were written. *)
From Coq Require Import NArith List Lia Bool Arith Sorted Permutation.
Require Import TensorLayout.Radix TensorLayout.Model TensorLayout.Element TensorLayout.Nest TensorLayout.Simplify TensorLayout.Rules.
Require TensorLayout.Canon.
Import ListNotations.
Open Scope N_scope.
Local Arguments deqb : simpl never.

(** (size, stride) of a digit, and the sums of digit x stride. *)
Definition strided := (N * N)%type.
Fixpoint member (ts : list strided) (x : N) : Prop :=
  match ts with [] => x = 0 | (n, s) :: ts => exists k y, k < n /\ member ts y /\ x = k * s + y end.
(** Strides that ascend and nest, nothing to merge: `Coordinates::Nested`. *)
Fixpoint nested (reach : N) (ts : list strided) : Prop :=
  match ts with
  | [] => True
  | (n, s) :: ts => 2 <= n /\ reach < s /\ match ts with [] => True | (_, t) :: _ => t <> n * s end /\ nested (reach + (n - 1) * s) ts
  end.

Lemma member_0 ts : Forall (fun t => 0 < fst t) ts -> member ts 0.
Proof. induction 1 as [|[n s] ts H _ IH]; simpl; auto. exists 0, 0. auto. Qed.
Lemma nested_pos ts : forall r, nested r ts -> Forall (fun t => 0 < fst t) ts.
Proof. induction ts as [|[n s] ts IH]; intros r H; constructor; simpl in *; [lia|]. eapply IH. apply H. Qed.
(** Nested sums are farther apart than what is below them. *)
Lemma gap ts : forall reach, nested reach ts -> forall x y, member ts x -> member ts y -> x < y -> x + reach < y.
Proof.
  induction ts as [|[n s] ts IH]; intros reach N x y; cbn [member nested] in *; [lia|]. destruct N as (Hn & Hs & _ & N).
  intros (k & x' & Hk & Mx & ->) (l & y' & Hl & My & ->) H.
  assert (B : forall a, a < n -> a * s <= (n - 1) * s) by (intros; apply N.mul_le_mono_r; lia). pose proof (B k Hk). pose proof (B l Hl).
  destruct (N.lt_trichotomy x' y') as [G|[->|G]].
  - pose proof (IH _ N _ _ Mx My G). lia.
  - assert (k < l) by nia. assert ((k + 1) * s <= l * s) by (apply N.mul_le_mono_r; lia). lia.
  - pose proof (IH _ N _ _ My Mx G). lia.
Qed.
Lemma above ts reach x : nested reach ts -> member ts x -> 0 < x -> reach < x.
Proof. intros N M H. pose proof (gap ts reach N 0 x (member_0 ts (nested_pos ts _ N)) M H). lia. Qed.
Lemma least n s ts reach x : nested reach ((n, s) :: ts) -> member ((n, s) :: ts) x -> 0 < x -> s <= x.
Proof.
  intros N (k & y & Hk & My & ->) H. cbn [nested] in N. destruct N as (Hn & _ & _ & N). destruct (N.eq_dec y 0) as [->|Hy].
  - assert (1 <= k) by nia. nia.
  - pose proof (above ts _ y N My ltac:(lia)). assert (1 * s <= (n - 1) * s) by (apply N.mul_le_mono_r; lia). lia.
Qed.
Lemma member_step n s ts x : 1 < n -> Forall (fun t => 0 < fst t) ts -> x = s -> member ((n, s) :: ts) x.
Proof. intros Hn P ->. exists 1, 0. repeat split; [lia|apply member_0; auto|lia]. Qed.
Lemma size_le n m s a b reach : nested reach ((n, s) :: a) -> nested reach ((m, s) :: b) ->
  (forall x, member ((n, s) :: a) x <-> member ((m, s) :: b) x) -> m <= n.
Proof.
  intros A B E. destruct (N.le_gt_cases m n) as [|H]; auto. exfalso. pose proof A as (Hn & Hs & Ne & Na). pose proof B as (Hm & _ & _ & Nb).
  assert (In_b : member ((m, s) :: b) (n * s)) by (exists n, 0; split; [auto|]; split; [apply member_0; eapply nested_pos; eauto|lia]).
  apply E in In_b as (k & y & Hk & My & Ey). assert (Hy : 0 < y) by nia.
  destruct a as [|[n2 t] a]; [simpl in My; lia|]. assert (Pt : 0 < t) by (cbn [nested] in Na; lia).
  pose proof (least _ _ _ _ _ Na My Hy) as Lt. assert (Ht : member ((n, s) :: (n2, t) :: a) t).
  { exists 0, t. split; [lia|]. split; [|lia]. cbn [nested] in Na. apply member_step; [lia|eapply nested_pos; apply Na|auto]. }
  apply E in Ht as (k2 & y2 & Hk2 & My2 & Et).
  assert (Bk : (n + 1) * s <= m * s) by (apply N.mul_le_mono_r; lia). assert (Z : y2 = 0).
  { destruct (N.eq_dec y2 0); auto. pose proof (above b _ y2 Nb My2 ltac:(lia)). assert (n * s <= (m - 1) * s) by (apply N.mul_le_mono_r; lia). nia. }
  subst y2. rewrite N.add_0_r in Et. cbn [nested] in Na. destruct Na as (_ & Gt & _).
  assert (n - 1 < k2) by nia. assert (k2 <= n) by nia. assert (k2 = n) by lia. subst. auto.
Qed.
(** Theorem 11, nested sets: one set has one nested form. *)
Theorem nested_unique a : forall b reach, nested reach a -> nested reach b -> (forall x, member a x <-> member b x) -> a = b.
Proof.
  assert (Empty : forall n s ts reach, nested reach ((n, s) :: ts) -> ~ forall x, member [] x <-> member ((n, s) :: ts) x).
  { intros n s ts reach N E. pose proof N as (Hn & Hs & _ & Nt). assert (M : member ((n, s) :: ts) s) by (apply member_step; [lia|eapply nested_pos; eauto|auto]).
    apply E in M. simpl in M. lia. }
  induction a as [|[n s] a IH]; intros [|[m t] b] reach A B E; auto.
  - exfalso. eapply Empty; eauto.
  - exfalso. eapply (Empty n s a); eauto. intros x. symmetry. apply E.
  - pose proof A as (Hn & Hs & _ & Na). pose proof B as (Hm & Ht & _ & Nb).
    assert (s = t).
    { apply N.le_antisymm.
      - apply (least n s a reach t A); [|lia]. apply E. apply member_step; [lia|eapply nested_pos; eauto|auto].
      - apply (least m t b reach s B); [|lia]. apply E. apply member_step; [lia|eapply nested_pos; eauto|auto]. }
    subst t. assert (n = m).
    { apply N.le_antisymm; [apply (size_le m n s b a reach)|apply (size_le n m s a b reach)]; auto. intros x; symmetry; apply E. }
    subst m. f_equal. apply (IH b (reach + (n - 1) * s)); auto.
    assert (Half : forall a b, nested (reach + (n - 1) * s) a -> (forall x, member ((n, s) :: a) x <-> member ((n, s) :: b) x) ->
      forall x, (forall y, y < x -> (member a y <-> member b y)) -> member a x -> member b x).
    { clear - Hn Hs. intros a b Na E x H M. assert (M2 : member ((n, s) :: a) x) by (exists 0, x; repeat split; auto; lia).
      apply E in M2 as (k & r & Hk & Mr & ->). destruct (N.eq_dec k 0) as [->|K]; [exact Mr|]. exfalso.
      assert (L : r < k * s + r) by nia. assert (Ma : member a r) by (apply H; auto).
      pose proof (gap a _ Na _ _ Ma M L). assert (k * s <= (n - 1) * s) by (apply N.mul_le_mono_r; lia). lia. }
    intros x. induction x as [x IHx] using (well_founded_induction N.lt_wf_0). split; intros M.
    + apply (Half a b); auto.
    + apply (Half b a); auto; [intros y; symmetry; apply E|]. intros y Hy. symmetry. auto.
Qed.

(** * `merge_runs` *)

(** The run (n, s) is the last; `reach` is what all sums so far can be, `below` what those before the run can be. *)
Fixpoint runs (below n s reach : N) (ts : list strided) : option (list strided) :=
  match ts with
  | [] => Some [(n, s)]
  | (m, t) :: ts =>
      if (t mod s =? 0) && (t / s <=? n) && (below <? s) then runs below (n + (m - 1) * (t / s)) s (reach + (m - 1) * t) ts
      else if reach <? t then option_map (cons (n, s)) (runs reach m t (reach + (m - 1) * t) ts) else None
  end.
Definition merge_runs (ts : list strided) : option (list strided) :=
  match ts with [] => Some [] | (n, s) :: ts => runs 0 n s ((n - 1) * s) ts end.
Definition moving (ts : list strided) := Forall (fun t => 2 <= fst t /\ 0 < snd t) ts.

Lemma member_cons n s a b : (forall x, member a x <-> member b x) -> forall x, member ((n, s) :: a) x <-> member ((n, s) :: b) x.
Proof. intros E x. split; intros (k & y & Hk & My & ->); exists k, y; repeat split; auto; apply E; auto. Qed.
Lemma member_run n s m q ts x : 0 < n -> 1 <= q <= n -> 1 <= m -> member ((n, s) :: (m, q * s) :: ts) x <-> member ((n + (m - 1) * q, s) :: ts) x.
Proof.
  intros Hn Hq Hm. split.
  - intros (k & y & Hk & (l & z & Hl & Mz & ->) & ->). exists (k + l * q), z. repeat split; auto; [|lia].
    assert (l * q <= (m - 1) * q) by (apply N.mul_le_mono_r; lia). lia.
  - intros (j & z & Hj & Mz & ->). pose proof (N.div_mod j q ltac:(lia)) as D. pose proof (N.mod_lt j q ltac:(lia)) as R.
    assert (L : exists l, l < m /\ l <= j / q /\ (l = j / q \/ l = m - 1)).
    { destruct (N.le_gt_cases (j / q) (m - 1)); [exists (j / q)|exists (m - 1)]; lia. }
    destruct L as (l & Lm & Ll & L). assert (Lj : l * q <= q * (j / q)) by (rewrite (N.mul_comm q); apply N.mul_le_mono_r; auto).
    assert (Lk : j - l * q < n) by (destruct L as [->| ->]; [rewrite N.mul_comm|]; generalize dependent (j / q); generalize dependent (j mod q); intros; lia).
    exists (j - l * q), (l * (q * s) + z). split; [auto|]. split; [exists l, z; auto|].
    rewrite N.mul_sub_distr_r, (N.mul_assoc l q s). assert (l * q * s <= j * s) by (apply N.mul_le_mono_r; eapply N.le_trans; [exact Lj|apply N.mul_div_le; lia]). lia.
Qed.
Lemma runs_right ts : moving ts -> forall below n s reach a, 2 <= n -> below < s -> reach = below + (n - 1) * s -> runs below n s reach ts = Some a ->
  nested below a /\ (exists m r, a = (m, s) :: r) /\ forall x, member a x <-> member ((n, s) :: ts) x.
Proof.
  induction 1 as [|[m t] ts [Hm Ht] _ IH]; intros below n s reach a Hn Hb Hr; cbn [runs fst snd] in *.
  - intros E; inversion E; subst. split; [cbn; auto|]. split; eauto. tauto.
  - destruct ((t mod s =? 0) && (t / s <=? n) && (below <? s)) eqn:C.
    + apply andb_true_iff in C as [C _]. apply andb_true_iff in C as [C1 C2]. apply N.eqb_eq in C1. apply N.leb_le in C2.
      pose proof (N.div_mod t s ltac:(lia)) as D. rewrite C1, N.add_0_r in D. set (q := t / s) in *. assert (Hq : 1 <= q) by nia. intros E.
      destruct (IH below (n + (m - 1) * q) s (reach + (m - 1) * t) a) as (N & Hd & M); auto; [nia|subst reach; rewrite D; nia|].
      split; auto. split; auto. intros x. rewrite M. rewrite <- member_run by lia. rewrite (N.mul_comm q s), <- D. tauto.
    + destruct (N.ltb_spec reach t) as [G|]; [|discriminate]. destruct (runs reach m t (reach + (m - 1) * t) ts) as [r|] eqn:R; [|discriminate].
      intros E; inversion E; subst a. destruct (IH reach m t _ r Hm G eq_refl R) as (N & (m2 & r2 & ->) & M). split; [|split; [eauto|]].
      * cbn [nested]. rewrite <- Hr. repeat split; auto; try (apply N). intros ->. destruct (N.ltb_spec below s); [|lia].
        rewrite N.mod_mul, N.div_mul, N.leb_refl in C by lia. discriminate.
      * apply member_cons; auto.
Qed.
(** Theorem 11, `merge_runs`: where it has an answer, it is the nested form of the set. *)
Theorem merge_runs_right ts a : moving ts -> merge_runs ts = Some a -> nested 0 a /\ forall x, member a x <-> member ts x.
Proof.
  destruct ts as [|[n s] ts]; cbn [merge_runs]; intros M E; [inversion E; subst; split; [exact I|tauto]|]. inversion M as [|? ? [Hn Hs] M']; subst. cbn [fst snd] in *.
  destruct (runs_right ts M' 0 n s _ a Hn Hs (eq_sym (N.add_0_l _)) E) as (N & _ & Q). auto.
Qed.

(** * Listed sets, and `nested_sums` *)

Definition lists (l : list N) (P : N -> Prop) := StronglySorted N.lt l /\ forall x, In x l <-> P x.
Lemma listing_unique l : forall m P Q, lists l P -> lists m Q -> (forall x, P x <-> Q x) -> l = m.
Proof.
  assert (G : forall l m, StronglySorted N.lt l -> StronglySorted N.lt m -> (forall x, In x l <-> In x m) -> l = m).
  { clear. induction l as [|x l IH]; intros [|y m] S T E; auto.
    - exfalso. apply (E y). simpl; auto.
    - exfalso. apply (E x). simpl; auto.
    - inversion S as [|? ? S1 S2]; inversion T as [|? ? T1 T2]; subst. rewrite Forall_forall in S2, T2.
      assert (x = y). { destruct (proj1 (E x) (or_introl eq_refl)) as [|Hx]; auto. destruct (proj2 (E y) (or_introl eq_refl)) as [|Hy]; auto. specialize (T2 _ Hx). specialize (S2 _ Hy). lia. }
      subst y. f_equal. apply IH; auto. intros z. split; intros Hz.
      + destruct (proj1 (E z) (or_intror Hz)) as [->|]; auto. specialize (S2 _ Hz). lia.
      + destruct (proj2 (E z) (or_intror Hz)) as [->|]; auto. specialize (T2 _ Hz). lia. }
  intros m P Q [S1 M1] [S2 M2] E. apply G; auto. intros x. rewrite M1, M2. apply E.
Qed.

Definition below (n : N) : list N := map N.of_nat (seq 0 (N.to_nat n)).
(** A block of sums, repeated n times at steps of t; and the sums of nested terms, block by block. *)
Definition repeated (n t : N) (block : list N) : list N := flat_map (fun a => map (fun b => b + a * t) block) (below n).
Fixpoint build (block : list N) (ts : list strided) : list N := match ts with [] => block | (n, t) :: ts => build (repeated n t block) ts end.
(** The parts of a list that repeat the block, from part a on. *)
Fixpoint parts (fuel : nat) (a : N) (block : list N) (t : N) (l : list N) : nat :=
  match fuel with
  | O => O
  | S fuel => if list_eq_dec N.eq_dec (firstn (length block) l) (map (fun b => b + a * t) block)
              then S (parts fuel (a + 1) block t (skipn (length block) l)) else O
  end.
Fixpoint nested_from (fuel : nat) (l : list N) (filled : nat) : option (list strided) :=
  if (filled <? length l)%nat then
    match fuel with
    | O => None
    | S fuel => let t := nth filled l 0 in let n := parts (S (length l)) 0 (firstn filled l) t l in
                if (n <? 2)%nat then None else option_map (cons (N.of_nat n, t)) (nested_from fuel l (filled * n))
    end
  else if Nat.eqb filled (length l) then Some [] else None.
Definition nested_sums (l : list N) : option (list strided) := nested_from (length l) l 1.

Definition from (a : nat) (n : nat) (t : N) (block : list N) : list N := flat_map (fun k => map (fun b => b + N.of_nat k * t) block) (seq a n).
Lemma repeated_from n t block : repeated n t block = from 0 (N.to_nat n) t block.
Proof. unfold repeated, below, from. induction (seq 0 (N.to_nat n)); simpl; congruence. Qed.
Lemma len_from n t block : forall a, length (from a n t block) = (n * length block)%nat.
Proof. induction n as [|n IH]; intros a; auto. cbn [from seq flat_map]. rewrite app_length, map_length. fold (from (S a) n t block). rewrite IH. lia. Qed.
Lemma skipn_app_len {A} (a b : list A) : skipn (length a) (a ++ b) = b.
Proof. induction a; auto. Qed.
Lemma firstn_app_len {A} (a b : list A) : firstn (length a) (a ++ b) = a.
Proof. induction a; simpl; congruence. Qed.

(** Completeness: the parts of a repeated block are counted, and no more. *)
Lemma parts_from block t n rest : forall a fuel, (n < fuel)%nat -> firstn (length block) rest <> map (fun b => b + N.of_nat (a + n) * t) block ->
  parts fuel (N.of_nat a) block t (from a n t block ++ rest) = n.
Proof.
  induction n as [|n IH]; intros a [|fuel] F H; try lia; cbn [parts].
  - cbn [from seq flat_map app]. rewrite Nat.add_0_r in H. destruct (list_eq_dec _ _ _); congruence.
  - cbn [from seq flat_map]. fold (from (S a) n t block). rewrite <- app_assoc. set (p := map (fun b => b + N.of_nat a * t) block).
    assert (L : length block = length p) by (unfold p; now rewrite map_length). destruct (list_eq_dec _ _ _) as [_|C]; [|exfalso; apply C; rewrite L; apply firstn_app_len].
    assert (Sk : forall q, skipn (length block) (p ++ q) = q) by (intros; rewrite L; apply skipn_app_len). rewrite Sk. f_equal. replace (N.of_nat a + 1) with (N.of_nat (S a)) by lia. apply IH; [lia|]. now rewrite Nat.add_succ_r in H.
Qed.
Lemma build_prefix ts : forall block reach, nested reach ts -> exists rest, build block ts = block ++ rest /\
  match ts with [] => rest = [] | (_, t) :: _ => forall h b, block = h :: b -> exists r, rest = (h + t) :: r end.
Proof.
  induction ts as [|[n t] ts IH]; intros block reach N; cbn [build nested] in *; [exists []; now rewrite app_nil_r|]. destruct N as (Hn & _ & _ & N).
  destruct (IH (repeated n t block) _ N) as (rest & E & _). rewrite E, repeated_from. destruct (N.to_nat n) as [|[|k]] eqn:K; try lia. cbn [from seq flat_map].
  replace (map (fun b => b + N.of_nat 0 * t) block) with block by (rewrite <- (map_id block) at 1; apply map_ext; intros; lia).
  rewrite <- !app_assoc. eexists. split; [reflexivity|]. intros h b ->. cbn [map app]. eexists. f_equal. lia.
Qed.
Lemma build_length ts : forall block reach, nested reach ts -> (1 <= length block)%nat -> (length block + length ts <= length (build block ts))%nat.
Proof.
  induction ts as [|[n t] ts IH]; intros block reach N H; cbn [build length nested] in *; [lia|]. destruct N as (Hn & _ & _ & N).
  assert (L : length (repeated n t block) = (N.to_nat n * length block)%nat) by (rewrite repeated_from; apply len_from). assert (length block + 1 <= N.to_nat n * length block)%nat by nia.
  pose proof (IH (repeated n t block) _ N ltac:(lia)). lia.
Qed.
Lemma nested_found ts : forall block reach fuel b, nested reach ts -> block = 0 :: b -> (length ts <= fuel)%nat ->
  nested_from fuel (build block ts) (length block) = Some ts.
Proof.
  induction ts as [|[n t] ts IH]; intros block reach fuel b N Hb Hf.
  - cbn [build]. destruct fuel; cbn [nested_from]; now rewrite Nat.ltb_irrefl, Nat.eqb_refl.
  - destruct fuel as [|fuel]; [simpl in Hf; lia|]. pose proof N as (Hn & Ht & Ne & Nt).
    assert (L1 : (1 <= length block)%nat) by (subst; simpl; lia). pose proof (build_length _ block _ N L1) as BL. cbn [length] in BL.
    destruct (build_prefix _ block _ N) as (rest & E & Hr). destruct (Hr 0 b Hb) as (r & Er). subst rest. remember (build block (@cons strided (n, t) ts)) as l eqn:El.
    cbn [nested_from]. destruct (Nat.ltb_spec (length block) (length l)) as [_|H0]; [|lia].
    assert (T : nth (length block) l 0 = t) by (rewrite E, app_nth2, Nat.sub_diag by lia; reflexivity). rewrite T.
    assert (F : firstn (length block) l = block) by (rewrite E; apply firstn_app_len). rewrite F.
    assert (Rh : exists q, repeated n t block = 0 :: q).
    { rewrite repeated_from, Hb. destruct (N.to_nat n) as [|k] eqn:K; [lia|]. cbn [from seq flat_map map app]. eexists. reflexivity. }
    destruct Rh as (q & Rq).
    assert (P : parts (S (length l)) 0 block t l = N.to_nat n).
    { destruct (build_prefix ts (repeated n t block) _ Nt) as (rest2 & E2 & H2).
      assert (E3 : l = from 0 (N.to_nat n) t block ++ rest2) by (rewrite El; cbn [build]; now rewrite E2, <- repeated_from). rewrite E3 at 2.
      apply (parts_from block t (N.to_nat n) rest2 0).
      - rewrite E3, app_length, len_from. nia.
      - cbn [Nat.add]. rewrite N2Nat.id, Hb. destruct ts as [|[m u] ts]; [subst rest2; simpl; discriminate|].
        destruct (H2 _ _ Rq) as (r2 & ->). cbn [length firstn map]. intros Q. inversion Q. apply Ne. lia. }
    rewrite P. destruct (Nat.ltb_spec (N.to_nat n) 2); [lia|]. rewrite N2Nat.id.
    assert (L2 : (length block * N.to_nat n)%nat = length (repeated n t block)) by (rewrite repeated_from, len_from; lia). rewrite L2, El. cbn [build].
    rewrite (IH (repeated n t block) _ fuel q Nt Rq) by (simpl in Hf; lia). reflexivity.
Qed.

(** Soundness: what is found builds the list again. *)
Lemma parts_sound block t : forall fuel a l, exists rest, l = from a (parts fuel (N.of_nat a) block t l) t block ++ rest.
Proof.
  induction fuel as [|fuel IH]; intros a l; cbn [parts]; [exists l; auto|]. destruct (list_eq_dec _ _ _) as [E|]; [|exists l; auto].
  replace (N.of_nat a + 1) with (N.of_nat (S a)) by lia. destruct (IH (S a) (skipn (length block) l)) as (rest & Er). exists rest.
  cbn [from seq flat_map]. fold (from (S a) (parts fuel (N.of_nat (S a)) block t (skipn (length block) l)) t block). rewrite <- app_assoc, <- Er, <- E. symmetry. apply firstn_skipn.
Qed.
Lemma nested_sound : forall fuel l filled ts, nested_from fuel l filled = Some ts -> build (firstn filled l) ts = l.
Proof.
  induction fuel as [|fuel IH]; intros l filled ts; cbn [nested_from]; destruct (Nat.ltb_spec filled (length l)) as [H|H]; try discriminate;
    try (destruct (Nat.eqb_spec filled (length l)) as [->|]; [|discriminate]; intros E; inversion E; subst; cbn [build]; apply firstn_all).
  set (t := nth filled l 0). set (n := parts (S (length l)) 0 (firstn filled l) t l). destruct (Nat.ltb_spec n 2); [discriminate|].
  destruct (nested_from fuel l (filled * n)) as [r|] eqn:R; [|discriminate]. intros E; inversion E; subst ts. cbn [build]. rewrite repeated_from, Nat2N.id.
  apply IH in R. destruct (parts_sound (firstn filled l) t (S (length l)) 0 l) as (rest & El). change (N.of_nat 0) with 0 in El. fold n in El.
  rewrite <- R at 2. f_equal. rewrite El at 2. assert (Ln : (filled * n)%nat = length (from 0 n t (firstn filled l))) by (rewrite len_from, firstn_length; nia).
  rewrite Ln. symmetry. apply firstn_app_len.
Qed.

(** Building lists the sums: which, and in ascending order. *)
Lemma in_below a n : In a (below n) <-> a < n.
Proof.
  unfold below. rewrite in_map_iff. split; [intros (k & <- & Hk); apply in_seq in Hk; lia|]. intros H. exists (N.to_nat a). split; [lia|]. apply in_seq. lia.
Qed.
Lemma in_build ts : forall block x, In x (build block ts) <-> exists b y, In b block /\ member ts y /\ x = b + y.
Proof.
  induction ts as [|[n t] ts IH]; intros block x; cbn [build member].
  - split; [intros H; exists x, 0; repeat split; auto; lia|]. intros (b & y & Hb & -> & ->). now rewrite N.add_0_r.
  - rewrite IH. unfold repeated. split.
    + intros (c & y & Hc & My & ->). apply in_flat_map in Hc as (a & Ha & Hc). apply in_map_iff in Hc as (b & <- & Hb). apply in_below in Ha.
      exists b, (a * t + y). repeat split; auto; [exists a, y; auto|lia].
    + intros (b & z & Hb & (k & y & Hk & My & ->) & ->). exists (b + k * t), y. repeat split; auto; [|lia].
      apply in_flat_map. exists k. split; [apply in_below; auto|]. apply in_map_iff. exists b. auto.
Qed.
Lemma sorted_app a : forall b, StronglySorted N.lt a -> StronglySorted N.lt b -> (forall x y, In x a -> In y b -> x < y) -> StronglySorted N.lt (a ++ b).
Proof.
  induction a as [|x a IH]; intros b Sa Sb H; auto. inversion Sa; subst. cbn [app]. constructor; [apply IH; auto; intros; apply H; simpl; auto|].
  apply Forall_app; split; auto. apply Forall_forall. intros; apply H; simpl; auto.
Qed.
Lemma from_sorted t block reach : StronglySorted N.lt block -> (forall b, In b block -> b <= reach) -> reach < t -> forall n a,
  StronglySorted N.lt (from a n t block) /\ forall x, In x (from a n t block) -> N.of_nat a * t <= x /\ x <= reach + N.of_nat (a + n - 1) * t.
Proof.
  intros Sb Hb Ht. induction n as [|n IH]; intros a; [split; [constructor|intros x []]|]. cbn [from seq flat_map]. fold (from (S a) n t block). destruct (IH (S a)) as [S1 B1].
  assert (S0 : StronglySorted N.lt (map (fun b => b + N.of_nat a * t) block)).
  { clear - Sb. induction Sb as [|x l S IH F]; cbn [map]; constructor; auto. apply Forall_map. eapply Forall_impl; [|exact F]. intros; cbv beta in *; lia. }
  split.
  - apply sorted_app; auto. intros x y Hx Hy. apply in_map_iff in Hx as (b & <- & Hb2). apply Hb in Hb2. destruct (B1 y Hy) as [Q _]. rewrite Nat2N.inj_succ in Q. lia.
  - intros x Hx. apply in_app_or in Hx as [Hx|Hx].
    + apply in_map_iff in Hx as (b & <- & Hb2). apply Hb in Hb2. split; [lia|]. assert (N.of_nat a * t <= N.of_nat (a + S n - 1) * t) by (apply N.mul_le_mono_r; lia). lia.
    + destruct (B1 x Hx) as [Q1 Q2]. rewrite Nat2N.inj_succ in Q1. replace (a + S n - 1)%nat with (S a + n - 1)%nat by lia. split; lia.
Qed.
Lemma build_sorted ts : forall block reach, nested reach ts -> StronglySorted N.lt block -> (forall b, In b block -> b <= reach) -> StronglySorted N.lt (build block ts).
Proof.
  induction ts as [|[n t] ts IH]; intros block reach N S B; cbn [build nested] in *; auto. destruct N as (Hn & Ht & _ & N).
  destruct (from_sorted t block reach S B Ht (N.to_nat n) 0) as [S1 B1]. rewrite <- repeated_from in S1, B1. apply (IH _ _ N S1). intros x Hx. destruct (B1 x Hx) as [_ Q].
  replace (N.of_nat (0 + N.to_nat n - 1)) with (n - 1) in Q by lia. exact Q.
Qed.

(** * `Coordinates::of` *)

Inductive coordinates := Nested (ts : list strided) | Listed (l : list N) | Tangled (ts : list strided).
(** `listed` is the ascending list of the sums, where it is not too long. *)
Definition coordinates_of (ts : list strided) (listed : option (list N)) : coordinates :=
  match merge_runs ts with
  | Some a => Nested a
  | None => match listed with
            | None => Tangled ts
            | Some l => match nested_sums l with Some a => Nested a | None => Listed l end
            end
  end.
Definition set_of (c : coordinates) (x : N) : Prop := match c with Nested ts | Tangled ts => member ts x | Listed l => In x l end.
Definition is_tangled (c : coordinates) : bool := match c with Tangled _ => true | _ => false end.
Definition right_list ts (listed : option (list N)) := match listed with Some l => lists l (member ts) | None => True end.

Lemma moving_pos ts : moving ts -> Forall (fun t => 0 < fst t) ts.
Proof. intros M. eapply Forall_impl; [|exact M]. intros [n s] [H _]; simpl in *; lia. Qed.
Lemma list_starts l ts : moving ts -> lists l (member ts) -> firstn 1 l = [0].
Proof.
  intros M [S E]. assert (I : In 0 l) by (apply E, member_0, moving_pos; auto). destruct l as [|x l]; [contradiction|]. simpl. f_equal.
  destruct I as [|I]; auto. inversion S as [|? ? _ F]; subst. rewrite Forall_forall in F. specialize (F 0 I). lia.
Qed.
(** The listing has the sums. *)
Theorem coordinates_right ts listed : moving ts -> right_list ts listed -> forall x, set_of (coordinates_of ts listed) x <-> member ts x.
Proof.
  intros M R x. unfold coordinates_of in *. destruct (merge_runs ts) as [a|] eqn:E; [apply (merge_runs_right ts a M E)|].
  destruct listed as [l|]; [|cbn [set_of]; tauto]. cbn [right_list] in R. destruct (nested_sums l) as [a|] eqn:Q; [|apply R]. cbn [set_of].
  unfold nested_sums in Q. apply nested_sound in Q. rewrite (list_starts l ts M R) in Q. destruct R as [_ R]. rewrite <- R, <- Q, in_build. split.
  - intros H. exists 0, x. simpl. repeat split; auto.
  - intros (b & y & [<-|[]] & My & ->). now rewrite N.add_0_l.
Qed.
(** Theorem 11, listings: equal listings are equal sets; where neither is tangled, equal sets have equal listings. *)
Theorem coordinates_unique ts us lt lu : moving ts -> moving us -> right_list ts lt -> right_list us lu ->
  (coordinates_of ts lt = coordinates_of us lu -> forall x, member ts x <-> member us x) /\
  (is_tangled (coordinates_of ts lt) = false -> is_tangled (coordinates_of us lu) = false ->
   (forall x, member ts x <-> member us x) -> coordinates_of ts lt = coordinates_of us lu).
Proof.
  intros Mt Mu Rt Ru. split.
  - intros E x. rewrite <- (coordinates_right ts lt), <- (coordinates_right us lu) by auto. rewrite E. tauto.
  - intros Tt Tu E.
    assert (Mixed : forall ts us l a, moving ts -> moving us -> (forall x, member ts x <-> member us x) -> merge_runs ts = Some a -> lists l (member us) -> nested_sums l = Some a).
    { clear. intros ts us l a Mt Mu E Q R. destruct (merge_runs_right ts a Mt Q) as [N Ma].
      assert (l = build [0] a).
      { apply (listing_unique l _ (member us) (member us)); auto; [|tauto]. split.
        - apply (build_sorted a [0] 0 N); [repeat constructor|]. intros b [<-|[]]. lia.
        - intros x. rewrite in_build, <- E, <- Ma. split; [intros (b & y & [<-|[]] & My & ->); now rewrite N.add_0_l|]. intros My. exists 0, x. simpl. auto. }
      subst l. unfold nested_sums. apply (nested_found a [0] 0 _ []); auto. pose proof (build_length a [0] 0 N ltac:(simpl; lia)). simpl in *. lia. }
    unfold coordinates_of in *. destruct (merge_runs ts) as [a|] eqn:Q1, (merge_runs us) as [b|] eqn:Q2.
    + f_equal. destruct (merge_runs_right ts a Mt Q1) as [N1 M1], (merge_runs_right us b Mu Q2) as [N2 M2]. apply (nested_unique a b 0); auto. intros x. rewrite M1, M2. apply E.
    + destruct lu as [l|]; [|discriminate]. now rewrite (Mixed ts us l a).
    + destruct lt as [l|]; [|discriminate]. rewrite (Mixed us ts l b); auto. intros x; symmetry; apply E.
    + destruct lt as [l|]; [|discriminate]. destruct lu as [m|]; [|discriminate]. assert (l = m) by (apply (listing_unique l m (member ts) (member us)); auto). subst; auto.
Qed.

(** * Slots and copies, level by level: `PlaceSet` *)

Definition terms_to (l : nat) (ss : list sub) : list strided := map (fun s => (size s, weight s)) (filter (fun s => deqb (Level l) (to s)) ss).
Definition copies_to (l : nat) (rs : list replica) : list strided := map (fun r => (rsize r, rstride r)) (filter (fun r => Nat.eqb l (rlevel r)) rs).
Definition moves (t : strided) : bool := (1 <? fst t) && (0 <? snd t).
(** Digits and copies that move something, in any order: Rust sorts them by stride. *)
Definition slot_terms L l : list strided := filter moves (terms_to l (filter lands (all_subs L)) ++ copies_to l (rev (reps L))).
Definition copy_terms L l : list strided := filter moves (copies_to l (rev (reps L))).

Lemma member_app a b : forall x, member (a ++ b) x <-> exists y z, member a y /\ member b z /\ x = y + z.
Proof.
  induction a as [|[n s] a IH]; intros x; cbn [app member].
  - split; [intros M; exists 0, x; auto|]. intros (y & z & -> & M & ->). now rewrite N.add_0_l.
  - split.
    + intros (k & w & Hk & M & ->). apply IH in M as (y & z & My & Mz & ->). exists (k * s + y), z. repeat split; auto; [exists k, y; auto|lia].
    + intros (w & z & (k & y & Hk & My & ->) & Mz & ->). exists k, (y + z). repeat split; auto; [apply IH; eauto|lia].
Qed.
Lemma member_perm a b : Permutation a b -> forall x, member a x <-> member b x.
Proof.
  induction 1 as [|[n s] a b P IH|[n s] [m t] a|a b c P1 IH1 P2 IH2]; intros x; [tauto|apply member_cons; auto| |rewrite IH1; apply IH2].
  cbn [member]. split; intros (k & y & Hk & (j & z & Hj & M & ->) & ->).
  - exists j, (k * t + z). split; [auto|]. split; [exists k, z; auto|lia].
  - exists j, (k * s + z). split; [auto|]. split; [exists k, z; auto|lia].
Qed.
Lemma member_moving ts : Forall (fun t => 0 < fst t) ts -> forall x, member (filter moves ts) x <-> member ts x.
Proof.
  induction 1 as [|[n s] ts H _ IH]; intros x; [tauto|]. cbn [filter]. unfold moves at 1. cbn [fst snd] in *.
  destruct (N.ltb_spec 1 n) as [Hn|Hn], (N.ltb_spec 0 s) as [Hs|Hs]; cbn [andb]; try (apply member_cons; auto); rewrite IH; cbn [member];
    (split; [intros M; exists 0, x; repeat split; auto; lia|intros (k & y & Hk & M & ->)]); assert (Z : k * s = 0) by nia; now rewrite Z, N.add_0_l.
Qed.
(** Digits, each in one level: every level by itself. *)
Lemma digits_by_level ss : Forall (fun s => lands s = true) ss -> forall q : nat -> N,
  (exists D, map fst D = ss /\ Forall (fun sd => snd sd < size (fst sd)) D /\ forall l, q l = reached D l) <-> forall l, member (terms_to l ss) (q l).
Proof.
  induction 1 as [|s ss H _ IH]; intros q.
  - split; [intros (D & E & _ & Q) l; destruct D; [|discriminate]; rewrite Q; reflexivity|]. intros M. exists []. repeat split; auto.
  - unfold lands in H. destruct (to s) as [l0|] eqn:Es; [|discriminate].
    assert (T : forall l, terms_to l (s :: ss) = if Nat.eqb l l0 then (size s, weight s) :: terms_to l ss else terms_to l ss).
    { intros l. unfold terms_to. cbn [filter]. rewrite Es. unfold deqb. destruct (Nat.eqb l l0); reflexivity. }
    assert (Rd : forall k D l, reached ((s, k) :: D) l = (if Nat.eqb l l0 then k * weight s else 0) + reached D l).
    { intros k D l. unfold reached, total. cbn [map fold_right fst snd]. rewrite Es. unfold deqb. reflexivity. }
    split.
    + intros (D & E & F & Q) l. destruct D as [|[s' k] D]; [discriminate|]. cbn [map fst] in E. injection E as E1 E2. subst s'. apply Forall_inv in F as F1. apply Forall_inv_tail in F as F2. cbn [fst snd] in F1.
      assert (M : member (terms_to l ss) (reached D l)) by (apply (proj1 (IH (reached D))); exists D; auto). rewrite T, Q, Rd. destruct (Nat.eqb l l0); [exists k, (reached D l); auto|exact M].
    + intros M. pose proof (M l0) as M0. rewrite T, Nat.eqb_refl in M0. destruct M0 as (k & y & Hk & My & Ey).
      destruct (proj2 (IH (fun l => if Nat.eqb l l0 then y else q l))) as (D & E & F & Q).
      { intros l. specialize (M l). rewrite T in M. destruct (Nat.eqb_spec l l0) as [El|]; [rewrite El|]; auto. }
      exists ((s, k) :: D). split; [cbn [map fst]; congruence|]. split; [constructor; auto|]. intros l. rewrite Rd, <- Q. destruct (Nat.eqb_spec l l0) as [El|]; [rewrite El; auto|lia].
Qed.
(** Copies are digits, too. *)
Lemma copy_digits rs : Forall (fun r => 0 < rsize r) rs -> forall q : nat -> N,
  (exists c, c < prod (map rsize rs) /\ forall l, q l = copy_step rs c l) <->
  (exists D, map fst D = map rep_sub rs /\ Forall (fun sd => snd sd < size (fst sd)) D /\ forall l, q l = reached D l).
Proof.
  assert (Rd : forall r k D l, reached ((rep_sub r, k) :: D) l = (if Nat.eqb l (rlevel r) then k * rstride r else 0) + reached D l) by reflexivity.
  induction 1 as [|r rs H _ IH]; intros q.
  - split; [intros (c & _ & Q); exists []; auto|]. intros (D & E & _ & Q). destruct D; [|discriminate]. exists 0. split; [simpl; lia|exact Q].
  - cbn [map prod]. split.
    + intros (c & Hc & Q). destruct (proj1 (IH (copy_step rs (c / rsize r)))) as (D & E & F & QD); [exists (c / rsize r); split; auto; apply N.div_lt_upper_bound; lia|].
      exists ((rep_sub r, c mod rsize r) :: D). split; [cbn [map fst]; f_equal; exact E|]. split; [constructor; auto; cbn [fst snd rep_sub size]; apply N.mod_lt; lia|].
      intros l. rewrite Rd, <- QD, Q. reflexivity.
    + intros (D & E & F & Q). destruct D as [|[s k] D]; [discriminate|]. cbn [map fst] in E. injection E as E1 E2. subst s. apply Forall_inv in F as F1. apply Forall_inv_tail in F as F2. cbn [fst snd rep_sub size] in F1.
      destruct (proj2 (IH (reached D))) as (c & Hc & Qc); [exists D; auto|]. exists (k + rsize r * c). destruct (divmod_small (rsize r) k c F1) as [D1 D2]. split; [nia|].
      intros l. cbn [copy_step]. now rewrite D1, D2, Q, Rd, <- Qc.
Qed.
Lemma terms_app l a b : terms_to l (a ++ b) = terms_to l a ++ terms_to l b.
Proof. unfold terms_to. now rewrite filter_app, map_app. Qed.
Lemma terms_reps l rs : terms_to l (map rep_sub rs) = copies_to l rs.
Proof. unfold terms_to, copies_to. induction rs as [|r rs IH]; auto. cbn [map filter rep_sub to]. unfold deqb. destruct (Nat.eqb l (rlevel r)); cbn [map]; [f_equal|]; exact IH. Qed.
Lemma reached_app a b l : reached (a ++ b) l = reached a l + reached b l.
Proof. unfold reached. rewrite map_app. unfold total. induction (map _ a); simpl; lia. Qed.
Definition sized L := Forall (fun s => 0 < size s) (all_subs L) /\ Forall (fun r => 0 < rsize r) (reps L).
Lemma rev_copies L : copies L = prod (map rsize (rev (reps L))).
Proof. unfold copies. rewrite map_rev. induction (map rsize (reps L)) as [|x l IH]; auto. cbn [rev]. rewrite prod_app, <- IH. simpl. lia. Qed.
Lemma rep_lands rs : Forall (fun s => lands s = true) (map rep_sub rs).
Proof. apply Forall_map, Forall_forall. auto. Qed.
Lemma slot_levels L p : sized L -> (slot_places L p <-> exists q, (forall l, p l = offset l (offs L) + q l) /\ forall l, member (slot_terms L l) (q l)).
Proof.
  intros [S R]. set (A := filter lands (all_subs L)). set (rs := rev (reps L)). assert (Rr : Forall (fun r => 0 < rsize r) rs) by (apply Forall_rev; auto).
  assert (La : Forall (fun s => lands s = true) (A ++ map rep_sub rs)).
  { apply Forall_app; split; [apply Forall_forall; intros s Hs; apply filter_In in Hs; tauto|apply rep_lands]. }
  assert (P : forall l, Forall (fun t => 0 < fst t) (terms_to l A ++ copies_to l rs)).
  { intros l. apply Forall_app; split.
    - apply Forall_map, Forall_forall. intros s Hs. apply filter_In in Hs as [Hs _]. apply filter_In in Hs as [Hs _]. rewrite Forall_forall in S. simpl; auto.
    - apply Forall_map, Forall_forall. intros r Hr. apply filter_In in Hr as [Hr _]. rewrite Forall_forall in Rr. simpl; auto. }
  assert (T : forall l x, member (slot_terms L l) x <-> member (terms_to l (A ++ map rep_sub rs)) x).
  { intros l x. rewrite terms_app, terms_reps. apply member_moving; auto. }
  split.
  - intros (D & c & E & F & Hc & Hp). exists (fun l => reached D l + copy_step rs c l). split; [intros l; rewrite Hp; fold rs; lia|].
    destruct (proj1 (copy_digits rs Rr (copy_step rs c))) as (D2 & E2 & F2 & Q2); [exists c; split; auto; unfold rs; now rewrite <- rev_copies|].
    intros l. apply T. revert l. apply (digits_by_level _ La). exists (D ++ D2). split; [rewrite map_app; unfold A; congruence|]. split; [apply Forall_app; auto|].
    intros l. now rewrite reached_app, Q2.
  - intros (q & Hp & M). assert (M2 : forall l, member (terms_to l (A ++ map rep_sub rs)) (q l)) by (intros l; apply T; auto).
    apply (digits_by_level _ La) in M2 as (D & E & F & Q). apply map_eq_app in E as (D1 & D2 & -> & E1 & E2). apply Forall_app in F as [F1 F2].
    destruct (proj2 (copy_digits rs Rr (reached D2))) as (c & Hc & Qc); [exists D2; auto|].
    exists D1, c. split; [auto|]. split; [auto|]. split; [rewrite rev_copies; exact Hc|]. intros l. rewrite Hp, Q, reached_app, Qc. fold rs. lia.
Qed.
(** One coordinate alone: the others at 0. *)
Definition at_level (l : nat) (x : N) : nat -> N := fun k => if Nat.eqb k l then x else 0.
Lemma at_member (ts : nat -> list strided) l x : (forall k, Forall (fun t => 0 < fst t) (ts k)) -> member (ts l) x -> forall k, member (ts k) (at_level l x k).
Proof. intros P M k. unfold at_level. destruct (Nat.eqb_spec k l) as [->|]; auto. apply member_0; auto. Qed.
Lemma moving_filter ts : moving (filter moves ts).
Proof.
  apply Forall_forall. intros [n s] H. apply filter_In in H as [_ H]. unfold moves in H. cbn [fst snd] in *. apply andb_true_iff in H as [H1 H2]. apply N.ltb_lt in H1, H2. lia.
Qed.
(** Theorem 11, slots: with the same offsets, the sets of slots are the same if and only if they are in every level. *)
Theorem slots_by_level L L' : sized L -> sized L' -> (forall l, offset l (offs L) = offset l (offs L')) ->
  ((forall p, slot_places L p <-> slot_places L' p) <-> forall l x, member (slot_terms L l) x <-> member (slot_terms L' l) x).
Proof.
  assert (G : forall A B, sized A -> sized B -> (forall l, offset l (offs A) = offset l (offs B)) -> (forall p, slot_places A p -> slot_places B p) -> forall l x, member (slot_terms A l) x -> member (slot_terms B l) x).
  { intros A B SA SB O E l x M. destruct (proj1 (slot_levels B (fun k => offset k (offs A) + at_level l x k) SB)) as (q & Q & Mq).
    - apply E. apply (slot_levels A _ SA). exists (at_level l x). split; auto. apply (at_member (slot_terms A)); auto. intros k. apply moving_pos, moving_filter.
    - specialize (Q l). rewrite O in Q. unfold at_level in Q. rewrite Nat.eqb_refl in Q. replace x with (q l) by lia. apply Mq. }
  intros S S' O. split.
  - intros E l x. split; [apply (G L L')|apply (G L' L)]; auto; intros p; apply E.
  - intros E p. rewrite (slot_levels L p S), (slot_levels L' p S'). split; intros (q & Q & M); exists q; (split; [intros l; rewrite Q, O; auto|intros l; apply E; auto]).
Qed.
(** Theorem 11, copies: the same of the sets of what copies add. *)
Theorem copies_by_level L L' : sized L -> sized L' ->
  ((forall p, (exists c, c < copies L /\ forall l, p l = copy_step (rev (reps L)) c l) <-> (exists c, c < copies L' /\ forall l, p l = copy_step (rev (reps L')) c l))
   <-> forall l x, member (copy_terms L l) x <-> member (copy_terms L' l) x).
Proof.
  assert (C : forall A, sized A -> forall p, (exists c, c < copies A /\ forall l, p l = copy_step (rev (reps A)) c l) <-> forall l, member (copy_terms A l) (p l)).
  { intros A [_ R] p. assert (Rr : Forall (fun r => 0 < rsize r) (rev (reps A))) by (apply Forall_rev; auto). rewrite rev_copies, (copy_digits _ Rr p), (digits_by_level _ (rep_lands _) p).
    split; intros M l; specialize (M l); rewrite terms_reps in *; apply member_moving; auto; apply Forall_map, Forall_forall; intros r Hr; apply filter_In in Hr as [Hr _]; rewrite Forall_forall in Rr; simpl; auto. }
  intros S S'. split.
  - intros E l x. split; intros M.
    + assert (Q : forall k, member (copy_terms L' k) (at_level l x k)).
      { apply (C L' S'), E, (C L S). apply (at_member (copy_terms L)); auto. intros k. apply moving_pos, moving_filter. }
      specialize (Q l). unfold at_level in Q. now rewrite Nat.eqb_refl in Q.
    + assert (Q : forall k, member (copy_terms L k) (at_level l x k)).
      { apply (C L S), E, (C L' S'). apply (at_member (copy_terms L')); auto. intros k. apply moving_pos, moving_filter. }
      specialize (Q l). unfold at_level in Q. now rewrite Nat.eqb_refl in Q.
  - intros E p. rewrite (C L S p), (C L' S' p). split; intros M l; apply E; auto.
Qed.

(** * The whole form *)

Section Form.
(** Terms are sorted; any order will do. What is listed is listed rightly. *)
Variable order : list strided -> list strided.
Hypothesis Order : forall ts, Permutation ts (order ts).
Variable listed : list strided -> option (list N).
Hypothesis Lists : forall ts, right_list ts (listed ts).
Definition coordinates_in (ts : list strided) : coordinates := coordinates_of (order ts) (listed (order ts)).
(** `Canonical` of a layout without derived axes, with elements, and `is_unique`. *)
Definition equal_forms L L' :=
  map extent (axes L) = map extent (axes L') /\ map Canon.form_digits (axes L) = map Canon.form_digits (axes L') /\ used L = used L' /\
  (forall l, offset l (offs L) = offset l (offs L')) /\ (forall l, span L l = span L' l) /\
  (forall l, coordinates_in (copy_terms L l) = coordinates_in (copy_terms L' l)) /\ (forall l, coordinates_in (slot_terms L l) = coordinates_in (slot_terms L' l)).
Definition unique L := forall l, is_tangled (coordinates_in (copy_terms L l)) = false /\ is_tangled (coordinates_in (slot_terms L l)) = false.
Lemma in_order ts us : moving ts -> moving us ->
  (coordinates_in ts = coordinates_in us -> forall x, member ts x <-> member us x) /\
  (is_tangled (coordinates_in ts) = false -> is_tangled (coordinates_in us) = false -> (forall x, member ts x <-> member us x) -> coordinates_in ts = coordinates_in us).
Proof.
  intros Mt Mu. assert (Mo : forall ts, moving ts -> moving (order ts)) by (intros q; apply Permutation_Forall; auto).
  destruct (coordinates_unique (order ts) (order us) _ _ (Mo _ Mt) (Mo _ Mu) (Lists _) (Lists _)) as [A B]. split.
  - intros E x. rewrite (member_perm _ _ (Order ts)), (member_perm _ _ (Order us)). apply A; auto.
  - intros Tt Tu E. apply B; auto. intros x. rewrite <- (member_perm _ _ (Order ts)), <- (member_perm _ _ (Order us)). apply E.
Qed.
(** Theorem 11: equal forms are equal maps; equal maps have equal forms where both are unique. *)
Theorem canonical_forms L L' : Canon.plain_layout L -> Canon.plain_layout L' -> sized L -> sized L' ->
  (equal_forms L L' -> Canon.same_map L L') /\ (unique L -> unique L' -> Canon.same_map L L' -> equal_forms L L').
Proof.
  intros P P' S S'. pose proof (Canon.canonical_iff L L' P P') as C. split.
  - intros (E1 & E2 & E3 & E4 & E5 & E6 & E7). apply C. split; [auto|]. split; [auto|]. split; [auto|]. split; [auto|]. split; [auto|]. split.
    + refine (proj2 (copies_by_level L L' S S') _). intros l. apply in_order; [apply moving_filter|apply moving_filter|apply E6].
    + refine (proj2 (slots_by_level L L' S S' E4) _). intros l. apply in_order; [apply moving_filter|apply moving_filter|apply E7].
  - intros U U' M. apply C in M as (E1 & E2 & E3 & E4 & E5 & E6 & E7). split; [auto|]. split; [auto|]. split; [auto|]. split; [auto|]. split; [auto|]. split; intros l; destruct (U l), (U' l); apply in_order; try apply moving_filter; auto.
    + exact (proj1 (copies_by_level L L' S S') E6 l).
    + exact (proj1 (slots_by_level L L' S S' E4) E7 l).
Qed.
End Form.

(** * Examples, and dropped hypotheses *)

Example one_run : coordinates_of [(3, 1); (4, 2)] None = Nested [(9, 1)]. Proof. reflexivity. Qed.
Example two_runs : coordinates_of [(4, 1); (2, 8)] None = Nested [(4, 1); (2, 8)]. Proof. reflexivity. Qed.
Example neither : coordinates_of [(3, 2); (2, 3)] (Some [0; 2; 3; 4; 5; 7]) = Listed [0; 2; 3; 4; 5; 7]. Proof. reflexivity. Qed.
(** A list is read off as nested terms, if it is all of their sums: 0 1 3 is not. *)
Example read_off : nested_sums [0; 2; 40; 42; 80; 82] = Some [(2, 2); (3, 40)] /\ nested_sums [0; 1; 3] = None. Proof. split; reflexivity. Qed.
(** A set that is too large to be listed may have other terms. *)
Example tangled : coordinates_of [(4, 2); (2, 3); (2, 3)] None <> coordinates_of [(4, 2); (3, 3)] None /\
  (forall x, member [(4, 2); (2, 3); (2, 3)] x <-> member [(4, 2); (3, 3)] x).
Proof. split; [discriminate|]. apply member_cons. intros x. change 3 with (1 * 3) at 2. rewrite (member_run 2 3 2 1 [] x) by lia. reflexivity. Qed.
(** Terms that could be merged are another form of the same set; so are terms that overlap. *)
Example not_merged_set : forall x, member [(2, 1); (2, 2)] x <-> member [(4, 1)] x.
Proof. intros x. change 2 with (2 * 1) at 2. rewrite (member_run 2 1 2 2 [] x) by lia. reflexivity. Qed.

Definition theorems := (@nested_unique, @merge_runs_right, @coordinates_right, @coordinates_unique, @slots_by_level,
  @copies_by_level, @canonical_forms).
Print Assumptions theorems.
