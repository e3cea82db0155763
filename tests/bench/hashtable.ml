(* allocation: Hashtbl with integer, string and tuple keys. *)
let () =
  let ints = Hashtbl.create 16 in
  for i = 0 to 1_600_000 do
    let k = (i * 7919) land 0xffff in
    match Hashtbl.find_opt ints k with
    | Some n -> Hashtbl.replace ints k (n + 1)
    | None -> Hashtbl.add ints k 1
  done;
  let strings = Hashtbl.create 16 in
  for i = 0 to 700_000 do
    let k = "key" ^ string_of_int (i mod 5000) in
    Hashtbl.replace strings k (i + try Hashtbl.find strings k with Not_found -> 0)
  done;
  let pairs = Hashtbl.create 1024 in
  for i = 0 to 600_000 do
    let k = (i land 255, i mod 37) in
    if not (Hashtbl.mem pairs k) then Hashtbl.add pairs k i
  done;
  Printf.printf "%d %d %d\n" (Hashtbl.fold (fun _ n acc -> acc + n) ints 0)
    (Hashtbl.find strings "key77") (Hashtbl.length pairs)
