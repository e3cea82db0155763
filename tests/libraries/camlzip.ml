(* Archives and compressed streams, written and read. *)
let () =
  let text = String.concat "\n" (List.init 500 (fun i ->
    Printf.sprintf "%d camels walk %d miles" i (i * i))) in
  let zip = Zip.open_out "a.zip" in
  Zip.add_entry text zip "text.txt" ~mtime:1_000_000_000. ~comment:"about camels";
  Zip.add_entry "stored" zip ~level:0 "dir/plain";
  Zip.close_out zip;
  let zip = Zip.open_in "a.zip" in
  List.iter
    (fun e ->
      Printf.printf "%s %d %d %lx %s\n" e.Zip.filename e.Zip.uncompressed_size e.Zip.compressed_size
        e.Zip.crc e.Zip.comment;
      Printf.printf "%b\n" (Zip.read_entry zip e = text))
    (Zip.entries zip);
  (try ignore (Zip.find_entry zip "absent") with Not_found -> print_endline "not found");
  Zip.close_in zip;
  let oc = Gzip.open_out ~level:9 "a.gz" in
  Gzip.output_substring oc text 0 (String.length text);
  Gzip.close_out oc;
  let ic = Gzip.open_in "a.gz" in
  let b = Bytes.create 100 in
  Gzip.really_input ic b 0 100;
  print_endline (Bytes.to_string b);
  Gzip.close_in ic;
  let out = Buffer.create 100 in
  let pos = ref 0 in
  Zlib.compress (fun b -> let n = min (Bytes.length b) (String.length text - !pos) in
      Bytes.blit_string text !pos b 0 n; pos := !pos + n; n)
    (fun b n -> Buffer.add_subbytes out b 0 n);
  Printf.printf "%d %lx\n" (Buffer.length out) (Zlib.update_crc_string 0l text 0 (String.length
    text));
  let oc = open_out_bin "bad.gz" in
  output_string oc "not a gzip file at all";
  close_out oc;
  try ignore (Gzip.open_in "bad.gz") with Gzip.Error m -> print_endline m
