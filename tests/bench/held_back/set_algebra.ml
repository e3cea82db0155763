(* closures: Maps and sets from functors: folds, filters, unions, partitions; reachability in a
   graph. *)
module Ints = Set.Make (Int)
module Names = Map.Make (String)
module Pairs = Map.Make (struct
  type t = int * int
  let compare (a, b) (c, d) = match Int.compare a c with 0 -> Int.compare b d | order -> order
end)

let multiples k n = List.init (n / k) (fun i -> (i + 1) * k) |> Ints.of_list

let primes n =
  let rec strike k set =
    if k * k > n then set
    else if Ints.mem k set then strike (k + 1) (Ints.filter (fun x -> x = k || x mod k <> 0) set)
    else strike (k + 1) set
  in
  strike 2 (Ints.remove 1 (multiples 1 n))

let successors graph node = match Names.find_opt node graph with None -> [] | Some next -> next

let reachable graph start =
  let rec go seen = function
    | [] -> seen
    | node :: rest when Names.mem node seen -> go seen rest
    | node :: rest -> go (Names.add node () seen) (List.rev_append (successors graph node) rest)
  in
  go Names.empty [ start ]

let () =
  let p = primes 60_000 in
  Printf.printf "%d primes, sum %d\n" (Ints.cardinal p) (Ints.fold ( + ) p 0);
  let total = ref 0 in
  for k = 2 to 120 do
    let a = multiples k 8000 and b = multiples (k + 1) 8000 in
    let both = Ints.inter a b and either = Ints.union a b and only = Ints.diff a b in
    let small, large = Ints.partition (fun x -> x land 255 < 128) either in
    total :=
      !total + Ints.cardinal both + Ints.cardinal small - Ints.cardinal large
      + Ints.fold (fun x m -> max x m) only 0;
    if Ints.for_all (fun x -> x mod k = 0) a && Ints.subset both a then incr total
  done;
  Printf.printf "%d\n" !total;
  let name i = Printf.sprintf "node%d" i in
  let graph =
    List.fold_left
      (fun g i -> Names.add (name i) [ name (i * 3 mod 20_011); name ((i + 17) mod 20_011) ] g)
      Names.empty (List.init 20_011 Fun.id)
  in
  let seen = reachable graph (name 1) in
  Printf.printf "%d %b\n" (Names.cardinal seen) (Names.mem (name 20_010) seen);
  let products = ref Pairs.empty in
  for a = 1 to 120 do
    for b = a to 120 do
      products :=
        Pairs.update (a * b mod 64, a land 15)
          (function None -> Some 1 | Some n -> Some (n + 1))
          !products
    done
  done;
  let merged =
    Pairs.union (fun _ x y -> Some (x + y)) !products (Pairs.map (fun n -> n * 2) !products) in
  Printf.printf "%d %d\n"
    (Pairs.cardinal merged) (Pairs.fold (fun (a, b) n sum -> sum + (a * b) + n) merged 0)
