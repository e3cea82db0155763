(* floats: conjugate gradients for Poisson's equation on a square, vectors and the grid in
   Bigarrays. *)
open Bigarray

type grid = (float, float64_elt, c_layout) Array2.t

let make n : grid =
  let a = Array2.create float64 c_layout n n in
  Array2.fill a 0.;
  a

(* y becomes the five-point operator of x, with zeros around the square. *)
let apply (x : grid) (y : grid) =
  let n = Array2.dim1 x in
  for i = 1 to n - 2 do
    for j = 1 to n - 2 do
      y.{i, j} <- (4. *. x.{i, j}) -. x.{i - 1, j} -. x.{i + 1, j} -. x.{i, j - 1} -. x.{i, j + 1}
    done
  done

let dot (x : grid) (y : grid) =
  let sum = ref 0. in
  for i = 1 to Array2.dim1 x - 2 do
    for j = 1 to Array2.dim2 x - 2 do sum := !sum +. (x.{i, j} *. y.{i, j}) done
  done;
  !sum

(* x becomes a x + b y. *)
let combine a (x : grid) b (y : grid) =
  for i = 1 to Array2.dim1 x - 2 do
    for j = 1 to Array2.dim2 x - 2 do x.{i, j} <- (a *. x.{i, j}) +. (b *. y.{i, j}) done
  done

let solve source =
  let n = Array2.dim1 source in
  let x = make n and residual = make n and direction = make n and image = make n in
  Array2.blit source residual;
  Array2.blit source direction;
  let rec go rounds rho =
    if rho < 1e-16 || rounds = 200 then (x, rounds, rho)
    else begin
      apply direction image;
      let alpha = rho /. dot direction image in
      combine 1. x alpha direction;
      combine 1. residual (-.alpha) image;
      let rho' = dot residual residual in
      combine (rho' /. rho) direction 1. residual;
      go (rounds + 1) rho'
    end
  in
  go 0 (dot residual residual)

let () =
  List.iter
    (fun n ->
      let source = make n in
      for k = 1 to 10 do
        source.{1 + (k * 37 mod (n - 2)), 1 + (k * 61 mod (n - 2))} <- float_of_int k
      done;
      let x, rounds, rho = solve source in
      Printf.printf "%d: %d rounds, residual %.3e, middle %.12f\n"
        n rounds (sqrt rho) x.{n / 2, n / 2})
    [ 32; 48; 64; 80 ]
