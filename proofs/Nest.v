(** Theorem 4: where the nesting test of `collision` says so (`nests_everywhere` in `src/algebra/collision.rs`), no two
    elements and no two copies share a place.

    The test looks at the digits that go to each level and each derived axis, each with `top`, the greatest value that a
    real index gives it, and its stride or weight. The proof does not ask where the tops come from: it needs that they
    hold. That the digits up to a greatest value are what `reaches` says is proved at the end; Tops.v has Rust's tops. *)
From Coq Require Import NArith List Lia Bool Arith Permutation.
Require Import TensorLayout.Radix TensorLayout.Model TensorLayout.Equations TensorLayout.Element TensorLayout.Bound.
Import ListNotations.
Open Scope N_scope.
Local Arguments deqb : simpl never.

(** * The test: `nests` in `src/algebra/solve.rs` *)

(** (top, weight), in ascending order of weight: each weight is more than all smaller terms can add. *)
Fixpoint clear (reach : N) (ts : list (N * N)) : bool :=
  match ts with [] => true | (top, w) :: ts => (reach <? w) && clear (reach + top * w) ts end.
Fixpoint insert (x : N * N) (l : list (N * N)) : list (N * N) :=
  match l with [] => [x] | y :: l => if snd x <=? snd y then x :: y :: l else y :: insert x l end.
Definition sort (l : list (N * N)) := fold_right insert [] l.
Definition nests (l : list (N * N)) : bool := clear 0 (sort (filter (fun t => 0 <? fst t) l)).

Lemma insert_perm x l : Permutation (x :: l) (insert x l).
Proof.
  induction l as [|y l IH]; simpl; auto. destruct (snd x <=? snd y); auto.
  eapply Permutation_trans; [apply perm_swap|]. auto.
Qed.
Lemma sort_perm l : Permutation l (sort l).
Proof. induction l as [|x l IH]; simpl; auto. eapply Permutation_trans; [apply perm_skip, IH|]. apply insert_perm. Qed.

(** A digit that goes somewhere, with its top, and its values in two indexes. *)
Record term := Term { tw : N * N; left : N; right : N }.
Definition same (t : term) := left t = right t.
Definition bounded (t : term) := left t <= fst (tw t) /\ right t <= fst (tw t).
Definition sumL (l : list term) := total (map (fun t => left t * snd (tw t)) l).
Definition sumR (l : list term) := total (map (fun t => right t * snd (tw t)) l).

Lemma clear_same l : Forall bounded l -> forall r p q, clear r (map tw l) = true -> p <= r -> q <= r ->
  p + sumL l = q + sumR l -> p = q /\ Forall same l.
Proof.
  induction 1 as [|[[top w] d e] l [Bd Be] _ IH]; intros r p q C Hp Hq E; [cbn in E; split; [lia|constructor]|].
  cbn in C, Bd, Be. apply andb_true_iff in C as [W C]. apply N.ltb_lt in W.
  unfold sumL, sumR in *. cbn [map total fold_right left right tw snd] in E.
  destruct (IH (r + top * w) (p + d * w) (q + e * w) C) as [P S]; [nia|nia|unfold total in *; lia|].
  assert (d = e) by (destruct (N.lt_trichotomy d e) as [|[|]]; auto; nia).
  subst. split; [lia|]. constructor; auto. reflexivity.
Qed.
Lemma total_perm l1 l2 : Permutation l1 l2 -> total l1 = total l2.
Proof. induction 1; unfold total in *; simpl; lia. Qed.
Lemma filter_map {A B} (f : A -> B) p l : filter p (map f l) = map f (filter (fun x => p (f x)) l).
Proof. induction l; simpl; auto. destruct (p (f a)); simpl; rewrite IHl; auto. Qed.

(** If the test says yes, equal sums have equal digits. *)
Lemma nests_same l : Forall bounded l -> nests (map tw l) = true -> sumL l = sumR l -> Forall same l.
Proof.
  intros B N E. unfold nests in N. rewrite filter_map in N.
  set (big := fun t => 0 <? fst (tw t)) in *.
  assert (Small : forall t, In t l -> big t = false -> left t = 0 /\ right t = 0).
  { intros t Ht Hb. rewrite Forall_forall in B. destruct (B t Ht). unfold big in Hb. apply N.ltb_ge in Hb. lia. }
  assert (Sum : sumL l = sumL (filter big l) /\ sumR l = sumR (filter big l)).
  { clear E N B. unfold sumL, sumR. induction l as [|t l IH]; simpl; auto.
    destruct IH as [IH1 IH2]; [intros; apply Small; simpl; auto|].
    destruct (big t) eqn:Eb; simpl; unfold total in *; simpl; [split; congruence|].
    destruct (Small t) as [-> ->]; simpl; auto. }
  destruct Sum as [SL SR]. rewrite SL, SR in E.
  pose proof (Permutation_sym (sort_perm (map tw (filter big l)))) as P.
  apply Permutation_map_inv in P as (l2 & E2 & P). rewrite E2 in N.
  assert (B2 : Forall bounded l2).
  { apply Permutation_Forall with (filter big l); auto. apply Forall_forall. intros t Ht. apply filter_In in Ht as [Ht _].
    rewrite Forall_forall in B; auto. }
  destruct (clear_same l2 B2 0 0 0 N) as [_ S]; try lia.
  { unfold sumL, sumR in *. rewrite (total_perm _ _ (Permutation_map _ (Permutation_sym P))),
      (total_perm _ _ (Permutation_map (fun t => right t * snd (tw t)) (Permutation_sym P))). lia. }
  apply Forall_forall. intros t Ht. destruct (big t) eqn:Eb.
  - rewrite Forall_forall in S. apply S. apply Permutation_in with (filter big l); auto. apply filter_In; auto.
  - destruct (Small t Ht Eb). unfold same; congruence.
Qed.

(** XOR: the digits up to their tops have different XORs. Theorem 8 decides this by elimination. *)
Definition xors (l : list (N * N)) := fold_right (fun '(w, d) r => N.lxor (xorp w d) r) 0 l.
Definition xor_injective (l : list (N * N)) : Prop := forall ds es,
  Forall2 (fun d t => d <= fst t) ds l -> Forall2 (fun e t => e <= fst t) es l ->
  xors (combine (map snd l) ds) = xors (combine (map snd l) es) -> ds = es.
Lemma xor_same l : Forall bounded l -> xor_injective (map tw l) ->
  xors (map (fun t => (snd (tw t), left t)) l) = xors (map (fun t => (snd (tw t), right t)) l) -> Forall same l.
Proof.
  intros B I E. assert (D : map left l = map right l).
  { apply I; [| |].
    - clear I E. induction B as [|t l [Bl _] _ IH]; simpl; constructor; auto.
    - clear I E. induction B as [|t l [_ Br] _ IH]; simpl; constructor; auto.
    - assert (G : forall f : term -> N, combine (map snd (map tw l)) (map f l) = map (fun t => (snd (tw t), f t)) l).
      { intros f. clear. induction l; simpl; f_equal; auto. }
      now rewrite !G. }
  clear - D. induction l; constructor; inversion D; auto.
Qed.

(** * The terms of a layout *)

(** The digits of every axis with their tops. *)
Definition topped := list (list (sub * N)).
Definition goes x (t : sub * N) := deqb x (to (fst t)).
Definition pair_of (t : sub * N) : N * N := (snd t, weight (fst t)).
Fixpoint terms_of (ss : list (sub * N)) (a b : N) : list (sub * term) :=
  match ss with
  | [] => []
  | s :: ss => (fst s, Term (pair_of s) (a mod size (fst s)) (b mod size (fst s)))
               :: terms_of ss (a / size (fst s)) (b / size (fst s))
  end.
Fixpoint all_terms (T : topped) (u v : list N) : list (sub * term) :=
  match T, u, v with ss :: T, a :: u, b :: v => terms_of ss a b ++ all_terms T u v | _, _, _ => [] end.
Definition to_x x (l : list (sub * term)) : list term := map snd (filter (fun t => deqb x (to (fst t))) l).

Lemma to_x_app x l1 l2 : to_x x (l1 ++ l2) = to_x x l1 ++ to_x x l2.
Proof. unfold to_x. now rewrite filter_app, map_app. Qed.
Lemma sumL_app l1 l2 : sumL (l1 ++ l2) = sumL l1 + sumL l2.
Proof. unfold sumL, total. induction l1; simpl; lia. Qed.
Lemma sumR_app l1 l2 : sumR (l1 ++ l2) = sumR l1 + sumR l2.
Proof. unfold sumR, total. induction l1; simpl; lia. Qed.
Lemma sumL_cons t l : sumL (t :: l) = left t * snd (tw t) + sumL l. Proof. reflexivity. Qed.
Lemma sumR_cons t l : sumR (t :: l) = right t * snd (tw t) + sumR l. Proof. reflexivity. Qed.
Definition xorL l := xors (map (fun t => (snd (tw t), left t)) l).
Definition xorR l := xors (map (fun t => (snd (tw t), right t)) l).
Lemma xorL_app l1 l2 : xorL (l1 ++ l2) = N.lxor (xorL l1) (xorL l2).
Proof. unfold xorL. induction l1; simpl; auto. now rewrite IHl1, N.lxor_assoc. Qed.
Lemma xorR_app l1 l2 : xorR (l1 ++ l2) = N.lxor (xorR l1) (xorR l2).
Proof. unfold xorR. induction l1; simpl; auto. now rewrite IHl1, N.lxor_assoc. Qed.

Lemma digits_terms c x ss : forall a b s,
  digits_to c x (map fst ss) a s = match c with Sum => s + sumL (to_x x (terms_of ss a b)) | Xor => N.lxor s (xorL (to_x x (terms_of ss a b))) end /\
  digits_to c x (map fst ss) b s = match c with Sum => s + sumR (to_x x (terms_of ss a b)) | Xor => N.lxor s (xorR (to_x x (terms_of ss a b))) end.
Proof.
  induction ss as [|u ss IH]; intros a b s; [cbn; destruct c; rewrite ?N.lxor_0_r; unfold sumL, sumR, total; simpl; split; auto; lia|].
  cbn [map digits_to terms_of]. set (s0 := fst u) in *.
  destruct (IH (a / size s0) (b / size s0) (if deqb x (to s0) then one c (weight s0) (a mod size s0) s else s)) as [-> _].
  destruct (IH (a / size s0) (b / size s0) (if deqb x (to s0) then one c (weight s0) (b mod size s0) s else s)) as [_ ->].
  unfold to_x. cbn [filter fst snd]. fold s0. destruct (deqb x (to s0)); [|split; auto].
  cbn [map snd]. fold (to_x x (terms_of ss (a / size s0) (b / size s0))).
  destruct c; unfold one; [rewrite sumL_cons, sumR_cons; simpl; fold s0; split; lia|].
  unfold xorL, xorR. simpl. fold s0. rewrite !N.lxor_assoc. split; auto.
Qed.
Lemma axes_terms c x T axs : map (map fst) T = map subs axs -> forall u v s, length u = length axs -> length v = length axs ->
  axes_to c x axs u s = match c with Sum => s + sumL (to_x x (all_terms T u v)) | Xor => N.lxor s (xorL (to_x x (all_terms T u v))) end /\
  axes_to c x axs v s = match c with Sum => s + sumR (to_x x (all_terms T u v)) | Xor => N.lxor s (xorR (to_x x (all_terms T u v))) end.
Proof.
  revert axs. induction T as [|ss T IH]; intros [|ax axs] E; try discriminate; intros [|a u] [|b v] s; simpl; intros Lu Lv; try lia.
  - destruct c; unfold xorL, xorR; simpl; rewrite ?N.lxor_0_r; unfold sumL, sumR, total; simpl; split; auto; lia.
  - injection E as E1 E2. rewrite <- E1. destruct (digits_terms c x ss a b s) as [-> ->].
    rewrite to_x_app, sumL_app, sumR_app, xorL_app, xorR_app.
    edestruct (IH axs E2 u v) as [-> _]; [lia..|]. edestruct (IH axs E2 u v) as [_ ->]; [lia..|].
    destruct c; [lia|]. now rewrite !N.lxor_assoc.
Qed.
Lemma terms_pairs x ss : forall a b, map tw (to_x x (terms_of ss a b)) = map pair_of (filter (goes x) ss).
Proof.
  induction ss as [|s ss IH]; intros a b; auto. unfold to_x in *. cbn [terms_of filter fst]. unfold goes at 1.
  destruct (deqb x (to (fst s))); simpl; auto. f_equal. auto.
Qed.
Lemma all_terms_pairs x T : forall u v, length u = length T -> length v = length T ->
  map tw (to_x x (all_terms T u v)) = map pair_of (filter (goes x) (concat T)).
Proof.
  induction T as [|ss T IH]; intros [|a u] [|b v] Lu Lv; simpl in *; try lia; auto.
  now rewrite to_x_app, map_app, terms_pairs, IH, filter_app, map_app by lia.
Qed.

(** * What the theorem needs *)

Definition vals L (i : list N) := i ++ map (fun j => land L i (Der j)) (seq 0 (length (ders L))).
(** Invariants 1 and 3 for one index: every value is below the slots of its axis. *)
Definition fits_slots L i := Forall2 (fun v ax => v < slots (subs ax)) (vals L i) (nodes L).
(** The tops hold for an index: no digit is greater. *)
Definition tops_hold L (T : topped) i := Forall2 (fun v ss => Forall2 (fun d s => d <= snd s) (digits (map size (map fst ss)) v) ss) (vals L i) T.
Definition in_range L := Forall (fun s => match to s with Der j => (j < length (ders L))%nat | _ => True end) (all_subs L).
(** The test: sums nest, XORs are injective. *)
Definition apart L (T : topped) := forall x,
  match comb_of (ders L) x with
  | Sum => nests (map pair_of (filter (goes x) (concat T))) = true
  | Xor => xor_injective (map pair_of (filter (goes x) (concat T)))
  end.

Lemma terms_bounded ss : forall a b,
  Forall2 (fun d s => d <= snd s) (digits (map size (map fst ss)) a) ss ->
  Forall2 (fun d s => d <= snd s) (digits (map size (map fst ss)) b) ss -> Forall (fun t => bounded (snd t)) (terms_of ss a b).
Proof.
  induction ss as [|s ss IH]; simpl; intros a b Ha Hb; constructor; inversion Ha; inversion Hb; subst; auto.
  split; simpl; auto.
Qed.
Lemma all_bounded T : forall u v,
  Forall2 (fun v ss => Forall2 (fun d s => d <= snd s) (digits (map size (map fst ss)) v) ss) u T ->
  Forall2 (fun v ss => Forall2 (fun d s => d <= snd s) (digits (map size (map fst ss)) v) ss) v T ->
  Forall (fun t => bounded (snd t)) (all_terms T u v).
Proof.
  induction T as [|ss T IH]; intros u v Hu Hv; inversion Hu; inversion Hv; subst; simpl; constructor || apply Forall_app; split; auto.
  apply terms_bounded; auto.
Qed.

Lemma same_value ss : forall a b, Forall (fun t => same (snd t)) (terms_of ss a b) ->
  a < slots (map fst ss) -> b < slots (map fst ss) -> a = b.
Proof.
  induction ss as [|s ss IH]; unfold slots in *; simpl; intros a b H Ha Hb; [lia|].
  inversion H as [|? ? E T]; subst. unfold same in E; simpl in E. assert (size (fst s) <> 0) by nia.
  rewrite (N.div_mod a (size (fst s))), (N.div_mod b (size (fst s))) by auto. f_equal; [f_equal|auto].
  apply IH; auto; apply N.div_lt_upper_bound; lia.
Qed.
Lemma f2_len {A B} (R : A -> B -> Prop) e d : Forall2 R e d -> length e = length d.
Proof. induction 1; simpl; auto. Qed.

(** One axis: if its terms agree, so do its values. *)
Lemma node_same T : forall u v k a b ss, nth_error T k = Some ss -> nth_error u k = Some a -> nth_error v k = Some b ->
  a < slots (map fst ss) -> b < slots (map fst ss) ->
  (forall t, In t (all_terms T u v) -> In (fst t) (map fst ss) -> same (snd t)) -> a = b.
Proof.
  induction T as [|ss0 T IH]; intros [|a0 u] [|b0 v] [|k] a b ss; simpl; intros HT Hu Hv Ha Hb S; try discriminate.
  - inversion HT; inversion Hu; inversion Hv; subst. apply same_value with ss; auto.
    apply Forall_forall. intros t Ht. apply S; [apply in_or_app; auto|].
    clear - Ht. revert a b Ht. induction ss; simpl; intros a0 b Ht; [contradiction|]. destruct Ht as [<-|Ht]; simpl; eauto.
  - eapply IH; eauto. intros; apply S; auto. apply in_or_app; auto.
Qed.

Lemma ordered_nth ds : forall n j d, ordered n ds -> nth_error ds j = Some d -> feeds_after (S (n + j)) (dax d).
Proof.
  induction ds; intros n [|j] d H E; simpl in *; try discriminate; destruct H as [H1 H2].
  - inversion E; subst. rewrite Nat.add_0_r; auto.
  - rewrite <- Nat.add_succ_comm. apply IHds; auto.
Qed.
Lemma app_same {A} (a b c d : list A) : length a = length b -> a ++ c = b ++ d -> a = b.
Proof. revert b; induction a; intros [|? b]; simpl; intros L E; try lia; auto. inversion E. f_equal; auto. Qed.

(** Theorem 4, elements: two indexes in the same place are equal. Sums and XORs, derived axes in any chain. *)
Theorem no_collision L T i1 i2 :
  map (map fst) T = map subs (nodes L) -> in_range L -> ordered 0 (ders L) -> apart L T ->
  length i1 = length (axes L) -> length i2 = length (axes L) ->
  fits_slots L i1 -> fits_slots L i2 -> tops_hold L T i1 -> tops_hold L T i2 ->
  (forall l, place L i1 l = place L i2 l) -> i1 = i2.
Proof.
  intros HT G O A L1 L2 R1 R2 T1 T2 E.
  assert (Ln : length T = length (nodes L)) by (rewrite <- (map_length (map fst) T), HT, map_length; auto).
  assert (V1 : length (vals L i1) = length (nodes L)) by (apply f2_len in R1; auto).
  assert (V2 : length (vals L i2) = length (nodes L)) by (apply f2_len in R2; auto).
  assert (B : Forall (fun t => bounded (snd t)) (all_terms T (vals L i1) (vals L i2))) by (apply all_bounded; auto).
  assert (D : forall x, land L i1 x = land L i2 x -> forall t, In t (all_terms T (vals L i1) (vals L i2)) ->
              to (fst t) = x -> same (snd t)).
  { intros x Ex t Ht Hx.
    assert (F : Forall same (to_x x (all_terms T (vals L i1) (vals L i2)))).
    { assert (Bx : Forall bounded (to_x x (all_terms T (vals L i1) (vals L i2)))).
      { unfold to_x. apply Forall_map, Forall_forall. intros u Hu. apply filter_In in Hu as [Hu _]. rewrite Forall_forall in B; auto. }
      pose proof (all_terms_pairs x T (vals L i1) (vals L i2)) as Px. rewrite Ln in Px. specialize (Px V1 V2).
      specialize (A x). rewrite <- Px in A.
      rewrite (land_solves L i1 L1 O x), (land_solves L i2 L2 O x) in Ex.
      fold (nodes L) (vals L i1) (vals L i2) in Ex.
      destruct (axes_terms (comb_of (ders L) x) x T (nodes L) HT (vals L i1) (vals L i2) (first L x) V1 V2) as [EL ER].
      rewrite EL, ER in Ex. destruct (comb_of (ders L) x).
      - apply nests_same; auto. lia.
      - apply xor_same; auto. apply (f_equal (N.lxor (first L x))) in Ex.
        rewrite <- !N.lxor_assoc, N.lxor_nilpotent, !N.lxor_0_l in Ex. exact Ex. }
    rewrite Forall_forall in F. apply F. unfold to_x. apply in_map. apply filter_In. split; auto. rewrite Hx. apply deqb_refl. }
  assert (K : forall k a b ax, nth_error (nodes L) k = Some ax -> nth_error (vals L i1) k = Some a ->
     nth_error (vals L i2) k = Some b ->
     (forall s, In s (subs ax) -> forall j, to s = Der j -> land L i1 (Der j) = land L i2 (Der j)) -> a = b).
  { intros k a b ax Hk Ha Hb Hs.
    assert (Bd : forall i v, fits_slots L i -> nth_error (vals L i) k = Some v -> v < slots (subs ax)).
    { intros i v R Hv. unfold fits_slots in R. clear - R Hv Hk. revert k Hv Hk.
      induction R; intros [|k]; simpl; intros; try discriminate; [congruence|eauto]. }
    destruct (nth_error T k) as [ss|] eqn:Ek; [|apply nth_error_None in Ek; assert (k < length (nodes L))%nat by (apply nth_error_Some; congruence); lia].
    assert (Es : map fst ss = subs ax).
    { pose proof (f_equal (fun l => nth_error l k) HT) as N. cbv beta in N. rewrite !nth_error_map, Ek, Hk in N. inversion N; auto. }
    apply (node_same T (vals L i1) (vals L i2) k a b ss); auto; rewrite Es; eauto.
    intros t Ht Hi. apply (D (to (fst t))); auto. destruct (to (fst t)) eqn:Et; [apply E|eapply Hs; eauto]. }
  assert (Sub : forall a s j, In a (nodes L) -> In s (subs a) -> to s = Der j -> (j < length (ders L))%nat).
  { intros a s j Ha Hs Es. unfold in_range in G. rewrite Forall_forall in G. specialize (G s). rewrite Es in G. apply G.
    apply in_flat_map. eauto. }
  assert (Dj : forall j, (j < length (ders L))%nat -> land L i1 (Der j) = land L i2 (Der j)).
  { intros j Hj. remember (length (ders L) - j)%nat as m eqn:Hm. revert j Hj Hm.
    induction m as [m IH] using lt_wf_ind. intros j Hj Hm.
    destruct (nth_error (ders L) j) as [d|] eqn:Ed; [|apply nth_error_None in Ed; lia].
    apply (K (length (axes L) + j)%nat _ _ (dax d)).
    - unfold nodes. rewrite nth_error_app2, Nat.add_comm, Nat.add_sub, nth_error_map, Ed by lia. auto.
    - unfold vals. rewrite nth_error_app2, <- L1, Nat.add_comm, Nat.add_sub, nth_error_map by lia.
      rewrite (nth_error_nth' _ 0%nat), seq_nth; rewrite ?seq_length; auto.
    - unfold vals. rewrite nth_error_app2, <- L2, Nat.add_comm, Nat.add_sub, nth_error_map by lia.
      rewrite (nth_error_nth' _ 0%nat), seq_nth; rewrite ?seq_length; auto.
    - intros s Hs j' Ej. pose proof (ordered_nth _ _ _ _ O Ed) as F. simpl in F.
      unfold feeds_after in F. eapply Forall_forall in F; eauto. rewrite Ej in F.
      assert (j' < length (ders L))%nat.
      { eapply Sub; eauto. apply in_or_app; right. apply in_map. eapply nth_error_In; eauto. }
      apply (IH (length (ders L) - j')%nat); lia || auto. }
  assert (V : vals L i1 = vals L i2).
  { apply nth_ext with 0 0; [congruence|]. intros k Hk.
    destruct (nth_error (nodes L) k) as [ax|] eqn:Ek; [|apply nth_error_None in Ek; lia].
    apply (K k _ _ ax); auto; try (apply nth_error_nth'; lia).
    intros s Hs j Ej. apply Dj. eapply Sub; eauto. eapply nth_error_In; eauto. }
  unfold vals in V. apply app_same in V; auto. lia.
Qed.

(** * Tops as Rust has them, and copies *)

(** `Axis::reaches`: the digits of the greatest value up to the first that moves, then every value. *)
Fixpoint reaches (sizes : list N) (greatest : N) : list N :=
  match sizes with
  | [] => []
  | s :: ss => (if 0 <? greatest / s then s - 1 else greatest mod s) :: reaches ss (greatest / s)
  end.
(** No digit of a value exceeds what the greatest value says: the tops hold. *)
Theorem reaches_hold sizes : Forall (fun s => 0 < s) sizes -> forall v g, v <= g -> Forall2 N.le (digits sizes v) (reaches sizes g).
Proof.
  induction 1 as [|s ss Hs _ IH]; simpl; intros v g H; constructor.
  - assert (v mod s < s) by (apply N.mod_lt; lia). destruct (N.ltb_spec 0 (g / s)) as [P|P]; [lia|].
    apply N.le_0_r, N.div_small_iff in P; [|lia]. rewrite !N.mod_small by lia. lia.
  - apply IH, N.div_le_mono; lia.
Qed.
(** Invariant 3: a real index gives every derived axis a value below its extent. *)
Definition invariant_3 L := forall i, real_index L i -> Forall2 (fun v ax => v < extent ax) (vals L i) (nodes L).

Lemma len_reaches sizes : forall g, length (reaches sizes g) = length sizes.
Proof. induction sizes; simpl; intros; auto. Qed.
Lemma map_fst_combine {A B} (a : list A) : forall b : list B, length b = length a -> map fst (combine a b) = a.
Proof. induction a; intros [|y b] L; simpl in *; try lia; auto. f_equal; auto. Qed.
Lemma below_slots vs axs : Forall2 (fun v ax => v < extent ax) vs axs -> Forall (fun ax => extent ax <= slots (subs ax)) axs ->
  Forall2 (fun v ax => v < slots (subs ax)) vs axs.
Proof. induction 1 as [|v ax vs axs H _ IH]; intros X; constructor; inversion X; subst; [lia|auto]. Qed.
Lemma checked_nodes L : checked L = true ->
  ordered 0 (ders L) /\ in_range L /\ Forall (fun ax => extent ax <= slots (subs ax)) (nodes L).
Proof.
  intros C. unfold checked in C. ands C. unfold in_range, all_subs, nodes.
  assert (A : forall first ax, check_axis first (length (ders L)) ax = true ->
     feeds_after first ax /\ Forall (fun s => match to s with Der j => (j < length (ders L))%nat | _ => True end) (subs ax)
     /\ extent ax <= slots (subs ax)).
  { intros f ax Q. unfold check_axis in Q. ands Q. rewrite forallb_forall in Q. apply N.leb_le in H5.
    repeat split; auto; apply Forall_forall; intros s Hs; specialize (Q s Hs); ands Q; destruct (to s); auto;
      apply andb_true_iff in H7 as [? ?]; [apply Nat.leb_le|apply Nat.ltb_lt]; auto. }
  assert (D : forall ds n, check_nodes n (length (ders L)) ds = true -> ordered n ds /\
     Forall (fun s => match to s with Der j => (j < length (ders L))%nat | _ => True end) (flat_map subs (map dax ds)) /\
     Forall (fun ax => extent ax <= slots (subs ax)) (map dax ds)).
  { induction ds as [|d ds IH]; intros n Q; simpl in *; [repeat split; constructor|]. ands Q.
    destruct (A _ _ Q) as (A1 & A2 & A3), (IH _ H5) as (B1 & B2 & B3). repeat split; auto. apply Forall_app; auto. }
  destruct (D _ _ H4) as (D1 & D2 & D3). split; auto. rewrite flat_map_app, !Forall_app. repeat split; auto.
  - apply Forall_forall. intros s Hs. apply in_flat_map in Hs as (a & Ha & Hs). rewrite forallb_forall in C.
    destruct (A _ _ (C a Ha)) as (_ & A2 & _). rewrite Forall_forall in A2. exact (A2 s Hs).
  - apply Forall_forall. intros a Ha. rewrite forallb_forall in C. apply (A _ _ (C a Ha)).
Qed.

(** The values of a copy: of the axes, of the copies, of the derived axes. *)
Lemma explicit_nodes L : nodes (explicit L) = axes L ++ [rep_axis L] ++ map dax (ders L).
Proof. unfold nodes, explicit; simpl. now rewrite <- app_assoc. Qed.
Lemma explicit_real L i c : ordered 0 (ders L) -> invariant_3 L -> real_index L i -> c < copies L ->
  Forall2 (fun v ax => v < extent ax) (vals (explicit L) (i ++ [c])) (nodes (explicit L)).
Proof.
  intros O I3 R Hc. rewrite explicit_nodes. unfold vals. change (ders (explicit L)) with (ders L). rewrite <- app_assoc.
  pose proof (f2_len _ _ _ R) as Li. specialize (I3 i R). unfold vals, nodes in I3. apply f2_app in I3 as [I1 I2]; auto.
  apply Forall2_app; auto. simpl. constructor; auto.
  destruct (explicit_land L i c Li O) as [_ D]. rewrite (map_ext _ _ D). auto.
Qed.

Lemma explicit_sizes L : checked L = true -> Forall (fun s => 0 < size s) (all_subs (explicit L)).
Proof.
  intros C. pose proof (checked_sizes L C) as S. unfold checked in C. ands C.
  unfold all_subs in *. rewrite explicit_nodes. unfold nodes in S. rewrite !flat_map_app in *. apply Forall_app in S as [S1 S2].
  rewrite !Forall_app. repeat split; auto. simpl. rewrite app_nil_r. apply Forall_map, Forall_rev, Forall_forall. intros r Hr. simpl.
  rewrite forallb_forall in H3. specialize (H3 r Hr). apply N.leb_le in H3. lia.
Qed.

(** Theorem 4, copies, with any tops that hold. *)
Lemma copies_apart L T i1 c1 i2 c2 :
  checked L = true -> invariant_3 L -> map (map fst) T = map subs (nodes (explicit L)) -> apart (explicit L) T ->
  tops_hold (explicit L) T (i1 ++ [c1]) -> tops_hold (explicit L) T (i2 ++ [c2]) ->
  real_index L i1 -> real_index L i2 -> c1 < copies L -> c2 < copies L ->
  (forall l, copy_place L i1 c1 l = copy_place L i2 c2 l) -> i1 = i2 /\ c1 = c2.
Proof.
  intros C I3 TS A T1 T2 R1 R2 H1 H2 E.
  destruct (checked_nodes L C) as (O & G & X). pose proof (checked_sizes L C) as S.
  assert (PR : slots (map rep_sub (rev (reps L))) = copies L).
  { unfold slots, copies. transitivity (prod (rev (map rsize (reps L)))); [now rewrite <- map_rev, map_map|].
    induction (map rsize (reps L)) as [|x l IH]; auto. cbn [rev]. rewrite prod_app, IH. simpl. lia. }
  pose proof (explicit_nodes L) as N.
  pose proof (fun i c => explicit_real L i c O I3) as Va.
  assert (Fs : forall i c, real_index L i -> c < copies L -> fits_slots (explicit L) (i ++ [c])).
  { intros i c R Hc. unfold fits_slots. assert (Xe : Forall (fun ax => extent ax <= slots (subs ax)) (nodes (explicit L))).
    { rewrite N. unfold nodes in X. apply Forall_app in X as [X1 X2]. rewrite !Forall_app. repeat split; auto.
      constructor; auto. simpl. rewrite PR. lia. }
    apply below_slots; auto. }
  pose proof (f2_len _ _ _ R1) as L1. pose proof (f2_len _ _ _ R2) as L2.
  assert (EQ : i1 ++ [c1] = i2 ++ [c2]).
  { apply (no_collision (explicit L) T); auto.
    - unfold in_range, all_subs in *. rewrite N. unfold nodes in G. rewrite !flat_map_app in *. apply Forall_app in G as [G1 G2].
      rewrite !Forall_app. repeat split; auto. simpl. rewrite app_nil_r. apply Forall_map. apply Forall_forall. simpl; auto.
    - unfold explicit; simpl. rewrite !app_length. simpl; lia.
    - unfold explicit; simpl. rewrite !app_length. simpl; lia.
    - intros l. unfold place. rewrite (proj1 (explicit_land L i1 c1 L1 O)), (proj1 (explicit_land L i2 c2 L2 O)). auto. }
  apply app_inj_tail in EQ. auto.
Qed.

(** * Dropped hypotheses *)

(** Without nesting two elements may share a place: strides 1 and 1. *)
Definition plain2 n a m b := Layout [Axis n [Sub n (Level 0) a]; Axis m [Sub m (Level 0) b]] [] [] [] [0%nat] [].
Example not_nested : nests [(1, 1); (1, 1)] = false /\ place (plain2 2 1 2 1) [0; 1] 0 = place (plain2 2 1 2 1) [1; 0] 0.
Proof. split; reflexivity. Qed.
(** The test never decides the other way: (3:2, 2:3) does not nest, and has no collision: 0 2 4 / 3 5 7. *)
Example nesting_not_needed : nests [(2, 2); (1, 3)] = false /\
  NoDup (map (fun i => place (plain2 3 2 2 3) i 0) [[0; 0]; [1; 0]; [2; 0]; [0; 1]; [1; 1]; [2; 1]]).
Proof. split; [reflexivity|]. vm_compute. repeat (constructor; [simpl; intuition discriminate|]). constructor. Qed.
(** Tops that do not hold: with tops of 0 the test says yes to anything. *)
Example tops_needed : nests [(0, 1); (0, 1)] = true. Proof. reflexivity. Qed.
(** Tops say more than sizes: 3 of 4 rows at strides 3 and 1, where the sizes 4 x 1 reach the stride. *)
Example tops_say_more : nests [(2, 1); (1, 3)] = true /\ nests [(3, 1); (1, 3)] = false /\ reaches [4] 2 = [2].
Proof. repeat split; reflexivity. Qed.
(** An XOR that is not injective: both digits flip bit 0. *)
Example xor_collides : xors [(1, 1); (1, 0)] = xors [(1, 0); (1, 1)]. Proof. reflexivity. Qed.
(** Copies with stride 0 coincide. *)
Example copies_collide : copy_place (Layout [] [] [Replica 2 0 0] [] [0%nat] []) [] 0 0 = copy_place (Layout [] [] [Replica 2 0 0] [] [0%nat] []) [] 1 0.
Proof. reflexivity. Qed.

Definition theorems := (@no_collision, @reaches_hold).
Print Assumptions theorems.
