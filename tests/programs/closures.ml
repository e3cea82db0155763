(* Closures, captured variables, partial application, counters, composition. *)
let add a b = a + b
let add3 a b c = (100 * a) + (10 * b) + c
let compose f g x = f (g x)
let flip f a b = f b a
let rec iterate n f x = if n = 0 then x else iterate (n - 1) f (f x)

let make_counter start step =
  let state = ref start in
  let next () =
    let now = !state in
    state := now + step;
    now
  and reset () = state := start in
  (next, reset)

(* Church numerals: closures all the way down. *)
let zero _ x = x
let succ n f x = f (n f x)
let plus m n f x = m f (n f x)
let times m n f = m (n f)
let two f = succ (succ zero) f
let three f = plus two (succ zero) f
let to_int n = n (fun x -> x + 1) 0

let accumulate_all l =
  List.map (fun a -> List.map (fun b -> fun c -> a + b + c) l) l

let rec y f x = f (y f) x

let five a b c d e = [ a; b; c; d; e ]

let () =
  let inc = add 1 in
  let partial = add3 4 in
  let partial2 = partial 5 in
  Printf.printf "%d %d %d\n" (inc 41) (partial 6 7) (partial2 9);
  Printf.printf "%d\n" (compose inc (compose (add 10) inc) 0);
  Printf.printf "%d\n" (flip ( - ) 1 10);
  Printf.printf "%d\n" (iterate 1000 inc 0);
  let next, reset = make_counter 5 3 in
  let a = next () in
  let b = next () in
  reset ();
  let c = next () in
  Printf.printf "%d %d %d\n" a b c;
  Printf.printf "%d %d\n" (to_int (times three (times two three))) (to_int (three two));
  let sums = accumulate_all [ 1; 2; 3 ] in
  List.iter
    (fun row -> List.iter (fun f -> Printf.printf "%d " (f 100)) row; print_newline ())
    sums;
  Printf.printf "%d\n" (y (fun self n -> if n = 0 then 1 else n * self (n - 1)) 10);
  let steps = [ five 1; five 10; five 100 ] in
  List.iter
    (fun f ->
      let g = f 2 3 in
      Printf.printf "%s\n" (String.concat "," (List.map string_of_int (g 4 5))))
    steps;
  let table = Array.init 5 (fun i -> fun x -> (i * 10) + x) in
  Array.iteri (fun i f -> Printf.printf "%d " (f i)) table;
  print_newline ()
