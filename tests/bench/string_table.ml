(* strings: A hash table of a million strings, built, searched and thinned out. *)
let () =
  let table = Hashtbl.create 16 in
  for i = 0 to 999_999 do Hashtbl.replace table (string_of_int (i * 7919)) (string_of_int i) done;
  let found = ref 0 in
  for i = 0 to 1_999_999 do if Hashtbl.mem table (string_of_int (i * 7919)) then incr found done;
  for i = 0 to 499_999 do Hashtbl.remove table (string_of_int (i * 2 * 7919)) done;
  let length = Hashtbl.fold (fun k v n -> n + String.length k + String.length v) table 0 in
  Printf.printf "%d %d %d\n" !found (Hashtbl.length table) length
