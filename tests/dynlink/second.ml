(* A plugin that uses the one before it, and handles and raises exceptions of the host's. *)
exception Own of int

let transform n = if n mod 7 = 0 then raise Not_found else First.transform n * 2
let safe f n = try f n with Not_found -> -n | Own m -> m
let make f list =
  List.map (safe f) (First.make (safe (fun n -> if n > 50 then raise (Own n) else n)) list)

let rec even n = n = 0 || odd (n - 1)
and odd n = n <> 0 && even (n - 1)

let () =
  Api.log "second" (string_of_bool (even 100_001));
  (try ignore (Api.twice (fun n -> n) 2000)
   with Api.Refused n -> Api.log "second" ("refused " ^ n));
  let sorted = List.sort (fun a b -> compare b a) (List.init 300 (fun i -> i * 31 mod 101)) in
  Api.log "second"
    (String.concat "," (List.map string_of_int (List.filteri (fun i _ -> i < 8) sorted)));
  let copy : int -> int =
    Marshal.from_string (Marshal.to_string (fun n -> n + 1) [ Marshal.Closures ]) 0 in
  Api.log "second" (string_of_int (copy 1));
  Api.register { name = "second"; transform; make }
