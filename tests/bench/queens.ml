(* arrays: All solutions of the n-queens problem with lists. *)
let rec safe q d = function
  | [] -> true
  | x :: r -> q <> x && q <> x + d && q <> x - d && safe q (d + 1) r

let rec place n row board =
  if row = 0 then 1
  else begin
    let count = ref 0 in
    for q = 1 to n do if safe q 1 board then count := !count + place n (row - 1) (q :: board) done;
    !count
  end

let () = Printf.printf "%d\n" (place 12 12 [])
