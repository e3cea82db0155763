(* Functions that are always given boxed numbers, and return them: in calls by name their bits may
   be passed. Recursion of all sorts, exceptions out of it, every kind of box, all bits of a float,
   and functions that something else may call as well. *)
let rec fib n = if n < 2.0 then n else fib (n -. 1.0) +. fib (n -. 2.0)
let rec ack m n =
  if m = 0.0 then n +. 1.0
  else if n = 0.0 then ack (m -. 1.0) 1.0
  else ack (m -. 1.0) (ack m (n -. 1.0))

(* In turn, in tail position and not. *)
let rec plus acc s i n = if i > n then acc else minus (acc +. (s /. float i)) s (i + 1) n
and minus acc s i n = if i > n then acc else plus (acc -. (s /. float i)) s (i + 1) n
let rec even x = if x = 0.0 then 1.0 else 2.0 *. odd (x -. 1.0)
and odd x = if x = 0.0 then 0.5 else 1.0 +. even (x -. 1.0)

let () =
  Printf.printf "%.1f %.1f %.9f %.17g\n" (fib 15.0) (ack 2.0 5.0) (plus 0.0 1.0 1 1000) (even 9.0)

(* Exceptions pass through functions that return numbers, and out of their handlers. *)
exception Small of float
let rec down x = if x < 0.0 then raise (Small x) else 1.0 +. down (x -. 1.0)
let guarded x = try down x with Small y -> y *. 10.0
let rec nested x =
  if x < 1.0 then raise Exit else try nested (x /. 2.0) with Exit -> x +. fib 3.0
let through x = let y = down x in y +. 1.0
let tail x = if x > 100.0 then x else down x
let () =
  Printf.printf "%.2f %.2f\n" (guarded 3.5) (guarded (-2.0));
  (try print_float (through 2.5) with Small y -> Printf.printf "small %.2f\n" y);
  (try print_float (tail 1.25) with Small y -> Printf.printf "small %.2f %.2f\n" y (tail 101.0));
  (try print_float (nested 4.0) with Exit -> print_endline "exit");
  (try print_float (fib (float (int_of_string "x"))) with Failure s -> print_endline s)

(* Each kind; shifts and quotients, which may raise. *)
let rec hash32 h i =
  if i = 0 then h else hash32 (Int32.mul (Int32.logxor h (Int32.of_int i)) 0x01000193l) (i - 1)
let rec hash64 h i = if i = 0L then h else hash64 (Int64.add (Int64.mul h 31L) i) (Int64.pred i)
let rec native h i =
  if i = 0n then h else native Nativeint.(sub (shift_left h 3) i) (Nativeint.pred i)
let rec gcd a b = if b = 0L then a else gcd b (Int64.rem a b)
let quotient a b = Int64.div a b
let min32 a b = if Int32.compare a b < 0 then a else b
let convert x = Int64.to_float (Int64.of_float (x *. 3.0)) +. Int32.to_float (Int32.of_float x)
let () =
  Printf.printf "%lx %Lx %nx %Ld %ld %.1f\n" (hash32 0x811c9dc5l 100) (hash64 7L 1000L)
    (native 1n 70n) (gcd 1071L 462L) (min32 Int32.min_int 5l) (convert 2.75);
  Printf.printf "%Ld\n" (quotient Int64.min_int (-1L));
  try Printf.printf "%Ld\n" (quotient 1L (gcd 0L 0L)) with Division_by_zero -> print_endline "zero"

(* All bits stay: signs of zero, infinities, payloads of NaNs, quiet and signalling. *)
let same x = x
let rec pass x n = if n = 0 then same x else pass (same x) (n - 1)
let rec hand n x = if n = 0 then x else let y = hand (n - 1) x in y
let () =
  List.iter
    (fun bits ->
      let x = Int64.float_of_bits bits in
      let a = Int64.bits_of_float (pass x 5) and b = Int64.bits_of_float (hand 40 x) in
      Printf.printf "%Lx%s%s " a (if a = bits then "" else "!") (if b = bits then "" else "!"))
    [ 0L; Int64.min_int; 1L; 0x7ff0000000000000L; 0xfff0000000000000L; 0x7ff8000000000000L;
      0x7ff0000000000001L; 0xfff4dead0000beefL; 0x7fffffffffffffffL; 0xffffffffffffffffL ];
  print_newline ()

(* Some of their calls are not by name: through lists, partial applications, records, objects. *)
let area r = r *. r *. 3.0
let scale k x = k *. x +. area k
let half x = if x > 1000.0 then same (x /. 2.0) else x /. 2.0
type shape = { size : float -> float }
let () =
  let all = List.map (fun f -> f 2.0) [ area; scale 3.0; half; (fun x -> scale x x) ] in
  List.iter (Printf.printf "%.2f ") (area 1.0 :: scale 1.0 2.0 :: half 5.0 :: all);
  let o = object method size x = half (area x) end in
  Printf.printf "%.2f %.2f\n" ({ size = half }.size 7.0) (o#size 3.0)

(* A function of any type, which is given numbers nearly everywhere. *)
let rec last x n = if n = 0 then x else last x (n - 1)
let choose c a b = if c then a else b
let () =
  Printf.printf "%.1f %s " (last 1.5 3) (choose true "a" "b");
  Printf.printf "%.1f %d %b\n" (choose false 1.5 2.5) (last 7 2) (choose (last true 1) false true)

(* One that is only given a number, but in a handler something else, by a variable. *)
let () =
  let any x = Array.length (Array.make 2 x) in
  let f = ref None in
  let n = try f := Some any; if any 2.5 = 2 then raise Exit; 0 with Exit -> (
    match !f with Some g -> g (Obj.magic "text") | None -> 1) in
  Printf.printf "%d\n" n

(* Arrays and records of floats, whose elements are boxed where they are read. *)
type point = { x : float; y : float }
let norm p = sqrt ((p.x *. p.x) +. (p.y *. p.y))
let rec sum a i acc = if i = Array.length a then acc else sum a (i + 1) (acc +. weigh a.(i))
and weigh x = if x > 5.0 then x *. 0.5 else x
let () =
  let a = Array.init 50 (fun i -> norm { x = float i; y = 1.0 }) in
  a.(3) <- weigh a.(7);
  Printf.printf "%.12g %.12g\n" (sum a 0 0.0) (weigh a.(3))

(* Numbers that are looked at as blocks, and kept across collections. *)
let size x = Obj.size (Obj.repr (x : float)) + Obj.tag (Obj.repr x)
let keep x = let l = List.init 300 (fun i -> i) in ignore (Sys.opaque_identity l); [ x; x +. 1.0 ]
let rec many x n = if n = 0 then x else
  let s = String.concat "," [ string_of_float x; string_of_int n ] in
  many (x +. float (String.length s)) (n - 1)
let () =
  Printf.printf "%d %s %.1f\n" (size 1.5) (String.concat " " (List.map string_of_float (keep 2.5)))
    (many 0.0 200)

(* More arguments than go in registers, and a function that never returns. *)
let rec nine a b c d e f g h i = if a <= 0.0 then b +. c +. d +. e +. f +. g +. h +. i
  else nine (a -. 1.0) c d e f g h i b
let rec forever x = if x > 1e6 then raise (Small x) else forever (x *. 1.5)
let () =
  Printf.printf "%.1f " (nine 3.0 1.0 2.0 4.0 8.0 16.0 32.0 64.0 128.0);
  try print_float (forever 1.0) with Small x -> Printf.printf "%.3f\n" x

(* Deep tail calls use no stack. *)
let rec loop x n = if n = 0 then x else other (x +. 1.0) (n - 1)
and other x n =
  if n = 0 then x else if n land 1 = 0 then loop (x *. 0.5) (n - 1) else third x (n - 1)
and third x n = if n = 0 then 0.0 -. x else loop x (n - 1)
let () = Printf.printf "%.9f\n" (loop 0.0 100_000)
