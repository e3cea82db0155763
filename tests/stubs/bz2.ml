(* Strings of several kinds, there and back, by each size of a block; and what is no bzip2. *)

let show name text =
  Printf.printf "%s: %d %s\n" name (String.length text) (Digest.to_hex (Digest.string text))

let bytes n = String.init n (fun i -> Char.chr ((i * i + (i lsr 5)) land 255))

let () =
  List.iter
    (fun text ->
      for block = 1 to 9 do
        let compressed = Bz2.compress ~block (Bytes.of_string text) 0 (String.length text) in
        show "compressed" (Bytes.to_string compressed);
        let back = Bz2.uncompress compressed 0 (Bytes.length compressed) in
        print_endline (if Bytes.to_string back = text then "same" else "differs")
      done)
    [ "camel"; String.make 10_000 'a'; bytes 50_000 ];
  match Bz2.uncompress (Bytes.of_string "no bzip2 at all") 0 15 with
  | _ -> print_endline "accepted"
  | exception Bz2.Data_error -> print_endline "damaged"
