(* Addresses and networks. *)
let () =
  let a = Ipaddr.V4.of_string_exn "192.168.1.77" in
  let net = Ipaddr.V4.Prefix.of_string_exn "192.168.0.0/16" in
  Format.printf "%a %b %a %a@." Ipaddr.V4.pp a (Ipaddr.V4.Prefix.mem a net) Ipaddr.V4.pp
    (Ipaddr.V4.Prefix.broadcast net) Ipaddr.V4.pp (Ipaddr.V4.Prefix.netmask net);
  List.iter
    (fun s ->
      match Ipaddr.of_string s with
      | Ok ip -> Printf.printf "%s\n" (Ipaddr.to_string ip)
      | Error (`Msg m) -> print_endline m)
    [ "10.0.0.1"; "::1"; "2001:db8::ff00:42:8329"; "::ffff:1.2.3.4"; "300.1.1.1"; "1:2"; "" ];
  let v6 = Ipaddr.V6.of_string_exn "fe80::1" in
  Printf.printf "%b %b\n" (Ipaddr.V6.is_private v6) (Ipaddr.V6.is_multicast v6);
  Printf.printf "%S %lx\n" (Ipaddr.V4.to_octets a) (Ipaddr.V4.to_int32 a);
  Printf.printf "%s\n" (Ipaddr.V4.to_string (Result.get_ok (Ipaddr.V4.succ (Ipaddr.V4.of_string_exn
    "10.0.0.255"))));
  (match Ipaddr.V4.succ Ipaddr.V4.broadcast with Ok _ -> () | Error (`Msg m) -> print_endline m);
  let sorted = List.sort Ipaddr.compare (List.map Ipaddr.of_string_exn [ "::2"; "9.9.9.9";
    "1.2.3.4" ]) in
  List.iter (fun ip -> print_endline (Ipaddr.to_string ip)) sorted;
  print_endline (Domain_name.to_string (Ipaddr.to_domain_name (V4 a)))
