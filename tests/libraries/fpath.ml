(* Paths, without looking at files. *)
let () =
  let p = Fpath.v "/usr/./lib//ocaml/../camel.tar.gz" in
  let show p = print_endline (Fpath.to_string p) in
  show (Fpath.normalize p);
  print_endline (String.concat "|" (Fpath.segs p));
  show (Fpath.parent p);
  show (Fpath.base p);
  Printf.printf "%s %s\n" (Fpath.get_ext p) (Fpath.get_ext ~multi:true p);
  show (Fpath.set_ext ".zip" p);
  show Fpath.(rem_ext ~multi:true p / "more" // v "a/b");
  List.iter
    (fun (root, p) ->
      match Fpath.relativize ~root:(Fpath.v root) (Fpath.v p) with
      | Some r -> Printf.printf "%s\n" (Fpath.to_string r)
      | None -> print_endline "none")
    [ ("/a/b", "/a/c/d"); ("a/", "a"); ("/a", "b"); ("../x", "y") ];
  Printf.printf "%b %b %b\n" (Fpath.is_prefix (Fpath.v "/usr") p) (Fpath.is_abs p)
    (Fpath.is_dir_path p);
  (match Fpath.of_string "" with Ok _ -> () | Error (`Msg m) -> print_endline m);
  let set = Fpath.Set.of_list (List.map Fpath.v [ "b"; "a"; "b/"; "a" ]) in
  Format.printf "%a@." (Fpath.Set.pp Fpath.pp) set;
  match Fpath.find_prefix (Fpath.v "a/b/c") (Fpath.v "a/b/d") with Some p -> show p | None -> ()
