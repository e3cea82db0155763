(* allocation: Huffman coding with a leftist heap, a code table in a map, and strings of bits. *)
type tree = Leaf of int * char | Node of int * tree * tree

let weight = function Leaf (w, _) | Node (w, _, _) -> w

type heap = Empty | Heap of int * tree * heap * heap

let rank = function Empty -> 0 | Heap (r, _, _, _) -> r
let make x a b = if rank a >= rank b then Heap (rank b + 1, x, a, b) else Heap (rank a + 1, x, b, a)

let rec merge a b =
  match a, b with
  | Empty, h | h, Empty -> h
  | Heap (_, x, l, r), Heap (_, y, l', r') ->
    if weight x <= weight y then make x l (merge r b) else make y l' (merge a r')

let insert x h = merge (Heap (1, x, Empty, Empty)) h
let pop = function Empty -> None | Heap (_, x, l, r) -> Some (x, merge l r)

let rec build heap =
  match pop heap with
  | None -> invalid_arg "build"
  | Some (x, rest) -> (
    match pop rest with
    | None -> x
    | Some (y, rest) -> build (insert (Node (weight x + weight y, x, y)) rest))

module Codes = Map.Make (Char)

let rec codes prefix tree table =
  match tree with
  | Leaf (_, c) -> Codes.add c (List.rev prefix) table
  | Node (_, l, r) -> codes (false :: prefix) l (codes (true :: prefix) r table)

let frequencies text =
  let counts = Array.make 256 0 in
  String.iter (fun c -> counts.(Char.code c) <- counts.(Char.code c) + 1) text;
  counts

let encode table text =
  List.concat_map (fun c -> Codes.find c table) (List.of_seq (String.to_seq text))

let decode tree bits =
  let buffer = Buffer.create 1000 in
  let rec go node = function
    | rest when (match node with Leaf _ -> true | Node _ -> false) -> (
      (match node with Leaf (_, c) -> Buffer.add_char buffer c | Node _ -> ());
      match rest with [] -> () | _ -> go tree rest)
    | [] -> ()
    | bit :: rest -> (
        match node with
        | Node (_, l, r) -> go (if bit then r else l) rest
        | Leaf _ -> ())
  in
  go tree bits;
  Buffer.contents buffer

let () =
  let text k = String.init 30_000 (fun i ->
    let v = i * (i + k) mod 211 in
    Char.chr (97 + (v * v / 1800))) in
  for k = 1 to 16 do
    let text = text k in
    let heap = ref Empty in
    Array.iteri
      (fun code n -> if n > 0 then heap := insert (Leaf (n, Char.chr code)) !heap)
      (frequencies text);
    let tree = build !heap in
    let table = codes [] tree Codes.empty in
    let bits = encode table text in
    Printf.printf "%d letters, %d bits, %b\n"
      (Codes.cardinal table) (List.length bits) (decode tree bits = text)
  done
