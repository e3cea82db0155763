(* sha: digests of strings, of bytes outside of the heap, and of a file that its C opens. *)

let () =
  let line format = Printf.printf (format ^^ "\n") in
  line "%s" (Sha1.to_hex (Sha1.string "camel"));
  line "%s" (Sha256.to_hex (Sha256.string (String.make 1000 'x')));
  line "%s" (Sha512.to_hex (Sha512.string ""));
  let context = Sha256.init () in
  List.iter (Sha256.update_string context) [ "one"; "two"; "three" ];
  line "%s" (Sha256.to_hex (Sha256.finalize context));
  let file = Filename.concat (Sys.getcwd ()) "sha.tmp" in
  let output = open_out file in
  output_string output (String.init 100_000 (fun i -> Char.chr (i land 127)));
  close_out output;
  line "%s" (Sha1.to_hex (Sha1.file file));
  line "%s" (Sha512.to_hex (Sha512.file_fast file));
  Sys.remove file
