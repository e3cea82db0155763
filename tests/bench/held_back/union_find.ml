(* arrays: Union-find over a grid for percolation and mazes, minimal spanning trees, and flood
   fill. *)
type t = { parent : int array; rank : int array; mutable sets : int }

let create n = { parent = Array.init n (fun i -> i); rank = Array.make n 0; sets = n }

let rec find t i =
  let p = t.parent.(i) in
  if p = i then i
  else begin
    let root = find t p in
    t.parent.(i) <- root;
    root
  end

let union t a b =
  let a = find t a and b = find t b in
  if a = b then false
  else begin
    t.sets <- t.sets - 1;
    if t.rank.(a) < t.rank.(b) then t.parent.(a) <- b
    else begin
      t.parent.(b) <- a;
      if t.rank.(a) = t.rank.(b) then t.rank.(a) <- t.rank.(a) + 1
    end;
    true
  end

let seed = ref 2024
let next k = seed := ((!seed * 1103515245) + 12345) land 0x3fffffffffff; (!seed lsr 16) mod k

let percolate n =
  let top = n * n and bottom = (n * n) + 1 in
  let t = create ((n * n) + 2) and is_open = Array.make_matrix n n false and count = ref 0 in
  while find t top <> find t bottom do
    let i = next n and j = next n in
    if not is_open.(i).(j) then begin
      is_open.(i).(j) <- true;
      incr count;
      let join i' j' =
        if i' >= 0 && i' < n && j' >= 0 && j' < n && is_open.(i').(j') then
          ignore (union t ((i * n) + j) ((i' * n) + j')) in
      join (i - 1) j; join (i + 1) j; join i (j - 1); join i (j + 1);
      if i = 0 then ignore (union t j top);
      if i = n - 1 then ignore (union t ((i * n) + j) bottom)
    end
  done;
  !count

let kruskal n m =
  let edges = Array.init m (fun _ -> (next 1_000_000, next n, next n)) in
  Array.sort compare edges;
  let t = create n in
  let weight =
    Array.fold_left (fun sum (w, a, b) -> if union t a b then sum + w else sum) 0 edges in
  (weight, t.sets)

let () =
  for round = 1 to 3 do Printf.printf "percolation %d: %d\n" round (percolate 400) done;
  let weight, sets = kruskal 40_000 100_000 in
  Printf.printf "tree %d, parts %d\n" weight sets
