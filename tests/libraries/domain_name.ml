(* Names of hosts. *)
let () =
  let show n = Format.printf "%a@." Domain_name.pp n in
  let n = Domain_name.of_string_exn "www.Example.org" in
  show n;
  show (Domain_name.canonical n);
  Printf.printf "%d %s\n" (Domain_name.count_labels n) (String.concat "/" (Domain_name.to_strings
    n));
  List.iter
    (fun s -> match Domain_name.of_string s with Ok n -> show n | Error (`Msg m) -> print_endline m)
    [ "a..b"; String.make 70 'x'; "ok.example."; "_service._tcp.x"; "" ];
  (match Domain_name.host (Domain_name.of_string_exn "_x.y") with Ok _ -> () | Error (`Msg m) ->
    print_endline m);
  show (Domain_name.prepend_label_exn n "deep");
  show (Domain_name.drop_label_exn n);
  Printf.printf "%b %b\n" (Domain_name.equal n (Domain_name.of_string_exn "WWW.example.ORG"))
    (Domain_name.is_subdomain ~subdomain:n ~domain:(Domain_name.of_string_exn "org"));
  let set = Domain_name.Set.of_list [ n; Domain_name.canonical n; Domain_name.root ] in
  Printf.printf "%d\n" (Domain_name.Set.cardinal set)
