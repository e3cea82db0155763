(* Functions that are known where they are applied, to fewer and to more arguments than they take:
   partial applications that are applied at once, later, twice, in a loop and to the wrong number of
   arguments; functions that return functions, partial applications or exceptions. *)
let add3 a b c = a + (10 * b) + (100 * c)
let five a b c d e = Printf.sprintf "%d%d%d%d%d" a b c d e
let long a b =
  let rec go acc n = if n = 0 then acc else go ((acc * 3) + a) (n - 1) in
  let first = go b 3 and second = go a 4 in
  if first > second then first - second else (second - first) * 2
let twice f x = f (f x)
let compose f g x = f (g x)
let scale (k : float) x = k *. x
let raises a = if a < 0 then raise Not_found else fun b c -> a - b - c
let returns_partial a b = add3 (a + b)
let rec count n = if n = 0 then fun k -> k else fun k -> count (n - 1) (k + 1)

let int n = print_string (string_of_int n); print_char ' '

let () =
  let p = add3 1 in
  int (p 2 3);
  let q = p 4 in
  int (q 5);
  int (q 6);
  int (add3 7 8 9);
  int ((add3 1 2) 3);
  print_endline ((five 1 2) 3 4 5);
  let w = five 9 8 7 in
  let v = w 6 in
  print_endline (v 5 ^ w 4 3)

let () =
  int (long 2 3);
  let l = long 4 in
  int (l 5);
  int (twice (long 1) 2);
  int (compose (add3 1 2) (long 3) 4);
  int (List.fold_left (compose add3 succ 1) 0 [ 2; 3; 4 ]);
  print_endline (string_of_float (twice (scale 1.5) 2.))

let () =
  int (raises 9 2 3);
  (try int (raises (-1) 2 3) with Not_found -> print_string "none ");
  int (returns_partial 1 2 3 4);
  int (returns_partial 1 2 3 4 |> count 3);
  int (count 0 5);
  int (count 4 1);
  let half = returns_partial 5 6 in
  int (half 7 8);
  print_newline ()

(* Collections move what a partial application holds. *)
let () =
  let join a b c = a ^ b ^ c in
  let all = List.init 200 (fun i -> join (string_of_int i) (String.make 3 'x')) in
  let text = String.concat "," (List.map (fun f -> f "y") all) in
  print_endline (string_of_int (Hashtbl.hash text));
  let sum = ref 0 in
  for i = 1 to 300 do
    let f = add3 i in
    let g = f (i + 1) in
    sum := !sum + g (i + 2) + compose (add3 1 i) (add3 i 2) i
  done;
  int !sum;
  print_newline ()
