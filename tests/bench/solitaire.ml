(* arrays: Peg solitaire on the English board, its first solutions by depth-first search. *)
type field = Out | Empty | Peg

let board =
  Array.init 9 (fun i -> Array.init 9 (fun j ->
    let inside k = k >= 1 && k <= 7 and middle k = k >= 3 && k <= 5 in
    if not (inside i && inside j && (middle i || middle j)) then Out
    else if i = 4 && j = 4 then Empty else Peg))

let directions = [| (0, 1); (1, 0); (0, -1); (-1, 0) |]
let tried = ref 0
let solutions = ref 0
let moves = Array.make 31 (0, 0, 0)

exception Found

let rec solve m =
  incr tried;
  if m = 31 then begin
    if board.(4).(4) = Peg then begin
      incr solutions;
      if !solutions = 100 then raise Found
    end
  end
  else
    for i = 1 to 7 do
      for j = 1 to 7 do
        if board.(i).(j) = Peg then
          for k = 0 to 3 do
            let di, dj = directions.(k) in
            let i1 = i + di and j1 = j + dj in
            let i2 = i1 + di and j2 = j1 + dj in
            if board.(i1).(j1) = Peg && board.(i2).(j2) = Empty then begin
              board.(i).(j) <- Empty;
              board.(i1).(j1) <- Empty;
              board.(i2).(j2) <- Peg;
              moves.(m) <- (i, j, k);
              solve (m + 1);
              board.(i).(j) <- Peg;
              board.(i1).(j1) <- Peg;
              board.(i2).(j2) <- Empty
            end
          done
      done
    done

let () =
  (try solve 0 with Found -> ());
  Printf.printf "%d solutions, %d positions\n" !solutions !tried;
  Array.iter (fun (i, j, k) -> Printf.printf "%d%d%c " i j "ESWN".[k]) moves;
  print_newline ()
