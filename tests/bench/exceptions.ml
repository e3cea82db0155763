(* calls: Exceptions as everyday control flow: lookups that fail, early exits, deep unwinding. *)
exception Found of int

let find_first p a =
  try Array.iteri (fun i x -> if p x then raise_notrace (Found i)) a; -1 with Found i -> i
let rec lookup k = function [] -> raise Not_found | (k', v) :: r -> if k = k' then v else lookup k r
let get k env default = try lookup (k : int) env with Not_found -> default
let rec dive n = if n = 0 then raise Exit else 1 + dive (n - 1)

let () =
  let env = List.init 12 (fun i -> (i * 3, i)) in
  let a = Array.init 50 (fun i -> i * i mod 53) in
  let total = ref 0 in
  for i = 1 to 600_000 do
    total := !total + get (i mod 40) env 1;
    total := !total + find_first (fun x -> x = i land 31) a;
    if i land 15 = 0 then total := !total + (try dive 50 with Exit -> 1);
    total := !total + try int_of_string (if i land 3 = 0 then "12" else "x") with Failure _ -> 2
  done;
  Printf.printf "%d\n" !total
