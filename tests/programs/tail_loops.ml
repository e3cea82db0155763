(* Functions that call themselves in tail position: without a poll while nothing can wait, and with
   one again after something could. *)

let length = 40_000

(* An array that is too large to be young, and a young block in all of its fields: more stores than
   the remembered set has room for, in a loop that allocates nothing. *)
let old = Array.make length [| 0 |]

let rec fill young i = if i < length then begin old.(i) <- young; fill young (i + 1) end

let rec sum i acc = if i = length then acc else sum (i + 1) (acc + old.(i).(0))

let rec clear none i = if i < length then begin old.(i) <- none; clear none (i + 1) end

let () =
  let none = old.(0) in
  for round = 1 to 3 do
    fill [| round |] 0;
    clear none (length / 2);
    fill [| round * 10 |] (length - 100);
    Gc.minor ();
    Printf.printf "%d %d\n" (sum 0 0) old.(length - 1).(0)
  done

(* A primitive that leaves nothing to do, among the calls. *)
let rec hits text i n =
  if i = String.length text then n
  else hits text (i + 1) (if String.equal (String.make 1 text.[i]) "a" then n + 1 else n)

let rec equal_up_to a b i = i = String.length a || (String.equal a b && equal_up_to a b (i + 1))

let () =
  let text = String.concat "" (List.init 500 (fun i -> if i mod 3 = 0 then "a" else "bc")) in
  Printf.printf "%d %b\n" (hits text 0 0) (equal_up_to text (text ^ "") 0)

(* Blocks that only such a loop holds, and collections between its rounds. *)
let rec turn n (a, b) = if n = 0 then a + b else turn (n - 1) (b, (a + 1) land 0xff)

let rec turn_rarely n pair =
  if n = 0 then fst pair
  else turn_rarely (n - 1) (if n land 7 = 0 then (snd pair, fst pair + 1) else pair)

let rec deep n = if n = 0 then 0 else 1 + deep (n - 1)

(* The stack is as deep after as before: what follows the loop can use all of it. *)
let rec then_deep n = if n = 0 then deep 1000 else then_deep (n - 1)

let () =
  Printf.printf "%d %d %d\n" (turn 10_000 (1, 2)) (turn_rarely 10_000 (3, 4)) (then_deep 100_000)
