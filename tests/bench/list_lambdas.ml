(* closures: Queries over lists of records with the library's List functions and lambdas. *)
type employee = { id : int; age : int; salary : int; team : int; tags : string list }

let employees = List.init 20_000 (fun id ->
  { id; age = 20 + (id * 31 mod 45); salary = 2000 + (id * 7919 mod 5003); team = id * 13 mod 29;
    tags = List.filteri (fun i _ -> (id lsr i) land 1 = 1) [ "remote"; "night"; "lead"; "new" ] })

let sum f list = List.fold_left (fun acc x -> acc + f x) 0 list
let average f list = if list = [] then 0 else sum f list / List.length list

let group key list =
  let sorted = List.stable_sort (fun a b -> compare (key a : int) (key b)) list in
  List.fold_right
    (fun x groups ->
      match groups with
      | (k, members) :: rest when k = key x -> (k, x :: members) :: rest
      | _ -> (key x, [ x ]) :: groups)
    sorted []

let () =
  let checksum = ref 0 in
  for round = 1 to 25 do
    let raised = List.map (fun e -> { e with salary = e.salary + (round * e.team) }) employees in
    let young, old = List.partition (fun e -> e.age < 35 + round) raised in
    let leads =
      List.filter
        (fun e -> List.mem "lead" e.tags && not (List.exists (fun t -> t = "new") e.tags))
        young in
    let pairs =
      List.combine (List.map (fun e -> e.id) leads) (List.map (fun e -> e.salary) leads) in
    let best =
      List.fold_left (fun (i, s) (i', s') -> if s' > s then (i', s') else (i, s)) (0, 0) pairs in
    let teams =
      group (fun e -> e.team) old
      |> List.map (fun (team, members) -> (team, average (fun e -> e.salary) members)) in
    let richest =
      List.sort (fun (_, a) (_, b) -> compare b a) teams
      |> function [] -> (0, 0) | first :: _ -> first in
    let ages =
      List.concat_map (fun e -> if e.age mod 7 = 0 then [ e.age; e.team ] else []) raised in
    let flat = List.rev_map2 (fun a b -> a * b) ages (List.rev ages) in
    checksum :=
      (!checksum + fst best + snd richest + sum (fun x -> x) flat + average (fun e -> e.age) leads)
      land 0xffffffff;
    if round mod 8 = 0 then
      Printf.printf "%d: best %d (%d), richest team %d (%d)\n" round
        (fst best) (snd best) (fst richest) (snd richest);
    assert (List.for_all2 (fun a b -> a.id = b.id) employees raised)
  done;
  Printf.printf "%d\n" !checksum
