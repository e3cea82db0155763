(* calls: Church numerals, booleans and pairs: functions of functions all the way. *)
let zero _ x = x
let succ n f x = f (n f x)
let add m n f x = m f (n f x)
let mul m n f = m (n f)
let pow m n = n m
let to_int n = n (fun x -> x + 1) 0

let yes a _ = a
let no _ b = b
let is_zero n = n (fun _ -> no) yes

let pair a b select = select a b
let first p = p yes
let second p = p no

type numeral = { apply : 'a. ('a -> 'a) -> 'a -> 'a }

let rec of_int n = if n = 0 then { apply = zero } else begin
  let m = of_int (n - 1) in
  { apply = (fun f x -> f (m.apply f x)) }
end

let pred n = { apply = (fun f x -> n.apply (fun g h -> h (g f)) (fun _ -> x) (fun u -> u)) }
let minus m n = n.apply pred m

let compose f g x = f (g x)
let twice f = compose f f
let rec repeat n f = if n = 0 then fun x -> x else compose f (repeat (n - 1) f)

let () =
  let two = succ (succ zero) and three = succ (succ (succ zero)) in
  Printf.printf "%d %d\n" (to_int (add two three)) (to_int (mul two three));
  let total = ref 0 in
  for i = 1 to 60 do
    let n = of_int (100 + i) in
    total := !total + to_int (mul n.apply (mul (of_int 30).apply (of_int 100).apply))
  done;
  Printf.printf "%d\n" !total;
  Printf.printf "%d\n" (to_int (pow (of_int 8).apply (of_int 7).apply));
  Printf.printf "%d\n" (to_int (minus (of_int 600) (of_int 580)).apply);
  Printf.printf "%b\n" (is_zero (minus (of_int 20) (of_int 20)).apply true false);
  let fibonacci = (of_int 80).apply (fun p -> pair (second p) (first p + second p)) (pair 0 1) in
  Printf.printf "%d\n" (first fibonacci);
  let sum = ref 0 in
  for i = 1 to 12_000 do sum := !sum + repeat 400 (twice (fun x -> (x + i) land 0xffff)) i done;
  Printf.printf "%d\n" !sum
