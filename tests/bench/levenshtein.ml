(* strings: Edit distances by dynamic programming over strings and integer arrays. *)
let min (a : int) b = if a < b then a else b

let distance a b =
  let n = String.length a and m = String.length b in
  let prev = Array.init (m + 1) Fun.id and cur = Array.make (m + 1) 0 in
  for i = 1 to n do
    cur.(0) <- i;
    for j = 1 to m do
      let cost = if a.[i - 1] = b.[j - 1] then 0 else 1 in
      cur.(j) <- min (min (cur.(j - 1) + 1) (prev.(j) + 1)) (prev.(j - 1) + cost)
    done;
    Array.blit cur 0 prev 0 (m + 1)
  done;
  prev.(m)

let word seed =
  String.init (200 + (seed mod 50)) (fun i -> Char.chr (97 + ((i * i * seed) + (i / 3)) mod 26))

let () =
  let total = ref 0 in
  for i = 1 to 16 do
    for j = 1 to 16 do
      total := !total + distance (word (i * 7)) (word (j * 13))
    done
  done;
  Printf.printf "%d\n" !total
