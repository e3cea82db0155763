(* allocation: Red-black trees after Okasaki, with deletion by filtering, and a priority search on
   them. *)
type color = R | B
type 'a tree = E | T of color * 'a tree * 'a * 'a tree

let balance = function
  | B, T (R, T (R, a, x, b), y, c), z, d
  | B, T (R, a, x, T (R, b, y, c)), z, d
  | B, a, x, T (R, T (R, b, y, c), z, d)
  | B, a, x, T (R, b, y, T (R, c, z, d)) -> T (R, T (B, a, x, b), y, T (B, c, z, d))
  | color, a, x, b -> T (color, a, x, b)

let insert x tree =
  let rec ins = function
    | E -> T (R, E, x, E)
    | T (color, a, y, b) as t ->
      if x < y then balance (color, ins a, y, b)
      else if x > y then balance (color, a, y, ins b)
      else t
  in
  match ins tree with T (_, a, y, b) -> T (B, a, y, b) | E -> E

let rec mem (x : int) = function
  | E -> false
  | T (_, a, y, b) -> if x < y then mem x a else x = y || mem x b
let rec fold f tree acc = match tree with E -> acc | T (_, a, x, b) -> fold f b (f x (fold f a acc))
let rec depth = function E -> 0 | T (_, a, _, b) -> 1 + max (depth a) (depth b)
let filter f tree = fold (fun x t -> if f x then insert x t else t) tree E

let rec is_right = function
  | E -> Some 0
  | T (R, T (R, _, _, _), _, _) | T (R, _, _, T (R, _, _, _)) -> None
  | T (color, a, _, b) -> (
    match is_right a, is_right b with
    | Some m, Some n when m = n -> Some (if color = B then m + 1 else m)
    | _ -> None)

let () =
  let n = 90_000 in
  let tree = ref E in
  for i = 1 to n do tree := insert (i * 7919 mod 100_003) !tree done;
  Printf.printf "%d elements, depth %d, %b\n"
    (fold (fun _ k -> k + 1) !tree 0) (depth !tree) (is_right !tree <> None);
  let found = ref 0 in
  for i = 1 to 600_000 do if mem i !tree then incr found done;
  Printf.printf "%d found\n" !found;
  let odd = filter (fun x -> x land 1 = 1) !tree in
  Printf.printf "%d odd, sum %d, %b\n"
    (fold (fun _ k -> k + 1) odd 0) (fold ( + ) odd 0) (is_right odd <> None);
  let words = ref E in
  for i = 1 to 40_000 do words := insert (string_of_int (i * 31 mod 7001)) !words done;
  Printf.printf "%d words of depth %d\n" (fold (fun _ k -> k + 1) !words 0) (depth !words)
