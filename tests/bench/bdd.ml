(* allocation: Binary decision diagrams with hash-consing: counts the solutions of a queens board
   formula. *)
type bdd = Zero | One | Node of { id : int; var : int; low : bdd; high : bdd }

let id = function Zero -> 0 | One -> 1 | Node n -> n.id
let unique : (int * int * int, bdd) Hashtbl.t = Hashtbl.create 1024
let next = ref 2

let mk var low high =
  if low == high then low
  else
    let key = (var, id low, id high) in
    match Hashtbl.find_opt unique key with
    | Some b -> b
    | None ->
      let b = Node { id = !next; var; low; high } in
      incr next;
      Hashtbl.add unique key b;
      b

let and_cache : (int, bdd) Hashtbl.t = Hashtbl.create 1024
let rec conj a b =
  match a, b with
  | Zero, _ | _, Zero -> Zero
  | One, x | x, One -> x
  | Node n, Node m ->
    if n.id = m.id then a
    else
      let key = if n.id < m.id then (n.id lsl 30) lor m.id else (m.id lsl 30) lor n.id in
      (match Hashtbl.find and_cache key with
       | r -> r
       | exception Not_found ->
         let r =
           if n.var = m.var then mk n.var (conj n.low m.low) (conj n.high m.high)
           else if n.var < m.var then mk n.var (conj n.low b) (conj n.high b)
           else mk m.var (conj a m.low) (conj a m.high)
         in
         Hashtbl.add and_cache key r;
         r)

let not_cache : (int, bdd) Hashtbl.t = Hashtbl.create 1024
let rec neg = function
  | Zero -> One
  | One -> Zero
  | Node n -> (
    match Hashtbl.find not_cache n.id with
    | r -> r
    | exception Not_found ->
      let r = mk n.var (neg n.low) (neg n.high) in
      Hashtbl.add not_cache n.id r;
      r)

let disj a b = neg (conj (neg a) (neg b))
let var i = mk i Zero One

let rec count total from = function
  | Zero -> 0
  | One -> 1 lsl (total - from)
  | Node n ->
      (1 lsl (n.var - from)) * (count total (n.var + 1) n.low + count total (n.var + 1) n.high)

let queens n =
  let at r c = var ((r * n) + c) in
  let formula = ref One in
  for r = 0 to n - 1 do
    let row = ref Zero in
    for c = 0 to n - 1 do row := disj !row (at r c) done;
    formula := conj !formula !row
  done;
  for r = 0 to n - 1 do
    for c = 0 to n - 1 do
      for r2 = r to n - 1 do
        for c2 = 0 to n - 1 do
          let attacks = r2 = r && c2 > c || r2 > r && (c2 = c || abs (c2 - c) = r2 - r) in
          if attacks then formula := conj !formula (neg (conj (at r c) (at r2 c2)))
        done
      done
    done
  done;
  count (n * n) 0 !formula

let () =
  let solutions = queens 8 in
  Printf.printf "%d %d\n" solutions !next
