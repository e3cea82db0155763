(* allocation: A large map that changes all the time. *)
module M = Map.Make (Int)
let () =
  let m = ref M.empty in
  let x = ref 1 in
  for i = 0 to 1_500_000 do
    x := (!x * 1103515245 + 12345) land 0x3fffffff;
    let k = !x land 0x7ffff in
    if i land 3 = 3 then m := M.remove k !m else m := M.add k (string_of_int i) !m
  done;
  Printf.printf "%d %d\n" (M.cardinal !m) (M.fold (fun k v a -> a + k + String.length v) !m 0)
