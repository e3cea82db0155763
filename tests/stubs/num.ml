(* num: numbers of any size, over a library in C of its own. *)

open Num

let rec factorial n = if n = 0 then Int 1 else Int n */ factorial (n - 1)

let () =
  print_endline (string_of_num (factorial 200));
  print_endline (string_of_num (factorial 30 // factorial 28));
  print_endline (approx_num_fix 60 (num_of_string "1/7" +/ num_of_string "22/13"));
  let big = power_num (Int 3) (Int 500) in
  print_endline (string_of_num (mod_num big (num_of_string "1000000000000000000000007")));
  print_endline (string_of_num (quo_num (minus_num big) (power_num (Int 10) (Int 200))));
  Printf.printf "%d %b %b\n" (compare_num big (Int 3)) (big =/ big) (eq_num big (pred_num big));
  Printf.printf "%d\n" (Hashtbl.hash (Num.big_int_of_num big));
  let copy : num = Marshal.from_string (Marshal.to_string big []) 0 in
  Printf.printf "%b\n" (copy =/ big);
  match Int 1 // Int 0 with
  | _ -> print_endline "no exception"
  | exception e -> print_endline (Printexc.to_string e)
