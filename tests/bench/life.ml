(* arrays: Conway's game of life on a torus, arrays of booleans. *)
let size = 96

let step board =
  let alive i j = board.((i + size) mod size).((j + size) mod size) in
  Array.init size (fun i ->
    Array.init size (fun j ->
      let n = ref 0 in
      for di = -1 to 1 do
        for dj = -1 to 1 do if (di <> 0 || dj <> 0) && alive (i + di) (j + dj) then incr n done
      done;
      !n = 3 || (!n = 2 && board.(i).(j))))

let () =
  let board =
    ref (Array.init size (fun i ->
        Array.init size (fun j ->
            (i * j) + (i * i) mod 7 > 0 && ((i * 31) + (j * 17)) mod 5 < 2))) in
  for _ = 1 to 240 do board := step !board done;
  Printf.printf "%d\n"
    (Array.fold_left
       (fun acc r -> Array.fold_left (fun acc b -> if b then acc + 1 else acc) acc r)
       0 !board)
