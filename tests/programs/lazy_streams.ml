(* Lazy values, memoised exceptions, infinite streams, the Stream module. *)
type 'a stream = Cons of 'a * 'a stream Lazy.t

let rec from n = Cons (n, lazy (from (n + 1)))
let rec take n (Cons (x, rest)) = if n = 0 then [] else x :: take (n - 1) (Lazy.force rest)
let rec filter p (Cons (x, rest)) =
  if p x then Cons (x, lazy (filter p (Lazy.force rest))) else filter p (Lazy.force rest)
let rec sieve (Cons (p, rest)) =
  Cons (p, lazy (sieve (filter (fun n -> n mod p <> 0) (Lazy.force rest))))
let rec map2 f (Cons (a, s)) (Cons (b, t)) =
  Cons (f a b, lazy (map2 f (Lazy.force s) (Lazy.force t)))

let rec fibs = Cons (0, lazy (Cons (1, lazy (map2 ( + ) fibs (tail fibs)))))
and tail (Cons (_, t)) = Lazy.force t

exception Broken

let () =
  let evaluations = ref 0 in
  let l = lazy (incr evaluations; !evaluations * 100) in
  Printf.printf "%b " (Lazy.is_val l);
  Printf.printf "%d %d %b %d\n" (Lazy.force l) (Lazy.force l) (Lazy.is_val l) !evaluations;
  print_endline (String.concat " " (List.map string_of_int (take 15 (sieve (from 2)))));
  print_endline (String.concat " " (List.map string_of_int (take 20 fibs)));
  let bad = lazy (incr evaluations; raise Broken) in
  let try_it () = try Lazy.force bad with Broken -> -1 in
  let first = try_it () in
  Printf.printf "%d %d %d\n" first (try_it ()) !evaluations;
  let rec self = lazy (1 + Lazy.force self) in
  (try ignore (Lazy.force self) with CamlinternalLazy.Undefined -> print_endline "undefined");
  let shared = lazy (print_string "once "; [ 1; 2; 3 ]) in
  let users = List.init 3 (fun i -> lazy (i + List.length (Lazy.force shared))) in
  List.iter (fun u -> Printf.printf "%d " (Lazy.force u)) users;
  print_newline ();
  Printf.printf "%d\n" (Lazy.force (Lazy.map (fun x -> x * 2) (Lazy.from_val 21)));
  let floats = lazy (3.25 *. 2.) in
  Printf.printf "%g %g\n" (Lazy.force floats) (Lazy.force floats);
  let nested = lazy (lazy (lazy 5)) in
  Printf.printf "%d\n" (Lazy.force (Lazy.force (Lazy.force nested)));
  let s = Stream.of_list [ 1; 2; 3; 4 ] in
  let a = Stream.next s in
  Stream.junk s;
  Printf.printf "%d %s %d\n" a
    (match Stream.peek s with Some n -> string_of_int n | None -> "-")
    (Stream.count s);
  Stream.iter (Printf.printf "%d ") s;
  (try ignore (Stream.next s) with Stream.Failure -> print_endline "stream failure");
  let squares = Stream.from (fun i -> if i < 5 then Some (i * i) else None) in
  Stream.iter (Printf.printf "%d ") squares;
  print_newline ();
  (match Lazy.force (lazy (match fibs with Cons (x, _) -> x)) with
   | 0 -> print_endline "zero"
   | _ -> ())
