(* zarith on mini-gmp. *)

let rec factorial n = if n = 0 then Z.one else Z.mul (Z.of_int n) (factorial (n - 1))
let show z = print_endline (Z.to_string z)

let () =
  show (factorial 100);
  show (Z.add (Z.of_int max_int) Z.one);
  show (Z.mul (Z.of_int max_int) (Z.of_int min_int));
  let a = Z.pow (Z.of_int 7) 123 and b = Z.pow (Z.of_string "-12345678901234567890") 5 in
  let q, r = Z.div_rem a (Z.neg b) in
  show q;
  show r;
  show (Z.ediv b (Z.of_int 1234567));
  show (Z.erem b a);
  show (Z.gcd (factorial 30) a);
  let g, s, t = Z.gcdext (factorial 25) (Z.pow (Z.of_int 31) 20) in
  Printf.printf "%s %b\n" (Z.to_string g)
    (Z.equal g (Z.add (Z.mul s (factorial 25)) (Z.mul t (Z.pow (Z.of_int 31) 20))));
  show (Z.powm (Z.of_int 3) a (Z.of_string "1000000000000000000000007"));
  show (Z.sqrt (factorial 50));
  show (Z.logxor a b);
  show (Z.shift_right (Z.shift_left a 100) 257);
  show (Z.of_string_base 16 "-deadbeefdeadbeefdeadbeefdeadbeef");
  print_endline (Z.format "%#x" a);
  Printf.printf "%d %d %b %d\n" (Z.compare a b) (compare b a) (a = Z.add a Z.zero) (Z.hash a);
  Printf.printf "%d %d\n" (Z.numbits a) (Z.popcount a);
  Printf.printf "%h %h\n" (Z.to_float a) (Q.to_float (Q.make (Z.of_int 22) (Z.of_int 7)));
  print_endline (Q.to_string (Q.div (Q.of_string "3/4") (Q.of_ints 5 (-6))));
  let copy : Z.t list = Marshal.from_string (Marshal.to_string [ a; b; Z.one ] []) 0 in
  Printf.printf "%b\n" (copy = [ a; b; Z.one ]);
  (match Z.div a Z.zero with
  | z -> show z
  | exception e -> print_endline (Printexc.to_string e));
  match Z.to_int a with
  | n -> print_int n
  | exception e -> print_endline (Printexc.to_string e)
