(* floats: A recursive Fourier transform over Complex.t, and polynomials multiplied with it. *)
open Complex

let rec fft sign a =
  let n = Array.length a in
  if n = 1 then [| a.(0) |]
  else begin
    let half = n / 2 in
    let even = fft sign (Array.init half (fun i -> a.(2 * i))) in
    let odd = fft sign (Array.init half (fun i -> a.((2 * i) + 1))) in
    let result = Array.make n zero in
    let angle = sign *. 8. *. atan 1. /. float_of_int n in
    for k = 0 to half - 1 do
      let w = polar 1. (angle *. float_of_int k) in
      let t = mul w odd.(k) in
      result.(k) <- add even.(k) t;
      result.(k + half) <- sub even.(k) t
    done;
    result
  end

let multiply p q =
  let size = ref 1 in
  while !size < Array.length p + Array.length q do size := 2 * !size done;
  let pad a =
    Array.init !size (fun i ->
        if i < Array.length a then { re = float_of_int a.(i); im = 0. } else zero) in
  let p = fft 1. (pad p) and q = fft 1. (pad q) in
  let product = fft (-1.) (Array.map2 mul p q) in
  Array.map (fun c -> int_of_float (Float.round (c.re /. float_of_int !size))) product

let () =
  let p = Array.init 5000 (fun i -> i mod 10) and q = Array.init 3000 (fun i -> (i * 7) mod 10) in
  let sum = ref 0 in
  for _ = 1 to 15 do
    let r = multiply p q in
    Array.iteri (fun i v -> sum := (!sum + (v * (i + 1))) mod 1_000_007) r;
    Printf.printf "%d %d %d\n" r.(1) r.(4000) r.(7500)
  done;
  Printf.printf "%d\n" !sum
