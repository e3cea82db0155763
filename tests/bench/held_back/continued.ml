(* floats: square roots, logarithms and areas by series and rules, in loops over local references.
   Compiled as for a debugger, so that `ocamlc` leaves these blocks. *)

let root x =
  let y = ref (if x > 1. then x else 1.) and rounds = ref 0 in
  while !rounds < 40 && abs_float (!y *. !y -. x) > 1e-12 *. x do
    y := 0.5 *. (!y +. x /. !y);
    incr rounds
  done;
  !y

let logarithm x =
  let scale = ref 0 and m = ref x in
  while !m > 1.5 do
    m := !m /. 2.;
    incr scale
  done;
  let t = (!m -. 1.) /. (!m +. 1.) in
  let square = t *. t in
  let power = ref t and sum = ref 0. in
  for k = 0 to 14 do
    sum := !sum +. !power /. float_of_int (2 * k + 1);
    power := !power *. square
  done;
  2. *. !sum +. float_of_int !scale *. 0.6931471805599453

let area steps =
  let h = 4. /. float_of_int steps in
  let sum = ref 0. and x = ref 0. in
  for i = 0 to steps do
    let weight = if i = 0 || i = steps then 1. else if i land 1 = 1 then 4. else 2. in
    sum := !sum +. weight *. (1. /. (1. +. !x *. !x));
    x := !x +. h
  done;
  !sum *. h /. 3.

let fraction depth x =
  let value = ref 0. in
  for k = depth downto 1 do
    value := float_of_int (k * k) *. x *. x /. (float_of_int (2 * k + 1) +. !value)
  done;
  x /. (1. +. !value)

let () =
  let total = ref 0. in
  for i = 1 to 120_000 do
    let x = float_of_int i /. 17. in
    total := !total +. root x +. logarithm (1. +. x) +. fraction 20 (1. /. x)
  done;
  Printf.printf "%.9f %.9f\n" !total (area 4_000_000)
