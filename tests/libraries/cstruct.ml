(* Views of buffers: headers, slices, streams of bytes. *)
let () =
  let b = Cstruct.create 64 in
  Cstruct.BE.set_uint16 b 0 0x0800;
  Cstruct.LE.set_uint32 b 2 0xdeadbeefl;
  Cstruct.BE.set_uint64 b 8 0x0102030405060708L;
  Cstruct.blit_from_string "a camel" 0 b 20 7;
  Cstruct.memset (Cstruct.sub b 30 4) 0x2a;
  Cstruct.hexdump b;
  let head, tail = Cstruct.split b 20 in
  Printf.printf "%d %d %s\n" (Cstruct.length head) (Cstruct.length tail) (Cstruct.to_string ~len:7
    tail);
  Printf.printf "%lx %Lx\n" (Cstruct.BE.get_uint32 b 2) (Cstruct.LE.get_uint64 b 8);
  let c = Cstruct.concat [ Cstruct.of_string "ab"; Cstruct.of_string "cd";
    Cstruct.of_hex "65 66" ] in
  print_endline (Cstruct.to_string c);
  Printf.printf "%b %d\n" (Cstruct.equal c (Cstruct.of_string "abcdef")) (Cstruct.compare c
    (Cstruct.of_string "abd") |> compare 0);
  let rev = Cstruct.rev c in
  print_endline (Cstruct.to_string rev);
  (match Cstruct.cut ~sep:(Cstruct.of_string "cd") c with
  | Some (l, r) -> Printf.printf "%s %s\n" (Cstruct.to_string l) (Cstruct.to_string r)
  | None -> ());
  (try ignore (Cstruct.BE.get_uint32 c 4) with Invalid_argument m -> print_endline m);
  (try ignore (Cstruct.sub c 3 9) with Invalid_argument m -> print_endline m);
  let shifted = Cstruct.shift c 2 in
  Printf.printf "%s %d\n" (Cstruct.to_string shifted) (Cstruct.length (Cstruct.append c shifted));
  let rec lines it = match it () with None -> () | Some l -> print_endline (Cstruct.to_string l);
    lines it in
  lines (Cstruct.iter (fun c -> if Cstruct.length c = 0 then None else Some 2) (fun c ->
    Cstruct.sub c 0 2) c)
