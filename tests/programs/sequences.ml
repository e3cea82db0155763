(* Seq: laziness, unfolding, conversion between containers, infinite sequences. *)
let rec naturals n () = Seq.Cons (n, naturals (n + 1))
let rec take n s () =
  if n = 0 then Seq.Nil
  else
    match s () with
    | Seq.Nil -> Seq.Nil
    | Seq.Cons (x, r) -> Seq.Cons (x, take (n - 1) r)
let rec take_while p s () =
  match s () with
  | Seq.Cons (x, r) when p x -> Seq.Cons (x, take_while p r)
  | _ -> Seq.Nil
let rec interleave a b () =
  match a () with
  | Seq.Nil -> b ()
  | Seq.Cons (x, r) -> Seq.Cons (x, interleave b r)
let rec zip a b () =
  match a (), b () with
  | Seq.Cons (x, r), Seq.Cons (y, s) -> Seq.Cons ((x, y), zip r s)
  | _ -> Seq.Nil
let collatz =
  Seq.unfold (fun n ->
      if n = 0 then None
      else Some (n, if n = 1 then 0 else if n land 1 = 0 then n / 2 else (3 * n) + 1))
let ints s = String.concat " " (List.map string_of_int (List.of_seq s))

let rec tree_walk t () = match t with
  | `Leaf -> Seq.Nil
  | `Node (l, x, r) -> Seq.append (tree_walk l) (Seq.cons x (tree_walk r)) ()
let rec build lo hi =
  if lo > hi then `Leaf
  else let m = (lo + hi) / 2 in `Node (build lo (m - 1), m, build (m + 1) hi)

let () =
  print_endline (ints (take 10 (naturals 5)));
  print_endline (ints (take 8 (Seq.filter (fun x -> x mod 7 = 3) (naturals 0))));
  print_endline (ints (Seq.map (fun x -> x * x) (take_while (fun x -> x < 10) (naturals 0))));
  print_endline (ints (collatz 27 |> take 30));
  print_endline (ints (take 9 (interleave (naturals 0) (Seq.map (fun x -> -x) (naturals 1)))));
  Printf.printf "%d\n" (Seq.fold_left ( + ) 0 (take 100 (naturals 1)));
  print_endline (ints (Seq.flat_map (fun n -> take n (naturals (n * 10))) (take 4 (naturals 1))));
  print_endline (ints (tree_walk (build 1 15)));
  print_endline
    (ints
       (Seq.filter_map
          (fun x -> if x mod 2 = 0 then Some (x / 2) else None)
          (take 10 (naturals 0))));
  let evaluated = ref 0 in
  let s = Seq.map (fun x -> incr evaluated; x) (naturals 0) in
  Printf.printf "%d " !evaluated;
  ignore (List.of_seq (take 5 s));
  Printf.printf "%d\n" !evaluated;
  Seq.iter (Printf.printf "%c-") (String.to_seq "chars");
  print_newline ();
  let module M = Map.Make (String) in
  let m = M.of_seq (zip (List.to_seq [ "b"; "a" ]) (naturals 1)) in
  M.iter (Printf.printf "%s%d ") m;
  print_newline ()
