(* floats: European options: the Black-Scholes formula, a binomial tree and a Monte Carlo
   estimate. *)
type contract = { spot : float; strike : float; rate : float; volatility : float; years : float }

(* Abramowitz and Stegun, 26.2.17. *)
let normal_cdf x =
  let k = 1. /. (1. +. (0.2316419 *. abs_float x)) in
  let poly =
    k *. (0.319381530 +. (k *. (-0.356563782 +.
      (k *. (1.781477937 +. (k *. (-1.821255978 +. (k *. 1.330274429)))))))) in
  let tail = 0.3989422804014327 *. exp (-0.5 *. x *. x) *. poly in
  if x >= 0. then 1. -. tail else tail

let black_scholes c =
  let root = c.volatility *. sqrt c.years in
  let d1 =
    (log (c.spot /. c.strike) +. ((c.rate +. (c.volatility *. c.volatility /. 2.)) *. c.years))
    /. root in
  (c.spot *. normal_cdf d1) -. (c.strike *. exp (-.c.rate *. c.years) *. normal_cdf (d1 -. root))

let binomial steps c =
  let dt = c.years /. float_of_int steps in
  let up = exp (c.volatility *. sqrt dt) in
  let p = (exp (c.rate *. dt) -. (1. /. up)) /. (up -. (1. /. up)) in
  let discount = exp (-.c.rate *. dt) in
  let value =
    Array.init (steps + 1) (fun i ->
        max 0. ((c.spot *. (up ** float_of_int ((2 * i) - steps))) -. c.strike)) in
  for step = steps - 1 downto 0 do
    for i = 0 to step do
      value.(i) <- discount *. ((p *. value.(i + 1)) +. ((1. -. p) *. value.(i)))
    done
  done;
  value.(0)

let uniform =
  let state = ref 42 in
  fun () ->
    state := ((!state * 25214903917) + 11) land 0xffffffffffff;
    (float_of_int (!state lsr 16) +. 0.5) /. 4294967296.

let gauss () = sqrt (-2. *. log (uniform ())) *. cos (6.283185307179586 *. uniform ())

let monte_carlo paths c =
  let drift = (c.rate -. (c.volatility *. c.volatility /. 2.)) *. c.years in
  let sum = ref 0. in
  for _ = 1 to paths do
    let final = c.spot *. exp (drift +. (c.volatility *. sqrt c.years *. gauss ())) in
    sum := !sum +. max 0. (final -. c.strike)
  done;
  exp (-.c.rate *. c.years) *. !sum /. float_of_int paths

let () =
  let base = { spot = 100.; strike = 100.; rate = 0.05; volatility = 0.2; years = 1. } in
  let sum = ref 0. in
  for i = 0 to 600_000 do
    sum := !sum +. black_scholes { base with strike = 50. +. (float_of_int i /. 6000.) }
  done;
  Printf.printf "formula: %.4f, sum %.2f\n" (black_scholes base) !sum;
  Printf.printf "binomial: %.4f\n" (binomial 1000 base);
  Printf.printf "simulated: %.4f\n" (monte_carlo 2_000_000 base)
