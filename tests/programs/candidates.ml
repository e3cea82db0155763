(* Calls that may call one of a few: functions, partial applications, functions in fields of a few
   blocks or in an array; and calls of what was not among them when the program was looked at. *)
let int n = print_string (string_of_int n); print_char ' '
let line () = print_newline ()

(* A parameter that is one of two functions, of three, and of more than that. *)
let rec fold f acc = function [] -> acc | x :: rest -> fold f (f acc x) rest
let rec fold' f acc = function [] -> acc | x :: rest -> fold' f (f acc x) rest
let numbers = [3; 1; 4; 1; 5; 9; 2; 6]

let () =
  int (fold ( + ) 0 numbers);
  int (fold (fun a x -> if x > a then x else a) 0 numbers);
  let k = List.length numbers in
  int (fold (fun a x -> (a * k) lxor x) 1 numbers);
  int (fold' (fun a x -> a - x) 0 numbers);
  int (fold' (fun a x -> a + (2 * x)) 0 numbers);
  int (fold' (fun a x -> a + (x * x)) 0 numbers);
  int (fold' (fun a _ -> a + 1) 0 numbers);
  line ()

(* Functions that raise, that are given another number of arguments, and that allocate. *)
let apply2 f a b = f a b
let apply1 f a = f a

let () =
  let divide a b = a / b in
  let pair a = let s = string_of_int a in fun b -> String.length (s ^ string_of_int b) in
  (try int (apply2 divide 1 0) with Division_by_zero -> print_string "divided ");
  int (apply2 pair 12 345);
  int (apply2 (fun a -> apply1 (fun b -> a + b)) 1 2);
  let waiting = apply1 divide 100 in
  int (waiting 7);
  int (apply1 (divide 50) 7);
  let floats = apply2 (fun a b -> a +. b) 0.25 0.5 in
  Printf.printf "%g\n" floats

(* Monads, streams and continuations: partial applications of a few functions. *)
let return x s = x, s
let bind m f s = let x, s = m s in f x s
let get s = s, s
let put s _ = (), s
let tick = bind get (fun n -> bind (put (n + 1)) (fun () -> return n))

let rec loop i acc =
  if i = 0 then return acc else bind tick (fun n -> loop (i - 1) ((acc * 7) + n))

let rec ints n () = Seq.Cons (n, ints (n + 1))

let rec take n s () =
  if n = 0 then Seq.Nil
  else match s () with Seq.Nil -> Seq.Nil | Seq.Cons (x, s) -> Seq.Cons (x, take (n - 1) s)

let rec fib n k = if n < 2 then k n else fib (n - 1) (fun a -> fib (n - 2) (fun b -> k (a + b)))

let () =
  let a, s = loop 50 1 3 in
  int (a land 0xffffff);
  int s;
  let even = Seq.filter (fun x -> x land 1 = 0) (take 40 (Seq.map succ (ints 5))) in
  int (Seq.fold_left ( + ) 0 even);
  int (fib 12 (fun x -> x));
  int (fib 9 (fun x -> x * x));
  line ()

(* Functors that are applied twice; records, objects' like records in arrays; handlers in a list. *)
module Numbers = Set.Make (Int)
module Words = Set.Make (String)

type operation = { apply : int -> int -> int; name : string }

let operations =
  [| { apply = ( + ); name = "plus" };
     { apply = (fun a b -> a * b); name = "times" };
     { apply = min; name = "min" } |]

let handlers = ref []
let on handler = handlers := handler :: !handlers

let () =
  let numbers = List.fold_right Numbers.add numbers Numbers.empty in
  let words = Words.of_list (List.map string_of_int (Numbers.elements numbers)) in
  int (Numbers.cardinal (Numbers.remove 4 numbers));
  print_string (String.concat "," (Words.elements words));
  Array.iteri (fun i o -> Printf.printf " %s=%d" o.name (o.apply i 5)) operations;
  operations.(1) <- { apply = (fun a b -> a lsl b); name = "shift" };
  Array.iteri (fun i o -> Printf.printf " %s=%d" o.name (o.apply (i + 2) 5)) operations;
  let total = ref 0 and last = ref "" in
  on (fun x -> total := !total + x);
  on (fun x -> last := string_of_int x);
  on (fun x -> if x = 3 then on (fun y -> total := !total + (100 * y)));
  for i = 1 to 5 do List.iter (fun handler -> handler i) !handlers done;
  Printf.printf " %d %s\n" !total !last

(* Numerals of Church: each applies what the others are made of. *)
let zero _ x = x
let succ n f x = f (n f x)
let add m n f x = m f (n f x)
let mul m n f = m (n f)
let number n = n (fun x -> x + 1) 0

let () =
  let two = succ (succ zero) in
  let five = add two (succ two) in
  int (number (mul five two));
  int (number (mul (add two two) (add five zero)));
  line ()
