(* Bytes outside of the heap: read, written, moved, compared. *)
let () =
  let b = Bigstringaf.of_string ~off:0 ~len:26 "abcdefghijklmnopqrstuvwxyz" in
  Bigstringaf.blit b ~src_off:0 b ~dst_off:5 ~len:10;
  print_endline (Bigstringaf.to_string b);
  Bigstringaf.set_int32_be b 0 0x01020304l;
  Bigstringaf.set_int64_le b 8 0x1122334455667788L;
  Bigstringaf.set_int16_be b 4 0xbeef;
  Printf.printf "%S\n" (Bigstringaf.to_string b);
  Printf.printf "%ld %Lx %d %d\n" (Bigstringaf.get_int32_le b 0) (Bigstringaf.get_int64_be b 8)
    (Bigstringaf.get_int16_sign_extended_be b 4) (Bigstringaf.get_int16_le b 4);
  let c = Bigstringaf.copy b ~off:2 ~len:20 in
  Printf.printf "%d %d\n" (Bigstringaf.memcmp b 2 c 0 20) (compare (Bigstringaf.memcmp b 0 c 0 5)
    0);
  Printf.printf "%d %d\n" (Bigstringaf.memcmp_string c 0 "zz" 0 2
    |> compare 0) (Bigstringaf.memchr c 0 'z' 20);
  let s = Bytes.make 5 '.' in
  Bigstringaf.blit_to_bytes b ~src_off:20 s ~dst_off:1 ~len:3;
  print_endline (Bytes.to_string s);
  Bigstringaf.blit_from_string "CAMEL" ~src_off:1 b ~dst_off:21 ~len:4;
  print_endline (Bigstringaf.substring b ~off:16 ~len:10);
  (try Bigstringaf.blit b ~src_off:20 c ~dst_off:0 ~len:10 with Invalid_argument m ->
    print_endline m);
  (try ignore (Bigstringaf.get_int64_le c 15) with Invalid_argument m -> print_endline m);
  let big = Bigstringaf.create 100_000 in
  for i = 0 to 99_999 do Bigstringaf.set big i (Char.chr (i * i land 255)) done;
  Bigstringaf.blit big ~src_off:1 big ~dst_off:0 ~len:99_999;
  print_endline (Digest.to_hex (Digest.string (Bigstringaf.to_string big)))
