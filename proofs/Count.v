(** Theorem 3: slots and pads (`src/algebra/count.rs`). *)
From Coq Require Import NArith List Lia Bool Arith.
Require Import TensorLayout.Radix TensorLayout.Model TensorLayout.Equations TensorLayout.Element TensorLayout.Bound TensorLayout.Nest TensorLayout.Found.
Import ListNotations.
Open Scope N_scope.

(** * Tuples below sizes *)

Fixpoint tuples (sizes : list N) : list (list N) :=
  match sizes with [] => [[]] | s :: ss => flat_map (fun d => map (cons d) (tuples ss)) (below s) end.
Definition count {A} (l : list A) : N := N.of_nat (length l).

Lemma tuples_iff sizes : forall t, In t (tuples sizes) <-> Forall2 N.lt t sizes.
Proof.
  induction sizes as [|s ss IH]; simpl; intros t.
  - split; [intros [<-|[]]; constructor|intros H; inversion H; auto].
  - rewrite in_flat_map. split.
    + intros (d & Hd & H). apply in_map_iff in H as (u & <- & Hu). constructor; [apply below_iff; auto|apply IH; auto].
    + intros H. inversion H as [|d ? u ? Hd Hu]; subst. exists d. split; [apply below_iff; auto|]. apply in_map, IH; auto.
Qed.
Lemma count_app {A} (a b : list A) : count (a ++ b) = count a + count b.
Proof. unfold count. rewrite app_length. lia. Qed.
Lemma count_cons {A} (x : A) l : count (x :: l) = 1 + count l.
Proof. unfold count. simpl length. lia. Qed.
Lemma count_map {A B} (f : A -> B) l : count (map f l) = count l.
Proof. unfold count. now rewrite map_length. Qed.
Lemma count_flat {A B} (f : A -> list B) l n : (forall x, In x l -> count (f x) = n) -> count (flat_map f l) = count l * n.
Proof.
  induction l as [|x l IH]; intros H; auto. cbn [flat_map].
  rewrite count_app, count_cons, H, IH by (intros; auto with datatypes). lia.
Qed.
Lemma count_below n : count (below n) = n.
Proof. unfold below. rewrite count_map. unfold count. rewrite seq_length. lia. Qed.
Lemma count_tuples sizes : count (tuples sizes) = prod sizes.
Proof.
  induction sizes as [|s ss IH]; auto. cbn [tuples prod].
  rewrite (count_flat _ _ (prod ss)); [now rewrite count_below|]. intros d _. now rewrite count_map.
Qed.
Lemma nodup_map {A B} (f : A -> B) l : (forall x y, f x = f y -> x = y) -> NoDup l -> NoDup (map f l).
Proof. intros H N. apply FinFun.Injective_map_NoDup; auto. Qed.
Lemma tuples_nodup sizes : NoDup (tuples sizes).
Proof.
  induction sizes as [|s ss IH]; cbn [tuples]; [repeat constructor; auto|].
  assert (B : NoDup (below s)) by (unfold below; apply nodup_map; [intros; lia|apply seq_NoDup]).
  induction B as [|d ds Hd _ IHd]; simpl; [constructor|].
  assert (G : forall a b : list (list N), NoDup a -> NoDup b -> (forall x, In x a -> ~ In x b) -> NoDup (a ++ b)).
  { induction a as [|x a IHa]; simpl; intros b Na Nb Dj; auto. apply NoDup_cons_iff in Na as [Nx Na]. constructor.
    - intros H. apply in_app_or in H as [H|H]; [auto|]. apply (Dj x); auto.
    - apply IHa; auto. }
  apply G; auto.
  - apply nodup_map; auto. intros; congruence.
  - intros x Hx Hy. apply in_map_iff in Hx as (u & <- & _). apply in_flat_map in Hy as (e & He & Hy).
    apply in_map_iff in Hy as (w & E & _). inversion E; subst. auto.
Qed.
Lemma tuples_app a b : tuples (a ++ b) = flat_map (fun x => map (app x) (tuples b)) (tuples a).
Proof.
  induction a as [|s a IH]; simpl; [now rewrite app_nil_r, map_id|]. rewrite IH.
  assert (M : forall d, map (cons d) (flat_map (fun x => map (app x) (tuples b)) (tuples a)) = flat_map (fun x => map (app x) (tuples b)) (map (cons d) (tuples a))).
  { clear. intros d. induction (tuples a) as [|x l IHl]; simpl; auto. rewrite map_app, IHl, map_map. reflexivity. }
  rewrite (flat_map_ext _ _ M). induction (below s) as [|d ds IHd]; simpl; auto. now rewrite IHd, flat_map_app.
Qed.

(** * Slots *)

Definition lands (s : sub) : bool := match to s with Level _ => true | Der _ => false end.
(** The digits that land, of all axes; those of an index. *)
Fixpoint landing_digits (ss : list sub) (v : N) : list N :=
  match ss with [] => [] | s :: ss => (if lands s then [v mod size s] else []) ++ landing_digits ss (v / size s) end.
Fixpoint slot_digits (axs : list axis) (vs : list N) : list N :=
  match axs, vs with a :: axs, v :: vs => landing_digits (subs a) v ++ slot_digits axs vs | _, _ => [] end.
Definition slot L i := slot_digits (nodes L) (vals L i).
Definition slot_sizes L := map size (filter lands (all_subs L)).
Definition rep_sizes L := map rsize (reps L).
(** `Layout::slots`, and all slots one by one: digits that land, then digits of replicas. *)
Definition slots_of L : N := prod (landing_sizes L).
Definition all_slots L := tuples (slot_sizes L ++ rep_sizes L).
Definition indexes L := tuples (map extent (axes L)).
Definition eq_list := list_eq_dec N.eq_dec.
(** The distinct slots that elements take, in one copy: `taken_slots`. *)
Definition taken L := nodup eq_list (map (slot L) (indexes L)).
(** `Layout::pads`. *)
Definition pads L : N := slots_of L - count (taken L) * copies L.
(** A slot holds an element if its digits that land are those of an index; in every copy. *)
Definition holds_element L (s : list N) : bool := if in_dec eq_list (firstn (length (slot_sizes L)) s) (taken L) then true else false.

Lemma landing_below ss : Forall (fun s => 0 < size s) ss -> forall v, Forall2 N.lt (landing_digits ss v) (map size (filter lands ss)).
Proof.
  induction 1 as [|s ss H _ IH]; simpl; intros v; [constructor|]. destruct (lands s); simpl; auto.
  constructor; auto. apply N.mod_lt; lia.
Qed.
Lemma slot_below L i : Forall (fun s => 0 < size s) (all_subs L) -> length i = length (axes L) -> Forall2 N.lt (slot L i) (slot_sizes L).
Proof.
  intros S Li. unfold slot, slot_sizes, all_subs in *.
  assert (Lv : length (vals L i) = length (nodes L)) by (unfold vals, nodes; rewrite !app_length, !map_length, seq_length; lia).
  revert Lv. generalize (vals L i). revert S. generalize (nodes L). induction l as [|a axs IH]; intros S [|v vs] Lv; simpl in *; try lia; [constructor|].
  apply Forall_app in S as [S1 S2]. rewrite filter_app, map_app. apply Forall2_app; auto. apply landing_below; auto.
Qed.

(** What is in a list without repetitions, counted in a larger one. *)
Lemma count_members (a b : list (list N)) : NoDup a -> NoDup b -> incl b a ->
  count (filter (fun x => if in_dec eq_list x b then true else false) a) = count b.
Proof.
  intros Na Nb I. unfold count. f_equal. apply Nat.le_antisymm.
  - apply NoDup_incl_length; [apply NoDup_filter; auto|]. intros x Hx. apply filter_In in Hx as [_ Hx]. destruct (in_dec eq_list x b); [auto|discriminate].
  - apply NoDup_incl_length; auto. intros x Hx. apply filter_In. split; auto. destruct (in_dec eq_list x b); auto.
Qed.
Lemma count_split {A} (p : A -> bool) l : count (filter p l) + count (filter (fun x => negb (p x)) l) = count l.
Proof. unfold count. induction l as [|x l IH]; simpl; auto. destruct (p x); simpl length in *; lia. Qed.

(** Theorem 3: the slots that hold no element are as many as `pads` says, with derived axes, padding and copies. *)
Theorem pads_count L : checked L = true ->
  count (all_slots L) = slots_of L /\ NoDup (all_slots L) /\
  count (filter (fun s => negb (holds_element L s)) (all_slots L)) = pads L /\ count (taken L) * copies L <= slots_of L.
Proof.
  intros C. pose proof (checked_sizes L C) as S.
  assert (T : count (all_slots L) = slots_of L) by (unfold all_slots; rewrite count_tuples; reflexivity).
  assert (H : count (filter (holds_element L) (all_slots L)) = count (taken L) * copies L).
  { unfold all_slots. rewrite tuples_app.
    assert (Len : forall x, In x (tuples (slot_sizes L)) -> length x = length (slot_sizes L)) by (intros x Hx; apply tuples_iff, f2_len in Hx; auto).
    assert (G : forall l, (forall x, In x l -> length x = length (slot_sizes L)) ->
      count (filter (holds_element L) (flat_map (fun x => map (app x) (tuples (rep_sizes L))) l))
      = count (filter (fun x => if in_dec eq_list x (taken L) then true else false) l) * copies L).
    { induction l as [|x l IH]; intros Hl; auto. cbn [flat_map filter]. rewrite filter_app, count_app, IH by (intros; apply Hl; simpl; auto).
      assert (F : forall bs, filter (holds_element L) (map (app x) bs) = if in_dec eq_list x (taken L) then map (app x) bs else []).
      { induction bs as [|b bs IHb]; simpl; [destruct (in_dec eq_list x (taken L)); auto|]. unfold holds_element at 1.
        rewrite firstn_app, <- (Hl x (or_introl eq_refl)), Nat.sub_diag, firstn_all. simpl. rewrite app_nil_r.
        rewrite IHb. destruct (in_dec eq_list x (taken L)); auto. }
      rewrite F. destruct (in_dec eq_list x (taken L)); [|reflexivity].
      rewrite count_map, count_tuples, count_cons. unfold rep_sizes. fold (copies L). lia. }
    rewrite (G _ Len), count_members; auto using tuples_nodup.
    - apply NoDup_nodup.
    - intros x Hx. apply nodup_In, in_map_iff in Hx as (i & <- & Hi). apply tuples_iff, slot_below; auto.
      apply tuples_iff, f2_len in Hi. now rewrite map_length in Hi. }
  pose proof (count_split (holds_element L) (all_slots L)) as Sp. rewrite H, T in Sp.
  split; [auto|]. split; [apply tuples_nodup|]. unfold pads. split; lia.
Qed.

(** * Without derived axes *)

Lemma all_land ss : Forall (fun s => lands s = true) ss -> forall v, landing_digits ss v = digits (map size ss) v.
Proof. induction 1 as [|s ss H _ IH]; simpl; intros v; auto. now rewrite H, IH. Qed.
Lemma plain_slot axs : Forall (fun s => lands s = true) (flat_map subs axs) -> forall vs, slot_digits axs vs = all_digits axs vs.
Proof.
  induction axs as [|a axs IH]; simpl; intros H [|v vs]; auto. apply Forall_app in H as [H1 H2]. now rewrite all_land, IH.
Qed.
Lemma digits_onto axs : forall s, Forall2 N.lt s (map size (flat_map subs axs)) ->
  exists vs, Forall2 (fun v a => v < slots (subs a)) vs axs /\ all_digits axs vs = s.
Proof.
  induction axs as [|a axs IH]; simpl; intros s H; [inversion H; exists []; split; constructor|].
  rewrite map_app in H. apply Forall2_app_inv_r in H as (s1 & s2 & H1 & H2 & ->).
  destruct (IH s2 H2) as (vs & V & E). destruct (digits_value _ _ H1) as [D B].
  exists (value (map size (subs a)) s1 :: vs). split; [constructor; auto|]. simpl. now rewrite D, E.
Qed.
Lemma digits_one axs : forall u v, Forall2 (fun v a => v < slots (subs a)) u axs -> Forall2 (fun v a => v < slots (subs a)) v axs ->
  all_digits axs u = all_digits axs v -> u = v.
Proof.
  induction axs as [|a axs IH]; intros u v Hu Hv E; inversion Hu; inversion Hv; subst; auto. simpl in E.
  assert (E1 : digits (map size (subs a)) x = digits (map size (subs a)) x0) by (eapply app_same; [|exact E]; now rewrite !len_digits).
  rewrite E1 in E. apply app_inv_head in E. f_equal; [|apply IH; auto].
  rewrite <- (value_digits (map size (subs a)) x), E1, value_digits; auto.
Qed.

Lemma plain_land L : checked L = true -> ders L = [] -> Forall (fun s => lands s = true) (flat_map subs (axes L)).
Proof.
  intros C D. destruct (checked_nodes L C) as (_ & G & _). unfold in_range, all_subs, nodes in G. rewrite D in G. simpl in G.
  rewrite app_nil_r in G. eapply Forall_impl; [|exact G]. intros s H. cbv beta in H. unfold lands. destruct (to s); auto. inversion H.
Qed.
Lemma plain_slot_of L i : checked L = true -> ders L = [] -> slot L i = all_digits (axes L) i.
Proof.
  intros C D. unfold slot, nodes, vals. rewrite D. simpl. rewrite !app_nil_r. apply plain_slot, plain_land; auto.
Qed.
Lemma real_below axs : Forall (fun a => extent a <= slots (subs a)) axs -> forall i, Forall2 N.lt i (map extent axs) ->
  Forall2 (fun v a => v < slots (subs a)) i axs.
Proof. induction 1 as [|a axs Ha _ IH]; simpl; intros i Hi; inversion Hi; subst; constructor; [lia|auto]. Qed.
(** Theorem 3 without derived axes: slots of one copy and padded indexes (below the slots of every axis) correspond one to
    one, and the pads are the slots minus the elements in all copies. *)
Theorem plain_slots L : checked L = true -> ders L = [] ->
  (forall s, Forall2 N.lt s (slot_sizes L) -> exists i, Forall2 (fun v a => v < slots (subs a)) i (axes L) /\ slot L i = s) /\
  (forall i j, Forall2 (fun v a => v < slots (subs a)) i (axes L) -> Forall2 (fun v a => v < slots (subs a)) j (axes L) ->
     slot L i = slot L j -> i = j) /\
  pads L = slots_of L - prod (map extent (axes L)) * copies L.
Proof.
  intros C D. pose proof (plain_land L C D) as P. pose proof (plain_slot_of L) as Ps.
  assert (Sz : slot_sizes L = map size (flat_map subs (axes L))).
  { unfold slot_sizes, all_subs, nodes. rewrite D. simpl. rewrite app_nil_r. f_equal.
    clear - P. induction P as [|s ss H _ IH]; simpl; auto. now rewrite H, IH. }
  assert (Inj : forall i j, Forall2 (fun v a => v < slots (subs a)) i (axes L) -> Forall2 (fun v a => v < slots (subs a)) j (axes L) ->
     slot L i = slot L j -> i = j) by (intros i j Hi Hj E; rewrite !Ps in E by auto; eapply digits_one; eauto).
  split; [|split; auto].
  - intros s Hs. rewrite Sz in Hs. destruct (digits_onto _ _ Hs) as (i & Hi & E). exists i. rewrite Ps by auto. auto.
  - unfold pads. f_equal. f_equal. rewrite <- count_tuples. fold (indexes L). unfold taken.
    rewrite nodup_fixed_point, count_map; auto.
    destruct (checked_nodes L C) as (_ & _ & X). unfold nodes in X. rewrite D in X. simpl in X. rewrite app_nil_r in X.
    assert (B : forall i, In i (indexes L) -> Forall2 (fun v a => v < slots (subs a)) i (axes L)).
    { intros i Hi. apply tuples_iff in Hi. apply real_below; auto. }
    assert (N : NoDup (indexes L)) by apply tuples_nodup. revert B N. generalize (indexes L). clear - Inj.
    induction l as [|i l IH]; simpl; intros B N; [constructor|]. apply NoDup_cons_iff in N as [N1 N2]. constructor; auto.
    intros H. apply in_map_iff in H as (j & E & Hj). apply N1. rewrite (Inj i j); auto.
Qed.

(** Dropped hypotheses. With derived axes elements may share a slot: 24 elements, 10 slots that land, and 10 are taken. *)
Definition shared := Layout [Axis 8 [Sub 8 (Der 0) 1]; Axis 3 [Sub 3 (Der 0) 1]]
  [Derived Sum 0 (Axis 10 [Sub 5 (Level 0) 1; Sub 2 (Level 0) 7])] [Replica 2 1 1] [] [0%nat; 1%nat] [].
Example shared_slot : slot shared [1; 0] = slot shared [0; 1] /\ slots_of shared = 20 /\ pads shared = 0
  /\ slots_of shared < prod (map extent (axes shared)).
Proof. vm_compute. auto. Qed.
(** With derived axes a slot may belong to no padded index: (10,7)/((3:7, 4_PE), (7:1)) has 84 slots, 14 of them pads; an
    axis of 6 that feeds a derived axis of 4 slots by twos never has an odd digit. *)
Example padded_rows : pads (Layout [Axis 10 [Sub 4 (Level 1) 1; Sub 3 (Level 0) 7]; Axis 7 [Sub 7 (Level 0) 1]] [] [] [] [0%nat; 1%nat] []) = 14.
Proof. vm_compute. reflexivity. Qed.
Definition by_twos := Layout [Axis 2 [Sub 2 (Der 0) 2]] [Derived Sum 0 (Axis 4 [Sub 4 (Level 0) 1])] [] [] [0%nat] [].
Example no_index : pads by_twos = 2 /\ forall i, slot by_twos [i] <> [1].
Proof.
  split; [reflexivity|]. intros i H. assert (B : i mod 2 < 2) by (apply N.mod_lt; lia).
  assert (E : slot by_twos [i] = [(i mod 2 * 2) mod 4]) by reflexivity. rewrite E in H. clear E. revert B H. generalize (i mod 2). intros d B H.
  assert (d = 0 \/ d = 1) as [-> | ->] by lia; vm_compute in H; discriminate.
Qed.

Definition theorems := (@pads_count, @plain_slots).
Print Assumptions theorems.
