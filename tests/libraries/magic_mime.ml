(* Types of files by their names. *)
let () =
  List.iter
    (fun f -> Printf.printf "%s %s\n" f (Magic_mime.lookup f))
    [ "a.html"; "b.png"; "c.tar.gz"; "d"; "e.ml"; "f.JSON"; ".g" ];
  print_endline (Magic_mime.lookup "x.svg");
  print_endline (Magic_mime.lookup ~default:"none/none" "x.unheard-of");
  List.iter print_endline (List.sort compare (Magic_mime.reverse_lookup "image/jpeg"))
