(* floats: Numerical integration of functions given as arguments, and roots by Newton and
   bisection. *)
let trapezoid f a b n =
  let h = (b -. a) /. float_of_int n in
  let sum = ref ((f a +. f b) /. 2.) in
  for i = 1 to n - 1 do sum := !sum +. f (a +. (float_of_int i *. h)) done;
  !sum *. h

let simpson f a b = (b -. a) /. 6. *. (f a +. (4. *. f ((a +. b) /. 2.)) +. f b)

let rec adaptive f a b eps whole =
  let m = (a +. b) /. 2. in
  let left = simpson f a m and right = simpson f m b in
  let delta = left +. right -. whole in
  if abs_float delta < 15. *. eps then left +. right +. (delta /. 15.)
  else adaptive f a m (eps /. 2.) left +. adaptive f m b (eps /. 2.) right

let romberg f a b levels =
  let table = Array.make_matrix levels levels 0. in
  for i = 0 to levels - 1 do
    table.(i).(0) <- trapezoid f a b (1 lsl i);
    for j = 1 to i do
      let k = 4. ** float_of_int j in
      table.(i).(j) <- ((k *. table.(i).(j - 1)) -. table.(i - 1).(j - 1)) /. (k -. 1.)
    done
  done;
  table.(levels - 1).(levels - 1)

let derivative f x = (f (x +. 1e-5) -. f (x -. 1e-5)) /. 2e-5

let rec newton f x n = if n = 0 then x else newton f (x -. (f x /. derivative f x)) (n - 1)

let rec bisect f a b =
  let m = (a +. b) /. 2. in
  if b -. a < 1e-12 then m else if f a *. f m <= 0. then bisect f a m else bisect f m b

let () =
  let functions =
    [ ("polynomial", fun x -> (((x *. 3.) -. 2.) *. x *. x) -. 7.);
      ("gauss", fun x -> exp (-.x *. x));
      ("wave", fun x -> sin (10. *. x) /. (1. +. (x *. x)));
      ("root", fun x -> sqrt (1. +. (x *. x))) ]
  in
  List.iter
    (fun (name, f) ->
      Printf.printf "%s: %.8f %.8f %.8f\n" name (trapezoid f 0. 3. 2_000_000)
        (adaptive f 0. 3. 1e-13 (simpson f 0. 3.)) (romberg f 0. 3. 16))
    functions;
  let sum = ref 0. in
  for i = 1 to 40_000 do
    let c = float_of_int i in
    sum := !sum +. newton (fun x -> (x *. x) -. c) c 12 -. bisect (fun x -> (x *. x *. x) -. c) 0. c
  done;
  Printf.printf "%.6f\n" !sum
