(* Float arithmetic, comparisons, special values, rounding and the math functions. *)
let show x = Printf.sprintf "%h" x
let specials =
  [ 0.; -0.; 1.; -1.5; infinity; neg_infinity; nan; epsilon_float; min_float; max_float; 4.9e-324 ]

let rec newton f f' x n = if n = 0 then x else newton f f' (x -. (f x /. f' x)) (n - 1)

let integrate f a b n =
  let h = (b -. a) /. float_of_int n in
  let sum = ref (0.5 *. (f a +. f b)) in
  for i = 1 to n - 1 do sum := !sum +. f (a +. (float_of_int i *. h)) done;
  !sum *. h

let class_name x =
  match classify_float x with
  | FP_normal -> "normal" | FP_subnormal -> "subnormal" | FP_zero -> "zero"
  | FP_infinite -> "infinite" | FP_nan -> "nan"

let () =
  List.iter (fun x -> Printf.printf "%s %s %s\n" (show x) (string_of_float x) (class_name x))
    specials;
  List.iter
    (fun a ->
      List.iter
        (fun b ->
          Printf.printf "%d%d%d%d%d%d%+d " (Bool.to_int (a < b)) (Bool.to_int (a <= b))
            (Bool.to_int (a = b))
            (Bool.to_int (a <> b)) (Bool.to_int (a > b)) (Bool.to_int (a >= b)) (compare a b))
        specials;
      print_newline ())
    specials;
  print_endline (show (newton (fun x -> (x *. x) -. 2.) (fun x -> 2. *. x) 1. 6));
  print_endline (show (integrate (fun x -> x *. x) 0. 3. 300));
  List.iter
    (fun x ->
      Printf.printf "%g %g %g %g %d %g\n" (floor x) (ceil x) (Float.round x) (Float.trunc x)
        (truncate x) (Float.abs x))
    [ 2.5; -2.5; 0.49999999999999994; -0.2; 1e15; 3.7 ];
  let m, e = frexp 10.5 in
  Printf.printf "%g %d %g\n" m e (ldexp 0.75 5);
  let f, i = modf (-3.25) in
  Printf.printf "%g %g\n" f i;
  Printf.printf "%s %s\n" (show (mod_float 7.5 2.)) (show (mod_float (-7.5) 2.));
  Printf.printf "%s %s %s\n" (show (sqrt 2.)) (show (hypot 3. 4.)) (show (copysign 2. (-0.)));
  Printf.printf "%.10f %.10f %.10f %.10f\n" (sin 1.) (cos 1.) (tan 1.) (atan2 1. (-2.));
  Printf.printf "%.10f %.10f %.10f %.10f\n" (exp 1.) (log 10.) (log10 1000.) (2. ** 0.5);
  Printf.printf "%.10f %.10f %.10f\n" (sinh 1.) (expm1 1e-5) (log1p 1e-5);
  Printf.printf "%d %d %d\n" (int_of_float 1e10) (int_of_float (-7.9)) (compare nan nan);
  Printf.printf "%b %b\n" (nan = nan) (min 0. nan <> 0. || true);
  Printf.printf "%s %s\n" (show (Float.fma 2. 3. 4.)) (show (Float.succ 1.));
  Printf.printf "%s\n"
    (show (List.fold_left ( +. ) 0. (List.init 100 (fun i -> 1. /. float_of_int (i + 1)))))

(* Angles that are too small for a float. *)
let () =
  let tiny = -4.94e-324 in
  List.iter (Printf.printf "%h\n")
    [ atan2 tiny 3.; atan2 tiny infinity; atan2 (-0.) 1.; atan2 (-0.) (-1.); atan2 1e-300 1e300 ]
