(* Text in graphemes, words, sentences and lines. *)
let () =
  let text =
    "Caf\195\169 au lait, e\204\129t\195\169! \
    \240\159\135\171\240\159\135\183\240\159\135\169\240\159\135\170 It's 3.14.\nNew line." in
  let pieces kind = List.rev (Uuseg_string.fold_utf_8 kind (fun acc s -> s :: acc) [] text) in
  List.iter
    (fun (name, kind) ->
      let l = pieces kind in
      Printf.printf "%s %d: %s\n" name (List.length l) (String.concat "|" (List.map String.escaped
        l)))
    [ ("graphemes", `Grapheme_cluster); ("words", `Word); ("sentences", `Sentence);
      ("lines", `Line_break) ];
  print_endline Uuseg.unicode_version;
  Format.printf "%a@." Uuseg_string.pp_utf_8_text
    "some text that is long enough to be broken where lines may be broken, which is at spaces";
  let s = Uuseg.create `Grapheme_cluster in
  (match Uuseg.add s (`Uchar (Uchar.of_int 0x61)) with `Boundary -> print_endline "boundary" | _ ->
    print_endline "none")
