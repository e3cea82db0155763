(* allocation: A weak array of 10,000 elements, written in turn, by half of the rounds. *)
type record = { number : int; mutable seen : bool }

let () =
  let size = 10_000 in
  let weak = Weak.create size in
  let next = ref 0 and found = ref 0 in
  for number = 1 to 8_000_000 do
    let record = { number; seen = false } in
    if Random.bool () then begin
      Weak.set weak !next (Some record);
      next := (!next + 1) mod size
    end;
    if number land 1023 = 0 then
      match Weak.get weak ((!next + size - 1) mod size) with
      | Some last when not last.seen -> last.seen <- true; incr found
      | Some _ | None -> ()
  done;
  Gc.full_major ();
  let alive = ref 0 in
  for i = 0 to size - 1 do if Weak.check weak i then incr alive done;
  Printf.printf "%b %d\n" (!found > 1000) !alive
