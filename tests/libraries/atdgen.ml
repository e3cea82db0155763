(* What code that atdgen writes calls. *)
module O = Atdgen_runtime.Oj_run
let () =
  let b = Buffer.create 20 in
  O.write_list Yojson.Safe.write_int b [ 1; 2; 3 ];
  O.write_array Yojson.Safe.write_float b [| 1.; 2.5 |];
  O.write_option Yojson.Safe.write_string b (Some "x\"y");
  O.write_nullable Yojson.Safe.write_int b None;
  print_endline (Buffer.contents b);
  let state = Yojson.Safe.init_lexer () in
  let l = O.read_list Yojson.Safe.read_int state (Lexing.from_string "[4, 5,6 ]") in
  Printf.printf "%d\n" (List.fold_left ( + ) 0 l);
  (try ignore (O.read_list Yojson.Safe.read_int state (Lexing.from_string "[4, x]")) with
    Yojson.Json_error m -> print_endline m);
  (match Atdgen_runtime.Ov_run.validate_list (fun _ n ->
    if n > 2 then Some (Atdgen_runtime.Util.Validation.error [ `Index n ]) else None) [] [ 1; 2;
    3 ] with
  | Some e -> print_endline (Atdgen_runtime.Util.Validation.string_of_error e)
  | None -> print_endline "valid")
