(* closures: Functors over rings: polynomials over modular numbers over rationals, and matrices of
   them. *)
module type Ring = sig
  type t
  val zero : t
  val one : t
  val add : t -> t -> t
  val mul : t -> t -> t
  val show : t -> string
end

module Modular (P : sig val p : int end) : Ring with type t = int = struct
  type t = int
  let zero = 0
  let one = 1
  let add a b = (a + b) mod P.p
  let mul a b = a * b mod P.p
  let show = string_of_int
end

module Gaussian (R : Ring) = struct
  type t = R.t * R.t
  let minus_one : R.t ref = ref R.zero
  let zero = (R.zero, R.zero)
  let one = (R.one, R.zero)
  let add (a, b) (c, d) = (R.add a c, R.add b d)
  let mul (a, b) (c, d) =
    (R.add (R.mul a c) (R.mul !minus_one (R.mul b d)), R.add (R.mul a d) (R.mul b c))
  let show (a, b) = Printf.sprintf "(%s+%si)" (R.show a) (R.show b)
end

module Polynomial (R : Ring) = struct
  type t = R.t list
  let zero = []
  let one = [ R.one ]
  let rec add p q = match p, q with [], r | r, [] -> r | a :: p, b :: q -> R.add a b :: add p q
  let scale c = List.map (R.mul c)
  let rec mul p q = match p with [] -> [] | a :: p -> add (scale a q) (R.zero :: mul p q)
  let eval p x = List.fold_right (fun c acc -> R.add c (R.mul x acc)) p R.zero
  let show p = String.concat " " (List.map R.show p)
end

module Matrix (R : Ring) = struct
  let make n f = Array.init n (fun i -> Array.init n (f i))
  let mul a b =
    let n = Array.length a in
    make n (fun i j ->
      let sum = ref R.zero in
      for k = 0 to n - 1 do sum := R.add !sum (R.mul a.(i).(k) b.(k).(j)) done;
      !sum)
  let rec power m k =
    if k = 0 then make (Array.length m) (fun i j -> if i = j then R.one else R.zero)
    else let half = power m (k / 2) in
      let square = mul half half in
      if k land 1 = 0 then square else mul square m
end

module F = Modular (struct let p = 10_007 end)
module G = Gaussian (F)
module P = Polynomial (F)
module PG = Polynomial (G)
module M = Matrix (F)
module MP = Matrix (P)

let () =
  G.minus_one := 10_006;
  let p = List.init 300 (fun i -> (i * 17) mod 10_007) in
  let square = P.mul p p in
  Printf.printf "%d %d\n" (List.length square) (P.eval (P.mul square square) 1234);
  let sum = ref 0 in
  for x = 1 to 3000 do sum := F.add !sum (P.eval square x) done;
  Printf.printf "%d\n" !sum;
  let g = List.init 120 (fun i -> (i, i * i mod 10_007)) in
  Printf.printf "%s\n" (G.show (PG.eval (PG.mul g (PG.mul g g)) (3, 4)));
  let m = M.make 48 (fun i j -> (i * 31) + (j * 7) mod 10_007) in
  Printf.printf "%d\n" (M.power m 1_000_000_007).(3).(5);
  let poly = MP.make 4 (fun i j -> [ i; j; 1 ]) in
  Printf.printf "%s\n" (P.show (List.filteri (fun i _ -> i < 4) (MP.power poly 13).(1).(2)))
