(* Checks the lines of `tests/bridge.rs` with the model: every number that Rust printed is computed again. *)
open Model

(* Numbers have up to 64 bits, one more than OCaml's own. *)
let rec pos n =
  if n = 1L then XH
  else
    let rest = pos (Int64.shift_right_logical n 1) in
    if Int64.logand n 1L = 0L then XO rest else XI rest
let number text = match Int64.of_string ("0u" ^ text) with 0L -> N0 | n -> Npos (pos n)

let decimal = function
  | N0 -> "0"
  | Npos p ->
    let rec read = function XH -> 1L | XO p -> Int64.shift_left (read p) 1 | XI p -> Int64.succ (Int64.shift_left (read p) 1) in
    Printf.sprintf "%Lu" (read p)

(* A text without parts is an empty list. *)
let parts c text = if text = "" then [] else String.split_on_char c text
let list c read text = List.map read (parts c text)
let numbers = list ',' number
let pair c text = match String.index_opt text c with
  | Some at -> (String.sub text 0 at, String.sub text (at + 1) (String.length text - at - 1))
  | None -> failwith ("no " ^ String.make 1 c ^ " in " ^ text)
let triple text = match String.split_on_char ':' text with
  | [a; b; c] -> (a, b, c)
  | _ -> failwith text

let sub text =
  let size, goes, weight = triple text in
  let k = int_of_string (String.sub goes 1 (String.length goes - 1)) in
  { size0 = number size; to0 = (if goes.[0] = 'L' then Level k else Der k); weight = number weight }
let axis text =
  let extent, digits = pair '=' text in
  { extent = number extent; subs = list ',' sub digits }
let derived text =
  let head, body = pair '~' text in
  { how = (if head.[0] = 'X' then Xor else Sum);
    start = number (String.sub head 1 (String.length head - 1));
    dax = axis body }
let replica text =
  let size, level, stride = triple text in
  { rsize = number size; rlevel = int_of_string level; rstride = number stride }
let at_level text = let level, n = pair ':' text in (int_of_string level, number n)

let layout = function
  | [axs; ds; rs; os; us; ss] ->
    { axes = list ';' axis axs; ders = list ';' derived ds; reps = list ';' replica rs;
      offs = list ';' at_level os; used = list ',' int_of_string us; spans = list ';' at_level ss }
  | _ -> failwith "a layout has six fields"

let rec take n l = if n = 0 then [] else match l with x :: l -> x :: take (n - 1) l | [] -> failwith "too few fields"
let rec drop n l = if n = 0 then l else match l with _ :: l -> drop (n - 1) l | [] -> failwith "too few fields"

(* How many of what was compared. *)
let counts : (string, int) Hashtbl.t = Hashtbl.create 16
let count what = Hashtbl.replace counts what (1 + Option.value ~default:0 (Hashtbl.find_opt counts what))
let count_if is what = if is then count what
let ask what answer = count what; answer

(* All copies, in the order of `locate_all`. *)
let lives l levels index places =
  let place copy = List.map (copy_place l index copy) levels in
  List.for_all Fun.id (List.mapi (fun at written -> place (number (string_of_int at)) = numbers written) (parts ';' places))

let holds l at found =
  let coordinates = List.combine l.used at in
  let p level = match List.assoc_opt level coordinates with Some c -> c | None -> N0 in
  let body () = numbers (String.sub found 1 (String.length found - 1)) in
  match element l p, found.[0] with
  | Element _, 'E' -> List.mem (body ()) (indexes_at l p)
  | Padding, 'P' | Hole, 'H' | Outside, 'O' -> true
  | _ -> false

let question kind rest = match kind with
  | "s" -> "spans"
  | "l" -> "locate_all"
  | _ -> "element " ^ String.make 1 (snd (pair ':' rest)).[0]

let of_layout fields =
  let l = layout (take 6 fields) in
  count_if (l.ders <> []) "layouts with derived axes";
  count_if (List.exists (fun d -> d.how = Xor) l.ders) "layouts with XOR";
  count_if (l.reps <> []) "layouts with replicas";
  count_if (l.spans <> []) "layouts with spans";
  let answer text =
    let kind, rest = pair ':' text in
    ask (question kind rest) (match kind with
      | "s" -> List.map (span l) l.used = numbers rest
      | "l" -> let index, places = pair ':' rest in lives l l.used (numbers index) places
      | "e" -> let at, found = pair ':' rest in holds l (numbers at) found
      | _ -> failwith text) in
  checked l && List.for_all answer (parts ' ' (List.nth fields 6))

let of_parts fields =
  let answer = List.nth fields 6 in
  ask ("parts " ^ answer) (checked (layout (take 6 fields)) = (answer = "built"))

let of_map fields =
  let f = layout (take 6 fields) and g = layout (take 6 (drop 6 fields)) in
  let composed = match List.nth fields 12 with
    | "" -> compose f g
    | order -> compose_linear (list ',' int_of_string (snd (pair '=' order))) f g in
  let answer text = let index, places = pair ':' text in ask "compose" (lives composed f.used (numbers index) places) in
  List.for_all answer (parts ' ' (List.nth fields 13))

let of_shape = function
  | [dims; order; tiles; tail; spanned; places] ->
    let dims = numbers dims and order = list ',' int_of_string order in
    let entry text = if text = "*" then None else Some (number text) in
    let tiles = list '/' (fun tile -> tile_of 0 (list ',' entry tile)) tiles in
    let lowered = lower dims order tiles (number tail) in
    let answer text =
      let index, address = pair ':' text in
      let index = numbers index in
      let formula = linear_index_with_tiles (pick N0 index order) (pick (number "1") (at_least_1 dims) order) tiles in
      ask "xla" (formula = number address && copy_place lowered index N0 0 = formula) in
    ask "xla spans" (span lowered 0 = number spanned) && List.for_all answer (parts ' ' places)
  | _ -> failwith "a shape has six fields"

(* Two copies in one place, by trying all. *)
let collides l =
  let upto n = List.init (Int64.to_int (Int64.of_string (decimal n))) (fun k -> number (string_of_int k)) in
  let grow indexes axis = List.concat_map (fun index -> List.map (fun i -> i :: index) (upto axis.extent)) indexes in
  let indexes = List.map List.rev (List.fold_left grow [[]] l.axes) in
  let place index copy = List.map (copy_place l index copy) l.used in
  let places = List.concat_map (fun index -> List.map (place index) (upto (copies l))) indexes in
  List.length (List.sort_uniq compare places) < List.length places

let sub_text text =
  let size, level, stride = triple text in
  let optional read = function "_" -> None | text -> Some (read text) in
  { tsize = number size; tlevel = optional int_of_string level; tstride = optional number stride }
let rep_text text = match String.split_on_char ':' text with
  | ["B"; level] -> Bare (int_of_string level)
  | [size; level; "_"] -> Sized (number size, int_of_string level, None)
  | [size; level; stride] -> Sized (number size, int_of_string level, Some (number stride))
  | _ -> failwith text

let of_text = function
  | shape :: axs :: rs :: answer ->
    let text =
      { tshape = (if shape = "-" then None else Some (numbers shape));
        taxes = list ';' (fun axis -> list ',' sub_text (snd (pair '=' axis))) axs;
        treps = list ';' rep_text rs } in
    ask ("text " ^ match answer with [letter] -> letter | _ -> "meant") (match meant text, answer with
      | None, ["T"] -> true
      | Some l, ["B"] -> not (checked l)
      | Some l, ["C"] -> checked l && collides l
      | Some l, [_; _; _; _; _; _] ->
        let m = layout answer in
        checked l && l.axes = m.axes && l.ders = m.ders && l.reps = m.reps && l.offs = m.offs
        && List.sort compare l.used = List.sort compare m.used
      | _ -> false)
  | _ -> failwith "a text has four fields"

let () =
  let lines = ref 0 and different = ref 0 in
  (try
     while true do
       let line = input_line stdin in
       incr lines;
       let right = match String.split_on_char '|' line with
         | "G" :: fields -> of_layout fields
         | "B" :: fields -> of_parts fields
         | "C" :: fields -> of_map fields
         | "X" :: fields -> of_shape fields
         | "P" :: fields -> of_text fields
         | _ -> failwith line in
       if not right then begin
         incr different;
         if !different <= 20 then print_endline ("different: " ^ line)
       end
     done
   with End_of_file -> ());
  List.iter (fun (what, n) -> Printf.printf "%7d %s\n" n what)
    (List.sort compare (Hashtbl.fold (fun what n all -> (what, n) :: all) counts []));
  Printf.printf "%d lines, %d of them differ\n" !lines !different;
  if !lines = 0 || !different > 0 then exit 1
