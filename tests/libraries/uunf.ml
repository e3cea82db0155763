(* The four normal forms. *)
let normal form s =
  let b = Buffer.create 20 in
  let n = Uunf.create form in
  let rec add v = match Uunf.add n v with `Uchar u -> Uutf.Buffer.add_utf_8 b u; add `Await | `Await
    | `End -> () in
  Uutf.String.fold_utf_8 (fun () _ -> function `Uchar _ as u -> add u | `Malformed _ ->
    add (`Uchar Uutf.u_rep)) () s;
  add `End;
  Buffer.contents b
let () =
  let texts = [ "\195\169"; "e\204\129"; "\239\172\129"; "\234\176\128"; "q\204\135\204\163";
    "\226\132\171"; "plain" ] in
  List.iter
    (fun t -> List.iter (fun form -> Printf.printf "%S " (normal form t)) [ `NFC; `NFD; `NFKC;
      `NFKD ]; print_newline ())
    texts;
  Printf.printf "%d %d %s\n" (Uunf.ccc (Uchar.of_int 0x301)) (Uunf.ccc (Uchar.of_int 0x61))
    Uunf.unicode_version;
  let long = String.concat "" (List.init 300 (fun i -> if i mod 3 = 0 then "e\204\129" else
    "\195\164")) in
  print_endline (Digest.to_hex (Digest.string (normal `NFKD long)))
