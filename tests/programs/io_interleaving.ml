(* Channel buffering: large outputs across the buffer size, flushes, positions, binary integers,
   output to stderr. *)
let () =
  for i = 1 to 3000 do
    print_int i;
    print_char (if i mod 20 = 0 then '\n' else ' ')
  done;
  let chunk = String.init 70000 (fun i -> Char.chr (32 + (i mod 90))) in
  output_string stdout chunk;
  output_char stdout '\n';
  output stdout (Bytes.of_string "0123456789") 3 4;
  output_substring stdout "abcdefgh" 2 3;
  output_byte stdout 10;
  Printf.printf "%d\n" (pos_out stdout);
  flush stdout;
  prerr_endline "to stderr";
  print_endline "ends with endline";
  output_binary_int stdout 0x41424344;
  output_value stdout [ 1; 2; 3 ];
  print_newline ();
  (try output stdout (Bytes.create 3) 2 5 with Invalid_argument m -> print_endline m);
  set_binary_mode_out stdout true;
  flush_all ();
  close_out_noerr stdout;
  try print_endline "closed"; flush stdout with Sys_error m -> prerr_endline m
