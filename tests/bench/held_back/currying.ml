(* calls: Partial applications, functions with optional and labelled arguments, operators as
   values. *)
let add3 a b c = a + b + c
let flip f a b = f b a
let uncurry f (a, b) = f a b
let curry f a b = f (a, b)
let ( >> ) f g x = g (f x)
let clamp ?(low = 0) ?(high = 1000) x = if x < low then low else if x > high then high else x
let scale ~by ?(offset = 0) x = (x * by) + offset
let on f g a b = f (g a) (g b)

let rec fold_range f acc lo hi = if lo > hi then acc else fold_range f (f acc lo) (lo + 1) hi

let apply_all functions x = List.fold_left (fun x f -> f x) x functions

let () =
  let sum = fold_range ( + ) 0 1 1_000_000 in
  Printf.printf "%d\n" sum;
  let five = add3 2 3 in
  Printf.printf "%d\n" (fold_range (fun acc i -> acc lxor five i) 0 1 1_500_000);
  let subtract = flip ( - ) in
  Printf.printf "%d\n" (fold_range (fun acc i -> subtract 3 (acc + (i land 7))) 0 1 1_500_000);
  Printf.printf "%d\n"
    (fold_range (fun acc i -> acc + clamp ~high:(i land 255) (i * 7 land 511)) 0 1 1_500_000);
  Printf.printf "%d\n"
    (fold_range (fun acc i -> scale ~by:3 ~offset:i acc land 0xfffff) 1 1 1_500_000);
  let pipeline =
    [ add3 1 2; scale ~by:5; clamp ~low:10 ~high:5000; flip ( / ) 3;
      uncurry add3 (4, 5); (fun x -> x lxor 85) >> succ ] in
  Printf.printf "%d\n"
    (fold_range (fun acc i -> (acc + apply_all pipeline i) land 0xffffff) 0 1 500_000);
  let pairs = curry (fun (a, b) -> (a * b) mod 1009) in
  Printf.printf "%d\n" (fold_range (fun acc i -> acc + on pairs (add3 1 1) acc i) 1 1 300_000)
