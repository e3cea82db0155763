(* Recursion of several kinds, deeper than a small native stack allows: each ends in an exception,
   and the program goes on. *)

let rec sum n = if n = 0 then 0 else 1 + sum (n - 1)
let rec sum_of_floats x = if x = 0. then 0. else 1. +. sum_of_floats (x -. 1.)

let rec many a b c d e f n =
  if n = 0 then 0
  else
    let rest = many b c d e f a (n - 1) in
    rest + a + b + c + d + e + f

let rec handlers n = try if n = 0 then 0 else 1 + handlers (n - 1) with Not_found -> 2
let rec closures f n = if n = 0 then f 0 else 1 + closures (fun x -> f (x + n)) (n - 1)

let rec formats n () =
  if n = 0 then "" else Printf.sprintf "%d%t" 1 (fun () -> ignore (formats (n - 1) ()); "")

let rec sorts n =
  if n = 0 then 0
  else begin
    let array = [| 2; 1 |] in
    Array.sort (fun x y -> compare x y) array;
    array.(0) + sorts (n - 1)
  end

let attempt name f =
  match f () with
  | () -> print_endline (name ^ ": done")
  | exception Stack_overflow -> print_endline (name ^ ": Stack_overflow")

let deep = 100_000
let list = List.init deep Fun.id

let () =
  attempt "sum" (fun () -> ignore (sum deep));
  attempt "sum of floats" (fun () -> ignore (sum_of_floats (float deep)));
  attempt "many" (fun () -> ignore (many 1 2 3 4 5 6 deep));
  attempt "handlers" (fun () -> ignore (handlers deep));
  attempt "closures" (fun () -> ignore (closures Fun.id deep));
  attempt "formats" (fun () -> ignore (formats deep ()));
  attempt "sorts" (fun () -> ignore (sorts deep));
  attempt "map" (fun () -> ignore (List.map succ list));
  attempt "fold" (fun () -> ignore (List.fold_right ( + ) list 0));
  attempt "shallow" (fun () -> ignore (sum 500));
  ignore (sum deep)
