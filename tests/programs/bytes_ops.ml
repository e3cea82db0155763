(* Mutable byte strings: fill, blit, overlapping moves, integer accessors of each width. *)
let hex b =
  String.concat ""
    (List.map (fun c -> Printf.sprintf "%02x" (Char.code c)) (List.of_seq (Bytes.to_seq b)))
let attempt f = try f () with Invalid_argument m -> print_endline ("! " ^ m)

let reverse b =
  let n = Bytes.length b in
  for i = 0 to (n / 2) - 1 do
    let t = Bytes.get b i in
    Bytes.set b i (Bytes.get b (n - 1 - i));
    Bytes.set b (n - 1 - i) t
  done

let () =
  let b = Bytes.make 24 '\000' in
  Bytes.set_uint8 b 0 0xab;
  Bytes.set_int8 b 1 (-2);
  Bytes.set_uint16_le b 2 0x1234;
  Bytes.set_uint16_be b 4 0x1234;
  Bytes.set_int32_le b 6 0xdeadbeefl;
  Bytes.set_int32_be b 10 0x01020304l;
  Bytes.set_int64_le b 14 0x1122334455667788L;
  print_endline (hex b);
  Printf.printf "%d %d %d %d\n" (Bytes.get_uint8 b 1) (Bytes.get_int8 b 1)
    (Bytes.get_uint16_be b 2) (Bytes.get_int16_le b 6);
  Printf.printf "%ld %ld %Ld %Lx\n" (Bytes.get_int32_le b 6) (Bytes.get_int32_be b 6)
    (Bytes.get_int64_le b 14) (Bytes.get_int64_be b 14);
  let c = Bytes.of_string "abcdefghij" in
  Bytes.blit c 0 c 2 6;
  print_endline (Bytes.to_string c);
  let c = Bytes.of_string "abcdefghij" in
  Bytes.blit c 2 c 0 6;
  print_endline (Bytes.to_string c);
  Bytes.blit_string "XYZ" 0 c 5 3;
  reverse c;
  print_endline (Bytes.to_string c);
  Bytes.fill c 1 4 '*';
  print_endline (Bytes.to_string c);
  print_endline (Bytes.to_string (Bytes.cat c (Bytes.sub c 0 3)));
  print_endline (Bytes.to_string (Bytes.extend (Bytes.sub c 2 4) (-1) (-1)));
  attempt (fun () -> Bytes.set c 10 'x');
  attempt (fun () -> Bytes.fill c 5 6 'x');
  attempt (fun () -> ignore (Bytes.get_int64_le b 17));
  attempt (fun () -> ignore (Bytes.create (-1)));
  attempt (fun () -> Bytes.blit c 0 b 20 5);
  attempt (fun () -> ignore (Bytes.create (Sys.max_string_length + 1)));
  Printf.printf "%d %b\n" (Bytes.compare c (Bytes.copy c)) (Bytes.equal c (Bytes.of_string "abc"));
  print_endline (Bytes.to_string (Bytes.map Char.uppercase_ascii (Bytes.of_string "upper")));
  print_endline
    (Bytes.to_string
       (Bytes.concat (Bytes.of_string "-")
          [ Bytes.of_string "a"; Bytes.empty; Bytes.of_string "b" ]));
  let s = "0123456789abcdef" in
  Printf.printf "%x %lx %Lx\n" (String.get_uint16_be s 1) (String.get_int32_le s 2)
    (String.get_int64_le s 8);
  for n = 0 to 17 do
    let b = Bytes.init n (fun i -> Char.chr (65 + i)) in
    Printf.printf "%d:%s " (Bytes.length b) (Bytes.unsafe_to_string b)
  done;
  print_newline ()
