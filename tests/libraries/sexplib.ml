(* S-expressions: read, printed, converted, searched. *)
open Sexplib
open Conv
let () =
  let text = "(camel ; a comment\n (humps 2) #| block |# (names (\"a b\" c)) ())" in
  let s = Sexp.of_string text in
  print_endline (Sexp.to_string s);
  let pairs = List.init 30 (fun i -> (i, string_of_int (i * i))) in
  let sexp = sexp_of_list (sexp_of_pair sexp_of_int sexp_of_string) pairs in
  print_endline (Sexp.to_string_hum sexp);
  let back = list_of_sexp (pair_of_sexp int_of_sexp string_of_sexp) sexp in
  Printf.printf "%b\n" (back = pairs);
  (try ignore (int_of_sexp s) with Conv.Of_sexp_error (e, _) ->
    print_endline (Printexc.to_string e));
  List.iter
    (fun bad -> try ignore (Sexp.of_string bad) with e -> print_endline (Printexc.to_string e))
    [ "(a"; "a)"; "\"x" ];
  List.iter (fun s -> print_endline (Sexp.to_string s)) (Sexp.scan_sexps (Lexing.from_string
    "a (b c) \"d e\""));
  (match Sexp.search_physical s ~contained:s with `Found -> print_endline "found" | _ ->
    print_endline "not");
  let table = Hashtbl.create 7 in
  Hashtbl.add table "k" 1.5;
  print_endline (Sexp.to_string (sexp_of_hashtbl sexp_of_string sexp_of_float table));
  Sexp.save_hum "file.sexp" sexp;
  Printf.printf "%b\n" (Sexp.load_sexp "file.sexp" = sexp)
