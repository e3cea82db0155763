(* Errors as values, joined and reported. *)
open Rresult
let parse s = try R.ok (int_of_string s) with Failure m -> R.error_msgf "%s: %S" m s
let sum l = List.fold_left (fun acc s -> acc >>= fun n -> parse s >>| ( + ) n) (R.ok 0) l
let () =
  let show r = Format.printf "%a@." (R.pp ~ok:Format.pp_print_int ~error:R.pp_msg) r in
  show (sum [ "1"; "2"; "39" ]);
  show (sum [ "1"; "two" ]);
  show (R.reword_error_msg (fun m -> R.msgf "while adding: %s" m) (sum [ "x" ]));
  show (R.trap_exn (fun s -> int_of_string s) "z" |> R.error_exn_trap_to_msg
    |> R.reword_error (fun (`Msg m) -> `Msg (String.sub m 0 9)));
  Printf.printf "%d\n" (R.ignore_error ~use:(fun _ -> -1) (parse "q"));
  (try ignore (R.failwith_error_msg (parse "bad")) with Failure m -> print_endline m);
  (try ignore (R.get_ok (parse "bad")) with Invalid_argument m -> print_endline m);
  Printf.printf "%b %b\n" (R.is_ok (parse "4")) (R.equal ~ok:( = ) ~error:( = ) (parse "4") (Ok 4))
