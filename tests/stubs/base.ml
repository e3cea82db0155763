(* base: hashes, bits, tables and exceptions. *)

module B = Base

let () =
  let line format = Printf.printf (format ^^ "\n") in
  line "%d %d" (B.String.hash "camel") (B.Int.hash 42);
  line "%d %d" (B.Hashtbl.hash [ "a"; "b" ]) (B.Float.hash 2.5);
  line "%d %d %d" (B.Int.popcount 255) (B.Int.clz 1) (B.Int.ctz 8);
  line "%d %d" (B.Int64.popcount 0x7fffL) (B.Int64.ctz 0x100L);
  line "%d" (B.Int.pow 7 20);
  (match B.Int.pow 7 64 with
  | n -> line "%d" n
  | exception _ -> line "overflow");
  let map = B.Map.of_alist_exn (module B.Int) [ (3, "c"); (1, "a"); (2, "b") ] in
  B.Map.iteri map ~f:(fun ~key ~data -> line "%d %s" key data);
  let table = B.Hashtbl.create (module B.String) in
  B.List.iter [ "x"; "y"; "x" ] ~f:(B.Hashtbl.incr table);
  line "%d %d" (B.Hashtbl.find_exn table "x") (B.Hashtbl.length table);
  line "%d" (B.String.Caseless.compare "ABC" "abd");
  line "%s" (B.Sexp.to_string (B.Exn.sexp_of_t (Failure "f")));
  line "%s" (B.Float.to_string (B.Float.round_significant 123.456 ~significant_digits:2));
  line "%d" (B.Random.State.int (B.Random.State.make [| 5 |]) 1000000);
  line "%d" (B.With_return.with_return (fun r -> r.return 7));
  line "%b"
    (match B.Exn.raise_without_backtrace Not_found with
    | () -> false
    | exception e -> B.Exn.is_phys_equal_most_recent e)
