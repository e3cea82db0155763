(* JSON as lexemes. *)
let () =
  let decode s =
    let d = Jsonm.decoder (`String s) in
    let rec go () =
      match Jsonm.decode d with
      | `Lexeme l -> Format.printf "%a " Jsonm.pp_lexeme l; go ()
      | `Error e -> let (l, c), _ = Jsonm.decoded_range d in
        Format.printf "@\n%d:%d %a@\n" l c Jsonm.pp_error e; go ()
      | `End -> Format.printf "@."
      | `Await -> assert false
    in
    go ()
  in
  decode {|{"a": [1, -2.5e3, true, null], "b\u00e9": "x\ny"}|};
  decode {|{"a": [1, 2}|};
  decode {|[1 2]|};
  decode "";
  let b = Buffer.create 50 in
  let e = Jsonm.encoder ~minify:false (`Buffer b) in
  List.iter (fun l -> ignore (Jsonm.encode e (`Lexeme l)))
    [ `Os; `Name "k"; `As; `Float 1.; `Float 0.1; `String "q\"\n"; `Bool false; `Ae; `Name "n";
      `Null; `Oe ];
  ignore (Jsonm.encode e `End);
  print_endline (Buffer.contents b);
  let d = Jsonm.decoder ~encoding:`UTF_8 `Manual in
  Jsonm.Manual.src d (Bytes.of_string "[tr") 0 3;
  ignore (Jsonm.decode d);
  (match Jsonm.decode d with `Await -> print_endline "await" | _ -> print_endline "?");
  Jsonm.Manual.src d (Bytes.of_string "ue]") 0 3;
  match Jsonm.decode d with `Lexeme (`Bool b) -> Printf.printf "%b\n" b | _ -> print_endline "?"
