(* Exceptions as control flow: early exit, search, backtracking, re-raising. *)
exception Found of int
exception Done
exception Pair of string * int

let index_of p a =
  try
    Array.iteri (fun i x -> if p x then raise (Found i)) a;
    None
  with Found i -> Some i

let product l =
  try List.fold_left (fun acc x -> if x = 0 then raise_notrace Exit else acc * x) 1 l
  with Exit -> 0

let queens n =
  let cols = Array.make n 0 in
  let safe row col =
    try
      for r = 0 to row - 1 do
        if cols.(r) = col || abs (cols.(r) - col) = row - r then raise Exit
      done;
      true
    with Exit -> false
  in
  let rec place row =
    if row = n then raise Done;
    for col = 0 to n - 1 do
      if safe row col then begin cols.(row) <- col; place (row + 1) end
    done
  in
  try place 0; "none" with Done -> String.concat "" (Array.to_list (Array.map string_of_int cols))

let classify f =
  match f () with
  | n when n > 100 -> "big"
  | n -> "small " ^ string_of_int n
  | exception Not_found -> "not found"
  | exception Failure m -> "failure " ^ m
  | exception Invalid_argument m -> "invalid " ^ m
  | exception Division_by_zero -> "division"

let rec deep n = if n = 0 then raise (Pair ("bottom", 7)) else 1 + deep (n - 1)

let loop_with_handlers n =
  let caught = ref 0 in
  for i = 1 to n do
    try if i mod 3 = 0 then raise Not_found else if i mod 5 = 0 then failwith "five"
    with Not_found -> incr caught | Failure _ -> caught := !caught + 10
  done;
  !caught

let () =
  (match index_of (fun x -> x * x = 49) [| 1; 3; 5; 7; 9 |] with
   | Some i -> Printf.printf "found at %d\n" i
   | None -> print_endline "missing");
  Printf.printf "%b\n" (index_of (fun x -> x > 100) [| 1 |] = None);
  Printf.printf "%d %d\n" (product [ 1; 2; 3 ]) (product [ 1; 0; 3 ]);
  print_endline (queens 6);
  List.iter
    (fun f -> print_endline (classify f))
    [ (fun () -> 500); (fun () -> 5); (fun () -> List.assoc 3 []); (fun () -> failwith "x");
      (fun () -> int_of_string "zz"); (fun () -> [| 1 |].(3)); (fun () -> 1 / (List.length [] * 2));
      (fun () -> String.length (String.make (-1) 'a')); (fun () -> List.hd []);
      (fun () -> 7 mod 0) ];
  (try ignore (deep 2000) with Pair (s, n) -> Printf.printf "%s %d\n" s n);
  Printf.printf "%d\n" (loop_with_handlers 3000)
