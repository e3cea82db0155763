(* strings: Regular expressions over DNA: how often each of several alternatives occurs in a
   generated sequence, then what replacing patterns makes of it. *)

(* A sequence in lines of 60, with repeats: pieces of a short one, and letters by their weights. *)
let sequence length =
  let state = ref 42 in
  let random bound =
    state := ((!state * 3877) + 29573) mod 139968;
    !state * bound / 139968
  in
  let letters = "aaaaaaaaaacccccggggggtttttttttacgtBDHKMNRSVWY" in
  let repeat = "ggccgggcgcggtggctcacgcctgtaatcccagcactttgggaggccgaggcgggcggatcacctgaggtcagg" in
  let text = Buffer.create length in
  while Buffer.length text < length do
    if Buffer.length text mod 600 = 0 then Buffer.add_string text ">SEQUENCE\n";
    for _ = 1 to 60 do
      let letter =
        if random 5 = 0 then repeat.[random (String.length repeat)]
        else letters.[random (String.length letters)]
      in
      Buffer.add_char text letter
    done;
    Buffer.add_char text '\n'
  done;
  Buffer.contents text

let variants =
  [ "agggtaaa\\|tttaccct"; "[cgt]gggtaaa\\|tttaccc[acg]"; "a[act]ggtaaa\\|tttacc[agt]t";
    "ag[act]gtaaa\\|tttac[agt]ct"; "agg[act]taaa\\|ttta[agt]cct"; "aggg[acg]aaa\\|ttt[cgt]ccct";
    "agggt[cgt]aa\\|tt[acg]accct"; "agggta[cgt]a\\|t[acg]taccct"; "agggtaa[cgt]\\|[acg]ttaccct";
    "tata+\\|\\(ca\\)+g"; "g\\(a\\|t\\)*c" ]

let replacements =
  [ "B", "(c|g|t)"; "D", "(a|g|t)"; "H", "(a|c|t)"; "K", "(g|t)"; "M", "(a|c)"; "N", "(a|c|g|t)";
    "R", "(a|g)"; "S", "(c|g)"; "V", "(a|c|g)"; "W", "(a|t)"; "Y", "(c|t)" ]

let count pattern text =
  let expression = Str.regexp pattern in
  let rec from position found =
    match Str.search_forward expression text position with
    | exception Not_found -> found
    | _ -> from (max (position + 1) (Str.match_end ())) (found + 1)
  in
  from 0 0

let () =
  let text = sequence 2_400_000 in
  let clean = Str.global_replace (Str.regexp ">.*\n\\|\n") "" text in
  List.iter (fun pattern -> Printf.printf "%s %d\n" pattern (count pattern clean)) variants;
  let replace text (pattern, by) = Str.global_replace (Str.regexp pattern) by text in
  let expanded = List.fold_left replace clean replacements in
  let swapped = Str.global_replace (Str.regexp "\\([ag]\\)\\([ct]\\)") "\\2\\1" expanded in
  Printf.printf "%d %d %d %d\n" (String.length text) (String.length clean)
    (String.length expanded) (Hashtbl.hash (Digest.string swapped))
