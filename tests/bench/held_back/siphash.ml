(* integers: SipHash and multiplication of large numbers with Int64, and fixed-point arithmetic. *)
let ( + ) = Int64.add
let ( ^ ) = Int64.logxor
let rotl x n = Int64.logor (Int64.shift_left x n) (Int64.shift_right_logical x (64 - n))

type state = { mutable v0 : int64; mutable v1 : int64; mutable v2 : int64; mutable v3 : int64 }

let round s =
  s.v0 <- s.v0 + s.v1;
  s.v1 <- rotl s.v1 13 ^ s.v0;
  s.v0 <- rotl s.v0 32;
  s.v2 <- s.v2 + s.v3;
  s.v3 <- rotl s.v3 16 ^ s.v2;
  s.v0 <- s.v0 + s.v3;
  s.v3 <- rotl s.v3 21 ^ s.v0;
  s.v2 <- s.v2 + s.v1;
  s.v1 <- rotl s.v1 17 ^ s.v2;
  s.v2 <- rotl s.v2 32

let siphash k0 k1 message =
  let s =
    { v0 = k0 ^ 0x736f6d6570736575L; v1 = k1 ^ 0x646f72616e646f6dL;
      v2 = k0 ^ 0x6c7967656e657261L; v3 = k1 ^ 0x7465646279746573L } in
  let word m = s.v3 <- s.v3 ^ m; round s; round s; s.v0 <- s.v0 ^ m in
  let n = String.length message in
  for i = 0 to (n / 8) - 1 do word (String.get_int64_le message (Stdlib.( * ) 8 i)) done;
  let last = ref (Int64.shift_left (Int64.of_int n) 56) in
  for i = n land 7 downto 1 do
    let at = n - i in
    last :=
      Int64.logor !last (Int64.shift_left (Int64.of_int (Char.code message.[at])) (8 * (at land 7)))
  done;
  word !last;
  s.v2 <- s.v2 ^ 0xffL;
  for _ = 1 to 4 do round s done;
  s.v0 ^ s.v1 ^ s.v2 ^ s.v3

(* Digits to the base of a thousand million, lowest first. *)
let base = 1_000_000_000L

let multiply a factor =
  let carry = ref 0L in
  let digits = Array.map (fun d ->
    let v = Int64.mul d factor + !carry in
    carry := Int64.div v base;
    Int64.rem v base) a in
  if !carry = 0L then digits else Array.append digits [| !carry |]

let rec factorial n a = if n = 1L then a else factorial (Int64.pred n) (multiply a n)

let fixed x = Int64.of_float (x *. 4294967296.)
let times a b = Int64.mul (Int64.shift_right a 16) (Int64.shift_right b 16)

let () =
  Printf.printf "%016Lx\n"
    (siphash 0x0706050403020100L 0x0f0e0d0c0b0a0908L (String.init 15 Char.chr));
  let sum = ref 0L in
  for i = 1 to 30_000 do
    sum := !sum + siphash (Int64.of_int i) 7L (String.make (i land 127) 'x')
  done;
  Printf.printf "%016Lx\n" !sum;
  let f = factorial 1500L [| 1L |] in
  Printf.printf "%d digits, top %Ld\n" (Array.length f) f.(Stdlib.( - ) (Array.length f) 1);
  let x = ref (fixed 0.3) in
  for _ = 1 to 1_500_000 do x := times (fixed 3.7) (times !x (Int64.sub (fixed 1.) !x)) done;
  Printf.printf "%.6f\n" (Int64.to_float !x /. 4294967296.)
