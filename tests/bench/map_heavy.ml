(* closures: Balanced trees from the Map and Set functors. *)
module M = Map.Make (Int)
module S = Set.Make (String)

let () =
  let m = ref M.empty in
  for i = 0 to 200_000 do
    let k = (i * 7919) land 0x3fff in
    m := M.update k (function None -> Some 1 | Some n -> Some (n + 1)) !m
  done;
  let sum = M.fold (fun k v acc -> acc + (k * v)) !m 0 in
  let found = ref 0 in
  for i = 0 to 1_000_000 do if M.mem (i land 0x7fff) !m then incr found done;
  let s = ref S.empty in
  for i = 0 to 30_000 do s := S.add (string_of_int (i * 31 mod 10007)) !s done;
  let halves = S.filter (fun k -> String.length k > 3) !s in
  for i = 0 to 16_000 do m := M.remove i !m done;
  Printf.printf "%d %d %d %d %d\n" sum !found
    (S.cardinal !s) (S.cardinal (S.diff !s halves)) (M.cardinal !m)
