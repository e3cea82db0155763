(* Unicode, decoded and encoded. *)
let () =
  let show u = Printf.printf "U+%04X " (Uchar.to_int u) in
  let decode encoding s =
    let d = Uutf.decoder ?encoding (`String s) in
    let rec go () =
      match Uutf.decode d with
      | `Uchar u -> show u; go ()
      | `Malformed b -> Printf.printf "<%S> " b; go ()
      | `End -> Printf.printf "%d:%d %s\n" (Uutf.decoder_line d) (Uutf.decoder_col d)
        (Uutf.encoding_to_string (Uutf.decoder_encoding d))
      | `Await -> assert false
    in
    go ()
  in
  decode None "h\195\169\xff\n\240\159\144\170";
  decode (Some `UTF_16BE) "\000a\216\061\221\042\216";
  decode (Some `ISO_8859_1) "\233t\233";
  decode None "\254\255\000x";
  let b = Buffer.create 20 in
  let e = Uutf.encoder `UTF_16LE (`Buffer b) in
  List.iter (fun u -> ignore (Uutf.encode e (`Uchar (Uchar.of_int u)))) [ 0x61; 0x1F42A; 0xE9 ];
  ignore (Uutf.encode e `End);
  Printf.printf "%S\n" (Buffer.contents b);
  let d = Uutf.decoder ~nln:(`NLF (Uchar.of_int 10)) ~encoding:`UTF_8 `Manual in
  Uutf.Manual.src d (Bytes.of_string "a\r") 0 2;
  (match Uutf.decode d with `Uchar u -> show u | _ -> ());
  (match Uutf.decode d with `Await -> print_string "await " | `Uchar u -> show u | _ ->
    print_string "? ");
  Uutf.Manual.src d (Bytes.of_string "\nb") 0 2;
  (match Uutf.decode d with `Uchar u -> show u | _ -> ());
  print_newline ();
  Printf.printf "%d\n" (Uutf.String.fold_utf_8 (fun n _ _ -> n + 1) 0 "d\195\169j\195\160")
