(** Theorem 8: elimination over GF(2) (`BitSystem` in `src/algebra/xor.rs`) solves or refutes, its kernel decides whether
    bits are injective, and a swizzle applied twice is the identity. *)
From Coq Require Import NArith List Lia Bool Arith.
Require Import TensorLayout.Radix TensorLayout.Model TensorLayout.Bound TensorLayout.Nest.
Import ListNotations.
Open Scope N_scope.

Definition pivot := (N * N)%type.            (* a vector, and the mask of the columns that it is made of *)
(** `BitSystem::reduced`. *)
Definition step (rm : N * N) (p : pivot) : N * N :=
  let '(r, m) := rm in if N.lxor r (fst p) <? r then (N.lxor r (fst p), N.lxor m (snd p)) else (r, m).
Definition reduced (ps : list pivot) (v : N) : N * N := fold_left step ps (v, 0).
(** `BitSystem::insert`: the greater vector first. *)
Fixpoint insert (p : pivot) (ps : list pivot) : list pivot :=
  match ps with [] => [p] | q :: ps => if fst p <? fst q then q :: insert p ps else p :: q :: ps end.
(** `BitSystem::new`: pivots, and the masks of columns whose XOR is 0. *)
Fixpoint build (cols : list N) (at_ : N) (ps : list pivot) (kernel : list N) : list pivot * list N :=
  match cols with
  | [] => (ps, kernel)
  | c :: cols =>
      let '(r, m) := reduced ps c in let m := N.lxor m (2 ^ at_) in
      if r =? 0 then build cols (N.succ at_) ps (m :: kernel)
      else build cols (N.succ at_) (insert (r, m) ps) kernel
  end.

Inductive span : list N -> N -> Prop :=
| s0 : span [] 0
| s1 l p v : span l v -> span (p :: l) v
| s2 l p v : span l v -> span (p :: l) (N.lxor p v).

Fixpoint desc (l : list N) : Prop :=
  match l with [] => True | p :: l => 0 < p /\ Forall (fun q => 0 < q /\ N.log2 q < N.log2 p) l /\ desc l end.

Ltac bits := apply N.bits_inj; intros ?k; rewrite ?N.lxor_spec, ?N.bits_0;
  repeat match goal with |- context [N.testbit ?x ?k] => destruct (N.testbit x k) end; reflexivity.

Lemma pow_pos k : 0 < 2 ^ k. Proof. apply N.neq_0_lt_0, N.pow_nonzero; lia. Qed.
Lemma log2_lt v k : (v = 0 \/ N.log2 v < k) <-> v < 2 ^ k.
Proof.
  pose proof (pow_pos k). split.
  - intros [->|H1]; auto. destruct (N.eq_dec v 0) as [->|]; auto. apply N.log2_lt_pow2; lia.
  - intros H1. destruct (N.eq_dec v 0); auto. right. apply N.log2_lt_pow2; lia.
Qed.
Lemma bit_ge v k : N.testbit v k = true -> 2 ^ k <= v.
Proof.
  intros H. destruct (N.le_gt_cases (2 ^ k) v) as [|L]; auto. exfalso.
  apply log2_lt in L as [->|L]; [rewrite N.bits_0 in H; discriminate|]. rewrite N.bits_above_log2 in H by auto. discriminate.
Qed.
Lemma bit_lt v k : v < 2 ^ k -> N.testbit v k = false.
Proof. intros H. destruct (N.testbit v k) eqn:E; auto. apply bit_ge in E; lia. Qed.

Lemma span_below l k v : Forall (fun q => 0 < q /\ N.log2 q < k) l -> span l v -> v < 2 ^ k.
Proof.
  intros F H; revert F; induction H; intros F; [apply pow_pos|inversion F; auto|].
  inversion F as [|? ? [? ?] ?]; subst. apply lxor_lt; auto. apply log2_lt; auto.
Qed.

(** the comparison of the step asks for the top bit of the pivot *)
Lemma step_bit r p : 0 < p -> (N.lxor r p <? r) = N.testbit r (N.log2 p).
Proof.
  intros Hp. set (k := N.log2 p). set (hi := fun v => v / 2 ^ N.succ k).
  assert (B : N.testbit p k = true) by (apply N.bit_log2; lia).
  assert (Hhi : hi (N.lxor r p) = hi r).
  { unfold hi. rewrite <- !N.shiftr_div_pow2, N.shiftr_lxor.
    replace (N.shiftr p (N.succ k)) with 0; [apply N.lxor_0_r|]. symmetry. apply N.shiftr_eq_0. subst k; lia. }
  assert (Low : forall v, v mod 2 ^ N.succ k < 2 ^ N.succ k) by (intros; apply N.mod_lt; pose proof (pow_pos (N.succ k)); lia).
  assert (T : forall v, N.testbit v k = N.testbit (v mod 2 ^ N.succ k) k) by (intros; now rewrite N.mod_pow2_bits_low by lia).
  assert (X : N.testbit (N.lxor r p) k = negb (N.testbit r k)) by (rewrite N.lxor_spec, B; apply xorb_true_r).
  assert (C : forall v, N.testbit v k = true -> 2 ^ k <= v mod 2 ^ N.succ k) by (intros v Hv; apply bit_ge; now rewrite <- T).
  assert (D : forall v, N.testbit v k = false -> v mod 2 ^ N.succ k < 2 ^ k).
  { intros v Hv. rewrite T in Hv. specialize (Low v). apply log2_lt in Low as [->|Low]; [apply pow_pos|].
    apply log2_lt. destruct (N.eq_dec (v mod 2 ^ N.succ k) 0) as [E|E]; auto. right.
    destruct (N.eq_dec (N.log2 (v mod 2 ^ N.succ k)) k) as [E2|]; [|lia].
    pose proof (N.bit_log2 _ E) as Bl. rewrite E2 in Bl. congruence. }
  assert (V : forall v, v = 2 ^ N.succ k * hi v + v mod 2 ^ N.succ k) by (intros; apply N.div_mod; pose proof (pow_pos (N.succ k)); lia).
  pose proof (V r) as Vr. pose proof (V (N.lxor r p)) as Vx. rewrite Hhi in Vx.
  destruct (N.testbit r k) eqn:R; simpl in X.
  - apply C in R. apply D in X. apply N.ltb_lt. lia.
  - apply D in R. apply C in X. apply N.ltb_ge. lia.
Qed.

(** complete: everything in the span reduces to 0 *)
Lemma complete ps : desc (map fst ps) -> forall v m, span (map fst ps) v -> fst (fold_left step ps (v, m)) = 0.
Proof.
  induction ps as [|[p pm] ps IH]; simpl; intros D v m H; [inversion H; auto|].
  destruct D as (Dp & Df & D). rewrite step_bit by auto.
  assert (L : forall w, span (map fst ps) w -> N.testbit w (N.log2 p) = false).
  { intros w Hw. apply bit_lt. eapply span_below; eauto. }
  inversion H; subst.
  - rewrite L by auto. apply IH; auto.
  - match goal with Hs : span (map fst ps) ?w |- _ => rename w into w0; rename Hs into Hw end.
    rewrite N.lxor_spec, (L w0 Hw), N.bit_log2 by (intros ->; inversion Dp). simpl.
    replace (N.lxor (N.lxor p w0) p) with w0; [apply IH; auto|].
    rewrite N.lxor_comm, <- N.lxor_assoc, N.lxor_nilpotent, N.lxor_0_l. auto.
Qed.

(** the rest has no top bit of a pivot, and the value is the rest plus pivots *)
Lemma rest_bits ps : desc (map fst ps) -> forall v m, 
  Forall (fun p => N.testbit (fst (fold_left step ps (v, m))) (N.log2 (fst p)) = false) ps /\
  (forall k, Forall (fun q => 0 < q /\ N.log2 q < k) (map fst ps) -> N.testbit (fst (fold_left step ps (v, m))) k = N.testbit v k).
Proof.
  induction ps as [|[p pm] ps IH]; simpl; intros D v m; [split; auto|].
  destruct D as (Dp & Df & D). rewrite step_bit by auto.
  assert (P : forall k, N.log2 p < k -> N.testbit (N.lxor v p) k = N.testbit v k).
  { intros k Hk. now rewrite N.lxor_spec, (N.bits_above_log2 p) by auto; rewrite xorb_false_r. }
  destruct (N.testbit v (N.log2 p)) eqn:E.
  - destruct (IH D (N.lxor v p) (N.lxor m pm)) as [A B]. split.
    + constructor; auto. simpl. rewrite B by auto. rewrite N.lxor_spec, E, N.bit_log2 by lia. auto.
    + intros k F. inversion F as [|? ? [? ?] ?]; subst. rewrite B, P; auto.
  - destruct (IH D v m) as [A B]. split.
    + constructor; auto. simpl. rewrite B by auto. auto.
    + intros k F. inversion F as [|? ? [? ?] ?]; subst. rewrite B; auto.
Qed.
Lemma rest_span ps : forall v m, span (map fst ps) (N.lxor v (fst (fold_left step ps (v, m)))).
Proof.
  induction ps as [|[p pm] ps IH]; simpl; intros v m; [rewrite N.lxor_nilpotent; constructor|].
  destruct (N.lxor v p <? v); [|apply s1, IH].
  match goal with |- span _ (N.lxor v ?X) => replace (N.lxor v X) with (N.lxor p (N.lxor (N.lxor v p) X)) end.
  - apply s2, IH.
  - bits.
Qed.

Fixpoint xor_of (cols : list N) (at_ m : N) : N :=
  match cols with [] => 0 | c :: cols => N.lxor (if N.testbit m at_ then c else 0) (xor_of cols (N.succ at_) m) end.
Lemma xor_of_lxor cols : forall a m n, xor_of cols a (N.lxor m n) = N.lxor (xor_of cols a m) (xor_of cols a n).
Proof.
  induction cols; simpl; intros; auto. rewrite IHcols, N.lxor_spec.
  destruct (N.testbit m a0), (N.testbit n a0); simpl; rewrite ?N.lxor_0_l;
  apply N.bits_inj; intros k; rewrite ?N.lxor_spec, ?N.bits_0;
  repeat match goal with |- context [N.testbit ?x k] => destruct (N.testbit x k) end; auto.
Qed.

(** sound: the mask names columns whose XOR is the value without the rest *)
Lemma sound cols ps : Forall (fun p => xor_of cols 0 (snd p) = fst p) ps -> forall v m r m',
  fold_left step ps (v, m) = (r, m') -> N.lxor v (xor_of cols 0 m) = N.lxor r (xor_of cols 0 m').
Proof.
  induction 1 as [|[p pm] ps Hp H IH]; simpl; intros v m r m' E; [inversion E; auto|]. simpl in Hp.
  destruct (N.lxor v p <? v); apply IH in E; auto. rewrite <- E, xor_of_lxor, Hp.
  apply N.bits_inj; intros k; rewrite ?N.lxor_spec.
  repeat match goal with |- context [N.testbit ?x k] => destruct (N.testbit x k) end; auto.
Qed.

Lemma insert_in p ps (P : pivot -> Prop) : P p -> Forall P ps -> Forall P (insert p ps).
Proof. intros Hp; induction 1; simpl; auto. destruct (fst p <? fst x); auto. Qed.
Lemma span_insert p ps : forall v, span (map fst (insert p ps)) v <-> span (fst p :: map fst ps) v.
Proof.
  induction ps as [|q ps IH]; simpl; [tauto|]. destruct (fst p <? fst q); simpl; [|tauto].
  intros v; split; intros H.
  - inversion H as [|? ? w H1|? ? w H1]; subst; apply IH in H1;
      inversion H1 as [|? ? u Hu|? ? u Hu]; subst.
    + apply s1, s1; auto.
    + apply s2, s1; auto.
    + apply s1, s2; auto.
    + replace (N.lxor (fst q) (N.lxor (fst p) u)) with (N.lxor (fst p) (N.lxor (fst q) u)) by bits.
      apply s2, s2; auto.
  - assert (U : forall w, span (fst q :: map fst ps) w -> span (fst q :: map fst (insert p ps)) w
       /\ span (fst q :: map fst (insert p ps)) (N.lxor (fst p) w)).
    { intros w Hw. inversion Hw; subst.
      - split; apply s1; apply IH; [apply s1|apply s2]; auto.
      - split; [apply s2, IH, s1; auto|].
        rewrite <- N.lxor_assoc, (N.lxor_comm (fst p)), N.lxor_assoc. apply s2, IH, s2; auto. }
    inversion H; subst; apply U; auto.
Qed.
Lemma log2_mono p q : 0 < p -> 0 < q -> N.log2 p <> N.log2 q -> (p < q <-> N.log2 p < N.log2 q).
Proof.
  intros Hp Hq E. split; intros H.
  - pose proof (N.log2_le_mono p q); lia.
  - apply N.log2_lt_cancel; auto.
Qed.
Lemma insert_desc p ps : 0 < fst p -> Forall (fun q => N.log2 (fst p) <> N.log2 (fst q)) ps ->
  desc (map fst ps) -> desc (map fst (insert p ps)).
Proof.
  intros Hp; induction 1 as [|q ps E F IH]; simpl; intros D; [repeat split; auto|].
  destruct D as (Dq & Df & D). destruct (N.ltb_spec (fst p) (fst q)) as [L|L]; simpl.
  - split; [exact Dq|split; [|apply IH; auto]]. apply Forall_map. apply insert_in; [split; [exact Hp|exact (proj1 (log2_mono _ _ Hp Dq E) L)]|].
    apply Forall_map in Df; auto.
  - assert (G : N.log2 (fst q) < N.log2 (fst p)).
    { pose proof (N.log2_le_mono _ _ L). lia. }
    split; [exact Hp|split; [|split; auto]]. constructor; auto. eapply Forall_impl; [|exact Df]. simpl. intros; lia.
Qed.

Lemma span_lxor l : forall v w, span l v -> span l w -> span l (N.lxor v w).
Proof.
  intros v w H; revert w; induction H; intros w Hw; inversion Hw; subst; rewrite ?N.lxor_0_l; auto using s0.
  - constructor; auto.
  - rewrite <- N.lxor_assoc, (N.lxor_comm v), N.lxor_assoc. apply s2; auto.
  - rewrite N.lxor_assoc. apply s2; auto.
  - replace (N.lxor (N.lxor p v) (N.lxor p v0)) with (N.lxor v v0); [apply s1; auto|].
    apply N.bits_inj; intros k; rewrite ?N.lxor_spec. destruct (N.testbit p k), (N.testbit v k), (N.testbit v0 k); auto.
Qed.
Lemma span_0 l : span l 0. Proof. induction l; constructor; auto. Qed.
Lemma xor_span cols l : Forall (span l) cols -> forall a m, span l (xor_of cols a m).
Proof. induction 1; simpl; intros; [apply span_0|]. apply span_lxor; auto. destruct (N.testbit m a); auto using span_0. Qed.

(** the columns that were taken, of all of them *)
Lemma xor_of_bit cols : forall a i c, nth_error cols i = Some c -> xor_of cols a (2 ^ (a + N.of_nat i)) = c.
Proof.
  assert (Z : forall cols a n, n < a -> xor_of cols a (2 ^ n) = 0).
  { induction cols0; simpl; intros; auto. rewrite N.pow2_bits_false by lia. rewrite IHcols0 by lia. auto. }
  induction cols; intros a0 [|i] c; simpl; intros E; try discriminate.
  - inversion E; subst. rewrite N.add_0_r, N.pow2_bits_true, Z by lia. apply N.lxor_0_r.
  - rewrite N.pow2_bits_false by lia. rewrite N.lxor_0_l. rewrite <- (IHcols (N.succ a0) i c E). f_equal. f_equal. lia.
Qed.

Definition inv all (ps : list pivot) (kernel : list N) (done : list N) :=
  desc (map fst ps) /\ Forall (fun p => xor_of all 0 (snd p) = fst p) ps /\
  Forall (span (map fst ps)) done /\ Forall (fun m => xor_of all 0 m = 0) kernel.

Lemma build_inv all cols : forall done ps kernel, all = done ++ cols -> inv all ps kernel done ->
  let '(ps', k') := build cols (N.of_nat (length done)) ps kernel in inv all ps' k' all.
Proof.
  induction cols as [|c cols IH]; intros done ps kernel E (D & S & F & K); simpl.
  - rewrite app_nil_r in E; subst. repeat split; auto.
  - destruct (reduced ps c) as [r m] eqn:R. unfold reduced in R.
    assert (C : xor_of all 0 (2 ^ N.of_nat (length done)) = c).
    { apply (xor_of_bit all 0). subst. rewrite nth_error_app2, Nat.sub_diag; auto. }
    pose proof (sound all ps S _ _ _ _ R) as Sd.
    assert (Z : xor_of all 0 0 = 0).
    { rewrite <- (N.lxor_nilpotent 0), xor_of_lxor. apply N.lxor_nilpotent. }
    rewrite Z, N.lxor_0_r in Sd.
    assert (M : xor_of all 0 (N.lxor m (2 ^ N.of_nat (length done))) = r).
    { rewrite xor_of_lxor, C, Sd. rewrite N.lxor_comm, N.lxor_assoc, N.lxor_nilpotent. apply N.lxor_0_r. }
    pose proof (rest_span ps c 0) as Sp. rewrite R in Sp. simpl in Sp.
    assert (L : N.succ (N.of_nat (length done)) = N.of_nat (length (done ++ [c]))) by (rewrite app_length; simpl; lia).
    rewrite L. destruct (N.eqb_spec r 0) as [->|Hr].
    + apply IH; [rewrite <- app_assoc; auto|]. repeat split; auto.
      apply Forall_app; split; auto. constructor; auto. rewrite N.lxor_0_r in Sp; auto.
    + destruct (rest_bits ps D c 0) as [Rb _]. rewrite R in Rb. simpl in Rb.
      apply IH; [rewrite <- app_assoc; auto|]. repeat split; auto.
      * apply insert_desc; simpl; auto; [lia|]. eapply Forall_impl; [|exact Rb]. simpl. intros q Hq Eq.
        rewrite <- Eq, N.bit_log2 in Hq by auto. discriminate.
      * apply insert_in; auto.
      * apply Forall_app; split.
        -- eapply Forall_impl; [|exact F]. intros v Hv. apply span_insert, s1; auto.
        -- constructor; auto. apply span_insert. simpl. replace c with (N.lxor r (N.lxor c r)); [apply s2; auto|].
           rewrite (N.lxor_comm c), <- N.lxor_assoc, N.lxor_nilpotent, N.lxor_0_l; auto.
Qed.

(* Theorem 8a: elimination solves, or proves that there is no solution; the kernel is made of zeros. *)
Theorem elimination cols v : let '(ps, kernel) := build cols 0 [] [] in
  let '(r, m) := reduced ps v in
  (r = 0 -> xor_of cols 0 m = v) /\ (r <> 0 -> forall m', xor_of cols 0 m' <> v)
  /\ Forall (fun k => xor_of cols 0 k = 0) kernel.
Proof.
  pose proof (build_inv cols cols [] [] [] eq_refl) as I. simpl in I.
  destruct (build cols 0 [] []) as [ps kernel]. destruct I as (D & S & F & K); [repeat split; constructor|].
  destruct (reduced ps v) as [r m] eqn:R. unfold reduced in R.
  pose proof (sound cols ps S _ _ _ _ R) as Sd.
  assert (Z : xor_of cols 0 0 = 0) by (rewrite <- (N.lxor_nilpotent 0), xor_of_lxor; apply N.lxor_nilpotent).
  rewrite Z, N.lxor_0_r in Sd. repeat split; auto.
  - intros ->. now rewrite N.lxor_0_l in Sd.
  - intros Hr m' Hm. apply Hr. pose proof (complete ps D v 0) as C. rewrite R in C. apply C.
    rewrite <- Hm. apply xor_span; auto.
Qed.


(** Every mask of columns whose XOR is 0 is a sum of the kernel's masks: `solve` misses no choice of digits. *)
Definition inv2 all (ps : list pivot) (kernel : list N) (n : N) :=
  Forall (fun p => snd p < 2 ^ n) ps /\ forall m, m < 2 ^ n -> xor_of all 0 m = 0 -> span kernel m.
Lemma masks_lt ps n : Forall (fun p => snd p < 2 ^ n) ps -> forall v m, m < 2 ^ n -> snd (fold_left step ps (v, m)) < 2 ^ n.
Proof.
  induction 1 as [|[p pm] ps Hp _ IH]; simpl; intros v m Hm; auto. destruct (N.lxor v p <? v); apply IH; auto.
  apply lxor_lt; auto.
Qed.
Lemma split_top n m : m < 2 ^ N.succ n -> N.testbit m n = true -> N.lxor m (2 ^ n) < 2 ^ n.
Proof.
  intros Hm B. apply log2_lt. destruct (N.eq_dec (N.lxor m (2 ^ n)) 0) as [|E]; auto. right.
  assert (L : N.lxor m (2 ^ n) < 2 ^ N.succ n) by (apply lxor_lt; auto; apply N.pow_lt_mono_r; lia).
  apply log2_lt in L as [L|L]; [congruence|].
  destruct (N.eq_dec (N.log2 (N.lxor m (2 ^ n))) n) as [E2|]; [|lia].
  pose proof (N.bit_log2 _ E) as T. rewrite E2, N.lxor_spec, B, N.pow2_bits_true in T. discriminate.
Qed.
Lemma low_top n m : m < 2 ^ N.succ n -> N.testbit m n = false -> m < 2 ^ n.
Proof.
  intros Hm B. apply log2_lt. destruct (N.eq_dec m 0) as [|E]; auto. right. apply log2_lt in Hm as [|Hm]; [congruence|].
  destruct (N.eq_dec (N.log2 m) n) as [E2|]; [|lia]. pose proof (N.bit_log2 _ E) as T. rewrite E2 in T. congruence.
Qed.
Lemma xor_of_span all done rest (ps : list pivot) m : all = done ++ rest -> Forall (span (map fst ps)) done -> m < 2 ^ N.of_nat (length done) ->
  span (map fst ps) (xor_of all 0 m).
Proof.
  intros -> F Hm.
  assert (G : forall done a m, Forall (span (map fst ps)) done -> m < 2 ^ (a + N.of_nat (length done)) -> span (map fst ps) (xor_of (done ++ rest) a m)).
  { clear. induction done as [|c done IH]; intros a m F Hm; simpl.
    - replace (xor_of rest a m) with 0; [apply span_0|]. symmetry. simpl in Hm. rewrite N.add_0_r in Hm. revert a m Hm.
      induction rest as [|c rest IH]; simpl; intros a m Hm; auto.
      rewrite (bit_lt m a Hm), N.lxor_0_l. apply IH. apply N.lt_le_trans with (2 ^ a); auto. apply N.pow_le_mono_r; lia.
    - inversion F; subst. apply span_lxor; [destruct (N.testbit m a); auto using span_0|]. apply IH; auto.
      replace (N.succ a + N.of_nat (length done)) with (a + N.of_nat (length (c :: done))) by (simpl length; lia). auto. }
  apply (G done 0 m F). rewrite N.add_0_l. auto.
Qed.
Lemma build_kernel all cols : forall done ps kernel, all = done ++ cols -> inv all ps kernel done -> inv2 all ps kernel (N.of_nat (length done)) ->
  let '(ps', k') := build cols (N.of_nat (length done)) ps kernel in inv2 all ps' k' (N.of_nat (length all)).
Proof.
  induction cols as [|c cols IH]; intros done ps kernel E I I2; simpl.
  - rewrite app_nil_r in E; subst. auto.
  - pose proof I as (D & S & F & K). destruct I2 as [Mk Ker].
    set (n := N.of_nat (length done)) in *.
    assert (Ln : N.succ n = N.of_nat (length (done ++ [c]))) by (unfold n; rewrite app_length; simpl; lia).
    assert (C : xor_of all 0 (2 ^ n) = c).
    { apply (xor_of_bit all 0). subst all. rewrite nth_error_app2, Nat.sub_diag; auto. }
    pose proof (build_inv all [c] done ps kernel) as B1. simpl in B1.
    destruct (reduced ps c) as [r m] eqn:R.
    assert (Hm : m < 2 ^ n).
    { unfold reduced in R. pose proof (masks_lt ps n Mk c 0 (pow_pos n)) as H. rewrite R in H. exact H. }
    assert (P : 2 ^ n < 2 ^ N.succ n) by (apply N.pow_lt_mono_r; lia).
    assert (Up : forall q, q < 2 ^ n -> q < 2 ^ N.succ n) by (intros; lia).
    assert (Nm : N.lxor m (2 ^ n) < 2 ^ N.succ n) by (apply lxor_lt; auto).
    assert (Mk' : Forall (fun p => snd p < 2 ^ N.succ n) ps) by (eapply Forall_impl; [|exact Mk]; simpl; auto).
    pose proof (sound all ps S c 0 r m R) as Sd.
    assert (Z : xor_of all 0 0 = 0) by (rewrite <- (N.lxor_nilpotent 0), xor_of_lxor; apply N.lxor_nilpotent).
    rewrite Z, N.lxor_0_r in Sd.
    assert (Xm : xor_of all 0 (N.lxor m (2 ^ n)) = r).
    { rewrite xor_of_lxor, C, Sd. rewrite N.lxor_comm, N.lxor_assoc, N.lxor_nilpotent. apply N.lxor_0_r. }
    rewrite Ln. pose proof (build_inv all cols) as BI.
    assert (Next : forall ps' k', inv all ps' k' (done ++ [c]) -> inv2 all ps' k' (N.succ n) ->
       let '(ps2, k2) := build cols (N.of_nat (length (done ++ [c]))) ps' k' in inv2 all ps2 k2 (N.of_nat (length all))).
    { intros ps' k' J J2. apply IH; auto; [rewrite <- app_assoc; auto|]. now rewrite <- Ln. }
    assert (Step : let '(ps', k') := (if r =? 0 then (ps, N.lxor m (2 ^ n) :: kernel) else (insert (r, N.lxor m (2 ^ n)) ps, kernel)) in inv all ps' k' (done ++ [c])).
    { clear - D S F K R E Xm C Sd. destruct (N.eqb_spec r 0) as [->|Hr].
      - repeat split; auto. apply Forall_app; split; auto. constructor; auto.
        pose proof (rest_span ps c 0) as Sp. unfold reduced in R. rewrite R in Sp. simpl in Sp. rewrite N.lxor_0_r in Sp; auto.
      - destruct (rest_bits ps D c 0) as [Rb _]. unfold reduced in R. rewrite R in Rb. simpl in Rb.
        pose proof (rest_span ps c 0) as Sp. rewrite R in Sp. simpl in Sp. repeat split; auto.
        + apply insert_desc; simpl; auto; [lia|]. eapply Forall_impl; [|exact Rb]. simpl. intros q Hq Eq.
          rewrite <- Eq, N.bit_log2 in Hq by auto. discriminate.
        + apply insert_in; auto.
        + apply Forall_app; split.
          * eapply Forall_impl; [|exact F]. intros v Hv. apply span_insert, s1; auto.
          * constructor; auto. apply span_insert. simpl. replace c with (N.lxor r (N.lxor c r)); [apply s2; auto|].
            rewrite (N.lxor_comm c), <- N.lxor_assoc, N.lxor_nilpotent, N.lxor_0_l; auto. }
    destruct (N.eqb_spec r 0) as [Hr|Hr]; apply Next; auto; split; auto.
    + intros q Hq Xq. destruct (N.testbit q n) eqn:B.
      * replace q with (N.lxor (N.lxor m (2 ^ n)) (N.lxor q (N.lxor m (2 ^ n)))) by bits.
        apply s2. apply Ker.
        -- replace (N.lxor q (N.lxor m (2 ^ n))) with (N.lxor (N.lxor q (2 ^ n)) m) by bits. apply lxor_lt; auto. apply split_top; auto.
        -- rewrite xor_of_lxor, Xq, Xm, Hr. reflexivity.
      * apply s1, Ker; auto. apply low_top; auto.
    + apply insert_in; auto.
    + intros q Hq Xq. destruct (N.testbit q n) eqn:B; [|apply Ker; auto; apply low_top; auto]. exfalso. apply Hr.
      assert (Q : xor_of all 0 (N.lxor q (2 ^ n)) = c) by (rewrite xor_of_lxor, Xq, C; apply N.lxor_0_l).
      pose proof (complete ps D c 0) as Co. unfold reduced in R. rewrite R in Co. apply Co.
      rewrite <- Q. apply (xor_of_span all done (c :: cols)); auto. apply split_top; auto.
Qed.
Lemma build_start cols : inv cols [] [] [] /\ inv2 cols [] [] 0.
Proof.
  split; [repeat split; constructor|]. split; [constructor|]. intros m Hm _. assert (m = 0) by (simpl in Hm; lia). subst. constructor.
Qed.
(** Theorem 8, the kernel: exactly the masks whose XOR is 0 are its sums. *)
Theorem kernel_complete cols m : m < 2 ^ N.of_nat (length cols) ->
  (xor_of cols 0 m = 0 <-> span (snd (build cols 0 [] [])) m).
Proof.
  intros Hm. destruct (build_start cols) as [I I2].
  pose proof (build_kernel cols cols [] [] [] eq_refl I I2) as K. pose proof (build_inv cols cols [] [] [] eq_refl I) as J.
  simpl in K, J. destruct (build cols 0 [] []) as [ps kernel]. destruct K as [_ K], J as (_ & _ & _ & J). simpl. split; auto.
  intros H. clear - H J. induction H; [|inversion J; auto|].
  - rewrite <- (N.lxor_nilpotent 0), xor_of_lxor. apply N.lxor_nilpotent.
  - inversion J; subst. rewrite xor_of_lxor, IHspan by auto. rewrite H2. reflexivity.
Qed.
(** `is_injective`: an empty kernel means that different masks have different XORs. *)
Theorem empty_kernel_injective cols m m' : snd (build cols 0 [] []) = [] ->
  m < 2 ^ N.of_nat (length cols) -> m' < 2 ^ N.of_nat (length cols) -> xor_of cols 0 m = xor_of cols 0 m' -> m = m'.
Proof.
  intros E Hm Hm' X. pose proof (kernel_complete cols (N.lxor m m') (lxor_lt _ _ _ Hm Hm')) as [K _]. rewrite E in K.
  apply N.lxor_eq. assert (S : span [] (N.lxor m m')); [|inversion S; congruence].
  apply K. rewrite xor_of_lxor, X. apply N.lxor_nilpotent.
Qed.

(** * The columns of digits: what `BitSystem::of_elements` builds *)

(** A digit with this top has as many columns as the top has bits, each twice the one before. *)
Fixpoint bit_columns (w : N) (n : nat) : list N := match n with O => [] | S n => w :: bit_columns (N.double w) n end.
Definition bits_of (top : N) : nat := N.to_nat (N.size top).
Definition columns (l : list (N * N)) : list N := flat_map (fun t => bit_columns (snd t) (bits_of (fst t))) l.
Fixpoint mask_of (l : list (N * N)) (ds : list N) : N :=
  match l, ds with t :: l, d :: ds => d + 2 ^ N.of_nat (bits_of (fst t)) * mask_of l ds | _, _ => 0 end.

Lemma xor_of_next cols : forall a m, xor_of cols (N.succ a) m = xor_of cols a (N.div2 m).
Proof. induction cols as [|c cols IH]; simpl; intros a m; auto. now rewrite IH, N.div2_spec, N.shiftr_spec, N.add_1_r by lia. Qed.
Lemma xorp_next w d : xorp w d = N.lxor (if N.odd d then w else 0) (xorp (N.double w) (N.div2 d)).
Proof.
  destruct d as [|[p|p|]]; [reflexivity|reflexivity|symmetry; apply N.lxor_0_l|symmetry; apply N.lxor_0_r].
Qed.
Lemma xor_bits n : forall w d rest m, d < 2 ^ N.of_nat n ->
  xor_of (bit_columns w n ++ rest) 0 (d + 2 ^ N.of_nat n * m) = N.lxor (xorp w d) (xor_of rest 0 m).
Proof.
  induction n as [|n IH]; intros w d rest m H.
  - change (2 ^ N.of_nat 0) with 1 in *. assert (d = 0) by lia. subst. rewrite N.add_0_l, N.mul_1_l. symmetry; apply N.lxor_0_l.
  - rewrite Nat2N.inj_succ, N.pow_succ_r' in *. cbn [bit_columns app xor_of].
    rewrite (xorp_next w d), N.lxor_assoc. rewrite (xor_of_next _ 0).
    assert (E : d + 2 * 2 ^ N.of_nat n * m = N.b2n (N.odd d) + 2 * (N.div2 d + 2 ^ N.of_nat n * m)).
    { rewrite (N.div2_odd d) at 1. lia. }
    f_equal.
    + now rewrite E, N.add_b2n_double_bit0.
    + rewrite <- (IH (N.double w) (N.div2 d)).
      * f_equal. now rewrite E, N.div2_div, N.add_b2n_double_div2.
      * pose proof (N.div2_odd d). lia.
Qed.
Lemma top_bits d top : d <= top -> d < 2 ^ N.of_nat (bits_of top).
Proof. intros H. unfold bits_of. rewrite N2Nat.id. eapply N.le_lt_trans; [exact H|]. apply N.size_gt. Qed.
Lemma len_bit_columns n : forall w, length (bit_columns w n) = n.
Proof. induction n; simpl; intros; auto. Qed.
Lemma mask_xor l ds : Forall2 (fun d t => d <= fst t) ds l -> xor_of (columns l) 0 (mask_of l ds) = xors (combine (map snd l) ds).
Proof.
  induction 1 as [|d [top w] ds l H _ IH]; auto. cbn [columns flat_map mask_of map combine xors fold_right fst snd] in *.
  rewrite xor_bits by (apply top_bits; auto). f_equal. exact IH.
Qed.
Lemma mask_lt l ds : Forall2 (fun d t => d <= fst t) ds l -> mask_of l ds < 2 ^ N.of_nat (length (columns l)).
Proof.
  induction 1 as [|d [top w] ds l H _ IH]; [reflexivity|]. cbn [columns flat_map mask_of fst snd] in *.
  rewrite app_length, len_bit_columns, Nat2N.inj_add, N.pow_add_r. pose proof (top_bits _ _ H) as B.
  eapply N.lt_le_trans; [|apply (N.mul_le_mono_l (mask_of l ds + 1)); unfold columns in IH; lia]. lia.
Qed.
Lemma mask_inj l ds : Forall2 (fun d t => d <= fst t) ds l -> forall es, Forall2 (fun e t => e <= fst t) es l ->
  mask_of l ds = mask_of l es -> ds = es.
Proof.
  induction 1 as [|d [top w] ds l H _ IH]; intros [|e es] He E; inversion He as [|? ? ? ? He1 He2]; subst; auto.
  cbn [mask_of fst] in *.
  destruct (divmod_small _ d (mask_of l ds) (top_bits _ _ H)) as [A1 A2].
  destruct (divmod_small _ e (mask_of l es) (top_bits _ _ He1)) as [B1 B2].
  rewrite E in A1, A2. f_equal; [congruence|]. apply IH; auto. congruence.
Qed.
(** Theorem 8, digits: where the kernel of their columns is empty, digits up to their tops have different XORs. This is
    what theorem 4 asks of an XOR. *)
Theorem kernel_decides l : snd (build (columns l) 0 [] []) = [] -> xor_injective l.
Proof.
  intros K ds es Hd He E. apply (mask_inj l ds Hd es He). apply (empty_kernel_injective (columns l)); auto using mask_lt.
  now rewrite !mask_xor.
Qed.

(** * Swizzles *)

(** `CuteSwizzle::apply`: x ^ (x & Y) >> S, for a negative shift x ^ (x & Z) << -S. *)
Definition ones (bits base : N) := N.shiftl (N.ones bits) base.
Definition swizzle (bits base shift : N) (down : bool) (x : N) : N :=
  if down then N.lxor x (N.shiftr (N.land x (ones bits (base + shift))) shift)
  else N.lxor x (N.shiftl (N.land x (ones bits base)) shift).

Lemma ones_bit bits base k : N.testbit (ones bits base) k = (base <=? k) && (k <? base + bits).
Proof.
  unfold ones. destruct (N.leb_spec base k) as [H|H]; simpl.
  - rewrite N.shiftl_spec_high' by auto. destruct (N.ltb_spec k (base + bits)).
    + apply N.ones_spec_low. lia.
    + apply N.ones_spec_high. lia.
  - apply N.shiftl_spec_low. auto.
Qed.
(** Theorem 8, swizzles: applied twice, a swizzle whose shift is at least its number of bits is the identity. *)
Theorem swizzle_twice bits base shift down x : bits <= shift -> swizzle bits base shift down (swizzle bits base shift down x) = x.
Proof.
  intros H. apply N.bits_inj. intros k. unfold swizzle. destruct down.
  - repeat rewrite ?N.lxor_spec, ?N.shiftr_spec, ?N.land_spec, ?ones_bit by lia.
    destruct (N.leb_spec (base + shift) (k + shift)), (N.ltb_spec (k + shift) (base + shift + bits)),
      (N.leb_spec (base + shift) (k + shift + shift)), (N.ltb_spec (k + shift + shift) (base + shift + bits)); simpl;
      rewrite ?andb_false_r, ?andb_true_r, ?xorb_false_r; auto; try lia.
    now rewrite xorb_assoc, xorb_nilpotent, xorb_false_r.
  - rewrite !N.lxor_spec. destruct (N.lt_ge_cases k shift) as [Lo|Hi].
    + now rewrite !N.shiftl_spec_low, !xorb_false_r by auto.
    + rewrite !N.shiftl_spec_high', !N.land_spec, !N.lxor_spec, !ones_bit by auto.
      destruct (N.leb_spec base (k - shift)), (N.ltb_spec (k - shift) (base + bits)); simpl; rewrite ?andb_false_r, ?andb_true_r, ?xorb_false_r; auto.
      assert (Q : N.testbit (N.shiftl (N.land x (ones bits base)) shift) (k - shift) = false).
      { destruct (N.lt_ge_cases (k - shift) shift) as [Lo|Hi2]; [apply N.shiftl_spec_low; auto|].
        rewrite N.shiftl_spec_high', N.land_spec, ones_bit by auto. destruct (N.leb_spec base (k - shift - shift)); [lia|apply andb_false_r]. }
      rewrite Q. now rewrite xorb_false_r, xorb_assoc, xorb_nilpotent, xorb_false_r.
Qed.

(** Dropped hypotheses. Bits that overlap with what flips them: S<2,0,1> of 4 is 6, and of 6 is 5. *)
Example swizzle_overlaps : swizzle 2 0 1 true 4 = 6 /\ swizzle 2 0 1 true 6 = 5. Proof. split; reflexivity. Qed.
Example swizzle_334 : swizzle 3 3 3 true (3 * 64 + 17) = 201. Proof. reflexivity. Qed.
(** Columns 1, 2, 3 depend on each other, and the kernel says how; a value outside their span leaves a rest. *)
Example dependent : snd (build [1; 2; 3] 0 [] []) = [7] /\ fst (reduced (fst (build [1; 2; 3] 0 [] [])) 4) = 4. Proof. split; reflexivity. Qed.
(** An injective XOR may have a kernel beyond the tops: digits of 5 values, 0 to 4, have three columns. *)
Example kernel_is_wider : snd (build (columns [(2, 1); (1, 3)]) 0 [] []) = [7] /\ xors [(1, 0); (3, 1)] <> xors [(1, 2); (3, 0)].
Proof. split; [reflexivity|discriminate]. Qed.

Definition theorems := (@elimination, @kernel_complete, @empty_kernel_injective, @kernel_decides, @swizzle_twice).
Print Assumptions theorems.
