(** Mixed radix, minor to major: digits and values (theorem 1). *)
From Coq Require Import NArith List Lia.
Import ListNotations.
Open Scope N_scope.

Fixpoint prod (l : list N) : N := match l with [] => 1 | x :: l => x * prod l end.

(** The digits of a value: `split` in Rust, which reads the sizes from the minor end. *)
Fixpoint digits (sizes : list N) (v : N) : list N :=
  match sizes with [] => [] | s :: ss => v mod s :: digits ss (v / s) end.

(** The value of digits: `join`. *)
Fixpoint value (sizes ds : list N) : N :=
  match sizes, ds with s :: ss, d :: ds => d + s * value ss ds | _, _ => 0 end.

Lemma divmod_small s d q : d < s -> (d + s * q) mod s = d /\ (d + s * q) / s = q.
Proof.
  intros H. assert (E : d + s * q = s * q + d) by lia.
  rewrite E. split; symmetry.
  - apply N.mod_unique with q; lia.
  - apply N.div_unique with d; lia.
Qed.

Lemma prod_app l1 l2 : prod (l1 ++ l2) = prod l1 * prod l2.
Proof. induction l1 as [|x l1 IH]; cbn [app prod]; [lia|]. rewrite IH. lia. Qed.

Lemma prod_pos l : Forall (fun s => 0 < s) l -> 0 < prod l.
Proof. induction 1; simpl; lia. Qed.

(** Theorem 1, first part: the digits of a value that is below the product of the sizes give the value back. *)
Theorem value_digits sizes v : v < prod sizes -> value sizes (digits sizes v) = v.
Proof.
  revert v; induction sizes as [|s ss IH]; simpl; intros v H; [lia|].
  assert (s <> 0) by nia.
  rewrite IH by (apply N.div_lt_upper_bound; lia).
  pose proof (N.div_mod v s); lia.
Qed.

(** Second part: every list of digits below the sizes is the list of one value, which is below the product. *)
Theorem digits_value sizes ds :
  Forall2 N.lt ds sizes -> digits sizes (value sizes ds) = ds /\ value sizes ds < prod sizes.
Proof.
  induction 1 as [|d s ds ss H _ [IH1 IH2]]; simpl; [split; [reflexivity|lia]|].
  destruct (divmod_small s d (value ss ds) H) as [-> ->]. rewrite IH1. split; [reflexivity|nia].
Qed.

(** Third part: digits are below the sizes. *)
Theorem digits_below sizes v : Forall (fun s => 0 < s) sizes -> Forall2 N.lt (digits sizes v) sizes.
Proof.
  intros H; revert v; induction H; simpl; intros v; constructor; auto. apply N.mod_lt; lia.
Qed.

(** Dropped hypotheses: 3 is not below the product 2, and comes back as 1; 2 is no digit of size 2. *)
Example value_beyond : value [2] (digits [2] 3) = 1. Proof. reflexivity. Qed.
Example digit_beyond : digits [2; 2] (value [2; 2] [2; 0]) = [0; 1]. Proof. reflexivity. Qed.
Example size_zero : digits [0] 5 = [5]. Proof. reflexivity. Qed.

Definition theorems := (@value_digits, @digits_value, @digits_below).
Print Assumptions theorems.
