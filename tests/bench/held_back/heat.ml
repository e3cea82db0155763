(* arrays: Heat flowing over a plate in bigarrays, and a histogram of bytes in one. *)
open Bigarray

let plate n =
  let a = Array2.create Float64 C_layout n n in
  Array2.fill a 0.;
  for i = 0 to n - 1 do
    a.{0, i} <- 100.;
    a.{i, 0} <- 50.
  done;
  a

let step (a : (float, float64_elt, c_layout) Array2.t)
    (b : (float, float64_elt, c_layout) Array2.t) =
  let n = Array2.dim1 a and change = ref 0. in
  for i = 1 to n - 2 do
    for j = 1 to n - 2 do
      let v = 0.25 *. (a.{i - 1, j} +. a.{i + 1, j} +. a.{i, j - 1} +. a.{i, j + 1}) in
      change := !change +. abs_float (v -. a.{i, j});
      b.{i, j} <- v
    done
  done;
  !change

let histogram (bytes : (int, int8_unsigned_elt, c_layout) Array1.t) =
  let counts = Array1.create Int C_layout 256 in
  Array1.fill counts 0;
  for i = 0 to Array1.dim bytes - 1 do
    let v = bytes.{i} in
    counts.{v} <- counts.{v} + 1
  done;
  counts

let () =
  let n = 150 in
  let a = plate n and b = plate n in
  let change = ref 0. in
  for _ = 1 to 80 do
    ignore (step a b);
    change := step b a
  done;
  Printf.printf "change %.6f, middle %.6f\n" !change a.{n / 2, n / 2};
  let bytes = Array1.create Int8_unsigned C_layout 1_000_000 in
  for i = 0 to Array1.dim bytes - 1 do bytes.{i} <- i * i mod 251 done;
  let counts = histogram bytes in
  Printf.printf "%d %d %d\n" counts.{0} counts.{1} counts.{249}
