(* Comparisons of what is too deep or has no end raise Out_of_memory. *)
type tree = Leaf | Node of tree * tree

let rec left depth tree = if depth = 0 then tree else left (depth - 1) (Node (tree, Leaf))
let rec right depth tree = if depth = 0 then tree else right (depth - 1) (Node (Leaf, tree))

let show name compare =
  let outcome =
    match compare () with
    | answer -> string_of_bool answer
    | exception Out_of_memory -> "out of memory"
  in
  Printf.printf "%s: %s\n" name outcome

let () =
  let rec one = Node (one, Leaf) and other = Node (other, Leaf) in
  show "cycles" (fun () -> one = other);
  show "order" (fun () -> compare one other < 0);
  show "member" (fun () -> List.mem one [ Leaf; other ]);
  show "a cycle and its copy" (fun () -> one < Node (one, Leaf));
  List.iter
    (fun depth ->
      show (string_of_int depth) (fun () -> left depth Leaf = left depth Leaf);
      show "to the right" (fun () -> right depth Leaf = right depth Leaf))
    [ 1_000; 524_287; 524_288; 600_000 ];
  show "different" (fun () -> left 1_000 Leaf = left 1_000 (Node (Leaf, Leaf)))
