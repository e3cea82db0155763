(* Char and Uchar, a hand-written UTF-8 decoder, case mapping, escapes. *)
let decode s =
  let n = String.length s in
  let rec go i acc =
    if i >= n then List.rev acc
    else
      let c = Char.code s.[i] in
      let len, init =
        if c < 0x80 then (1, c)
        else if c < 0xe0 then (2, c land 0x1f)
        else if c < 0xf0 then (3, c land 0x0f)
        else (4, c land 7) in
      if i + len > n then List.rev (0xfffd :: acc)
      else begin
        let cp = ref init in
        for k = 1 to len - 1 do cp := (!cp lsl 6) lor (Char.code s.[i + k] land 0x3f) done;
        go (i + len) (!cp :: acc)
      end
  in
  go 0 []

let encode cps =
  let b = Buffer.create 16 in
  List.iter
    (fun cp -> Buffer.add_utf_8_uchar b (if Uchar.is_valid cp then Uchar.of_int cp else Uchar.rep))
    cps;
  Buffer.contents b

let () =
  List.iter
    (fun c ->
      Printf.printf "%d %C %s %c %c\n" (Char.code c) c (Char.escaped c)
        (Char.uppercase_ascii c) (Char.lowercase_ascii c))
    [ 'a'; 'Z'; '\n'; '\''; '\\'; '0' ];
  for i = 0 to 255 do if i mod 37 = 0 then Printf.printf "%s " (Char.escaped (Char.chr i)) done;
  print_newline ();
  (try ignore (Char.chr 256) with Invalid_argument m -> print_endline m);
  let s = "naïve – 10 € 🐫" in
  let cps = decode s in
  List.iter (Printf.printf "U+%04X ") cps;
  Printf.printf "\n%b %d %d\n" (encode cps = s) (String.length s) (List.length cps);
  Printf.printf "%b %b %d\n" (Uchar.is_valid 0xd800) (Uchar.is_valid 0x10ffff)
    (Uchar.to_int Uchar.bom);
  (try ignore (Uchar.of_int 0xdfff) with Invalid_argument m -> print_endline m);
  Printf.printf "%c %b %d\n" (Uchar.to_char (Uchar.of_int 65)) (Uchar.is_char (Uchar.of_int 300))
    (Uchar.hash (Uchar.of_int 300));
  Printf.printf "%d %d\n" (Char.compare 'a' 'b') (Uchar.compare Uchar.max Uchar.min);
  let b = Buffer.create 8 in
  Buffer.add_utf_16be_uchar b (Uchar.of_int 0x1f42b);
  Buffer.add_utf_16le_uchar b (Uchar.of_int 0x20ac);
  String.iter (fun c -> Printf.printf "%02x" (Char.code c)) (Buffer.contents b);
  print_newline ();
  print_endline (encode [ 0x41; 0xd800; 0x20ac ])
