(* Buffer: growth, substitution, truncation, nested use, UTF-8 and binary additions. *)
let rle s =
  let b = Buffer.create 1 in
  let rec run i =
    if i < String.length s then begin
      let j = ref i in
      while !j < String.length s && s.[!j] = s.[i] do incr j done;
      Buffer.add_char b s.[i];
      if !j - i > 1 then Buffer.add_string b (string_of_int (!j - i));
      run !j
    end
  in
  run 0;
  Buffer.contents b

let table rows =
  let b = Buffer.create 16 in
  List.iteri
    (fun i row ->
      if i > 0 then Buffer.add_char b '\n';
      List.iter (fun cell -> Printf.bprintf b "%-6s|" cell) row)
    rows;
  Buffer.contents b

let () =
  print_endline (rle "aaabbbccccd");
  print_endline (rle "");
  print_endline (table [ [ "a"; "bb" ]; [ "ccc"; "dddddddd" ] ]);
  let b = Buffer.create 0 in
  for i = 1 to 500 do Buffer.add_string b (string_of_int i) done;
  Printf.printf "%d %c %s\n" (Buffer.length b) (Buffer.nth b 700) (Buffer.sub b 100 20);
  Buffer.truncate b 12;
  print_endline (Buffer.contents b);
  let outer = Buffer.create 8 in
  Buffer.add_buffer outer b;
  Buffer.add_subbytes outer (Bytes.of_string "xyzzy") 1 3;
  Buffer.add_substring outer "hello" 2 3;
  print_endline (Buffer.contents outer);
  Buffer.clear outer;
  List.iter (fun c -> Buffer.add_utf_8_uchar outer (Uchar.of_int c))
    [ 0x41; 0xe9; 0x20ac; 0x1f42b ];
  Printf.printf "%s %d\n" (Buffer.contents outer) (Buffer.length outer);
  Buffer.reset outer;
  Buffer.add_substitute outer (fun v -> "<" ^ v ^ ">") "a $b ${cd} $(ef) \\$g";
  print_endline (Buffer.contents outer);
  Buffer.clear outer;
  Buffer.add_int16_be outer 0x4142;
  Buffer.add_int32_le outer 0x46454443l;
  Buffer.add_int64_be outer 0x4748494a4b4c4d4eL;
  print_endline (Buffer.contents outer);
  (try ignore (Buffer.nth outer 14) with Invalid_argument m -> print_endline m);
  (try Buffer.truncate outer 15 with Invalid_argument m -> print_endline m);
  Buffer.output_buffer stdout outer;
  print_newline ();
  let s = Buffer.to_seq outer |> Seq.map Char.lowercase_ascii |> String.of_seq in
  print_endline s
