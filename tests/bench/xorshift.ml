(* integers: Random numbers with Int64: xorshift, splitmix and a permuted congruential generator,
   tested on dice. *)
open Int64

type generator = { mutable state : int64; next : generator -> int64 }

let xorshift g =
  let x = g.state in
  let x = logxor x (shift_left x 13) in
  let x = logxor x (shift_right_logical x 7) in
  let x = logxor x (shift_left x 17) in
  g.state <- x;
  mul x 0x2545F4914F6CDD1DL

let splitmix g =
  g.state <- add g.state 0x9E3779B97F4A7C15L;
  let z = g.state in
  let z = mul (logxor z (shift_right_logical z 30)) 0xBF58476D1CE4E5B9L in
  let z = mul (logxor z (shift_right_logical z 27)) 0x94D049BB133111EBL in
  logxor z (shift_right_logical z 31)

let rotate_right x n = logor (shift_right_logical x n) (shift_left x (64 - n))

let permuted g =
  let old = g.state in
  g.state <- add (mul old 6364136223846793005L) 1442695040888963407L;
  rotate_right (logxor (shift_right_logical old 18) old) (to_int (shift_right_logical old 59))

let below g n = to_int (rem (shift_right_logical (g.next g) 1) (of_int n))

let chi_squared g sides throws =
  let counts = Array.make sides 0 in
  for _ = 1 to throws do
    let side = below g sides in
    counts.(side) <- counts.(side) + 1
  done;
  let expected = float_of_int throws /. float_of_int sides in
  Array.fold_left (fun sum n -> sum +. (((float_of_int n -. expected) ** 2.) /. expected)) 0. counts

let shuffle g a =
  for i = Array.length a - 1 downto 1 do
    let j = below g (i + 1) in
    let t = a.(i) in
    a.(i) <- a.(j);
    a.(j) <- t
  done

let rec power base exponent modulus =
  if exponent = 0L then 1L
  else begin
    let half = power (rem (mul base base) modulus) (shift_right_logical exponent 1) modulus in
    if logand exponent 1L = 0L then half else rem (mul half base) modulus
  end

let () =
  List.iter
    (fun (name, next) ->
      let g = { state = 88172645463325252L; next } in
      Printf.printf "%s: %.6f" name (chi_squared g 20 1_000_000);
      let a = Array.init 30_000 (fun i -> i) in
      shuffle g a;
      Printf.printf " %d %Lx\n" a.(0) (g.next g))
    [ ("xorshift", xorshift); ("splitmix", splitmix); ("permuted", permuted) ];
  let sum = ref 0L in
  for i = 1 to 50_000 do sum := add !sum (power (of_int i) 1_000_003L 2_147_483_647L) done;
  Printf.printf "%Ld\n" !sum
