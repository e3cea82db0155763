(* bigstringaf: copies, comparisons and searches of bytes outside of the heap. *)

let () =
  let line format = Printf.printf (format ^^ "\n") in
  let text = String.init 256 Char.chr in
  let a = Bigstringaf.of_string ~off:0 ~len:256 text in
  let b = Bigstringaf.copy a ~off:16 ~len:64 in
  line "%s" (Digest.to_hex (Digest.string (Bigstringaf.to_string b)));
  line "%d %d" (Bigstringaf.memchr a 0 'x' 256) (Bigstringaf.memchr b 0 'x' 64);
  line "%d" (Bigstringaf.memcmp a 16 b 0 64);
  line "%b" (Bigstringaf.memcmp_string a 1 text 0 10 > 0);
  Bigstringaf.blit a ~src_off:0 a ~dst_off:3 ~len:100;
  line "%s" (String.escaped (Bigstringaf.substring a ~off:0 ~len:12));
  Bigstringaf.blit_from_string "camel" ~src_off:1 b ~dst_off:2 ~len:4;
  let bytes = Bytes.make 8 '.' in
  Bigstringaf.blit_to_bytes b ~src_off:1 bytes ~dst_off:1 ~len:6;
  line "%S" (Bytes.to_string bytes);
  line "%lx %Lx" (Bigstringaf.get_int32_be a 8) (Bigstringaf.get_int64_le a 32);
  match Bigstringaf.memchr a 250 'x' 100 with
  | n -> line "%d" n
  | exception Invalid_argument text -> line "%s" text
