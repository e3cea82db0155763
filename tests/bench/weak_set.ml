(* allocation: Strings made unique by a weak hash set: some are kept, most die. *)
module Names = Weak.Make (struct
  type t = string
  let equal = String.equal
  let hash = Hashtbl.hash
end)

let () =
  let names = Names.create 1000 in
  let kept = Array.make 5_000 "" in
  let shared = ref 0 in
  for i = 1 to 1_000_000 do
    let name = "name" ^ string_of_int (i * 7919 mod 40_000) in
    let unique = Names.merge names name in
    if unique != name then incr shared;
    if i land 3 = 0 then kept.(i / 4 mod 5_000) <- unique
  done;
  let all_found = Array.for_all (fun name -> Names.find names name == name) kept in
  Printf.printf "%b %b %b\n" (!shared > 100_000) all_found (Names.count names >= 5_000)
