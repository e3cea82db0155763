(* cstruct: views of memory outside of the heap. *)

let () =
  let line format = Printf.printf (format ^^ "\n") in
  let a = Cstruct.create 32 in
  Cstruct.BE.set_uint32 a 0 0xdeadbeefl;
  Cstruct.LE.set_uint64 a 8 0x0123456789abcdefL;
  Cstruct.blit_from_string "camel" 0 a 16 5;
  line "%S" (Cstruct.to_string a);
  let b = Cstruct.sub a 16 5 in
  line "%s %d" (Cstruct.to_string b) (Cstruct.length b);
  line "%b %b" (Cstruct.equal b (Cstruct.of_string "camel")) (Cstruct.compare a b > 0);
  Cstruct.memset b 0x78;
  line "%s" (Cstruct.to_string (Cstruct.append b (Cstruct.of_string "!")));
  Cstruct.blit a 0 a 2 10;
  line "%s" (Digest.to_hex (Digest.string (Cstruct.to_string a)));
  match Cstruct.sub a 30 5 with
  | _ -> line "too long"
  | exception Invalid_argument _ -> line "out of bounds"
