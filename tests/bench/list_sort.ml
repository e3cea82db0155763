(* closures: List.sort with a closure comparison, and a merge sort written out. *)
let rec split a b = function [] -> (a, b) | x :: r -> split (x :: b) a r
let rec merge acc a b = match a, b with
  | [], l | l, [] -> List.rev_append acc l
  | x :: r, y :: s -> if x <= (y : int) then merge (x :: acc) r b else merge (y :: acc) a s
let rec merge_sort = function
  | ([] | [ _ ]) as l -> l
  | l -> let a, b = split [] [] l in merge [] (merge_sort a) (merge_sort b)

let random_list n =
  let rec go n seed acc =
    if n = 0 then acc
    else
      let seed = ((seed * 1103515245) + 12345) land 0x7fffffff in
      go (n - 1) seed (seed :: acc) in
  go n 42 []

let () =
  let total = ref 0 in
  for round = 1 to 4 do
    let l = random_list (40_000 * round) in
    let a = merge_sort l in
    let b = List.sort (fun (x : int) y -> compare y x) l in
    if a <> List.rev b then failwith "differ";
    total := !total + List.nth a 100
  done;
  Printf.printf "%d\n" !total
