(* Functions that soon return, or do not: what they return, whether arguments and variables around
   the call are as they were, and what is raised behind a call that was tried. *)

type tree = Leaf | Node of tree * int * tree

let rec add x = function
  | Leaf -> Node (Leaf, x, Leaf)
  | Node (l, y, r) as all ->
    if x = y then all else if x < y then Node (add x l, y, r) else Node (l, y, add x r)

let rec size = function Leaf -> 0 | Node (l, _, r) -> size l + 1 + size r

let rec depth = function Leaf -> 0 | Node (l, _, r) -> 1 + max (depth l) (depth r)

(* Floats live over the call, as boxes that are not made. *)
let rec total scale = function
  | Leaf -> 0.
  | Node (l, x, r) ->
    let own = float_of_int x *. scale in
    let left = total scale l in
    let right = total scale r in
    left +. own +. right

(* Returns early, raises, or goes on. *)
let rec find x = function
  | Leaf -> raise Not_found
  | Node (l, y, r) -> if x = y then y * 10 else if x < y then find x l else find x r

let found x tree = match find x tree with n -> n + 1 | exception Not_found -> -1

(* The argument is assigned on the way that does not return. *)
let rec collatz n steps =
  if n = 1 then steps
  else begin
    let n = ref n in
    n := if !n land 1 = 0 then !n / 2 else (3 * !n) + 1;
    collatz !n (steps + 1)
  end

let rec mutual n = if n = 0 then true else other (n - 1)
and other n = if n < 1 then false else not (not (mutual (n - 1)))

(* Many ways, of which some return at once. *)
type shape = A | B | C of int | D of int * int | E of string | F of shape list

let rec weight = function
  | A -> 1
  | B -> 2
  | C n -> n
  | D (a, b) when a > b -> a
  | D (a, b) -> weight (C (a + b)) + weight A
  | E s -> String.length s
  | F shapes -> List.fold_left (fun sum shape -> sum + weight shape) 0 shapes

let log = Buffer.create 16

(* An effect before the return. *)
let rec noted n = if n > 3 then n else (Buffer.add_string log (string_of_int n); noted (n + 1) + 1)

let () =
  let numbers = List.init 200 (fun i -> i * 7919 mod 1009) in
  let tree = List.fold_left (fun tree x -> add x tree) Leaf numbers in
  Printf.printf "%d %d %.2f\n" (size tree) (depth tree) (total 0.5 tree);
  Printf.printf "%d %d\n" (found 7919 tree) (found (List.nth numbers 5) tree);
  Printf.printf "%d %d %d\n" (collatz 1 5) (collatz 27 0) (collatz 97 0 + collatz 2 0);
  Printf.printf "%b %b %b\n" (mutual 0) (mutual 11) (mutual 100);
  let shapes = [ A; B; C 5; D (3, 2); D (2, 3); E "text"; F [ A; C 1; F [] ] ] in
  Printf.printf "%d %s\n" (weight (F shapes))
    (String.concat " " (List.map (fun shape -> string_of_int (weight shape)) shapes));
  let n = noted 9 + noted 1 + noted 4 in
  Printf.printf "%d %s\n" n (Buffer.contents log)
