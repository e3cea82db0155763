(* Rationals of any size, the older way. *)
open Num
let () =
  let ( / ) = div_num and ( + ) = add_num in
  let e = ref (num_of_int 1) and term = ref (num_of_int 1) in
  for i = 1 to 30 do
    term := !term / num_of_int i;
    e := !e + !term
  done;
  print_endline (approx_num_fix 30 !e);
  print_endline (approx_num_exp 12 (power_num (num_of_int 2) (num_of_int 300)));
  print_endline (string_of_num !e);
  let a = num_of_string "123456789123456789123456789" and b = num_of_string "-7/3" in
  List.iter (fun n -> print_endline (string_of_num n))
    [ mult_num a b; quo_num a b; mod_num a b; floor_num b; ceiling_num b; round_num b;
      integer_num b; abs_num b ];
  Printf.printf "%d %b %d\n" (compare_num a b) (is_integer_num a) (sign_num b);
  let big = Big_int.power_int_positive_int 3 200 in
  print_endline (Big_int.string_of_big_int (Big_int.sqrt_big_int big));
  print_endline (Big_int.string_of_big_int (Big_int.gcd_big_int big (Big_int.big_int_of_string
    "81818181818181")));
  Printf.printf "%d %s\n" (Big_int.num_bits_big_int big)
    (Big_int.string_of_big_int (Big_int.shift_left_big_int big 13));
  (try ignore (a / num_of_int 0) with Failure m -> print_endline m);
  let back : num = Marshal.from_string (Marshal.to_string a []) 0 in
  Printf.printf "%b %f\n" (eq_num a back) (float_of_num b)
