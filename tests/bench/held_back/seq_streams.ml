(* closures: Lazy sequences with the library's Seq, and generators written by hand. *)
let rec from n () = Seq.Cons (n, from (n + 1))

let rec take n seq () =
  if n = 0 then Seq.Nil
  else
    match seq () with
    | Seq.Nil -> Seq.Nil
    | Seq.Cons (x, rest) -> Seq.Cons (x, take (n - 1) rest)

let rec take_while f seq () =
  match seq () with Seq.Cons (x, rest) when f x -> Seq.Cons (x, take_while f rest) | _ -> Seq.Nil

let rec zip a b () =
  match a (), b () with
  | Seq.Cons (x, a), Seq.Cons (y, b) -> Seq.Cons ((x, y), zip a b)
  | _ -> Seq.Nil

let rec merge a b () =
  match a (), b () with
  | Seq.Nil, rest | rest, Seq.Nil -> rest
  | Seq.Cons (x, a'), Seq.Cons (y, b') ->
    if x < y then Seq.Cons (x, merge a' b)
    else if x > y then Seq.Cons (y, merge a b')
    else Seq.Cons (x, merge a' b')

let sum = Seq.fold_left ( + ) 0
let length seq = Seq.fold_left (fun n _ -> n + 1) 0 seq
let is_prime n =
  n > 1
  && length (Seq.filter (fun d -> n mod d = 0) (take_while (fun d -> d * d <= n) (from 2))) = 0
let collatz n =
  Seq.unfold
    (fun n -> if n = 1 then None else Some (n, if n land 1 = 0 then n / 2 else (3 * n) + 1)) n

let () =
  Printf.printf "%d\n" (sum (take 2500 (Seq.filter is_prime (from 1))));
  Printf.printf "%d\n" (sum (Seq.map (fun n -> length (collatz n)) (take 24_000 (from 1))));
  let triples =
    Seq.flat_map
      (fun c ->
        Seq.flat_map
          (fun b ->
            Seq.filter_map
              (fun a -> if (a * a) + (b * b) = c * c then Some (a, b, c) else None)
              (take b (from 1)))
          (take c (from 1)))
      (take 140 (from 1))
  in
  Printf.printf "%d\n" (length triples);
  let evens = Seq.map (fun x -> 2 * x) (from 0) and thirds = Seq.map (fun x -> 3 * x) (from 0) in
  Printf.printf "%d\n" (sum (take 60_000 (merge evens thirds)));
  Printf.printf "%d\n"
    (sum (Seq.map (fun (a, b) -> a * b land 255) (take 80_000 (zip (from 5) evens))));
  let text =
    String.to_seq (String.make 60_000 'a') |> Seq.map Char.uppercase_ascii |> String.of_seq in
  Printf.printf "%d %c\n" (String.length text) text.[500]
