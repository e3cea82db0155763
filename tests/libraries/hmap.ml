(* Maps whose keys know their values' types. *)
let () =
  let name : string Hmap.key = Hmap.Key.create () and size : int Hmap.key = Hmap.Key.create () in
  let m = Hmap.(empty |> add name "camel" |> add size 3) in
  Printf.printf "%d %s %d\n" (Hmap.cardinal m) (Hmap.get name m) (Option.get (Hmap.find size m));
  let m = Hmap.rem name m in
  Printf.printf "%b %b\n" (Hmap.mem name m) (Hmap.is_empty m);
  (try ignore (Hmap.get name m) with Invalid_argument e -> print_endline e);
  let module M = Hmap.Make (struct type 'a t = string * ('a -> string) end) in
  let k1 = M.Key.create ("int", string_of_int) and k2 = M.Key.create ("list", String.concat "+") in
  let m = M.(empty |> add k1 5 |> add k2 [ "a"; "b" ]) in
  M.iter (fun (M.B (k, v)) -> let n, show = M.Key.info k in Printf.printf "%s %s\n" n (show v)) m;
  Printf.printf "%d\n" (M.fold (fun _ n -> n + 1) m 0)
