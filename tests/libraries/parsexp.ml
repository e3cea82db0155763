(* A reader of s-expressions that knows positions. *)
let () =
  let text = "; data\n(camel (humps 2))\n(yak (humps 0))\n" in
  let sexps = Parsexp.Many.parse_string_exn text in
  List.iter (fun s -> print_endline (Sexplib0.Sexp.to_string s)) sexps;
  (match Parsexp.Single.parse_string "(a b" with
  | Ok _ -> ()
  | Error e -> Parsexp.Parse_error.report Format.std_formatter e ~filename:"input");
  let sexp, positions = Parsexp.Single_and_positions.parse_string_exn "(a\n (b c))" in
  (match sexp with
  | List [ _; (List _ as inner) ] -> (
      match Parsexp.Positions.find_sub_sexp_phys positions sexp ~sub:inner with
      | Some range -> Printf.printf "%d:%d\n" range.start_pos.line range.start_pos.col
      | None -> print_endline "no position")
  | _ -> ());
  let state = Parsexp.Many.State.create () in
  let stack = Parsexp.Many.feed_string state "(1 2) (3" Parsexp.Many.Stack.empty in
  let stack = Parsexp.Many.feed_string state " 4)" stack in
  Printf.printf "%d\n" (List.length (Parsexp.Many.feed_eoi state stack));
  match Parsexp.Conv_single.parse_string "(1 x)" (Sexplib0.Sexp_conv.list_of_sexp
    Sexplib0.Sexp_conv.int_of_sexp) with
  | Ok l -> Printf.printf "%d\n" (List.length l)
  | Error e -> Parsexp.Conv_error.report Format.std_formatter e ~filename:"input"
