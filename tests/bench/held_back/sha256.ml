(* integers: SHA-256 with Int32, on messages of many lengths. *)
let ( +: ) = Int32.add
let ( &: ) = Int32.logand
let ( ^: ) = Int32.logxor
let shr = Int32.shift_right_logical
let rotr x n = Int32.logor (shr x n) (Int32.shift_left x (32 - n))

(* The first 32 bits of the fractions of roots of primes, by integer search. *)
let primes =
  let rec next found n =
    if List.length found = 64 then List.rev found
    else if List.exists (fun p -> n mod p = 0) found then next found (n + 1)
    else next (n :: found) (n + 1)
  in
  Array.of_list (next [] 2)

let fraction root p =
  let r = root (float_of_int p) in
  Int32.of_float
    (let f = (r -. floor r) *. 4294967296. in
     if f >= 2147483648. then floor f -. 4294967296. else floor f)

let k = Array.map (fraction Float.cbrt) primes
let initial = Array.init 8 (fun i -> fraction sqrt primes.(i))

let pad message =
  let n = String.length message in
  let size = (n + 9 + 63) / 64 * 64 in
  let b = Bytes.make size '\000' in
  Bytes.blit_string message 0 b 0 n;
  Bytes.set b n '\x80';
  Bytes.set_int64_be b (size - 8) (Int64.of_int (8 * n));
  b

let compress h w block at =
  for t = 0 to 15 do w.(t) <- Bytes.get_int32_be block (at + (4 * t)) done;
  for t = 16 to 63 do
    let a = w.(t - 15) and b = w.(t - 2) in
    let s0 = rotr a 7 ^: rotr a 18 ^: shr a 3 and s1 = rotr b 17 ^: rotr b 19 ^: shr b 10 in
    w.(t) <- w.(t - 16) +: s0 +: w.(t - 7) +: s1
  done;
  let rec rounds t a b c d e f g hh =
    if t = 64 then begin
      List.iteri (fun i v -> h.(i) <- h.(i) +: v) [ a; b; c; d; e; f; g; hh ]
    end
    else begin
      let s1 = rotr e 6 ^: rotr e 11 ^: rotr e 25 in
      let choice = (e &: f) ^: (Int32.lognot e &: g) in
      let t1 = hh +: s1 +: choice +: k.(t) +: w.(t) in
      let s0 = rotr a 2 ^: rotr a 13 ^: rotr a 22 in
      let majority = (a &: b) ^: (a &: c) ^: (b &: c) in
      rounds (t + 1) (t1 +: s0 +: majority) a b c (d +: t1) e f g
    end
  in
  rounds 0 h.(0) h.(1) h.(2) h.(3) h.(4) h.(5) h.(6) h.(7)

let sha256 message =
  let h = Array.copy initial and w = Array.make 64 0l and padded = pad message in
  for i = 0 to (Bytes.length padded / 64) - 1 do compress h w padded (64 * i) done;
  String.concat "" (Array.to_list (Array.map (Printf.sprintf "%08lx") h))

let () =
  Printf.printf "%s\n%s\n" (sha256 "") (sha256 "abc");
  Printf.printf "%s\n" (sha256 (String.make 250_000 'a'));
  let chain = ref "seed" in
  for _ = 1 to 4500 do chain := sha256 !chain done;
  Printf.printf "%s\n" !chain
