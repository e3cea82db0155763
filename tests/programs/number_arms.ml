(* Numbers that arms of conditions and matches bring to a use: some arms take a box that exists,
   others compute one. *)

type r = { x : float; tag : int; n : int64; i : int32; p : nativeint }

type _ t = F : float -> float t | I : int64 -> int64 t | P : int t

let make k =
  { x = float k /. 3.; tag = k land 3; n = Int64.of_int (k * 7919); i = Int32.of_int (k * 31);
    p = Nativeint.of_int (-k) }

let all = Array.init 64 make

let field r = if r.tag = 0 then r.x else r.x *. 2.

let local f r =
  let y = f r.x in
  1. +. (if r.tag = 1 then y else if r.tag = 2 then -.y else r.x)

let option o k = 0.5 *. (match o with None -> float k | Some x -> x)

let nested a b =
  let m = Int64.add a 1L in
  Int64.logxor b
    (match Int64.to_int m land 3 with
     | 0 -> a
     | 1 -> (if Int64.compare a b < 0 then b else Int64.neg m)
     | 2 -> (let c = Int64.mul a b in let d = c in d)
     | _ -> m)

let small r s = Int32.sub (if r.tag > s.tag then r.i else Int32.add s.i 1l) 5l
let native r s = Nativeint.logor (if r.tag > s.tag then r.p else Nativeint.succ s.p) 1n

(* What the arms bring is used as one type or the other, by a type that only one arm knows. *)
let typed : type a. a t -> a -> string =
 fun t y ->
  let z = match t with F _ -> y | I _ -> y | P -> y in
  match t with
  | F x -> string_of_float (x +. z)
  | I n -> Int64.to_string (Int64.add n z)
  | P -> string_of_int (z + 1)

(* Kept as well as used: which box it is does not matter. *)
let kept = ref []

let keep r =
  let x = if r.tag = 3 then r.x else r.x +. 1. in
  let y = x *. 2. in
  kept := x :: !kept;
  y

let raises r = try 1. +. (if r.tag = 2 then raise Exit else r.x) with Exit -> -1.

let loop n =
  let s = ref 0. and best = ref (-1.) in
  for k = 1 to n do
    let r = all.(k land 63) in
    s := !s +. (if r.tag = 0 then r.x else if k land 1 = 0 then !best else float k);
    if r.x > !best then best := r.x;
    if r.tag = 3 then best := !best -. 0.25
  done;
  (!s, !best)

let () =
  let sum = ref 0. and total = ref 0L and ints = ref 0l and natives = ref 0n in
  for k = 0 to 299 do
    let r = all.(k land 63) and s = all.((k * 5) land 63) in
    sum := !sum +. field r +. local sqrt r +. keep r +. raises s;
    sum := !sum +. option (if k land 7 = 0 then None else Some s.x) k;
    total := Int64.add !total (nested r.n s.n);
    ints := Int32.add !ints (small r s);
    natives := Nativeint.add !natives (native r s)
  done;
  Printf.printf "%.6f %Ld %ld %nd\n" !sum !total !ints !natives;
  print_endline (typed (F 1.5) 2.25 ^ " " ^ typed (I 3L) 4L ^ " " ^ typed P 6);
  Printf.printf "%.6f %d\n" (List.fold_left ( +. ) 0. !kept) (List.length !kept);
  let s, best = loop 1000 in
  Printf.printf "%.6f %.6f\n" s best
