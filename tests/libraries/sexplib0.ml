(* S-expressions without a reader. *)
open Sexplib0
open Sexp_conv
let () =
  let s = Sexp.List [ Atom "a b"; List [ sexp_of_int 3; sexp_of_float 0.1 ]; Atom "" ;
    Atom "\n" ] in
  print_endline (Sexp.to_string s);
  print_endline (Sexp.to_string_hum (sexp_of_array sexp_of_int64 (Array.init 40 Int64.of_int)));
  print_endline (Sexp.to_string (sexp_of_option sexp_of_bool (Some true)));
  (try ignore (bool_of_sexp s) with Of_sexp_error (Failure m, _) -> print_endline m);
  print_endline (Sexp.to_string (sexp_of_exn Not_found));
  print_endline (Sexp.to_string (sexp_of_exn (Failure "f")));
  Printf.printf "%d %b\n" (Sexp.compare s (Atom "z")) (Sexp.equal s s);
  Format.printf "%a@." Sexp.pp_hum s
