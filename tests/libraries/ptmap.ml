(* Maps over integers as Patricia trees. *)
let () =
  let m = List.fold_left (fun m i -> Ptmap.add (i * 7919 mod 1009) i m) Ptmap.empty (List.init 1000
    (fun i -> i)) in
  Printf.printf "%d %d %b\n" (Ptmap.cardinal m) (Ptmap.find 14 m) (Ptmap.mem 1008 m);
  let even = Ptmap.filter (fun k _ -> k land 1 = 0) m in
  Printf.printf "%d %d\n" (Ptmap.cardinal even) (Ptmap.fold (fun k v s -> (k * v) + s) even 0);
  let left, found, right = Ptmap.split 500 m in
  Printf.printf "%d %s %d\n" (Ptmap.cardinal left) (match found with Some n -> string_of_int n
    | None -> "-") (Ptmap.cardinal right);
  let merged = Ptmap.merge (fun _ a b -> match (a, b) with Some x, Some y -> Some (x + y)
    | Some x, None -> Some x | _ -> None) m even in
  Printf.printf "%d\n" (Ptmap.fold (fun _ v s -> v + s) merged 0);
  Printf.printf "%d %d\n" (fst (Ptmap.min_binding m)) (fst (Ptmap.max_binding m));
  Printf.printf "%b %d\n" (Ptmap.equal ( = ) m m) (Ptmap.compare compare m even |> compare 0);
  (try ignore (Ptmap.find (-1) m) with Not_found -> print_endline "not found");
  let neg = Ptmap.add (-5) 0 (Ptmap.add min_int 1 Ptmap.empty) in
  Ptmap.iter (fun k v -> Printf.printf "%d=%d " k v) neg;
  print_newline ()
