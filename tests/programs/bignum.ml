(* Arbitrary precision integers: factorials, Fibonacci, powers, division by small numbers, digits of
   pi. *)
let base = 10_000
type t = int array (* least significant first *)

let normalise a =
  let n = ref (Array.length a) in
  while !n > 1 && a.(!n - 1) = 0 do decr n done;
  Array.sub a 0 !n
let of_int n =
  let rec go n acc =
    if n < base then List.rev (n :: acc) else go (n / base) ((n mod base) :: acc) in
  Array.of_list (go n [])
let add a b =
  let n = 1 + max (Array.length a) (Array.length b) in
  let get x i = if i < Array.length x then x.(i) else 0 in
  let r = Array.make n 0 and carry = ref 0 in
  for i = 0 to n - 1 do
    let s = get a i + get b i + !carry in
    r.(i) <- s mod base;
    carry := s / base
  done;
  normalise r
let mul a b =
  let r = Array.make (Array.length a + Array.length b + 1) 0 in
  Array.iteri
    (fun i x ->
      let carry = ref 0 in
      Array.iteri
        (fun j y ->
          let s = r.(i + j) + (x * y) + !carry in
          r.(i + j) <- s mod base; carry := s / base)
        b;
      r.(i + Array.length b) <- r.(i + Array.length b) + !carry)
    a;
  normalise r
let divmod_small a d =
  let r = Array.copy a and rem = ref 0 in
  for i = Array.length a - 1 downto 0 do
    let cur = (!rem * base) + a.(i) in
    r.(i) <- cur / d;
    rem := cur mod d
  done;
  (normalise r, !rem)
let to_string a =
  let n = Array.length a in
  String.concat ""
    (List.init n (fun i -> Printf.sprintf (if i = 0 then "%d" else "%04d") a.(n - 1 - i)))
let rec power x n =
  if n = 0 then of_int 1
  else
    let h = power x (n / 2) in
    let h2 = mul h h in
    if n land 1 = 1 then mul h2 x else h2
let factorial n = List.fold_left (fun acc i -> mul acc (of_int i)) (of_int 1) (List.init n succ)
let fib n =
  let rec go a b n = if n = 0 then a else go b (add a b) (n - 1) in
  go (of_int 0) (of_int 1) n

let pi_digits n =
  let len = (10 * n / 3) + 1 in
  let a = Array.make len 2 and out = Buffer.create n in
  for _ = 1 to n do
    let carry = ref 0 in
    for i = len - 1 downto 0 do
      let x = (10 * a.(i)) + (!carry * (i + 1)) in
      a.(i) <- x mod ((2 * i) + 1);
      carry := x / ((2 * i) + 1)
    done;
    a.(0) <- a.(0) - (a.(0) / 10 * 10) + 0;
    Buffer.add_string out (string_of_int !carry);
    Buffer.add_char out ' '
  done;
  Digest.to_hex (Digest.string (Buffer.contents out))

let () =
  print_endline (to_string (factorial 40));
  print_endline (to_string (fib 300));
  print_endline (to_string (power (of_int 7) 77));
  let q, r = divmod_small (factorial 30) 9973 in
  Printf.printf "%s %d\n" (to_string q) r;
  print_endline (pi_digits 30);
  Printf.printf "%b\n" (mul (fib 50) (fib 51) = mul (fib 51) (fib 50))
