(* floats: Runge-Kutta of the fourth order on tuples of floats: the Lorenz attractor and a
   pendulum. *)
let lorenz (x, y, z) = (10. *. (y -. x), (x *. (28. -. z)) -. y, (x *. y) -. (8. /. 3. *. z))
let pendulum (angle, speed, time) = (speed, -.(9.81 *. sin angle) -. (0.1 *. speed) +. cos time, 1.)

let add (a, b, c) k (d, e, f) = (a +. (k *. d), b +. (k *. e), c +. (k *. f))

let step f h y =
  let k1 = f y in
  let k2 = f (add y (h /. 2.) k1) in
  let k3 = f (add y (h /. 2.) k2) in
  let k4 = f (add y h k3) in
  add (add (add (add y (h /. 6.) k1) (h /. 3.) k2) (h /. 3.) k3) (h /. 6.) k4

let rec iterate n f h y = if n = 0 then y else iterate (n - 1) f h (step f h y)

let print name (x, y, z) = Printf.printf "%s: %.6f %.6f %.6f\n" name x y z

let () =
  print "lorenz, 1000 steps" (iterate 1_000 lorenz 0.01 (1., 1., 1.));
  print "pendulum" (iterate 500_000 pendulum 0.0002 (0.5, 0., 0.));
  let turns = ref 0 and state = ref (1., 1., 1.) in
  for _ = 1 to 800_000 do
    let (before, _, _) = !state in
    state := step lorenz 0.0001 !state;
    let (after, _, _) = !state in
    if (before < 0.) <> (after < 0.) then incr turns
  done;
  Printf.printf "changes of side: %d\n" !turns;
  print "lorenz" !state
