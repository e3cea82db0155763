(* A string that was plucked, as differences in time: float arrays and loops. *)

let cells = 400
let steps = 20000

let () =
  let now = Array.init cells (fun i ->
    let x = float_of_int i /. float_of_int (cells - 1) in
    if x < 0.3 then x /. 0.3 else (1.0 -. x) /. 0.7)
  in
  let before = Array.copy now in
  let next = Array.make cells 0.0 in
  for step = 1 to steps do
    for i = 1 to cells - 2 do
      next.(i) <-
        (2.0 *. now.(i)) -. before.(i)
        +. (0.25 *. (now.(i - 1) -. (2.0 *. now.(i)) +. now.(i + 1)))
    done;
    Array.blit now 0 before 0 cells;
    Array.blit next 0 now 0 cells;
    if step mod 5000 = 0 then
      print_string
        ("after " ^ string_of_int step ^ " steps the middle is at "
        ^ string_of_float (Float.round (now.(cells / 2) *. 1e6) /. 1e6) ^ "\n")
  done
