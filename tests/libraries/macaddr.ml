(* Addresses of network cards. *)
let () =
  let m = Macaddr.of_string_exn "ca:fe:ba:be:00:01" in
  Printf.printf "%s %s %S\n" (Macaddr.to_string m) (Macaddr.to_string ~sep:'-' m) (Macaddr.to_octets
    m);
  Printf.printf "%b %b\n" (Macaddr.is_unicast m) (Macaddr.is_local m);
  List.iter
    (fun s -> match Macaddr.of_string s with Ok m -> Format.printf "%a@." Macaddr.pp m
      | Error (`Msg m) -> print_endline m)
    [ "FF-FF-FF-FF-FF-FF"; "1:2"; "zz:00:00:00:00:00" ];
  Printf.printf "%d %b\n" (Macaddr.compare m Macaddr.broadcast
    |> compare 0) (Macaddr.of_octets_exn "\001\002\003\004\005\006" = m);
  Printf.printf "%s\n" (Macaddr.to_string (Macaddr.make_local (fun i -> i * 17)))
