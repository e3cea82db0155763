(* closures: Closures: map, filter and fold pipelines, composition, continuation-passing style,
   Seq. *)
let compose fs = List.fold_left (fun f g x -> g (f x)) Fun.id fs
let rec cps_sum l k = match l with [] -> k 0 | x :: r -> cps_sum r (fun s -> k (s + x))
let rec upto a b () = if a > b then Seq.Nil else Seq.Cons (a, upto (a + 1) b)

let () =
  let l = List.init 1000 Fun.id in
  let total = ref 0 in
  for round = 1 to 2000 do
    let f = compose [ (fun x -> x + round); (fun x -> x * 3); (fun x -> x lxor 21) ] in
    let m =
      List.map f l |> List.filter (fun x -> x land 3 <> 0) |> List.map (fun x -> (x, x * x)) in
    total := !total + List.fold_left (fun acc (x, y) -> acc + (y mod (x + 7))) 0 m;
    total := !total + cps_sum (List.map fst m) Fun.id;
    total :=
      !total + Seq.fold_left ( + ) 0
          (Seq.filter (fun x -> x mod 3 = 0) (Seq.map (fun x -> x * round) (upto 1 1000)));
    total := !total + Array.fold_left ( + ) 0 (Array.mapi (fun i x -> i * x) (Array.of_list l))
  done;
  Printf.printf "%d\n" !total
