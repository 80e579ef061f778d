(** Theorem 10: the lowering of XLA's tilings (`src/lower/xla_shape.rs`) is the formula of XLA's documentation, for
    any rank, order and tiles, repeated ones, combining ones and tiles of 1 included.

    Dimensions are major first, as in the documents. A tile is a list of (k, t): k dimensions are merged (k - 1
    stars before the entry t) and tiled by t. *)
From Coq Require Import NArith List Lia Bool Arith Permutation.
Require Import TensorLayout.Radix TensorLayout.Model.
Import ListNotations.
Open Scope N_scope.

(** * The specification: `linear_index` and `linear_index_with_tile` *)

Fixpoint linear_index (e d : list N) : N :=
  match e, d with x :: e, _ :: d => x * prod d + linear_index e d | _, _ => 0 end.
Definition cdiv a b := (a + b - 1) / b.
Definition tile := list (nat * N).
(** The entries of a tile as they are written, `None` for a star. *)
Fixpoint tile_of (stars : nat) (entries : list (option N)) : tile :=
  match entries with
  | [] => []
  | None :: es => tile_of (S stars) es
  | Some t :: es => (S stars, t) :: tile_of 0 es
  end.
Definition entries (g : tile) : nat := list_sum (map (@fst nat N) g).
(** A tile with more entries than there are dimensions: dimensions of size 1 are put in front. The documents do not
    speak of this case; it is our convention, and the formula and the lowering share it. *)
Definition missing (g : tile) (l : list N) : nat := (entries g - length l)%nat.
Definition extend (g : tile) (fill : N) (l : list N) := repeat fill (missing g l) ++ l.

Fixpoint merged_sizes (g : tile) (d : list N) : list (N * N) :=   (* (size, t) *)
  match g with [] => [] | (k, t) :: g => (prod (firstn k d), t) :: merged_sizes g (skipn k d) end.
Fixpoint merged_values (g : tile) (e d : list N) : list N :=
  match g with
  | [] => []
  | (k, t) :: g => linear_index (firstn k e) (firstn k d) :: merged_values g (skipn k e) (skipn k d)
  end.
Definition outer_sizes (m : list (N * N)) := map (fun '(D, t) => cdiv D t) m.
Definition inner_sizes (m : list (N * N)) := map snd m.
Definition outer_values (m : list (N * N)) v := map (fun '((D, t), x) => x / t) (combine m v).
Definition inner_values (m : list (N * N)) v := map (fun '((D, t), x) => x mod t) (combine m v).
(** The dimensions that a tile leaves alone. *)
Definition kept (g : tile) (d : list N) : nat := (length d - entries g)%nat.
Definition tiled_sizes (g : tile) d :=
  let d := extend g 1 d in
  let m := merged_sizes g (skipn (kept g d) d) in firstn (kept g d) d ++ outer_sizes m ++ inner_sizes m.
Definition tiled_index (g : tile) e d :=
  let e := extend g 0 e in
  let d := extend g 1 d in
  let m := merged_sizes g (skipn (kept g d) d) in
  let v := merged_values g (skipn (kept g d) e) (skipn (kept g d) d) in
  firstn (kept g d) e ++ outer_values m v ++ inner_values m v.
Fixpoint linear_index_with_tiles (e d : list N) (ts : list tile) : N :=
  match ts with
  | [] => linear_index e d
  | g :: ts => linear_index_with_tiles (tiled_index g e d) (tiled_sizes g d) ts
  end.
(** The number of elements with padding: the product of the sizes after all tiles. *)
Fixpoint physical (d : list N) (ts : list tile) : N :=
  match ts with [] => prod d | g :: ts => physical (tiled_sizes g d) ts end.

(** The example of the documents: element (2,3) of F32[3,5] in tiles (2,2). *)
Example seventeen : linear_index_with_tiles [2;3] [3;5] [[(1%nat,2);(1%nat,2)]] = 17.
Proof. reflexivity. Qed.

(** * The lowering: every dimension gets a target, a destination and a weight *)

Definition target := (dest * N)%type.
(** Dimensions that are linearised at a target. *)
Fixpoint spread (o : target) (d : list N) : list target :=
  match d with [] => [] | _ :: d => (fst o, snd o * prod d) :: spread o d end.
Definition is_one (t : N) : bool := t =? 1.
(** The merged dimensions of each entry: they feed a derived axis of their own, or for t = 1 stay what they were. *)
Fixpoint group_targets (j : nat) (g : tile) (d : list N) (Os : list target) : list target :=
  match g, Os with
  | (k, t) :: g, o :: Os =>
      if is_one t then spread o (firstn k d) ++ group_targets j g (skipn k d) Os
      else spread (Der j, 1) (firstn k d) ++ group_targets (S j) g (skipn k d) Os
  | _, _ => []
  end.
Definition sub_of (s : N) (t : target) := Sub s (fst t) (snd t).
(** Digits of size 1 are left out. *)
Definition digit_of (s : N) (t : target) := if s <=? 1 then [] else [sub_of s t].
Fixpoint tile_ders (m : list (N * N)) (outer inner : list target) : list derived :=
  match m, outer, inner with
  | (D, t) :: m, o :: outer, i :: inner =>
      if is_one t then tile_ders m outer inner
      else Derived Sum 0 (Axis D (digit_of t i ++ digit_of (cdiv D t) o)) :: tile_ders m outer inner
  | _, _, _ => []
  end.
Definition fresh (g : tile) : nat := length (filter (fun '(k, t) => negb (is_one t)) g).
Fixpoint lower_dims (next : nat) (d0 : list N) (ts : list tile) : list target * list derived :=
  match ts with
  | [] => (spread (Level 0, 1) d0, [])
  | g :: ts =>
      let d := extend g 1 d0 in
      let p := kept g d in
      let n := length g in
      let '(T, ds) := lower_dims (next + fresh g) (tiled_sizes g d0) ts in
      let Os := firstn n (skipn p T) in
      (skipn (missing g d0) (firstn p T ++ group_targets next g (skipn p d) Os),
       tile_ders (merged_sizes g (skipn p d)) Os (skipn (p + n) T) ++ ds)
  end.

(** The order is major first: the reverse of `minor_to_major`. *)
Fixpoint find (k : nat) (order : list nat) (T : list target) : target :=
  match order, T with
  | o :: order, t :: T => if Nat.eqb o k then t else find k order T
  | _, _ => (Level 0, 0)
  end.
Definition pick {A} (dflt : A) (l : list A) (order : list nat) := map (fun k => nth k l dflt) order.
(** A dimension of size 0 is tiled as one of size 1; a unit axis that lands needs no digit. *)
Definition at_least_1 (d : list N) := map (N.max 1) d.
Definition whole (size : N) (t : target) : list sub :=
  match fst t with Level _ => digit_of (N.max 1 size) t | Der _ => [sub_of (N.max 1 size) t] end.
(** The span is rounded up to a multiple of `L`. *)
Definition round_up (n l : N) := cdiv n (N.max 1 l) * N.max 1 l.
Definition lower (d : list N) (order : list nat) (ts : list tile) (tail : N) : layout :=
  let sizes := pick 1 (at_least_1 d) order in
  let '(T, ds) := lower_dims 0 sizes ts in
  Layout (map (fun k => Axis (nth k d 0) (whole (nth k d 0) (find k order T))) (seq 0 (length d)))
    ds [] [] [0%nat] [(0%nat, round_up (physical sizes ts) tail)].

(** * Sums over targets *)

Definition contrib (x : dest) (t : target) (e : N) : N := if deqb x (fst t) then e * snd t else 0.
Fixpoint sum_to (x : dest) (T : list target) (e : list N) : N :=
  match T, e with t :: T, v :: e => contrib x t v + sum_to x T e | _, _ => 0 end.

Lemma contrib_add x t a b : contrib x t (a + b) = contrib x t a + contrib x t b.
Proof. unfold contrib; destruct (deqb x (fst t)); lia. Qed.
Lemma contrib_0 x t : contrib x t 0 = 0.
Proof. unfold contrib; destruct (deqb x (fst t)); lia. Qed.
Lemma contrib_other x t v : fst t <> x -> contrib x t v = 0.
Proof. intros H; unfold contrib; rewrite deqb_neq; congruence. Qed.

Lemma sum_to_app x T1 T2 e1 e2 : length T1 = length e1 ->
  sum_to x (T1 ++ T2) (e1 ++ e2) = sum_to x T1 e1 + sum_to x T2 e2.
Proof. revert e1; induction T1; destruct e1; simpl; intros; try lia. rewrite IHT1; lia. Qed.

Lemma sum_spread x o e d : length e = length d -> sum_to x (spread o d) e = contrib x o (linear_index e d).
Proof.
  revert e; induction d; destruct e; simpl; intros; try lia; [now rewrite contrib_0|].
  rewrite IHd by lia. rewrite contrib_add. unfold contrib; simpl. destruct (deqb x (fst o)); lia.
Qed.

Lemma sum_skip x k : forall T e, sum_to x T (repeat 0 k ++ e) = sum_to x (skipn k T) e.
Proof. induction k; simpl; intros; auto. destruct T; simpl; [destruct e; auto|]. rewrite contrib_0, IHk; lia. Qed.

Definition dests_from (n : nat) (T : list target) :=
  Forall (fun t => match fst t with Level l => l = 0%nat | Der j => (n <= j)%nat end) T.

Lemma sum_none x T e : Forall (fun t => fst t <> x) T -> sum_to x T e = 0.
Proof.
  intros H; revert e; induction H as [|t T Ht _ IH]; destruct e; simpl; auto.
  rewrite IH, contrib_other; auto.
Qed.
Lemma from_not n T j : dests_from n T -> (j < n)%nat -> Forall (fun t => fst t <> Der j) T.
Proof. intros H Hj; eapply Forall_impl; [|exact H]. intros t Ht E. cbv beta in Ht. rewrite E in Ht. lia. Qed.
Lemma from_le n m T : (m <= n)%nat -> dests_from n T -> dests_from m T.
Proof. intros H; apply Forall_impl; intros t; destruct (fst t); lia. Qed.
Lemma from_firstn n k T : dests_from n T -> dests_from n (firstn k T).
Proof. intros H. rewrite <- (firstn_skipn k T) in H. apply Forall_app in H; tauto. Qed.
Lemma from_skipn n k T : dests_from n T -> dests_from n (skipn k T).
Proof. intros H. rewrite <- (firstn_skipn k T) in H. apply Forall_app in H; tauto. Qed.
Lemma from_spread n o d : dests_from n [o] -> dests_from n (spread o d).
Proof. unfold dests_from; induction d; simpl; intros; constructor; auto. inversion H; auto. Qed.
Lemma from_groups g : forall n j d Os, (n <= j)%nat -> dests_from n Os -> dests_from n (group_targets j g d Os).
Proof.
  induction g as [|[k t] g IH]; simpl; intros n j d Os L H; [constructor|].
  destruct Os as [|o Os]; [constructor|]. inversion H; subst.
  destruct (is_one t); apply Forall_app; split; try (apply IH; auto; lia); apply from_spread; constructor; auto.
Qed.

Lemma f2_len {A B} (R : A -> B -> Prop) e d : Forall2 R e d -> length e = length d.
Proof. induction 1; simpl; auto. Qed.
Lemma f2_firstn k e d : Forall2 N.lt e d -> Forall2 N.lt (firstn k e) (firstn k d).
Proof. intros H; revert k; induction H; destruct k; simpl; constructor; auto. Qed.
Lemma f2_skipn k e d : Forall2 N.lt e d -> Forall2 N.lt (skipn k e) (skipn k d).
Proof. intros H; revert k; induction H; destruct k; simpl; auto. Qed.

(** * Lengths *)

Lemma len_spread o d : length (spread o d) = length d.
Proof. induction d; simpl; auto. Qed.
Lemma len_merged g : forall d, length (merged_sizes g d) = length g.
Proof. induction g as [|[k t] g IH]; simpl; intros; auto. Qed.
Lemma len_values g : forall e d, length (merged_values g e d) = length g.
Proof. induction g as [|[k t] g IH]; simpl; intros; auto. Qed.
Lemma len_extend g f l : length (extend g f l) = (missing g l + length l)%nat.
Proof. unfold extend. now rewrite app_length, repeat_length. Qed.
Lemma extend_enough g f l : (entries g <= length (extend g f l))%nat.
Proof. rewrite len_extend. unfold missing. lia. Qed.
Lemma len_groups g : forall j d Os, length d = entries g -> length Os = length g ->
  length (group_targets j g d Os) = entries g.
Proof.
  unfold entries; induction g as [|[k t] g IH]; simpl; intros j d [|o Os] L LO; simpl in *; auto; try lia.
  destruct (is_one t); rewrite app_length, len_spread, firstn_length, IH; rewrite ?skipn_length; lia.
Qed.
Lemma len_sizes g d : length (tiled_sizes g d) = (kept g (extend g 1%N d) + length g + length g)%nat.
Proof.
  unfold tiled_sizes, outer_sizes, inner_sizes.
  rewrite !app_length, !map_length, firstn_length, len_merged. unfold kept. lia.
Qed.

Lemma lower_len ts : forall next d, length (fst (lower_dims next d ts)) = length d.
Proof.
  induction ts as [|g ts IH]; simpl; intros next d; [apply len_spread|].
  specialize (IH (next + fresh g)%nat (tiled_sizes g d)). rewrite len_sizes in IH.
  destruct (lower_dims _ _ ts) as [T ds]; simpl in *.
  pose proof (extend_enough g 1 d) as E. pose proof (len_extend g 1 d) as L.
  set (p := kept g (extend g 1 d)) in *. unfold kept in p.
  rewrite skipn_length, app_length, firstn_length, len_groups; rewrite ?skipn_length, ?firstn_length, ?skipn_length; lia.
Qed.

Lemma lower_from ts : forall next d, dests_from next (fst (lower_dims next d ts)).
Proof.
  induction ts as [|g ts IH]; simpl; intros next d; [apply from_spread; repeat constructor|].
  specialize (IH (next + fresh g)%nat (tiled_sizes g d)).
  destruct (lower_dims _ _ ts) as [T ds]; simpl in *.
  assert (dests_from next T) by (eapply from_le; [|exact IH]; lia).
  apply from_skipn, Forall_app; split; [apply from_firstn; auto|].
  apply from_groups; auto. apply from_firstn, from_skipn; auto.
Qed.

(** * Values stay below sizes *)

Lemma linear_lt e d : Forall2 N.lt e d -> linear_index e d < prod d.
Proof. induction 1; simpl; [lia|nia]. Qed.
Lemma extend_lt g e d : Forall2 N.lt e d -> Forall2 N.lt (extend g 0 e) (extend g 1 d).
Proof.
  intros H. unfold extend, missing. rewrite (f2_len _ _ _ H). apply Forall2_app; auto.
  generalize (entries g - length d)%nat as n. induction n; simpl; constructor; auto; lia.
Qed.
Lemma merged_lt g : forall e d, Forall2 N.lt e d ->
  Forall2 (fun v m => v < fst m) (merged_values g e d) (merged_sizes g d).
Proof.
  induction g as [|[k t] g IH]; simpl; intros; constructor; simpl.
  - apply linear_lt, f2_firstn; auto.
  - apply IH, f2_skipn; auto.
Qed.
Lemma div_cdiv v D t : 0 < t -> v < D -> v / t < cdiv D t.
Proof.
  intros Ht Hv. unfold cdiv. apply N.div_lt_upper_bound; [lia|].
  pose proof (N.div_mod (D + t - 1) t). pose proof (N.mod_lt (D + t - 1) t). nia.
Qed.
(** Every size of a tile is positive: XLA refuses 0. *)
Definition tile_ok (g : tile) := Forall (fun kt => 0 < snd kt) g.
Lemma merged_t g : tile_ok g -> forall d, Forall (fun m => 0 < snd m) (merged_sizes g d).
Proof. induction 1 as [|[k t] g]; simpl; intros; constructor; auto. Qed.

Lemma tiled_lt g e d : tile_ok g -> Forall2 N.lt e d -> Forall2 N.lt (tiled_index g e d) (tiled_sizes g d).
Proof.
  intros Hg H. apply (extend_lt g) in H. unfold tiled_index, tiled_sizes.
  set (e' := extend g 0 e) in *. set (d' := extend g 1 d) in *. set (p := kept g d').
  pose proof (merged_lt g _ _ (f2_skipn p _ _ H)) as M.
  pose proof (merged_t g Hg (skipn p d')) as Mt.
  apply Forall2_app; [apply f2_firstn; auto|].
  apply Forall2_app; unfold outer_values, inner_values, outer_sizes, inner_sizes;
    induction M as [|v [D t] vs ms Hv M IH]; simpl; constructor; inversion Mt; subst; simpl in *; auto.
  - apply div_cdiv; auto.
  - apply N.mod_lt; lia.
Qed.

(** * One tile, then all of them *)

Definition sums (all : list derived) := forall x, comb_of all x = Sum.

Lemma push_digit all s t v a x : sums all -> v < N.max 1 s ->
  push all (digit_of s t) v a x = a x + contrib x t v.
Proof.
  intros H Hv. unfold digit_of. destruct (N.leb_spec s 1); simpl.
  - assert (v = 0) by lia. subst. rewrite contrib_0; lia.
  - rewrite N.mod_small by lia. unfold add, contrib, sub_of, one; simpl. rewrite H. destruct (deqb x (fst t)); lia.
Qed.
Lemma push_app all s1 s2 : Forall (fun s => 0 < size s) s1 ->
  forall v a x, push all (s1 ++ s2) v a x = push all s2 (v / slots s1) (push all s1 v a) x.
Proof.
  induction 1 as [|s s1 H P IH]; simpl; intros v a x; [now rewrite N.div_1_r|].
  rewrite IH. unfold slots; simpl. rewrite N.div_div; auto; [lia|].
  apply (Forall_map size (fun s => 0 < s)) in P. apply prod_pos in P. lia.
Qed.

Lemma push_ders_app all ds1 ds2 : forall n a,
  push_ders all (ds1 ++ ds2) n a = push_ders all ds2 (n + length ds1) (push_ders all ds1 n a).
Proof. induction ds1 as [|d ds1 IH]; intros; simpl; [f_equal; lia|]. rewrite IH; f_equal; lia. Qed.

Lemma fresh_cons k t g : fresh ((k, t) :: g) = ((if is_one t then 0 else 1) + fresh g)%nat.
Proof. unfold fresh; simpl. destruct (is_one t); reflexivity. Qed.

Lemma len_tile_ders g : forall d Os Is, length Os = length g -> length Is = length g ->
  length (tile_ders (merged_sizes g d) Os Is) = fresh g.
Proof.
  unfold fresh; induction g as [|[k t] g IH]; intros d Os Is; destruct Os, Is; simpl; intros; try lia.
  destruct (is_one t); simpl; rewrite IH; lia.
Qed.

(** A tile's derived axes move what its merged dimensions have fed to the outer and inner targets. *)
Lemma tile_run all hi g : sums all -> tile_ok g -> forall d e Os Is n a b,
  Forall2 N.lt e d -> length d = entries g ->
  length Os = length g -> length Is = length g -> dests_from hi Os -> dests_from hi Is -> (n + fresh g <= hi)%nat ->
  (forall x, a x = b x + sum_to x (group_targets n g d Os) e) ->
  (forall j, (n <= j < hi)%nat -> b (Der j) = 0) ->
  let m := merged_sizes g d in let v := merged_values g e d in
  forall x, (forall j, x = Der j -> (hi <= j)%nat) ->
  push_ders all (tile_ders m Os Is) n a x = b x + sum_to x Os (outer_values m v) + sum_to x Is (inner_values m v).
Proof.
  intros Hall Hg; induction Hg as [|[k t] g Ht Hg IH]; intros d e Os Is n a b He Ld LO LI FO FI Hn Ha Hb m v x Hx;
    destruct Os as [|o Os], Is as [|i Is]; simpl in LO, LI; try lia; [simpl; rewrite Ha; simpl; lia|].
  inversion FO as [|? ? Fo FO']; inversion FI as [|? ? Fi FI']; subst. simpl in Ht.
  subst m v. unfold entries in Ld; simpl in Ld.
  set (w := linear_index (firstn k e) (firstn k d)).
  assert (Hw : w < prod (firstn k d)) by (apply linear_lt, f2_firstn; auto).
  pose proof (f2_len _ _ _ He) as Le.
  assert (Lk : length (firstn k e) = length (firstn k d)) by (rewrite !firstn_length; lia).
  assert (Split : forall y o' R, sum_to y (spread o' (firstn k d) ++ R) e = contrib y o' w + sum_to y R (skipn k e)).
  { intros y o' R. rewrite <- (firstn_skipn k e) at 1. rewrite sum_to_app by (now rewrite len_spread). now rewrite sum_spread. }
  assert (Small : forall y (o' : target), (match fst o' with Level l => l = 0%nat | Der j => (hi <= j)%nat end) ->
     forall j u, y = Der j -> (j < hi)%nat -> contrib y o' u = 0).
  { intros y o' H j u -> Hj. apply contrib_other. intros E; rewrite E in H; lia. }
  cbn [merged_sizes merged_values tile_ders]. fold w. cbn [outer_values inner_values combine map sum_to].
  cbn [group_targets] in Ha. rewrite fresh_cons in Hn.
  specialize (IH (skipn k d) (skipn k e) Os Is).
  unfold is_one in *. destruct (N.eqb_spec t 1) as [->|Ht1].
  - rewrite (IH n a (fun y => b y + contrib y o w)); auto; try lia.
    + rewrite N.div_1_r, N.mod_1_r, contrib_0. unfold outer_values, inner_values. lia.
    + apply f2_skipn; auto.
    + rewrite skipn_length. unfold entries; lia.
    + intros y. rewrite Ha, Split. lia.
    + intros j Hj. rewrite Hb by lia. rewrite (Small (Der j) o Fo j w); auto; lia.
  - simpl in Hn.
    assert (E : a (Der n) = w).
    { rewrite Ha, Split, Hb by lia. rewrite sum_none; [unfold contrib; simpl; rewrite Nat.eqb_refl; lia|].
      apply from_not with (S n); [|lia]. apply from_groups; auto. apply from_le with hi; auto. lia. }
    assert (P : forall y, push all (digit_of t i ++ digit_of (cdiv (prod (firstn k d)) t) o) w a y
                          = a y + contrib y i (w mod t) + contrib y o (w / t)).
    { intros y. rewrite push_app by (unfold digit_of; destruct (t <=? 1); repeat constructor; auto).
      replace (slots (digit_of t i)) with t by (unfold digit_of; destruct (N.leb_spec t 1); unfold slots; simpl; lia).
      rewrite push_digit by (auto; pose proof (div_cdiv w _ t Ht Hw); lia).
      unfold digit_of. destruct (N.leb_spec t 1); [lia|]. simpl. f_equal.
      unfold add, contrib, sub_of, one; simpl. rewrite Hall. destruct (deqb y (fst i)); lia. }
    cbn [push_ders dax subs]. rewrite E.
    rewrite (IH (S n) _ (fun y => b y + contrib y (Der n, 1) w + contrib y i (w mod t) + contrib y o (w / t))); auto; try lia.
    + rewrite (contrib_other x (Der n, 1)); [unfold outer_values, inner_values; lia|].
      simpl; intros Ex. symmetry in Ex. specialize (Hx _ Ex). lia.
    + apply f2_skipn; auto.
    + rewrite skipn_length. unfold entries; lia.
    + intros y. rewrite P, Ha, Split. lia.
    + intros j Hj. rewrite Hb by lia. rewrite (Small (Der j) i Fi j (w mod t)), (Small (Der j) o Fo j (w / t)); auto; try lia.
      rewrite contrib_other; [lia|]. simpl. intros Ej; inversion Ej; lia.
Qed.

Lemma split3 {A} p n (T : list A) : T = firstn p T ++ firstn n (skipn p T) ++ skipn (p + n) T.
Proof.
  rewrite <- (firstn_skipn p T) at 1. f_equal. rewrite <- (firstn_skipn n (skipn p T)) at 1. f_equal.
  revert T; induction p; intros; simpl; auto. destruct T; simpl; auto. now rewrite skipn_nil.
Qed.

Lemma lower_ok all ts : sums all -> Forall tile_ok ts -> forall next d e a c,
  Forall2 N.lt e d ->
  a (Level 0) = c + sum_to (Level 0) (fst (lower_dims next d ts)) e ->
  (forall j, (next <= j)%nat -> a (Der j) = sum_to (Der j) (fst (lower_dims next d ts)) e) ->
  push_ders all (snd (lower_dims next d ts)) next a (Level 0) = c + linear_index_with_tiles e d ts.
Proof.
  intros Hall Hts; induction Hts as [|g ts Hg Hts IH]; intros next d e a c He.
  - simpl. intros -> _. rewrite sum_spread by (eapply f2_len; eauto). unfold contrib; simpl; lia.
  - cbn [lower_dims linear_index_with_tiles].
    pose proof (lower_len ts (next + fresh g) (tiled_sizes g d)) as LT. rewrite len_sizes in LT.
    pose proof (lower_from ts (next + fresh g) (tiled_sizes g d)) as FT.
    specialize (IH (next + fresh g)%nat (tiled_sizes g d) (tiled_index g e d)).
    destruct (lower_dims (next + fresh g) (tiled_sizes g d) ts) as [T ds]. cbn [fst snd] in *.
    pose proof (extend_lt g e d He) as He'. pose proof (f2_len _ _ _ He) as Le.
    pose proof (extend_enough g 1 d) as En. pose proof (f2_len _ _ _ He') as Le'.
    assert (Te : forall x X, sum_to x (skipn (missing g d) X) e = sum_to x X (extend g 0 e)).
    { intros x X. unfold extend, missing. rewrite Le. symmetry. apply sum_skip. }
    assert (Ti : tiled_index g e d = firstn (kept g (extend g 1 d)) (extend g 0 e) ++
      outer_values (merged_sizes g (skipn (kept g (extend g 1 d)) (extend g 1 d)))
        (merged_values g (skipn (kept g (extend g 1 d)) (extend g 0 e)) (skipn (kept g (extend g 1 d)) (extend g 1 d))) ++
      inner_values (merged_sizes g (skipn (kept g (extend g 1 d)) (extend g 1 d)))
        (merged_values g (skipn (kept g (extend g 1 d)) (extend g 0 e)) (skipn (kept g (extend g 1 d)) (extend g 1 d)))) by reflexivity.
    set (d' := extend g 1 d) in *. set (e' := extend g 0 e) in *. set (p := kept g d') in *. unfold kept in p.
    set (n := length g) in *. set (m := merged_sizes g (skipn p d')) in *.
    set (v := merged_values g (skipn p e') (skipn p d')) in *.
    set (Os := firstn n (skipn p T)). set (Is := skipn (p + n) T).
    assert (LO : length Os = length g) by (unfold Os; rewrite firstn_length, skipn_length; fold n; lia).
    assert (LI : length Is = length g) by (unfold Is; rewrite skipn_length; fold n; lia).
    assert (Lp : length (firstn p T) = length (firstn p e')) by (rewrite !firstn_length; lia).
    assert (S : forall x, sum_to x (firstn p T ++ group_targets next g (skipn p d') Os) e'
                = sum_to x (firstn p T) (firstn p e') + sum_to x (group_targets next g (skipn p d') Os) (skipn p e')).
    { intros x. rewrite <- sum_to_app by auto. now rewrite firstn_skipn. }
    assert (Lv : length (outer_values m v) = length Os).
    { unfold outer_values, m, v. rewrite map_length, combine_length, len_merged, len_values. lia. }
    intros HL HD. rewrite push_ders_app. unfold m. rewrite len_tile_ders by auto. fold m.
    rewrite Te, S in HL.
    set (b := fun x => match x with Level l => if Nat.eqb l 0 then c + sum_to x (firstn p T) (firstn p e')
                                   else a (Level l) - sum_to x (group_targets next g (skipn p d') Os) (skipn p e')
                       | Der j => if (j <? next)%nat then a (Der j) else sum_to x (firstn p T) (firstn p e') end).
    assert (From : dests_from next (group_targets next g (skipn p d') Os)).
    { apply from_groups; auto. apply from_le with (next + fresh g)%nat; [lia|apply from_firstn, from_skipn; auto]. }
    assert (Other : forall l, l <> 0%nat -> sum_to (Level l) (group_targets next g (skipn p d') Os) (skipn p e') = 0).
    { intros l Hl. apply sum_none. eapply Forall_impl; [|exact From]. intros t Ht E. cbv beta in Ht. rewrite E in Ht. auto. }
    assert (R : forall x, (forall j, x = Der j -> (next + fresh g <= j)%nat) ->
              push_ders all (tile_ders m Os Is) next a x = b x + sum_to x Os (outer_values m v) + sum_to x Is (inner_values m v)).
    { apply tile_run; auto.
      - apply f2_skipn; auto.
      - rewrite skipn_length. lia.
      - apply from_firstn, from_skipn; auto.
      - apply from_skipn; auto.
      - intros [l|j]; unfold b.
        + destruct (Nat.eqb_spec l 0) as [->|Hl]; [rewrite HL; lia|rewrite Other by auto; lia].
        + destruct (Nat.ltb_spec j next).
          * rewrite (sum_none _ (group_targets _ _ _ _)); [lia|]. apply from_not with next; auto.
          * rewrite HD, Te, S by lia. lia.
      - intros j Hj. unfold b. destruct (Nat.ltb_spec j next); [lia|].
        apply sum_none. apply from_not with (next + fresh g)%nat; [apply from_firstn; auto|lia]. }
    assert (Sx : forall x, sum_to x T (tiled_index g e d) = sum_to x (firstn p T) (firstn p e')
               + sum_to x Os (outer_values m v) + sum_to x Is (inner_values m v)).
    { intros x. rewrite (split3 p n T) at 1. rewrite Ti. fold Os Is. rewrite !sum_to_app; auto. lia. }
    apply IH; auto.
    + apply tiled_lt; auto.
    + rewrite R by discriminate. unfold b. rewrite Nat.eqb_refl, Sx. lia.
    + intros j Hj. rewrite R by (intros k E; inversion E; lia). unfold b. destruct (Nat.ltb_spec j next); [lia|]. rewrite Sx. lia.
Qed.

Definition plain (d : derived) := how d = Sum /\ start d = 0.
Lemma tile_ders_plain m : forall Os Is, Forall plain (tile_ders m Os Is).
Proof.
  induction m as [|[D t] m IH]; destruct Os, Is; simpl; try constructor.
  destruct (is_one t); auto. constructor; auto. split; reflexivity.
Qed.
Lemma lower_plain ts : forall next d, Forall plain (snd (lower_dims next d ts)).
Proof.
  induction ts as [|g ts IH]; simpl; intros; [constructor|].
  specialize (IH (next + fresh g)%nat (tiled_sizes g d)). destruct (lower_dims _ _ ts); simpl in *.
  apply Forall_app; split; auto using tile_ders_plain.
Qed.
Lemma plain_sums ds : Forall plain ds -> sums ds.
Proof.
  intros H [l|j]; simpl; auto. destruct (nth_error ds j) eqn:E; auto.
  apply nth_error_In in E. eapply Forall_forall in H; eauto. apply H.
Qed.

Lemma push_whole all s t v a x : sums all -> v < s -> push all (whole s t) v a x = a x + contrib x t v.
Proof.
  intros H Hv. unfold whole. assert (E : N.max 1 s = s) by lia. rewrite E. destruct (fst t) eqn:Et.
  - apply push_digit; auto. lia.
  - simpl. rewrite N.mod_small by auto. unfold add, contrib, sub_of, one; simpl. rewrite H. destruct (deqb x (fst t)); lia.
Qed.
Lemma axes_run all (d : list N) (F : nat -> target) : sums all -> forall n s index a x,
  Forall2 N.lt index (map (fun k => nth k d 0) (seq s n)) ->
  push_axes all (map (fun k => Axis (nth k d 0) (whole (nth k d 0) (F k))) (seq s n)) index a x
  = a x + sum_to x (map F (seq s n)) index.
Proof.
  intros Hall n; induction n; simpl; intros s index a x H; inversion H; subst; simpl; [lia|].
  rewrite IHn by auto. rewrite push_whole by auto. lia.
Qed.

Definition sum_over (f : nat -> N) l := fold_right (fun k s => f k + s) 0 l.
Lemma sum_perm f l1 l2 : Permutation l1 l2 -> sum_over f l1 = sum_over f l2.
Proof. induction 1; simpl; lia. Qed.
Lemma sum_to_over x F G l : sum_to x (map F l) (map G l) = sum_over (fun k => contrib x (F k) (G k)) l.
Proof. induction l; simpl; auto. rewrite IHl; auto. Qed.
Lemma map_nth_seq {A} (dflt : A) l : map (fun k => nth k l dflt) (seq 0 (length l)) = l.
Proof. induction l; simpl; auto. f_equal. rewrite <- seq_shift, map_map. auto. Qed.
Lemma map_find order : NoDup order -> forall T, length T = length order ->
  map (fun k => find k order T) order = T.
Proof.
  induction 1 as [|o order Ho H IH]; destruct T as [|t T]; simpl; intros L; try lia; auto.
  rewrite Nat.eqb_refl. f_equal. transitivity (map (fun k => find k order T) order); [|apply IH; lia].
  apply map_ext_in. intros k Hk. destruct (Nat.eqb_spec o k); [subst; contradiction|auto].
Qed.

Lemma f2_nth R (i d : list N) a b k : Forall2 R i d -> (k < length d)%nat -> R (nth k i a) (nth k d b).
Proof. intros H; revert k; induction H; simpl; intros k Hk; [lia|]. destruct k; auto. apply IHForall2; lia. Qed.
Lemma pick_lt index d order : Forall2 N.lt index d -> Forall (fun k => (k < length d)%nat) order ->
  Forall2 N.lt (pick 0 index order) (pick 1 (at_least_1 d) order).
Proof.
  intros Hi; induction 1 as [|k order Hk _ IH]; simpl; constructor; auto.
  pose proof (f2_nth _ _ _ 0 0 k Hi Hk). rewrite (nth_indep _ 1 (N.max 1 0)) by (unfold at_least_1; now rewrite map_length).
  unfold at_least_1. rewrite map_nth. lia.
Qed.

(** Theorem 10: for every element of a shape with any order and any tiles with positive sizes, the address that the
    lowered layout gives is the one of the documents' recursion. *)
Theorem xla d order ts tail index :
  Permutation order (seq 0 (length d)) -> Forall tile_ok ts -> Forall2 N.lt index d ->
  place (lower d order ts tail) index 0
  = linear_index_with_tiles (pick 0 index order) (pick 1 (at_least_1 d) order) ts.
Proof.
  intros Ho F Hi. unfold place, land, lower.
  assert (Lo : length order = length d) by (rewrite (Permutation_length Ho); apply seq_length).
  assert (Lp : length (pick 1 (at_least_1 d) order) = length d) by (unfold pick; rewrite map_length; auto).
  pose proof (lower_plain ts 0 (pick 1 (at_least_1 d) order)) as P.
  pose proof (lower_len ts 0 (pick 1 (at_least_1 d) order)) as LT. rewrite Lp, <- Lo in LT.
  pose proof (fun all H => lower_ok all ts H F 0 (pick 1 (at_least_1 d) order) (pick 0 index order)) as OK.
  destruct (lower_dims 0 (pick 1 (at_least_1 d) order) ts) as [T ds]. cbn [fst snd axes ders] in *.
  pose proof (plain_sums ds P) as S.
  assert (B : Forall (fun k => (k < length d)%nat) order).
  { apply Forall_forall. intros k Hk. apply (Permutation_in _ Ho), in_seq in Hk; lia. }
  assert (E : forall x, sum_to x (map (fun k => find k order T) (seq 0 (length d))) index
                = sum_to x T (pick 0 index order)).
  { intros x. rewrite <- (map_nth_seq 0 index) at 1. rewrite (f2_len _ _ _ Hi), sum_to_over.
    rewrite <- (sum_perm _ _ _ Ho), <- sum_to_over, map_find; auto.
    apply Permutation_NoDup with (seq 0 (length d)); auto using seq_NoDup, Permutation_sym. }
  change (linear_index_with_tiles ?e ?d ts) with (0 + linear_index_with_tiles e d ts).
  apply OK; auto.
  - apply pick_lt; auto.
  - rewrite axes_run, E; auto. now rewrite map_nth_seq.
  - intros j _. rewrite axes_run, E by (auto; now rewrite map_nth_seq).
    simpl. destruct (nth_error ds j) eqn:Ej; [|lia].
    apply nth_error_In in Ej. eapply Forall_forall in P; eauto. destruct P as [_ ->]. lia.
Qed.

(** Spans. Every element is below the padded size; the span is the least multiple of `L` that holds it. *)
Lemma tiles_lt ts : Forall tile_ok ts -> forall e d, Forall2 N.lt e d -> linear_index_with_tiles e d ts < physical d ts.
Proof. induction 1 as [|g ts Hg _ IH]; simpl; intros e d H; [apply linear_lt; auto|]. apply IH, tiled_lt; auto. Qed.
Lemma round_up_least n l : let m := N.max 1 l in
  n <= round_up n l /\ round_up n l mod m = 0 /\ forall k, n <= k * m -> round_up n l <= k * m.
Proof.
  intros m. unfold round_up. fold m. assert (0 < m) by lia. unfold cdiv.
  pose proof (N.div_mod (n + m - 1) m). pose proof (N.mod_lt (n + m - 1) m).
  repeat split; [nia|apply N.mod_mul; lia|]. intros k Hk.
  apply N.mul_le_mono_r. assert ((n + m - 1) / m < k + 1); [|lia]. apply N.div_lt_upper_bound; lia.
Qed.
Theorem xla_span d order ts tail index :
  Permutation order (seq 0 (length d)) -> Forall tile_ok ts -> Forall2 N.lt index d ->
  place (lower d order ts tail) index 0 < physical (pick 1 (at_least_1 d) order) ts /\
  physical (pick 1 (at_least_1 d) order) ts <= span (lower d order ts tail) 0.
Proof.
  intros Ho F Hi. split.
  - rewrite xla by auto. apply tiles_lt; auto. apply pick_lt; auto.
    apply Forall_forall. intros k Hk. apply (Permutation_in _ Ho), in_seq in Hk; lia.
  - unfold span, lower. destruct (lower_dims _ _ ts). cbn [spans filter map fst snd Nat.eqb fold_right].
    pose proof (round_up_least (physical (pick 1 (at_least_1 d) order) ts) tail) as [H _]. lia.
Qed.

(** The documents' example by the lowering, a repeated tile with a tile of 1, a star, and a tile that is too long. *)
Example lowered_17 : place (lower [3;5] [0;1]%nat [tile_of 0 [Some 2; Some 2]] 0) [2;3] 0 = 17.
Proof. reflexivity. Qed.
Example repeated_17 : place (lower [3;5] [0;1]%nat [tile_of 0 [Some 2; Some 2]; tile_of 0 [Some 2; Some 1]] 0) [2;3] 0 = 18.
Proof. reflexivity. Qed.
Example starred : place (lower [3;5] [0;1]%nat [tile_of 0 [None; Some 4]] 0) [2;3] 0 = 13. Proof. reflexivity. Qed.
Example too_long : place (lower [5] [0]%nat [tile_of 0 [Some 2; Some 2]] 0) [3] 0 = 5. Proof. reflexivity. Qed.

(** Dropped hypotheses: an index that is no element; a tile of 0, where every quotient is 0 and the digit is lost. *)
Example no_element : place (lower [3] [0%nat] [[(1%nat,2)]] 0) [7] 0 <> linear_index_with_tiles [7] [3] [[(1%nat,2)]].
Proof. discriminate. Qed.
Example tile_0 : place (lower [3] [0%nat] [[(1%nat,0)]] 0) [1] 0 = place (lower [3] [0%nat] [[(1%nat,0)]] 0) [2] 0.
Proof. reflexivity. Qed.
(** An order that is no permutation leaves dimension 1 without a target. *)
Example no_order : place (lower [2;2] [0;0]%nat [] 0) [0;1] 0 <> linear_index_with_tiles [0;0] [2;2] [] + 1.
Proof. discriminate. Qed.

Definition theorems := (@xla, @xla_span).
Print Assumptions theorems.
