(** Theorem 7, plain digits for derived axes (`Component::plain` of `src/algebra/steps.rs`, which `without_padding` asks): where no
    digit of any axis wraps, the place is a sum of digits of the index, and the derived axes may go. Proved is what the
    program concludes from runs without a broken constraint. The search for the runs is not modelled, nor the enumeration
    where wraps may cancel or bits flip; derived axes are sums here. *)
From Coq Require Import NArith List Lia Bool Arith.
Require Import TensorLayout.Radix TensorLayout.Model TensorLayout.Equations TensorLayout.Element TensorLayout.Bound TensorLayout.Nest
  TensorLayout.Simplify TensorLayout.Tops TensorLayout.Rules TensorLayout.Regroup.
Import ListNotations.
Open Scope N_scope.
Local Arguments deqb : simpl never.

(** * Linear functions of the digits of the runs *)

(** Runs are numbered; a function has its value at index 0 and its change per step of each run. *)
Definition lin := (N * (nat -> N))%type.
Fixpoint dot (c : nat -> N) (r : nat) (ds : list N) : N := match ds with [] => 0 | d :: ds => c r * d + dot c (S r) ds end.
Definition eval (f : lin) (ds : list N) : N := fst f + dot (snd f) 0 ds.
Definition part (n : N) (f : lin) : lin := (fst f mod n, fun r => snd f r mod n).
Definition rest (n : N) (f : lin) : lin := (fst f / n, fun r => snd f r / n).
Definition plus (w : N) (f a : lin) : lin := (fst a + fst f * w, fun r => snd a r + snd f r * w).

Lemma dot_parts n c ds : n <> 0 -> forall r, dot c r ds = n * dot (fun r => c r / n) r ds + dot (fun r => c r mod n) r ds.
Proof. intros H. induction ds as [|d ds IH]; intros r; cbn [dot]; [lia|]. rewrite IH. pose proof (N.div_mod (c r) n H). nia. Qed.
Lemma dot_plus w c a ds : forall r, dot (fun r => a r + c r * w) r ds = dot a r ds + dot c r ds * w.
Proof. induction ds as [|d ds IH]; intros r; cbn [dot]; [lia|]. rewrite IH. ring. Qed.
Lemma eval_plus w f a ds : eval (plus w f a) ds = eval a ds + eval f ds * w.
Proof. unfold eval, plus; cbn [fst snd]. rewrite dot_plus. ring. Qed.
Lemma eval_parts n f ds : 0 < n -> eval (part n f) ds < n -> eval f ds mod n = eval (part n f) ds /\ eval f ds / n = eval (rest n f) ds.
Proof.
  intros H L. assert (E : eval f ds = eval (part n f) ds + n * eval (rest n f) ds).
  { unfold eval, part, rest; cbn [fst snd]. rewrite (dot_parts n (snd f) ds) by lia. pose proof (N.div_mod (fst f) n). lia. }
  destruct (divmod_small n _ (eval (rest n f) ds) L) as [A B]. rewrite <- E in A, B. auto.
Qed.

(** `linear`: the digits of an axis, as functions; the major-most never wraps. *)
Definition state := dest -> lin.
Definition send (s : sub) (f : lin) (a : state) : state := fun x => if deqb x (to s) then plus (weight s) f (a x) else a x.
Fixpoint push_lin (ss : list sub) (f : lin) (a : state) : state :=
  match ss with
  | [] => a
  | s :: ss => match ss with [] => send s f a | _ => push_lin ss (rest (size s) f) (send s (part (size s) f) a) end
  end.
Definition constraint := (N * lin)%type.
Fixpoint limits (ss : list sub) (f : lin) : list constraint :=
  match ss with [] => [] | s :: ss => match ss with [] => [] | _ => (size s, part (size s) f) :: limits ss (rest (size s) f) end end.
Definition holds (ds : list N) (c : constraint) := eval (snd c) ds < fst c.

Definition sums_only ds := Forall (fun d => how d = Sum) ds.
Lemma sums_comb ds x : sums_only ds -> comb_of ds x = Sum.
Proof. intros H. destruct x as [|j]; auto. cbn [comb_of]. destruct (nth_error ds j) eqn:E; auto. unfold sums_only in H. rewrite Forall_forall in H. apply H. eapply nth_error_In; eauto. Qed.
Definition same_state (A : acc) (a : state) ds := forall x, A x = eval (a x) ds.
Lemma send_right L s f A a ds v : sums_only L -> v = eval f ds -> same_state A a ds -> same_state (add L s v A) (send s f a) ds.
Proof.
  intros S -> E x. unfold add, send. rewrite (sums_comb L x S). destruct (deqb x (to s)); cbn [one]; [now rewrite eval_plus, E|apply E].
Qed.
Lemma push_right L ds ss : positive_sizes ss -> sums_only L -> forall f A a, eval f ds < slots ss -> Forall (holds ds) (limits ss f) -> same_state A a ds ->
  same_state (push L ss (eval f ds) A) (push_lin ss f a) ds.
Proof.
  intros P S. induction P as [|s ss Hs P IH]; intros f A a Hv C E; [exact E|]. destruct ss as [|t ss].
  - cbn [push push_lin]. apply send_right; auto. apply N.mod_small. unfold slots in Hv; simpl in Hv. lia.
  - change (limits (s :: t :: ss) f) with ((size s, part (size s) f) :: limits (t :: ss) (rest (size s) f)) in C.
    change (push_lin (s :: t :: ss) f a) with (push_lin (t :: ss) (rest (size s) f) (send s (part (size s) f) a)).
    inversion C as [|? ? C1 C2]; subst. unfold holds in C1; cbn [fst snd] in C1. destruct (eval_parts (size s) f ds Hs C1) as [M D].
    change (push L (s :: t :: ss) (eval f ds) A) with (push L (t :: ss) (eval f ds / size s) (add L s (eval f ds mod size s) A)). rewrite D. apply IH; auto.
    + rewrite <- D. apply N.div_lt_upper_bound; [lia|]. unfold slots in *; exact Hv.
    + apply send_right; auto.
Qed.

(** All axes, in the order in which values are complete. *)
Fixpoint axes_lin (axs : list axis) (fs : list lin) (a : state) : state := match axs, fs with ax :: axs, f :: fs => axes_lin axs fs (push_lin (subs ax) f a) | _, _ => a end.
Fixpoint axes_limits (axs : list axis) (fs : list lin) : list constraint := match axs, fs with ax :: axs, f :: fs => limits (subs ax) f ++ axes_limits axs fs | _, _ => [] end.
Fixpoint ders_lin (ds : list derived) (n : nat) (a : state) : state := match ds with [] => a | d :: ds => ders_lin ds (S n) (push_lin (subs (dax d)) (a (Der n)) a) end.
Fixpoint ders_limits (ds : list derived) (n : nat) (a : state) : list constraint :=
  match ds with [] => [] | d :: ds => limits (subs (dax d)) (a (Der n)) ++ ders_limits ds (S n) (push_lin (subs (dax d)) (a (Der n)) a) end.
Definition start_lin L : state := fun x => (first L x, fun _ => 0).
Definition linear L fs : state := ders_lin (ders L) 0 (axes_lin (axes L) fs (start_lin L)).
Definition constraints L fs : list constraint := axes_limits (axes L) fs ++ ders_limits (ders L) 0 (axes_lin (axes L) fs (start_lin L)).

Lemma axes_right L ds axs : sums_only L -> Forall (fun ax => positive_sizes (subs ax)) axs -> forall fs i A a, Forall2 (fun v f => v = eval f ds) i fs ->
  Forall2 (fun v ax => v < slots (subs ax)) i axs -> Forall (holds ds) (axes_limits axs fs) -> same_state A a ds -> same_state (push_axes L axs i A) (axes_lin axs fs a) ds.
Proof.
  intros S. induction 1 as [|ax axs P _ IH]; intros fs i A a V B C E; inversion B as [|v ? i' ? Hv B']; subst; inversion V as [|? f ? fs' Ef V']; subst; auto.
  cbn [axes_limits] in C. apply Forall_app in C as [C1 C2]. cbn [push_axes axes_lin]. apply IH; auto. apply push_right; auto.
Qed.
Lemma ders_right all ds es : sums_only all -> Forall (fun ax => positive_sizes (subs ax)) (map dax es) -> forall n A a, ordered n es ->
  Forall2 (fun v ax => v < slots (subs ax)) (map (fun j => push_ders all es n A (Der j)) (seq n (length es))) (map dax es) ->
  Forall (holds ds) (ders_limits es n a) -> same_state A a ds -> same_state (push_ders all es n A) (ders_lin es n a) ds.
Proof.
  intros S. induction es as [|d es IH]; intros P n A a O B C E; [exact E|]. cbn [map length seq push_ders ders_lin ders_limits ordered] in *. destruct O as [O1 O2].
  inversion P as [|? ? P1 P2]; subst. inversion B as [|? ? ? ? B1 B2]; subst. apply Forall_app in C as [C1 C2]. apply IH; auto.
  rewrite ders_before, (push_to all (Der n)), (before _ n (Datatypes.S n)) in B1 by (auto; lia). rewrite (E (Der n)) in *. apply push_right; auto.
Qed.

(** * Runs *)

(** The sizes of the runs of each axis, minor to major; digits of all runs, and an axis as a function of them. *)
Fixpoint run_digits (rs : list (list N)) (i : list N) : list N := match rs, i with r :: rs, v :: i => digits r v ++ run_digits rs i | _, _ => [] end.
Definition weight_in (r0 : nat) (sizes : list N) (r : nat) : N := if (r0 <=? r)%nat && (r <? r0 + length sizes)%nat then prod (firstn (r - r0) sizes) else 0.
Fixpoint axis_lins (r0 : nat) (rs : list (list N)) : list lin := match rs with [] => [] | s :: rs => (0, weight_in r0 s) :: axis_lins (r0 + length s) rs end.

Lemma dot_app c a : forall b r, dot c r (a ++ b) = dot c r a + dot c (r + length a) b.
Proof. induction a as [|x a IH]; intros b r; cbn [app dot length]; [now rewrite Nat.add_0_r|]. rewrite IH, Nat.add_succ_r. cbn [Nat.add]. lia. Qed.
Lemma dot_zero c ds : forall r, (forall k, (r <= k < r + length ds)%nat -> c k = 0) -> dot c r ds = 0.
Proof. induction ds as [|d ds IH]; intros r H; auto. cbn [dot length] in *. rewrite IH, (H r) by (intros; try apply H; lia). lia. Qed.
Lemma len_digits sizes : forall v, length (digits sizes v) = length sizes.
Proof. induction sizes; intros v; simpl; auto. Qed.
Lemma dot_own sizes : forall v P c r, (forall k, (k < length sizes)%nat -> c (r + k)%nat = P * prod (firstn k sizes)) -> dot c r (digits sizes v) = P * value sizes (digits sizes v).
Proof.
  induction sizes as [|s ss IH]; intros v P c r H; cbn [digits dot value]; [lia|]. pose proof (H 0%nat ltac:(simpl; lia)) as H0. rewrite Nat.add_0_r in H0. cbn [firstn prod] in H0. rewrite H0.
  rewrite (IH _ (P * s)); [lia|]. intros k Hk. rewrite Nat.add_succ_comm. rewrite H by (simpl; lia). cbn [firstn prod]. lia.
Qed.
Lemma len_run_digits rs : forall i, length i = length rs -> length (run_digits rs i) = length (concat rs).
Proof. induction rs as [|s rs IH]; intros [|v i] L; simpl in *; try lia; auto. rewrite !app_length, len_digits, IH; lia. Qed.
Lemma runs_value rs : forall i pre, Forall2 (fun v s => v < prod s) i rs ->
  Forall2 (fun v f => v = eval f (pre ++ run_digits rs i)) i (axis_lins (length pre) rs).
Proof.
  induction rs as [|s rs IH]; intros i pre H; inversion H as [|v ? i' ? Hv H']; subst; [constructor|]. cbn [axis_lins run_digits]. constructor.
  - unfold eval; cbn [fst snd]. rewrite !dot_app. rewrite dot_zero.
    + rewrite (dot_own s v 1).
      * rewrite value_digits by auto. rewrite (dot_zero _ (run_digits rs i')); [lia|]. intros k Hk. rewrite len_digits in Hk. unfold weight_in.
        destruct (Nat.ltb_spec k (length pre + length s)); [lia|]. now rewrite andb_false_r.
      * intros k Hk. unfold weight_in. destruct (Nat.leb_spec (length pre) (0 + length pre + k)); [|lia]. destruct (Nat.ltb_spec (0 + length pre + k) (length pre + length s)); [|lia].
        cbn [andb]. replace (0 + length pre + k - length pre)%nat with k by lia. lia.
    + intros k Hk. unfold weight_in. destruct (Nat.leb_spec (length pre) k); [lia|reflexivity].
  - replace (length pre + length s)%nat with (length (pre ++ digits s v)) by (rewrite app_length, len_digits; auto). rewrite app_assoc. apply IH; auto.
Qed.

(** `worst`: over real indexes, an axis adds at most its greatest sum. *)
Fixpoint run_subs (c : nat -> N) (r : nat) (sizes : list N) : list sub := match sizes with [] => [] | s :: ss => Sub s (Level 0) (c r) :: run_subs c (S r) ss end.
Fixpoint worst (c : nat -> N) (r : nat) (rs : list (list N)) (extents : list N) : N :=
  match rs, extents with s :: rs, e :: extents => greatest_sum (Level 0) (run_subs c r s) (e - 1) 0 0 + worst c (r + length s) rs extents | _, _ => 0 end.
Definition unbroken rs extents (k : constraint) : Prop := fst (snd k) + worst (snd (snd k)) 0 rs extents < fst k.

Lemma dot_adds c sizes : forall v r, dot c r (digits sizes v) = adds (Level 0) (run_subs c r sizes) v.
Proof. induction sizes as [|s ss IH]; intros v r; cbn [digits dot run_subs]; [reflexivity|]. rewrite adds_cons, IH. unfold gives. cbn [to size weight]. rewrite deqb_refl. lia. Qed.
Lemma run_sizes c sizes : forall r, map size (run_subs c r sizes) = sizes.
Proof. induction sizes; intros r; simpl; f_equal; auto. Qed.
Lemma worst_right c rs : forall extents i r, Forall (fun s => Forall (fun n => 0 < n) s) rs -> Forall2 (fun v e => v < e) i extents -> Forall2 (fun e s => e <= prod s) extents rs ->
  dot c r (run_digits rs i) <= worst c r rs extents.
Proof.
  induction rs as [|s rs IH]; intros es i r P R X; inversion X as [|e ? es' ? Xe X']; subst; inversion R as [|v ? i' ? Hv R']; subst; cbn [run_digits worst dot]; [lia|].
  inversion P as [|? ? Ps P']; subst. rewrite dot_app, len_digits. apply N.add_le_mono; [|apply IH; auto]. rewrite dot_adds. unfold adds.
  assert (S : Forall (fun s => 0 < size s) (run_subs c r s)) by (apply (Forall_map size (fun n => 0 < n)); now rewrite run_sizes).
  assert (Sl : slots (run_subs c r s) = prod s) by (unfold slots; now rewrite run_sizes).
  pose proof (greatest_sum_right (Level 0) (run_subs c r s) S v (e - 1) 0 0 0 0 True) as G. rewrite !N.add_0_l in G. apply G; auto; try (rewrite Sl); lia.
Qed.

(** Theorem 7, plain digits: where no constraint is broken, the place of every element is linear in the digits of the runs. *)
Theorem linear_place L rs i l : ordered 0 (ders L) -> sums_only (ders L) -> positive_sizes (all_subs L) -> Forall (fun s => Forall (fun n => 0 < n) s) rs ->
  Forall2 (fun e s => e <= prod s) (map extent (axes L)) rs -> Forall (unbroken rs (map extent (axes L))) (constraints L (axis_lins 0 rs)) ->
  real_index L i -> fits_slots L i -> place L i l = eval (linear L (axis_lins 0 rs) (Level l)) (run_digits rs i).
Proof.
  intros O S P Pr X U R B. set (ds := run_digits rs i). assert (R2 : Forall2 (fun v e => v < e) i (map extent (axes L))) by (apply f2_map_r; exact R).
  assert (C : Forall (holds ds) (constraints L (axis_lins 0 rs))).
  { eapply Forall_impl; [|exact U]. intros [n [o c]] H. unfold unbroken, holds, eval in *; cbn [fst snd] in *. pose proof (worst_right c rs _ i 0%nat Pr R2 X). fold ds in H0. lia. }
  assert (V : Forall2 (fun v f => v = eval f ds) i (axis_lins 0 rs)).
  { apply (runs_value rs i []). clear - R2 X. revert i R2. induction X as [|e s es rs H _ IH]; intros i R2; inversion R2; subst; constructor; auto. lia. }
  assert (Pn : Forall (fun ax => positive_sizes (subs ax)) (axes L) /\ Forall (fun ax => positive_sizes (subs ax)) (map dax (ders L))).
  { apply Forall_app. fold (nodes L). apply Forall_forall. intros a Ha. unfold positive_sizes in *. rewrite Forall_forall in P |- *. intros s Hs. apply P. apply in_flat_map; eauto. }
  destruct Pn as [P1 P2]. unfold constraints in C. apply Forall_app in C as [C1 C2]. unfold fits_slots, vals, nodes in B. apply f2_app in B as [B1 B2]; [|apply (f2_len _ _ _ R)].
  unfold place, land, linear. apply (ders_right (ders L) ds (ders L) S P2 0 _ _ O B2 C2). apply axes_right; auto.
  intros x. unfold start_lin, eval; cbn [fst snd]. rewrite dot_zero by auto. lia.
Qed.

(** The layout without derived axes: each run lands in the level in which it steps. *)
Fixpoint plain_axes (lev : nat -> nat) (step : nat -> N) (r : nat) (rs : list (list N)) (extents : list N) : list axis :=
  match rs, extents with
  | s :: rs, e :: extents => Axis e (map (fun k => Sub (nth (k - r) s 1) (Level (lev k)) (step k)) (seq r (length s))) :: plain_axes lev step (r + length s) rs extents
  | _, _ => []
  end.
Lemma plain_adds l lev step c sizes : (forall k, c k = if Nat.eqb l (lev k) then step k else 0) -> forall r q v,
  adds (Level l) (map (fun k => Sub (nth (k - q) sizes 1) (Level (lev k)) (step k)) (seq (q + r) (length sizes - r))) v = dot c (q + r) (digits (skipn r sizes) v).
Proof.
  intros H r q. remember (length sizes - r)%nat as m eqn:Hm. revert r Hm. induction m as [|m IH]; intros r Hm v.
  - rewrite skipn_all2 by lia. reflexivity.
  - cbn [seq map]. rewrite adds_cons. cbn [size]. replace (q + r - q)%nat with r by lia. rewrite <- Nat.add_succ_r. rewrite IH by lia.
    assert (Sk : skipn r sizes = nth r sizes 1 :: skipn (S r) sizes).
    { clear - Hm. revert r Hm. induction sizes as [|s ss IHs]; intros [|r] Hm; simpl in *; try lia; auto. }
    rewrite Sk. cbn [digits dot]. rewrite Nat.add_succ_r. f_equal. unfold gives. cbn [to weight]. rewrite H. unfold deqb. destruct (Nat.eqb l (lev (q + r)%nat)); lia.
Qed.
Lemma plain_axes_sum l lev step c rs : (forall k, c k = if Nat.eqb l (lev k) then step k else 0) -> forall es i r, length es = length rs -> length i = length rs ->
  sum_axes (Level l) (plain_axes lev step r rs es) i = dot c r (run_digits rs i).
Proof.
  intros H. induction rs as [|s rs IH]; intros [|e es] [|v i] r L1 L2; simpl in L1, L2; try lia; auto. cbn [plain_axes sum_axes run_digits subs].
  rewrite dot_app, len_digits, IH by lia. f_equal. pose proof (plain_adds l lev step c s H 0 r v) as A. rewrite Nat.add_0_r, Nat.sub_0_r in A. exact A.
Qed.
(** Theorem 7, plain digits: the layout of the runs has the places of all elements. *)
Theorem plain_digits L L' rs lev step i l : ordered 0 (ders L) -> sums_only (ders L) -> positive_sizes (all_subs L) -> Forall (fun s => Forall (fun n => 0 < n) s) rs ->
  Forall2 (fun e s => e <= prod s) (map extent (axes L)) rs -> Forall (unbroken rs (map extent (axes L))) (constraints L (axis_lins 0 rs)) ->
  real_index L i -> fits_slots L i ->
  (forall l r, snd (linear L (axis_lins 0 rs) (Level l)) r = if Nat.eqb l (lev r) then step r else 0) ->
  ders L' = [] -> axes L' = plain_axes lev step 0 rs (map extent (axes L)) -> (forall l, offset l (offs L') = fst (linear L (axis_lins 0 rs) (Level l))) ->
  place L' i l = place L i l.
Proof.
  intros O S P Pr X U R B St D A Of. rewrite (linear_place L rs i l) by auto. pose proof (f2_len _ _ _ R) as Li. pose proof (f2_len _ _ _ X) as Lx. rewrite map_length in Lx.
  assert (LA : forall es r, length es = length rs -> length (plain_axes lev step r rs es) = length rs).
  { clear. induction rs as [|s rs IH]; intros [|e es] r H; simpl in *; try lia. rewrite IH; lia. }
  rewrite plain_sum; auto.
  - rewrite A, Of, (plain_axes_sum l lev step (snd (linear L (axis_lins 0 rs) (Level l)))); auto; [now rewrite map_length|congruence].
  - rewrite A, LA; [congruence|now rewrite map_length].
Qed.

(** * Dropped hypotheses *)

(** The example of steps.rs: 6 values at weight 2, split into 4:3 x 3:1, are 3:1 and 2:6. *)
Definition every_second := Layout [Axis 6 [Sub 6 (Der 0) 2]] [Derived Sum 0 (Axis 11 [Sub 4 (Level 0) 1; Sub 3 (Level 0) 6])] [] [] [0%nat] [].
Example runs_of_2 : let f := linear every_second (axis_lins 0 [[2; 3]]) (Level 0) in (fst f, snd f 0%nat, snd f 1%nat) = (0, 2, 6) /\
  map (fun k => (fst k, fst (snd k) + worst (snd (snd k)) 0 [[2; 3]] [6])) (constraints every_second (axis_lins 0 [[2; 3]])) = [(4, 2)].
Proof. split; reflexivity. Qed.
(** One run of 6 breaks the constraint, and its places are not linear: 2 is at 6, not at 4. *)
Example broken : map (fun k => (fst k, fst (snd k) + worst (snd (snd k)) 0 [[6]] [6])) (constraints every_second (axis_lins 0 [[6]])) = [(4, 10)] /\
  place every_second [2] 0 = 6 /\ eval (linear every_second (axis_lins 0 [[6]]) (Level 0)) [2] = 4. Proof. repeat split; reflexivity. Qed.

Definition theorems := (@linear_place, @plain_digits).
Print Assumptions theorems.
