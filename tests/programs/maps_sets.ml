(* The Map and Set functors: insertion, removal, splitting, merging, ordering by a custom
   comparison. *)
module Int_map = Map.Make (Int)
module Str_set = Set.Make (String)
module By_length = Set.Make (struct
  type t = string
  let compare a b = match compare (String.length a) (String.length b) with 0 -> compare a b | c -> c
end)
module Pair_map = Map.Make (struct type t = int * string let compare = compare end)

let rec range a b = if a > b then [] else a :: range (a + 1) b
let show_map m =
  Int_map.bindings m |> List.map (fun (k, v) -> Printf.sprintf "%d:%s" k v) |> String.concat " "
let show_set s = String.concat "," (Str_set.elements s)

let () =
  let m =
    List.fold_left
      (fun m i -> Int_map.add (i * 37 mod 101) (string_of_int i) m)
      Int_map.empty (range 1 20) in
  print_endline (show_map m);
  Printf.printf "%d %s %s\n" (Int_map.cardinal m) (snd (Int_map.min_binding m))
    (snd (Int_map.max_binding m));
  let below, at, above = Int_map.split 50 m in
  Printf.printf "%d %b %d\n" (Int_map.cardinal below) (at <> None) (Int_map.cardinal above);
  let m2 = Int_map.map String.length (Int_map.filter (fun k _ -> k mod 2 = 0) m) in
  Printf.printf "%d\n" (Int_map.fold (fun k v acc -> acc + (k * v)) m2 0);
  let merged =
    Int_map.merge
      (fun _ a b -> match a, b with Some a, Some b -> Some (a ^ string_of_int b) | _ -> None)
      m m2
  in
  print_endline (show_map merged);
  let u =
    Int_map.union (fun _ a b -> Some (a ^ "+" ^ b)) below
      (Int_map.singleton (fst (Int_map.min_binding m)) "new") in
  print_endline (show_map u);
  let m3 = List.fold_left (fun m k -> Int_map.remove k m) m (range 0 60) in
  print_endline (show_map m3);
  let up = Int_map.update 74 (Option.map (fun s -> s ^ "!")) m3 in
  Printf.printf "%b %b %d\n" (Int_map.equal ( = ) m3 up) (Int_map.mem 74 up)
    (Int_map.compare compare m3 up);
  let s = Str_set.of_list [ "pear"; "apple"; "fig"; "apple"; "kiwi" ] in
  let t = Str_set.of_list [ "fig"; "plum"; "apple" ] in
  print_endline (show_set (Str_set.union s t));
  print_endline (show_set (Str_set.inter s t));
  print_endline (show_set (Str_set.diff s t));
  Printf.printf "%b %b %s\n" (Str_set.subset t s) (Str_set.mem "kiwi" s) (Str_set.choose t);
  let yes, no = Str_set.partition (fun w -> String.length w > 4) (Str_set.union s t) in
  Printf.printf "%s | %s\n" (show_set yes) (show_set no);
  print_endline
    (String.concat " " (By_length.elements (By_length.of_list [ "ccc"; "a"; "bb"; "aa"; "dddd" ])));
  let pm = Pair_map.of_seq (List.to_seq [ ((2, "b"), 1.5); ((1, "z"), 2.5); ((2, "a"), 3.5) ]) in
  Pair_map.iter (fun (i, s) f -> Printf.printf "%d%s=%g " i s f) pm;
  print_newline ();
  let big =
    List.fold_left
      (fun m i -> Int_map.add ((i * 7919) land 1023) i m)
      Int_map.empty (range 1 600) in
  Printf.printf "%d %d\n" (Int_map.cardinal big)
    (Int_map.fold (fun k v a -> (a * 31) + k + v) big 7);
  (match Int_map.find_first_opt (fun k -> k >= 500) big with
   | Some (k, v) -> Printf.printf "%d %d\n" k v
   | None -> print_endline "none");
  try ignore (Int_map.find 5000 big) with Not_found -> print_endline "not found"
