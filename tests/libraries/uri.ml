(* Takes addresses apart, changes and resolves them. *)
let () =
  let u = Uri.of_string "https://joe:pa%20ss@example.org:8080/a/b%2fc/?q=1&r=x,y&q=%C3%A9#frag" in
  let show = Option.value ~default:"-" in
  Printf.printf "%s %s %s %d %s %s\n" (show (Uri.scheme u)) (show (Uri.userinfo u)) (show (Uri.host
    u))
    (Option.value ~default:0 (Uri.port u)) (Uri.path u) (show (Uri.fragment u));
  List.iter (fun (k, vs) -> Printf.printf "%s=%s\n" k (String.concat ";" vs)) (Uri.query u);
  print_endline (Uri.to_string (Uri.add_query_param' u ("new", "a b&c")));
  print_endline (Uri.to_string (Uri.with_path u "/x y/é"));
  print_endline (Uri.to_string (Uri.remove_query_param u "q"));
  let base = Uri.of_string "http://a/b/c/d;p?q" in
  List.iter
    (fun r -> Printf.printf "%s -> %s\n" r (Uri.to_string (Uri.resolve "http" base (Uri.of_string
      r))))
    [ "g"; "./g/"; "/g"; "//g"; "?y"; "#s"; "../../../g"; "g;x=1/../y"; "http:g" ];
  print_endline (Uri.pct_encode ~component:`Query_value "a=b&c d/é");
  print_endline (Uri.pct_decode "%41%zz%C3%A9");
  print_endline (Uri.to_string (Uri.canonicalize (Uri.of_string
    "HTTP://Example.ORG:80/%7Euser/./x/../y")));
  Printf.printf "%d %b\n" (Uri.compare u base) (Uri.equal u (Uri.of_string (Uri.to_string u)));
  print_endline (Uri.to_string (Uri.make ~scheme:"ftp" ~host:"::1" ~port:21 ~query:[ ("k", [ "v" ])
    ] ()))
