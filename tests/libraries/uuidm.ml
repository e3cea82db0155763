(* Universally unique names. *)
let () =
  let show u = print_endline (Uuidm.to_string u) in
  show (Uuidm.v5 Uuidm.ns_dns "www.example.org");
  show (Uuidm.v3 Uuidm.ns_url "http://example.org");
  show (Uuidm.v4 (Bytes.of_string "0123456789abcdef"));
  show (Uuidm.v4_gen (Random.State.make [| 7 |]) ());
  List.iter
    (fun s -> match Uuidm.of_string s with Some u -> Format.printf "%a@." (Uuidm.pp_string
      ~upper:true) u | None -> print_endline "none")
    [ "cfbff0d1-9375-5685-968c-48ce8b15ae17"; "cfbff0d1-9375";
      "xfbff0d1-9375-5685-968c-48ce8b15ae17" ];
  Printf.printf "%S %d\n" (Uuidm.to_bytes Uuidm.ns_oid) (Uuidm.compare Uuidm.ns_dns Uuidm.ns_url
    |> compare 0);
  Printf.printf "%b\n" (Uuidm.equal Uuidm.nil (Option.get (Uuidm.of_bytes (String.make 16 '\000'))))
