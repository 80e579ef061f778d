(** Theorem 7, regrouping (`src/algebra/regroup.rs`): a composition whose map covers every axis exactly once takes digits, or
    pieces of them, in the order of the map, without derived axes. The places are those of the composition (theorem 6), for
    every index below the slots of the map: padding of the map included. *)
From Coq Require Import NArith List Lia Bool Arith Permutation.
Require Import TensorLayout.Radix TensorLayout.Model TensorLayout.Equations TensorLayout.Compose TensorLayout.Element
  TensorLayout.Bound TensorLayout.Nest TensorLayout.Simplify TensorLayout.Rules.
Import ListNotations.
Open Scope N_scope.
Local Arguments deqb : simpl never.

(** * What digits add, from 0 *)

Definition adds x (ss : list sub) (v : N) : N := digits_to Sum x ss v 0.
Definition gives x (s : sub) (d : N) : N := if deqb x (to s) then d * weight s else 0.
Lemma adds_cons x s ss v : adds x (s :: ss) v = gives x s (v mod size s) + adds x ss (v / size s).
Proof.
  unfold adds, gives. cbn [digits_to]. rewrite N.add_comm. rewrite <- digits_shift. reflexivity.
Qed.
Lemma adds_zero x ss : adds x ss 0 = 0.
Proof. apply digits_zero. Qed.
Lemma adds_nil x v : adds x [] v = 0. Proof. reflexivity. Qed.
Lemma adds_app x a b : positive_sizes a -> forall v, adds x (a ++ b) v = adds x a v + adds x b (v / slots a).
Proof. intros P v. unfold adds. rewrite digits_to_app by auto. rewrite <- (N.add_0_l (digits_to Sum x a v 0)) at 1. rewrite digits_shift. lia. Qed.
Lemma adds_mod x ss v : positive_sizes ss -> adds x ss (v mod slots ss) = adds x ss v.
Proof. intros P. unfold adds. rewrite !digits_tot. now rewrite digs_mod. Qed.
Lemma adds_over x ss h : positive_sizes ss -> adds x ss (slots ss * h) = 0.
Proof. intros P. rewrite <- adds_mod by auto. pose proof (slots_pos ss P). rewrite N.mul_comm, N.mod_mul by lia. apply adds_zero. Qed.

(** * Taking digits: `take` *)

(** The digits that write `value / skip % left`, minor to major, in pieces where they have more values. *)
Fixpoint take (ds : list sub) (skip left : N) : option (list sub) :=
  if left =? 1 then Some [] else
  match ds with
  | [] => None
  | d :: ds =>
      if skip mod size d =? 0 then take ds (skip / size d) left
      else if negb (size d mod skip =? 0) then None
      else let rest := size d / skip in let n := N.min rest left in
           if negb (rest mod n =? 0) || negb (left mod n =? 0) then None
           else option_map (cons (Sub n (to d) (weight d * skip))) (take ds 1 (left / n))
  end.
Lemma multiple a b : 0 < b -> a mod b = 0 -> exists k, a = b * k.
Proof. intros H E. exists (a / b). pose proof (N.div_mod a b). lia. Qed.

(** Theorem 7, taking: the digits write their part, and what is more major adds what it adds alone. *)
Theorem take_right x ds : positive_sizes ds -> forall skip left t, 0 < skip -> 0 < left -> take ds skip left = Some t ->
  positive_sizes t /\ slots t = left /\ forall w h, w < left -> adds x ds (skip * (w + left * h)) = adds x t w + adds x ds (skip * left * h).
Proof.
  assert (Done : forall ds skip, positive_sizes [] /\ slots [] = 1 /\ forall w h, w < 1 -> adds x ds (skip * (w + 1 * h)) = adds x [] w + adds x ds (skip * 1 * h)).
  { intros ds0 skip. repeat split; [constructor|]. intros w h H. assert (w = 0) by lia. subst. rewrite adds_nil. cbn [N.add]. f_equal. ring. }
  induction 1 as [|d ds Hd P IH]; intros skip left t Hs Hl; cbn [take].
  - destruct (N.eqb_spec left 1) as [->|]; [|discriminate]. intros E; inversion E; subst. apply Done.
  - destruct (N.eqb_spec left 1) as [->|Hl1]; [intros E; inversion E; subst; apply Done|].
    destruct (N.eqb_spec (skip mod size d) 0) as [E|E].
    + apply multiple in E as [k ->]; auto. rewrite (N.mul_comm (size d) k), N.div_mul by lia. intros T.
      destruct (IH k left t) as (Pt & St & A); auto; [nia|]. repeat split; auto. intros w h Hw.
      assert (Z : forall X, adds x (d :: ds) (k * size d * X) = adds x ds (k * X)).
      { intros X. rewrite adds_cons. replace (k * size d * X) with (k * X * size d) by ring. rewrite N.mod_mul, N.div_mul by lia.
        unfold gives. destruct (deqb x (to d)); lia. }
      rewrite Z, A by auto. replace (k * size d * left * h) with (k * size d * (left * h)) by ring. rewrite Z. f_equal. f_equal. ring.
    + destruct (N.eqb_spec (size d mod skip) 0) as [E2|]; [|discriminate]. cbn [negb]. apply multiple in E2 as [r Er]; auto.
      assert (Er2 : size d / skip = r) by (rewrite Er, N.mul_comm, N.div_mul; lia). rewrite Er2.
      assert (Hr : 0 < r) by nia.
      assert (Dig : forall X, adds x (d :: ds) (skip * X) = gives x d (skip * (X mod r)) + adds x ds (X / r)).
      { intros X. rewrite adds_cons, Er, N.mul_mod_distr_l, N.div_mul_cancel_l by lia. reflexivity. }
      destruct (N.le_gt_cases r left) as [Hm|Hm].
      * rewrite (N.min_l r left) by auto. destruct (N.eqb_spec (left mod r) 0) as [E3|]; [|cbn [negb]; rewrite orb_true_r; discriminate].
        rewrite N.mod_same by lia. cbn [negb orb N.eqb]. apply multiple in E3 as [q ->]; auto. rewrite (N.mul_comm r q), N.div_mul by lia.
        destruct (take ds 1 q) as [t'|] eqn:T; cbn [option_map]; [|discriminate]. intros Et; inversion Et; subst t.
        assert (Hq : 0 < q) by nia. destruct (IH 1 q t') as (Pt & St & A); auto; [lia|]. repeat split.
        -- constructor; auto.
        -- unfold slots in *; cbn [map prod size]. lia.
        -- intros w h Hw. rewrite Dig, adds_cons. cbn [size to weight]. replace (skip * (q * r) * h) with (skip * (q * h * r)) by ring. rewrite Dig, N.mod_mul, N.div_mul by lia.
           assert (Xm : (w + q * r * h) mod r = w mod r) by (replace (w + q * r * h) with (w + q * h * r) by ring; apply N.mod_add; lia).
           assert (Xd : (w + q * r * h) / r = w / r + q * h) by (replace (w + q * r * h) with (w + q * h * r) by ring; apply N.div_add; lia).
           rewrite Xm, Xd. specialize (A (w / r) h). rewrite !N.mul_1_l in A. rewrite A by (apply N.div_lt_upper_bound; lia).
           unfold gives. cbn [to weight]. destruct (deqb x (to d)); [|lia]. rewrite N.mul_0_r, N.mul_0_l. lia.
      * rewrite (N.min_r r left) by lia. destruct (N.eqb_spec (r mod left) 0) as [E3|]; [|discriminate]. rewrite N.mod_same by lia. cbn [negb orb N.eqb].
        rewrite N.div_same by lia. apply multiple in E3 as [q Eq]; auto. assert (T : take ds 1 1 = Some []) by (destruct ds; reflexivity). rewrite T. cbn [option_map].
        intros Et; inversion Et; subst t. repeat split; [repeat constructor; auto|unfold slots; simpl; lia|]. intros w h Hw. rewrite Dig.
        replace (skip * left * h) with (skip * (left * h)) by ring. rewrite Dig. assert (Hq : 0 < q) by nia.
        assert (Xm : (w + left * h) mod r = w + left * (h mod q)).
        { rewrite Eq, N.mod_mul_r by lia. replace (w + left * h) with (w + h * left) by ring. rewrite N.mod_add, N.div_add, (N.mod_small w left), (N.div_small w left), N.add_0_l by lia. reflexivity. }
        assert (Xd : (w + left * h) / r = h / q).
        { rewrite Eq, <- N.div_div by lia. replace (w + left * h) with (w + h * left) by ring. now rewrite N.div_add, (N.div_small w left), N.add_0_l by lia. }
        assert (Ym : (left * h) mod r = left * (h mod q)) by (rewrite Eq, N.mul_mod_distr_l by lia; auto).
        assert (Yd : left * h / r = h / q) by (rewrite Eq, N.div_mul_cancel_l by lia; auto).
        rewrite Xm, Xd, Ym, Yd, adds_cons, adds_nil. cbn [size to weight]. rewrite (N.mod_small w left) by auto.
        unfold gives. cbn [to weight]. destruct (deqb x (to d)); lia.
Qed.

(** * Parts: digits of the map, each with the digits of the axis that it reads *)

(** A digit of the map, and whether it is the only one of its axis. *)
Definition part := (sub * bool)%type.
Definition axis_read (f : layout) (s : sub) : axis := match to s with Level k => nth k (axes f) (Axis 0 []) | Der _ => Axis 0 [] end.
Definition whole (p : part) (a : axis) : bool := snd p && (weight (fst p) =? 1) && (size (fst p) =? extent a).
(** `Axis::take`. *)
Definition take_part (p : part) (a : axis) : option (list sub) := if whole p a then Some (subs a) else take (subs a) (weight (fst p)) (size (fst p)).
Fixpoint collect {A} (l : list (option (list A))) : option (list A) :=
  match l with
  | [] => Some []
  | Some a :: l => match collect l with Some b => Some (a ++ b) | None => None end
  | None :: _ => None
  end.
Definition parts_of (a : axis) : list part := map (fun s => (s, Nat.eqb (length (subs a)) 1)) (subs a).
Definition regroup_axis (f : layout) (a : axis) : option axis :=
  option_map (Axis (extent a)) (collect (map (fun p => take_part p (axis_read f (fst p))) (parts_of a))).
(** `is_used_once`, of parts in ascending order of their weights. *)
Definition exact (a : axis) : Prop := slots (subs a) = extent a /\ Forall (fun s => 1 < size s) (subs a).
Fixpoint chain (at_ : N) (ps : list part) (end_ : N) : Prop :=
  match ps with [] => at_ = end_ | p :: ps => weight (fst p) = at_ /\ 1 < size (fst p) /\ chain (at_ * size (fst p)) ps end_ end.
Definition used_once (a : axis) (ps : list part) : Prop :=
  (exists p, ps = [p] /\ whole p a = true) \/ (exact a /\ chain 1 ps (extent a)).
Definition reads (k : nat) (p : part) : bool := deqb (to (fst p)) (Level k).
Definition covers (f g : layout) : Prop := forall k, (k < length (axes f))%nat -> exists ps,
  Permutation ps (filter (reads k) (flat_map parts_of (axes g))) /\ used_once (nth k (axes f) (Axis 0 [])) ps.

(** Parts with their values. *)
Definition valued := list (part * N).
Definition val_parts (a : axis) (v : N) : valued := map (fun sd => ((fst sd, Nat.eqb (length (subs a)) 1), snd sd)) (digs (subs a) v).
Fixpoint all_parts (axs : list axis) (i : list N) : valued := match axs, i with a :: axs, v :: i => val_parts a v ++ all_parts axs i | _, _ => [] end.
Definition sum_by (h : part -> N -> N) (l : valued) : N := total (map (fun pw => h (fst pw) (snd pw)) l).
Lemma sum_app h a b : sum_by h (a ++ b) = sum_by h a + sum_by h b.
Proof. unfold sum_by, total. induction a; simpl; lia. Qed.
Lemma sum_perm h a b : Permutation a b -> sum_by h a = sum_by h b.
Proof. intros P. apply total_perm, Permutation_map; auto. Qed.
Lemma sum_cons h p w l : sum_by h ((p, w) :: l) = h p w + sum_by h l. Proof. reflexivity. Qed.

(** A plain layout, axis by axis. *)
Fixpoint sum_axes x (axs : list axis) (i : list N) : N := match axs, i with a :: axs, v :: i => adds x (subs a) v + sum_axes x axs i | _, _ => 0 end.
Lemma plain_sum L i l : ders L = [] -> length i = length (axes L) -> place L i l = offset l (offs L) + sum_axes (Level l) (axes L) i.
Proof.
  intros D Li. unfold place. rewrite (land_solves L i Li) by (rewrite D; exact I). rewrite D. cbn [length seq map comb_of]. rewrite !app_nil_r.
  change (first L (Level l)) with (offset l (offs L)). generalize (offset l (offs L)). clear. generalize i. induction (axes L) as [|a axs IH]; intros [|v j] n; cbn [axes_to sum_axes]; try lia.
  rewrite IH. unfold adds. rewrite <- (N.add_0_l n) at 1. rewrite digits_shift. lia.
Qed.

(** A digit of the map adds its value times its weight to the axis that it reads. *)
Lemma parts_give x a v : sum_by (fun p w => gives x (fst p) w) (val_parts a v) = adds x (subs a) v.
Proof.
  unfold val_parts. generalize (Nat.eqb (length (subs a)) 1). intros b. revert v. induction (subs a) as [|s ss IH]; intros v; [reflexivity|].
  cbn [digs map]. rewrite sum_cons, adds_cons, IH. reflexivity.
Qed.
Lemma all_parts_give x axs : forall i, sum_by (fun p w => gives x (fst p) w) (all_parts axs i) = sum_axes x axs i.
Proof. induction axs as [|a axs IH]; intros [|v i]; cbn [all_parts sum_axes]; auto. now rewrite sum_app, parts_give, IH. Qed.

(** What a part takes, as a function; it is used where `take_part` has an answer. *)
Definition taken (a : axis) (p : part) : list sub := match take_part p a with Some t => t | None => [] end.
(** One step of the chain. *)
Lemma part_step x a p t : positive_sizes (subs a) -> 0 < weight (fst p) -> 0 < size (fst p) -> exact a -> take_part p a = Some t ->
  positive_sizes t /\ forall w h, w < size (fst p) ->
    adds x (subs a) (weight (fst p) * (w + size (fst p) * h)) = adds x t w + adds x (subs a) (weight (fst p) * size (fst p) * h).
Proof.
  intros P Hw Hs [Ex _] T. unfold take_part in T. destruct (whole p a) eqn:W.
  - inversion T; subst t. unfold whole in W. apply andb_true_iff in W as [W W3]. apply andb_true_iff in W as [_ W2]. apply N.eqb_eq in W2, W3.
    rewrite W2, W3, <- Ex. split; auto. intros w h H. rewrite !N.mul_1_l, adds_over, N.add_0_r by auto.
    rewrite <- (adds_mod x (subs a) (w + _)) by auto. f_equal. pose proof (slots_pos _ P). rewrite N.mul_comm, N.mod_add, N.mod_small by lia. auto.
  - destruct (take_right x (subs a) P _ _ _ Hw Hs T) as (Pt & _ & A). auto.
Qed.
Lemma chain_sum x a : positive_sizes (subs a) -> exact a -> forall vs at_ end_, 0 < at_ -> chain at_ (map fst vs) end_ ->
  Forall (fun pw => snd pw < size (fst (fst pw)) /\ take_part (fst pw) a <> None) vs ->
  exists h, sum_by (fun p w => w * weight (fst p)) vs = at_ * h /\ adds x (subs a) (at_ * h) = sum_by (fun p w => adds x (taken a p) w) vs.
Proof.
  intros P Ex. induction vs as [|[p w] vs IH]; intros at_ end_ Ha C F; cbn [map fst] in C.
  - exists 0. unfold sum_by; simpl. rewrite N.mul_0_r, adds_zero. auto.
  - cbn [chain] in C. destruct C as (W & S & C). inversion F as [|? ? [F1 F2] F']; subst. cbn [fst snd] in *.
    assert (Hn : 0 < weight (fst p) * size (fst p)) by nia. destruct (IH _ _ Hn C F') as (h & E & A). exists (w + size (fst p) * h). rewrite !sum_cons. split; [rewrite E; ring|].
    destruct (take_part p a) as [t|] eqn:T; [|congruence]. destruct (part_step x a p t P Ha ltac:(lia) Ex T) as (_ & St).
    rewrite St by auto. unfold taken at 1. rewrite T. f_equal. exact A.
Qed.

(** Parts that cover an axis once: its value is made of them, and their digits add what the axis adds. *)
Lemma once_sum x a vs : positive_sizes (subs a) -> used_once a (map fst vs) -> Forall (fun pw => snd pw < size (fst (fst pw)) /\ take_part (fst pw) a <> None) vs ->
  adds x (subs a) (sum_by (fun p w => w * weight (fst p)) vs) = sum_by (fun p w => adds x (taken a p) w) vs.
Proof.
  intros P [(p & E & W)|[Ex C]] F.
  - destruct vs as [|[q w] [|]]; try discriminate. inversion E; subst q. rewrite !sum_cons. unfold sum_by, total; simpl. rewrite !N.add_0_r.
    unfold taken, take_part. rewrite W. unfold whole in W. apply andb_true_iff in W as [W _]. apply andb_true_iff in W as [_ W]. apply N.eqb_eq in W. now rewrite W, N.mul_1_r.
  - destruct (chain_sum x a P Ex vs 1 (extent a) ltac:(lia) C F) as (h & -> & A). exact A.
Qed.

(** The digits that an axis of the map collects. *)
Lemma collect_adds x f b ss : forall v out, positive_sizes ss -> Forall (fun s => positive_sizes (subs (axis_read f s)) /\ 0 < weight s) ss -> (b = true -> (length ss <= 1)%nat) -> v < slots ss ->
  collect (map (fun p => take_part p (axis_read f (fst p))) (map (fun s => (s, b)) ss)) = Some out ->
  adds x out v = sum_by (fun p w => adds x (taken (axis_read f (fst p)) p) w) (map (fun sd => ((fst sd, b), snd sd)) (digs ss v)).
Proof.
  intros v out P. revert v out. induction P as [|s ss Hs P IH]; intros v out A B Hv; cbn [map collect digs].
  - intros E; inversion E; subst. reflexivity.
  - inversion A as [|? ? [A1 A2] A']; subst. cbn [fst]. destruct (take_part (s, b) (axis_read f s)) as [t|] eqn:T; [|discriminate].
    destruct (collect _) as [out'|] eqn:C; [|discriminate]. intros E; inversion E; subst out. rewrite sum_cons. cbn [fst snd]. unfold taken at 1. rewrite T.
    destruct (whole (s, b) (axis_read f s)) eqn:W.
    + unfold whole in W. apply andb_true_iff in W as [W _]. apply andb_true_iff in W as [W _]. cbn [snd] in W. specialize (B W). destruct ss; [|simpl in B; lia].
      cbn in C. inversion C; subst. rewrite app_nil_r. unfold sum_by, total; simpl. rewrite N.add_0_r. unfold slots in Hv; simpl in Hv. rewrite N.mod_small by lia. auto.
    + unfold take_part in T. rewrite W in T. destruct (take_right x _ A1 _ _ _ A2 Hs T) as (Pt & St & _).
      rewrite adds_app by auto. cbn [fst] in St. rewrite <- (adds_mod x t v) by auto. rewrite St. f_equal. apply IH; auto.
      * intros E2. specialize (B E2). simpl in B. lia.
      * unfold slots in *; cbn [map prod] in Hv. apply N.div_lt_upper_bound; lia.
Qed.

Lemma parts_values axs : forall i, length i = length axs -> map fst (all_parts axs i) = flat_map parts_of axs.
Proof.
  induction axs as [|a axs IH]; intros [|v i] L; simpl in *; try lia; auto. rewrite map_app, IH by lia. f_equal.
  unfold val_parts, parts_of. generalize (Nat.eqb (length (subs a)) 1). intros b. revert v. induction (subs a) as [|s ss IH2]; intros v; simpl; f_equal; auto.
Qed.
Lemma pick (c : N) (h : nat -> N) j n : forall s, (s <= j < s + n)%nat ->
  total (map (fun k => (if Nat.eqb j k then c else 0) + h k) (seq s n)) = c + total (map h (seq s n)).
Proof.
  assert (Z : forall n s, (j < s)%nat -> total (map (fun k => (if Nat.eqb j k then c else 0) + h k) (seq s n)) = total (map h (seq s n))).
  { induction n0 as [|m IH]; intros s H; auto. cbn [seq map]. unfold total in *; cbn [fold_right]. rewrite IH by lia. destruct (Nat.eqb_spec j s); lia. }
  induction n as [|n IH]; intros s H; [lia|]. cbn [seq map]. unfold total in *; cbn [fold_right]. destruct (Nat.eqb_spec j s) as [->|].
  - rewrite Z by lia. lia.
  - rewrite IH by lia. lia.
Qed.
Lemma partition_sum h n vs : Forall (fun pw : part * N => exists k, (k < n)%nat /\ to (fst (fst pw)) = Level k) vs ->
  sum_by h vs = total (map (fun k => sum_by h (filter (fun pw => reads k (fst pw)) vs)) (seq 0 n)).
Proof.
  induction 1 as [|[p w] vs (j & Hj & E) _ IH]; [induction (seq 0 n) as [|k ks IH]; auto; unfold total in *; simpl; now rewrite <- IH|].
  rewrite sum_cons, IH. rewrite <- (pick (h p w) _ j n 0) by lia. f_equal. apply map_ext. intros k. cbn [filter fst snd].
  unfold reads at 2. cbn [fst] in *. rewrite E. unfold deqb. destruct (Nat.eqb j k); [now rewrite sum_cons|lia].
Qed.
Lemma filter_map_fst k (vs : valued) : map fst (filter (fun pw => reads k (fst pw)) vs) = filter (reads k) (map fst vs).
Proof. induction vs as [|pw vs IH]; simpl; auto. destruct (reads k (fst pw)); simpl; congruence. Qed.
Lemma sum_axes_seq x axs : forall e n, sum_axes x axs (map e (seq n (length axs))) = total (map (fun k => adds x (subs (nth (k - n) axs (Axis 0 []))) (e k)) (seq n (length axs))).
Proof.
  induction axs as [|a axs IH]; intros e n; auto. cbn [length seq map sum_axes]. unfold total in *; cbn [fold_right]. rewrite Nat.sub_diag, IH. f_equal.
  f_equal. apply map_ext_in. intros k Hk. apply in_seq in Hk. replace (k - n)%nat with (S (k - S n)) by lia. reflexivity.
Qed.
Lemma collect_some f b ss out : collect (map (fun p => take_part p (axis_read f (fst p))) (map (fun s => (s, b)) ss)) = Some out ->
  forall s, In s ss -> take_part (s, b) (axis_read f s) <> None.
Proof.
  revert out. induction ss as [|s ss IH]; intros out; cbn [map collect]; [intros _ t []|]. cbn [fst].
  destruct (take_part (s, b) (axis_read f s)) eqn:T; [|discriminate]. destruct (collect _) as [out'|] eqn:C; [|discriminate].
  intros _ t [<-|Ht]; [congruence|]. eapply IH; eauto.
Qed.

(** Theorem 7, regrouping: the places are those of f at the index that the map gives, so those of the composition. *)
Theorem regrouped_place f g R i l :
  ders f = [] -> ders g = [] -> (forall k, offset k (offs g) = 0) ->
  Forall (fun a => positive_sizes (subs a)) (axes f) -> Forall (fun a => positive_sizes (subs a)) (axes g) ->
  Forall (fun s => 0 < weight s /\ exists k, (k < length (axes f))%nat /\ to s = Level k) (flat_map subs (axes g)) ->
  covers f g -> Forall2 (fun a r => regroup_axis f a = Some r) (axes g) R -> Forall2 (fun v a => v < slots (subs a)) i (axes g) ->
  place (Layout R [] (reps f) (offs f) (used f) (spans f)) i l = place f (map (place g i) (seq 0 (length (axes f)))) l.
Proof.
  intros Df Dg Og Pf Pg Tg Cv Rg Hi. set (n := length (axes f)). pose proof (f2_len _ _ _ Hi) as Li. pose proof (f2_len _ _ _ Rg) as LR.
  set (T := fun (p : part) w => adds (Level l) (taken (axis_read f (fst p)) p) w).
  rewrite (plain_sum f) by (auto; now rewrite map_length, seq_length). rewrite plain_sum by (auto; cbn [axes]; congruence). cbn [axes offs]. f_equal.
  assert (Pk : forall k, positive_sizes (subs (nth k (axes f) (Axis 0 [])))).
  { intros k. destruct (Nat.lt_ge_cases k n) as [H|H]; [rewrite Forall_forall in Pf; apply Pf, nth_In; auto|rewrite nth_overflow by auto; constructor]. }
  (* the regrouped layout, part by part *)
  assert (LHS : sum_axes (Level l) R i = sum_by T (all_parts (axes g) i)).
  { clear Cv LR Li. revert i Hi Tg Pg. induction Rg as [|a r axs R E _ IH]; intros i Hi Tg Pg; inversion Hi as [|v ? i' ? Hv Hi']; subst; auto.
    cbn [flat_map] in Tg. apply Forall_app in Tg as [T1 T2]. inversion Pg as [|? ? Pa Pg']; subst. cbn [sum_axes all_parts]. rewrite sum_app, IH by auto. f_equal.
    unfold regroup_axis in E. destruct (collect _) as [out|] eqn:C; [|discriminate]. inversion E; subst. cbn [subs].
    unfold parts_of in C. rewrite (collect_adds (Level l) f (Nat.eqb (length (subs a)) 1) (subs a) v out Pa); auto.
    - eapply Forall_impl; [|exact T1]. intros s (W & k & _ & Ek). split; auto. unfold axis_read. rewrite Ek. apply Pk.
    - intros B. apply Nat.eqb_eq in B. lia. }
  (* values below sizes, and an answer for each *)
  assert (Good : Forall (fun pw : part * N => snd pw < size (fst (fst pw)) /\ take_part (fst pw) (axis_read f (fst (fst pw))) <> None /\
       exists k, (k < n)%nat /\ to (fst (fst pw)) = Level k) (all_parts (axes g) i)).
  { clear Cv LR Li LHS. revert i Hi Tg Pg. induction Rg as [|a r axs R E _ IH]; intros i Hi Tg Pg; inversion Hi as [|v ? i' ? Hv Hi']; subst; [constructor|].
    cbn [flat_map] in Tg. apply Forall_app in Tg as [T1 T2]. inversion Pg as [|? ? Pa Pg']; subst. cbn [all_parts]. apply Forall_app; split; auto.
    unfold regroup_axis in E. destruct (collect _) as [out|] eqn:C; [|discriminate]. unfold parts_of in C. pose proof (collect_some _ _ _ _ C) as Tk.
    unfold val_parts. revert Tk. generalize (Nat.eqb (length (subs a)) 1). intros b Tk. clear - Tk T1 Pa. revert v. induction (subs a) as [|s ss IH]; intros v; [constructor|].
    inversion T1 as [|? ? [_ K] T1']; subst. inversion Pa as [|? ? Hs Pa']; subst. cbn [digs map]. constructor.
    - cbn [fst snd]. split; [apply N.mod_lt; lia|]. split; auto. apply Tk; simpl; auto.
    - apply IH; auto. intros; apply Tk; simpl; auto. }
  rewrite LHS. rewrite (partition_sum T n) by (eapply Forall_impl; [|exact Good]; intros pw H; apply H). unfold n. rewrite sum_axes_seq. f_equal. apply map_ext_in. intros k Hk.
  apply in_seq in Hk. rewrite Nat.sub_0_r. cbv beta. set (Vk := filter (fun pw => reads k (fst pw)) (all_parts (axes g) i)).
  assert (Ek : place g i k = sum_by (fun p w => w * weight (fst p)) Vk).
  { rewrite plain_sum by auto. rewrite Og, N.add_0_l, <- all_parts_give. unfold Vk. generalize (all_parts (axes g) i). clear. induction v as [|[p w] vs IH]; auto.
    rewrite sum_cons. cbn [filter fst]. unfold reads, gives in *. destruct (deqb_spec (Level k) (to (fst p))) as [E|E].
    - rewrite <- E, deqb_refl, sum_cons. f_equal. exact IH.
    - rewrite deqb_neq by congruence. exact IH. }
  destruct (Cv k) as (ps & Pp & Once); [lia|]. rewrite <- (parts_values (axes g) i) in Pp by auto. rewrite <- filter_map_fst in Pp. fold Vk in Pp.
  apply Permutation_map_inv in Pp as (vs & -> & Pv).
  assert (Gk : Forall (fun pw : part * N => axis_read f (fst (fst pw)) = nth k (axes f) (Axis 0 []) /\ snd pw < size (fst (fst pw)) /\ take_part (fst pw) (nth k (axes f) (Axis 0 [])) <> None) vs).
  { eapply Permutation_Forall; [exact Pv|]. unfold Vk. apply Forall_forall. intros pw Hp. apply filter_In in Hp as [Hp Rd]. rewrite Forall_forall in Good.
    destruct (Good pw Hp) as (G1 & G2 & _). unfold reads in Rd. assert (A : axis_read f (fst (fst pw)) = nth k (axes f) (Axis 0 [])).
    { unfold axis_read. destruct (deqb_spec (to (fst (fst pw))) (Level k)) as [->|]; [auto|discriminate]. }
    rewrite A in G2. auto. }
  rewrite Ek, (sum_perm T _ _ Pv), (sum_perm _ _ _ Pv). rewrite once_sum; auto.
  - unfold T, sum_by. f_equal. apply map_ext_in. intros pw Hp. rewrite Forall_forall in Gk. destruct (Gk pw Hp) as (A & _). now rewrite A.
  - eapply Forall_impl; [|exact Gk]. intros pw (_ & A & B); auto.
Qed.
Theorem regrouped_composes f g R i l :
  ders f = [] -> ders g = [] -> (forall k, offset k (offs g) = 0) ->
  Forall (fun a => positive_sizes (subs a)) (axes f) -> Forall (fun a => positive_sizes (subs a)) (axes g) ->
  Forall (fun s => 0 < weight s /\ exists k, (k < length (axes f))%nat /\ to s = Level k) (flat_map subs (axes g)) ->
  covers f g -> Forall2 (fun a r => regroup_axis f a = Some r) (axes g) R -> Forall2 (fun v a => v < slots (subs a)) i (axes g) ->
  place (Layout R [] (reps f) (offs f) (used f) (spans f)) i l = place (compose f g) i l.
Proof.
  intros Df Dg Og Pf Pg Tg Cv Rg Hi. pose proof (f2_len _ _ _ Hi). rewrite compose_place; auto; try (rewrite ?Df, ?Dg; exact I).
  - apply regrouped_place; auto.
  - intros a s j Ha Hs E. unfold nodes in Ha. rewrite Dg in Ha. simpl in Ha. rewrite app_nil_r in Ha. rewrite Forall_forall in Tg.
    destruct (Tg s) as (_ & k & _ & Ek); [apply in_flat_map; eauto|congruence].
  - intros a s j Ha Hs E. unfold nodes in Ha. rewrite Dg in Ha. simpl in Ha. rewrite app_nil_r in Ha. rewrite Forall_forall in Tg.
    destruct (Tg s) as (_ & k & Hk & Ek); [apply in_flat_map; eauto|congruence].
Qed.

(** * Maps that give the linear index: `joined` *)

(** All axes as one, minor first in the given order; Rust asks that none is padded, if there are several. *)
Definition joined (order : list nat) (f : layout) : layout :=
  Layout [Axis (prod (map extent (axes f))) (flat_map (fun k => subs (nth k (axes f) (Axis 1 []))) order)] [] (reps f) (offs f) (used f) (spans f).
Lemma joined_adds x f order : Forall (fun a => positive_sizes (subs a) /\ slots (subs a) = extent a) (axes f) -> NoDup order -> incl order (seq 0 (length (axes f))) -> forall v,
  adds x (flat_map (fun k => subs (nth k (axes f) (Axis 1 []))) order) v =
  total (map (fun kd => adds x (subs (nth (fst kd) (axes f) (Axis 1 []))) (snd kd)) (combine order (digits (map (fun j => extent (nth j (axes f) (Axis 1 []))) order) v))).
Proof.
  intros G. induction 1 as [|k order Hk _ IH]; intros I v; auto. cbn [flat_map map digits combine].
  assert (Gk : positive_sizes (subs (nth k (axes f) (Axis 1 []))) /\ slots (subs (nth k (axes f) (Axis 1 []))) = extent (nth k (axes f) (Axis 1 []))).
  { rewrite Forall_forall in G. apply G, nth_In. specialize (I k (or_introl eq_refl)). apply in_seq in I. lia. }
  destruct Gk as [P S]. rewrite adds_app, IH by (auto; intros j Hj; apply I; simpl; auto). unfold total; cbn [fold_right fst snd]. rewrite S. f_equal.
  rewrite <- (adds_mod x _ v), S by auto. reflexivity.
Qed.
(** The sum over the axes in the order, each at its digit, is the sum over the axes at their entries. *)
Lemma entry_sum (h : nat -> N -> N) order : NoDup order -> (forall k, h k 0 = 0) -> forall ds n, length ds = length order -> incl order (seq 0 n) ->
  total (map (fun kd => h (fst kd) (snd kd)) (combine order ds)) =
  total (map (fun k => h k (fold_right (fun '(j, d) e => if Nat.eqb j k then d + e else e) 0 (combine order ds))) (seq 0 n)).
Proof.
  intros Nd Z. induction Nd as [|j order Hj Nd IH]; intros [|d ds] n L I; simpl in L; try lia.
  - clear - Z. cbn [combine map fold_right]. induction (seq 0 n) as [|k ks IH]; auto. cbn [map]. unfold total in *; cbn [fold_right] in *. now rewrite <- IH, Z.
  - cbn [combine map fold_right fst snd]. unfold total at 1; cbn [fold_right]. fold (total (map (fun kd => h (fst kd) (snd kd)) (combine order ds))).
    rewrite (IH ds n) by (try lia; intros k Hk; apply I; simpl; auto).
    assert (Out : forall o (e : list N), ~ In j o -> fold_right (fun '(i, d) e => if Nat.eqb i j then d + e else e) 0 (combine o e) = 0).
    { clear. induction o as [|i o IHo]; intros [|x e] Hn; auto. cbn [combine fold_right]. apply not_in_cons in Hn as [H1 H2]. rewrite IHo by auto. destruct (Nat.eqb_spec i j); [congruence|auto]. }
    rewrite <- (pick (h j d) _ j n 0) by (specialize (I j (or_introl eq_refl)); apply in_seq in I; lia). f_equal. apply map_ext. intros k.
    destruct (Nat.eqb_spec j k) as [<-|]; [|lia]. rewrite Out by auto. rewrite Z, !N.add_0_r. reflexivity.
Qed.
Theorem joined_place order f v l : ders f = [] -> Permutation order (seq 0 (length (axes f))) ->
  Forall (fun a => positive_sizes (subs a) /\ slots (subs a) = extent a) (axes f) ->
  place (joined order f) [v] l = place f (map (entry order f v) (seq 0 (length (axes f)))) l.
Proof.
  intros D Po G. rewrite (plain_sum f) by (auto; now rewrite map_length, seq_length). rewrite plain_sum by auto. cbn [joined axes offs sum_axes subs]. f_equal. rewrite N.add_0_r.
  assert (Nd : NoDup order) by (eapply Permutation_NoDup; [symmetry; exact Po|apply seq_NoDup]).
  assert (I : incl order (seq 0 (length (axes f)))) by (intros k Hk; eapply Permutation_in; eauto).
  rewrite joined_adds by auto. rewrite sum_axes_seq. rewrite (entry_sum (fun k w => adds (Level l) (subs (nth k (axes f) (Axis 1 []))) w) order Nd) with (n := length (axes f)); auto.
  - f_equal. apply map_ext_in. intros k Hk. apply in_seq in Hk. rewrite Nat.sub_0_r. unfold entry. rewrite (nth_indep (axes f) (Axis 1 []) (Axis 0 [])) by lia. reflexivity.
  - intros k. apply adds_zero.
  - clear. revert v. induction order as [|k order IH]; intros v; simpl; auto.
Qed.

(** * Dropped hypotheses *)

(** 1024 values read as 256 x 4, the example of the file; 6 values read as 2 x 3 where the digits are 3 x 2 do not divide. *)
Definition f1024 := Layout [Axis 1024 [Sub 8 (Level 0) 8; Sub 8 (Level 1) 1; Sub 16 (Level 2) 1]] [] [] [] [0%nat; 1%nat; 2%nat] [].
Definition g256 := Layout [Axis 256 [Sub 256 (Level 0) 4]; Axis 4 [Sub 4 (Level 0) 1]] [] [] [] [0%nat] [].
Example halves : map (regroup_axis f1024) (axes g256) = [Some (Axis 256 [Sub 2 (Level 0) 32; Sub 8 (Level 1) 1; Sub 16 (Level 2) 1]); Some (Axis 4 [Sub 4 (Level 0) 8])].
Proof. reflexivity. Qed.
Example no_divisor : take [Sub 2 (Level 0) 1; Sub 3 (Level 0) 7] 1 3 = None. Proof. reflexivity. Qed.
(** Taken although the digits do not divide, 4 of 6 values would wrap: 6 is 4 + 2, and adds 10, not what 4 and 2 add. *)
Example must_divide : let ds := [Sub 6 (Level 0) 1; Sub 4 (Level 0) 10] in
  take ds 1 4 = None /\ adds (Level 0) ds (2 + 4) = 10 /\ adds (Level 0) ds 2 + adds (Level 0) ds 4 = 6. Proof. repeat split; reflexivity. Qed.
(** Parts that do not cover the axis once: twice the same digit is not the value that it gives, 0 and 3 for 1 and 1. *)
Definition f4 := Layout [Axis 4 [Sub 2 (Level 0) 5; Sub 2 (Level 0) 7]] [] [] [] [0%nat] [].
Definition g_twice := Layout [Axis 2 [Sub 2 (Level 0) 1]; Axis 2 [Sub 2 (Level 0) 1]] [] [] [] [0%nat] [].
Example must_cover : place (compose f4 g_twice) [1; 1] 0 = 7 /\ map (regroup_axis f4) (axes g_twice) = [Some (Axis 2 [Sub 2 (Level 0) 5]); Some (Axis 2 [Sub 2 (Level 0) 5])].
Proof. split; reflexivity. Qed.
(** Joining a padded axis: 3 of 4 values, then 2. *)
Definition padded := Layout [Axis 3 [Sub 4 (Level 0) 1]; Axis 2 [Sub 2 (Level 0) 4]] [] [] [] [0%nat] [].
Example must_not_pad : place (joined [0%nat; 1%nat] padded) [3] 0 = 3 /\ place padded (map (entry [0%nat; 1%nat] padded 3) (seq 0 2)) 0 = 4. Proof. split; reflexivity. Qed.

Definition theorems := (@take_right, @regrouped_place, @regrouped_composes, @joined_place).
Print Assumptions theorems.
