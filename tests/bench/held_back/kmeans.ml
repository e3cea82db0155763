(* floats: k-means clustering of points in the plane, then simulated annealing of a tour through the
   centres. *)
type point = { x : float; y : float }

let state = ref 1
let random () =
  state := ((!state * 69069) + 1) land 0xffffffff;
  float_of_int !state /. 4294967296.

let distance a b =
  let dx = a.x -. b.x and dy = a.y -. b.y in
  (dx *. dx) +. (dy *. dy)

let closest centres p =
  let best = ref 0 and least = ref infinity in
  Array.iteri
    (fun i c ->
      let d = distance c p in
      if d < !least then begin least := d; best := i end)
    centres;
  !best

let improve points centres =
  let k = Array.length centres in
  let sx = Array.make k 0. and sy = Array.make k 0. and count = Array.make k 0 in
  Array.iter
    (fun p ->
      let c = closest centres p in
      sx.(c) <- sx.(c) +. p.x;
      sy.(c) <- sy.(c) +. p.y;
      count.(c) <- count.(c) + 1)
    points;
  Array.mapi
    (fun i old ->
      if count.(i) = 0 then old
      else { x = sx.(i) /. float_of_int count.(i); y = sy.(i) /. float_of_int count.(i) })
    centres

let length tour =
  let n = Array.length tour in
  let sum = ref 0. in
  for i = 0 to n - 1 do sum := !sum +. sqrt (distance tour.(i) tour.((i + 1) mod n)) done;
  !sum

let anneal tour rounds =
  let n = Array.length tour in
  let current = ref (length tour) and temperature = ref 1. in
  for _ = 1 to rounds do
    let i = int_of_float (random () *. float_of_int n)
    and j = int_of_float (random () *. float_of_int n) in
    let swap () = let t = tour.(i) in tour.(i) <- tour.(j); tour.(j) <- t in
    swap ();
    let next = length tour in
    if next < !current || random () < exp ((!current -. next) /. !temperature) then current := next
    else swap ();
    temperature := !temperature *. 0.999
  done;
  !current

let () =
  let points = Array.init 30_000 (fun _ -> { x = random () +. random (); y = random () *. 2. }) in
  let centres = ref (Array.sub points 0 20) in
  for _ = 1 to 12 do centres := improve points !centres done;
  let spread =
    Array.fold_left (fun sum p -> sum +. distance p !centres.(closest !centres p)) 0. points in
  Printf.printf "spread %.6f\n" spread;
  Printf.printf "tour %.6f\n" (length !centres);
  Printf.printf "annealed %.6f\n" (anneal !centres 30_000)
