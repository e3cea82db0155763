(* Allocation of every kind, old-to-young pointers, survivors of mixed age, forced collections. *)
type tree = Leaf | Node of { mutable left : tree; mutable right : tree; value : int }

let rec make depth value =
  if depth = 0 then Leaf
  else Node { left = make (depth - 1) (2 * value);
              right = make (depth - 1) ((2 * value) + 1); value }

let rec sum = function Leaf -> 0 | Node { left; right; value } -> sum left + value + sum right

let rec mirror = function
  | Leaf -> ()
  | Node n as t ->
    let l = n.left in
    n.left <- n.right;
    n.right <- l;
    ignore t;
    mirror n.left;
    mirror n.right

let rec replace_leftmost t v =
  match t with
  | Leaf -> ()
  | Node ({ left = Leaf; _ } as n) -> n.left <- Node { left = Leaf; right = Leaf; value = v }
  | Node n -> replace_leftmost n.left v

let churn n =
  let window = Array.make 97 [] in
  for i = 0 to n - 1 do
    let slot = i * 31 mod 97 in
    window.(slot) <-
      (i, string_of_int i) :: (match window.(slot) with a :: b :: _ -> [ a; b ] | l -> l)
  done;
  Array.fold_left
    (fun acc l -> List.fold_left (fun acc (i, s) -> acc + i + String.length s) acc l)
    0 window

let closures n =
  let fs = ref [] in
  for i = 1 to n do
    let s = string_of_int i and f = float_of_int i in
    fs := (fun x -> x + String.length s + int_of_float f) :: !fs
  done;
  List.fold_left (fun acc f -> f acc) 0 !fs

let () =
  let t = make 9 1 in
  Gc.full_major ();
  Printf.printf "%d\n" (sum t);
  mirror t;
  for i = 1 to 60 do
    replace_leftmost t i;
    if i mod 10 = 0 then Gc.minor () else if i mod 25 = 0 then Gc.full_major ()
  done;
  Printf.printf "%d\n" (sum t);
  Printf.printf "%d\n" (churn 4000);
  Printf.printf "%d\n" (closures 1500);
  let big = Array.init 300 (fun i -> Bytes.make (i * 7) (Char.chr (i land 127))) in
  Gc.compact ();
  Printf.printf "%d\n"
    (Array.fold_left
       (fun acc b ->
         acc + Bytes.length b
         + if Bytes.length b > 0 then Char.code (Bytes.get b (Bytes.length b - 1)) else 0)
       0 big);
  let matrix = Array.make_matrix 40 40 0. in
  for i = 0 to 39 do for j = 0 to 39 do matrix.(i).(j) <- float_of_int (i * j) done done;
  Printf.printf "%g\n" (Array.fold_left (fun acc r -> Array.fold_left ( +. ) acc r) 0. matrix);
  let old = Array.make 1000 (ref 0) in
  Gc.full_major ();
  for i = 0 to 999 do old.(i) <- ref i done;
  Gc.minor ();
  Printf.printf "%d\n" (Array.fold_left (fun acc r -> acc + !r) 0 old);
  let s = ref "" in
  for i = 0 to 200 do s := !s ^ string_of_int (i mod 10) done;
  Printf.printf "%d %s\n" (String.length !s) (Digest.to_hex (Digest.string !s));
  let before = Gc.minor_words () in
  let l = List.init 100 (fun i -> i) in
  let words = Gc.minor_words () -. before in
  Printf.printf "%d %b\n" (List.length l) (words >= 300.)
