(* allocation: Shortest paths over maps and sets: Dijkstra on a graph, A* on a grid, breadth-first
   with persistent queues. *)
module Pos = struct
  type t = int * int
  let compare (a : t) (b : t) = compare a b
end

module Grid = Map.Make (Pos)

module Frontier = Set.Make (struct
  type t = int * Pos.t
  let compare (d, p) (e, q) = match Int.compare d e with 0 -> Pos.compare p q | order -> order
end)

let wall (x, y) = ((x * x) + (3 * x * y) + (y * 7)) mod 5 = 0 && (x + y) mod 3 <> 0
let neighbours size (x, y) =
  List.filter (fun (x, y) -> x >= 0 && y >= 0 && x < size && y < size && not (wall (x, y)))
    [ (x + 1, y); (x, y + 1); (x - 1, y); (x, y - 1) ]

let cost (x, y) = 1 + ((x * 31) + (y * 17)) mod 9

let search size estimate start goal =
  let rec go frontier distance visited =
    match Frontier.min_elt_opt frontier with
    | None -> (None, visited)
    | Some ((_, p) as first) ->
      let frontier = Frontier.remove first frontier in
      let d = Grid.find p distance in
      if p = goal then (Some d, visited)
      else begin
        let relax (frontier, distance) q =
          let through = d + cost q in
          match Grid.find_opt q distance with
          | Some known when known <= through -> (frontier, distance)
          | Some known ->
              (Frontier.add (through + estimate q, q)
                 (Frontier.remove (known + estimate q, q) frontier),
               Grid.add q through distance)
          | None -> (Frontier.add (through + estimate q, q) frontier, Grid.add q through distance)
        in
        let frontier, distance = List.fold_left relax (frontier, distance) (neighbours size p) in
        go frontier distance (visited + 1)
      end
  in
  go (Frontier.singleton (estimate start, start)) (Grid.singleton start 0) 0

(* A queue of two lists. *)
let push x (front, back) = (front, x :: back)
let rec pop = function
  | [], [] -> None
  | [], back -> pop (List.rev back, [])
  | x :: front, back -> Some (x, (front, back))

let breadth_first size start =
  let rec go queue depth =
    match pop queue with
    | None -> depth
    | Some (p, queue) ->
      let d = Grid.find p depth in
      let queue, depth =
        List.fold_left
          (fun (queue, depth) q ->
            if Grid.mem q depth then (queue, depth) else (push q queue, Grid.add q (d + 1) depth))
          (queue, depth) (neighbours size p)
      in
      go queue depth
  in
  go (push start ([], [])) (Grid.singleton start 0)

let () =
  let size = 160 in
  let goal = (size - 2, size - 2) in
  let manhattan (x, y) = abs (fst goal - x) + abs (snd goal - y) in
  let show name (d, visited) =
    Printf.printf "%s: %s, %d visited\n" name
      (match d with Some d -> string_of_int d | None -> "none")
      visited in
  show "dijkstra" (search size (fun _ -> 0) (1, 1) goal);
  show "a star" (search size manhattan (1, 1) goal);
  let depth = breadth_first size (1, 1) in
  Printf.printf "%d reached, farthest %d\n"
    (Grid.cardinal depth) (Grid.fold (fun _ d m -> max d m) depth 0)
