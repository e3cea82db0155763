(* camlzip: compressed files and archives. *)

let () =
  let line format = Printf.printf (format ^^ "\n") in
  let text = String.concat "," (List.init 5000 string_of_int) in
  let output = Gzip.open_out ~level:9 "zip.gz" in
  Gzip.output_substring output text 0 (String.length text);
  Gzip.close_out output;
  line "%b" ((Unix.stat "zip.gz").st_size < String.length text / 2);
  let input = Gzip.open_in "zip.gz" in
  let read = Bytes.create (String.length text) in
  Gzip.really_input input read 0 (Bytes.length read);
  line "%b" (Bytes.to_string read = text);
  Gzip.close_in input;
  let archive = Zip.open_out "zip.zip" in
  Zip.add_entry text archive ~mtime:1e9 "numbers";
  Zip.add_entry "camel" archive ~level:0 ~mtime:1e9 "animals/camel";
  Zip.close_out archive;
  let archive = Zip.open_in "zip.zip" in
  List.iter
    (fun entry ->
      line "%s %d %lx" entry.Zip.filename entry.uncompressed_size entry.crc;
      line "%s" (Digest.to_hex (Digest.string (Zip.read_entry archive entry))))
    (Zip.entries archive);
  Zip.close_in archive;
  let broken = open_out_bin "zip.gz" in
  output_string broken "no gzip at all";
  close_out broken;
  (match Gzip.open_in "zip.gz" with
  | _ -> line "opened"
  | exception Gzip.Error text -> line "%s" text);
  List.iter Sys.remove [ "zip.gz"; "zip.zip" ]
