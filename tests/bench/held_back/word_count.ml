(* strings: Words of a text counted, sorted and printed: split, trim, lowercase, hash tables, sorts
   of strings. *)
let vocabulary =
  String.split_on_char ' '
    "the of and to in a is that for it as was with be by on not he his but at are this have from \
     or had an they which one you were all her she there would their we him been has when who will \
     no more if out so up said what its about than into them can only other"

let text =
  let words = Array.of_list vocabulary in
  let n = Array.length words and seed = ref 5 in
  let next () = seed := ((!seed * 1103515245) + 12345) land 0x3fffffff; !seed lsr 9 in
  let lines = List.init 10_000 (fun _ ->
    String.concat " " (List.init 10 (fun k ->
      let w = words.(next () mod n * (next () mod n) / n) in
      match next () mod 12 with
      | 0 -> String.capitalize_ascii w ^ ","
      | 1 -> w ^ "ing"
      | 2 when k = 9 -> w ^ "."
      | 3 -> "\"" ^ String.uppercase_ascii w ^ "\""
      | _ -> w))) in
  String.concat "\n" lines

let clean word =
  let keep c = (c >= 'a' && c <= 'z') || c = '-' in
  let n = String.length word in
  let first = ref 0 and last = ref (n - 1) in
  while !first < n && not (keep word.[!first]) do incr first done;
  while !last >= !first && not (keep word.[!last]) do decr last done;
  String.sub word !first (!last - !first + 1)

let () =
  let counts = Hashtbl.create 100 and lengths = Array.make 20 0 in
  for _ = 1 to 3 do
    List.iter
      (fun line ->
        String.split_on_char ' ' line
        |> List.map (fun w -> clean (String.lowercase_ascii w))
        |> List.iter (fun w ->
             lengths.(String.length w) <- lengths.(String.length w) + 1;
             match Hashtbl.find_opt counts w with
             | None -> Hashtbl.add counts w (ref 1)
             | Some r -> incr r))
      (String.split_on_char '\n' text)
  done;
  let all = Hashtbl.fold (fun w r all -> (w, !r) :: all) counts [] in
  let by_count =
    List.sort (fun (a, n) (b, m) -> if n <> m then compare m n else String.compare a b) all in
  List.iteri (fun i (w, n) -> if i < 4 then Printf.printf "%-8s %6d\n" w n) by_count;
  let sorted =
    List.sort String.compare
      (String.split_on_char ' ' (String.map (fun c -> if c = '\n' then ' ' else c) text)) in
  let unique = List.sort_uniq compare sorted in
  Printf.printf "%d words, %d unique, first %s\n"
    (List.length sorted) (List.length unique) (List.hd unique);
  Array.iteri (fun i n -> if n > 0 then Printf.printf "%d:%d " i n) lengths;
  print_newline ()
