(* The List module and classic list algorithms. *)
let ints l = "[" ^ String.concat ";" (List.map string_of_int l) ^ "]"
let rec range a b = if a > b then [] else a :: range (a + 1) b

let rec permutations = function
  | [] -> [ [] ]
  | l ->
      List.concat_map
        (fun x -> List.map (fun p -> x :: p) (permutations (List.filter (( <> ) x) l))) l

let rec powerset = function
  | [] -> [ [] ]
  | x :: r -> let p = powerset r in p @ List.map (fun s -> x :: s) p

let rec merge_sort cmp = function
  | ([] | [ _ ]) as l -> l
  | l ->
    let rec halve a b = function [] -> (a, b) | x :: r -> halve b (x :: a) r in
    let a, b = halve [] [] l in
    List.merge cmp (merge_sort cmp a) (merge_sort cmp b)

let group l =
  List.fold_left
    (fun acc x -> match acc with (y, n) :: r when y = x -> (y, n + 1) :: r | _ -> (x, 1) :: acc)
    [] l
  |> List.rev

let () =
  let l = List.init 20 (fun i -> i * 7 mod 11) in
  print_endline (ints (merge_sort compare l));
  print_endline (ints (List.sort_uniq compare l));
  print_endline (ints (List.stable_sort (fun a b -> compare (a mod 3) (b mod 3)) l));
  Printf.printf "%d %d\n" (List.length (permutations [ 1; 2; 3; 4; 5 ]))
    (List.length (powerset (range 1 10)));
  print_endline (String.concat " " (List.map ints (permutations [ 1; 2; 3 ])));
  List.iter (fun (x, n) -> Printf.printf "%c%d " x n)
    (group (List.of_seq (String.to_seq "aabccc")));
  print_newline ();
  let evens, odds = List.partition (fun x -> x mod 2 = 0) l in
  Printf.printf "%s %s\n" (ints evens) (ints odds);
  print_endline (ints (List.rev_append [ 3; 2; 1 ] [ 4 ]));
  print_endline (ints (List.filteri (fun i _ -> i mod 3 = 0) l));
  print_endline (ints (List.filter_map (fun x -> if x > 5 then Some (x * x) else None) l));
  Printf.printf "%d %d\n" (List.assoc "b" [ ("a", 1); ("b", 2) ])
    (List.fold_right2 (fun a b c -> (a * b) - c) [ 1; 2; 3 ] [ 4; 5; 6 ] 0);
  let a, b = List.split (List.combine [ 1; 2 ] [ "x"; "y" ]) in
  Printf.printf "%s %s\n" (ints a) (String.concat "" b);
  Printf.printf "%b %b %b\n" (List.for_all2 ( < ) [ 1; 2 ] [ 2; 3 ]) (List.exists (( = ) 4) l)
    (List.mem_assoc 3 [ (3, ()) ]);
  (try ignore (List.combine [ 1 ] []) with Invalid_argument m -> print_endline m);
  (try ignore (List.nth l 100) with Failure m -> print_endline m);
  (try ignore (List.find (( < ) 100) l) with Not_found -> print_endline "not found");
  (try ignore (List.hd []) with Failure m -> print_endline m);
  Printf.printf "%s\n"
    (match List.find_opt (fun x -> x > 8) l with Some x -> string_of_int x | None -> "-");
  print_endline (ints (List.flatten [ [ 1 ]; []; [ 2; 3 ] ]));
  let acc, mapped = List.fold_left_map (fun acc x -> (acc + x, acc)) 0 (range 1 6) in
  Printf.printf "%d %s\n" acc (ints mapped);
  Printf.printf "%d %d\n" (List.compare_lengths l [ 1 ]) (List.compare compare [ 1; 2 ] [ 1; 3 ]);
  let long = range 1 5000 in
  Printf.printf "%d %d\n" (List.length (List.rev long))
    (List.fold_left ( + ) 0 (List.map (fun x -> x * 2) long));
  Printf.printf "%d\n"
    (List.length (List.sort (fun a b -> compare b a) (List.concat [ long; long ])))
