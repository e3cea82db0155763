(* Loops over bigarrays whose kinds the function does not know: all of one kind, and mixed. *)
open Bigarray

let add (x : (float, 'a, c_layout) Array1.t) (y : (float, 'b, c_layout) Array1.t) rounds =
  let sum = ref 0. in
  for i = 0 to rounds - 1 do
    y.{i} <- y.{i} +. (0.5 *. x.{i});
    sum := !sum +. y.{i}
  done;
  !sum

let count (x : (int, 'a, c_layout) Array1.t) (y : (int, 'b, c_layout) Array1.t) rounds =
  let sum = ref 0 in
  for i = 0 to rounds - 1 do
    y.{i} <- (y.{i} + (3 * x.{i})) land 0x7f;
    if x.{i} land 1 = 0 then sum := !sum + y.{i} else sum := !sum - 1
  done;
  !sum

let product (a : (float, 'a, c_layout) Array2.t) (b : (float, 'b, c_layout) Array2.t)
    (c : (float, 'c, c_layout) Array2.t) =
  for i = 0 to Array2.dim1 a - 1 do
    for j = 0 to Array2.dim2 b - 1 do
      let sum = ref 0. in
      for k = 0 to Array2.dim2 a - 1 do sum := !sum +. (a.{i, k} *. b.{k, j}) done;
      c.{i, j} <- !sum
    done
  done

type floats = Floats : (float, 'a) kind -> floats
type ints = Ints : (int, 'a) kind -> ints

let rounds = [ 0; 1; 2; 9 ]
let floats = [ ("float64", Floats float64); ("float32", Floats float32) ]

let ints =
  [ ("int", Ints int); ("int8_unsigned", Ints int8_unsigned); ("int8_signed", Ints int8_signed);
    ("int16_signed", Ints int16_signed); ("int16_unsigned", Ints int16_unsigned) ]

(* An access outside ends a loop that has begun. *)
let outcome show f = try show (f ()) with Invalid_argument message -> message

let () =
  List.iter
    (fun (first, Floats one) ->
      List.iter
        (fun (second, Floats other) ->
          let x = Array1.create one c_layout 9 and y = Array1.create other c_layout 9 in
          for i = 0 to 8 do
            x.{i} <- float i /. 3.;
            y.{i} <- float (i * i)
          done;
          List.iter
            (fun rounds ->
              Printf.printf "%s %s %d: %s\n" first second rounds
                (outcome (Printf.sprintf "%.9f") (fun () -> add x y rounds)))
            (rounds @ [ 10 ]);
          let a = Array2.create one c_layout 3 4 and b = Array2.create other c_layout 4 2 in
          let c = Array2.create one c_layout 3 2 in
          for i = 0 to 3 do
            for j = 0 to 2 do a.{j, i} <- float (i + j) /. 7. done;
            for j = 0 to 1 do b.{i, j} <- float (i - j) /. 9. done
          done;
          product a b c;
          Printf.printf "%.9f %.9f\n" c.{0, 1} c.{2, 0})
        floats)
    floats;
  List.iter
    (fun (first, Ints one) ->
      List.iter
        (fun (second, Ints other) ->
          let x = Array1.create one c_layout 9 and y = Array1.create other c_layout 9 in
          for i = 0 to 8 do
            x.{i} <- i * 5;
            y.{i} <- i * i
          done;
          List.iter
            (fun rounds ->
              Printf.printf "%s %s %d: %s\n" first second rounds
                (outcome string_of_int (fun () -> count x y rounds)))
            (rounds @ [ 10 ]))
        ints)
    ints
