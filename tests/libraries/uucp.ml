(* Properties of characters. *)
let () =
  let u = Uchar.of_int in
  List.iter
    (fun c ->
      Format.printf "%04X %a %a %b %b %s@." c Uucp.Gc.pp (Uucp.Gc.general_category (u c))
        Uucp.Script.pp (Uucp.Script.script (u c))
        (Uucp.White.is_white_space (u c)) (Uucp.Alpha.is_alphabetic (u c)) (Uucp.Name.name (u c)))
    [ 0x41; 0xE9; 0x20; 0x3B1; 0x1F42A; 0x4E2D; 0xD7A3; 0x660 ];
  let map f s =
    let b = Buffer.create 10 in
    let add _ _ = function
      | `Uchar c -> (match f c with `Self -> Uutf.Buffer.add_utf_8 b c | `Uchars l ->
        List.iter (Uutf.Buffer.add_utf_8 b) l)
      | `Malformed _ -> () in
    Uutf.String.fold_utf_8 add () s;
    Buffer.contents b
  in
  print_endline (map Uucp.Case.Map.to_upper "stra\195\159e \206\177");
  print_endline (map Uucp.Case.Map.to_lower "\195\137T\195\137");
  print_endline (map Uucp.Case.Fold.fold "\195\159");
  Format.printf "%a %d %s@." Uucp.Age.pp (Uucp.Age.age (u 0x1F42A)) (Uucp.Break.tty_width_hint (u
    0x4E2D)) Uucp.unicode_version;
  Printf.printf "%s\n" (match Uucp.Num.numeric_value (u 0xBD) with `Frac (a, b) ->
    Printf.sprintf "%d/%d" a b | _ -> "-")
