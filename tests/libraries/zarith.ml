(* Large integers and rationals. *)
let rec factorial n = if n = 0 then Z.one else Z.mul (Z.of_int n) (factorial (n - 1))
let () =
  let f = factorial 60 in
  Printf.printf "%s\n%s\n" (Z.to_string f) (Z.format "%#x" f);
  let a = Z.of_string "-123456789012345678901234567890" and b = Z.of_string "987654321987654321" in
  List.iter (fun (name, op) -> Printf.printf "%s %s\n" name (Z.to_string (op a b)))
    Z.[ ("add", add); ("sub", sub); ("mul", mul); ("div", div); ("rem", rem); ("ediv", ediv);
      ("erem", erem);
        ("fdiv", fdiv); ("cdiv", cdiv); ("gcd", gcd); ("lcm", lcm); ("and", logand); ("or", logor);
          ("xor", logxor) ];
  Printf.printf "%s %s\n" (Z.to_string (Z.shift_left a 70)) (Z.to_string (Z.shift_right a 33));
  Printf.printf "%s\n" (Z.to_string (Z.powm (Z.of_int 3) f (Z.of_string "1000000007")));
  Printf.printf "%s %s\n" (Z.to_string (Z.sqrt f)) (Z.to_string (Z.invert (Z.of_int 17) (Z.of_int
    3120)));
  let g, s, t = Z.gcdext a b in
  Printf.printf "%s %b\n" (Z.to_string g) (Z.equal g Z.((s * a) + (t * b)));
  Printf.printf "%d %d %d %b\n" (Z.numbits f) (Z.popcount f) (Z.trailing_zeros f) (Z.testbit f 60);
  Printf.printf "%d %b %d\n" (Z.compare a b) (Z.fits_int b) (Z.hash a);
  Printf.printf "%s %s\n" (Z.to_string (Z.of_float 1e25)) (string_of_float (Z.to_float f));
  Printf.printf "%d %d\n" (Z.probab_prime (Z.of_string "170141183460469231731687303715884105727")
    20)
    (Z.probab_prime (Z.of_string "170141183460469231731687303715884105729") 20);
  (try ignore (Z.div a Z.zero) with Division_by_zero -> print_endline "division by zero");
  (try ignore (Z.to_int f) with Z.Overflow -> print_endline "overflow");
  (try ignore (Z.of_string "12x") with Invalid_argument m -> print_endline m);
  let bits = Z.to_bits f in
  Printf.printf "%d %b\n" (String.length bits) (Z.equal f (Z.of_bits bits));
  let h = Z.extract f 100 64 in
  Printf.printf "%s %s\n" (Z.to_string h) (Z.to_string (Z.signed_extract f 3 5));
  let harmonic = List.fold_left (fun s i -> Q.add s (Q.of_ints 1 i)) Q.zero (List.init 30 succ) in
  Printf.printf "%s %s %.12f\n" (Q.to_string harmonic) (Q.to_string (Q.inv (Q.of_string "-6/4")))
    (Q.to_float harmonic);
  let marshalled = Marshal.to_string (a, [ f ]) [] in
  let (a', l) : Z.t * Z.t list = Marshal.from_string marshalled 0 in
  Printf.printf "%b %b %d\n" (Z.equal a a') (Z.equal (List.hd l) f) (String.length marshalled);
  Format.printf "%a %a@." Z.pp_print b Q.pp_print (Q.make a b)

(* Number theory, which GMP has functions for. *)
let () =
  let show z = print_string (Z.to_string z ^ " ") in
  List.iter (fun n -> show (Z.nextprime (Z.of_string n)))
    [ "-5"; "0"; "1"; "2"; "3"; "4"; "1000"; "123456789012345678901234567890" ];
  List.iter (fun (n, k) -> show (Z.bin (Z.of_int n) k)) [ (10, 3); (5, 7); (-4, 3); (100, 50);
    (0, 0) ];
  List.iter (fun n -> show (Z.fib n); show (Z.lucnum n)) [ 0; 1; 2; 3; 10; 200 ];
  List.iter (fun n -> show (Z.primorial n)) [ 1; 2; 30; 100 ];
  print_newline ();
  for a = -12 to 12 do
    for b = -12 to 12 do
      Printf.printf "%d" (Z.kronecker (Z.of_int a) (Z.of_int b))
    done
  done;
  print_newline ();
  let large = Z.of_string "170141183460469231731687303715884105727" in
  Printf.printf "%d %d %d\n" (Z.jacobi (Z.of_int 1001) (Z.of_int 9907)) (Z.legendre (Z.of_int 3)
    large)
    (Z.jacobi (factorial 20) large);
  let rest, count = Z.remove (factorial 100) (Z.of_int 3) in
  Printf.printf "%d %s\n" count (Digest.to_hex (Digest.string (Z.to_string rest)));
  List.iter (fun n -> Printf.printf "%b %b, " (Z.perfect_power (Z.of_string n)) (Z.perfect_square
    (Z.of_string n)))
    [ "0"; "1"; "-1"; "8"; "-8"; "-16"; "12"; "1267650600228229401496703205376";
      "99999999999999999999" ]
