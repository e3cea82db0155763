(* Functions that may soon return: past an access to an array or a string, a comparison or an
   operation on floats. What is unusual about one of these (an index out of bounds, an array of
   floats, blocks to compare) is done by the function itself. *)

type exp =
  | Const of int
  | Var of int
  | Add of exp * exp
  | Sub of exp * exp
  | Mul of exp * exp
  | Less of exp * exp
  | If of exp * exp * exp

(* Each call of what it gives may call seven functions, and two of them return at once. *)
let rec comp = function
  | Const n -> fun _ -> n
  | Var i -> fun env -> env.(i)
  | Add (a, b) -> let a = comp a and b = comp b in fun env -> a env + b env
  | Sub (a, b) -> let a = comp a and b = comp b in fun env -> a env - b env
  | Mul (a, b) -> let a = comp a and b = comp b in fun env -> a env * b env
  | Less (a, b) -> let a = comp a and b = comp b in
    fun env -> if a env < b env then 1 else 0
  | If (c, a, b) -> let c = comp c and a = comp a and b = comp b in
    fun env -> if c env <> 0 then a env else b env

let caught f = try string_of_int (f ()) with
  | Invalid_argument message -> message
  | Division_by_zero -> "division by zero"

let closures () =
  let body i = If (Less (Var 0, Mul (Var i, Const 3)), Add (Var 1, Const 7), Sub (Var 0, Var i)) in
  let run i = caught (fun () -> comp (Add (body i, Const 1)) [| 5; 40 |]) in
  List.iter (fun i -> print_endline (run i)) [0; 1; 2; -1]

(* The array is known to nobody: it may be one of floats. *)
let rec root parents i = if parents.(i) = i then i else root parents parents.(i) - 1 + 1
let rec first x a i = if a.(i) = x then i else 1 + first x a (i + 1) - 1

let rec blanks s i = if s.[i] = ' ' then 1 + blanks s (i + 1) else 0

let rec half x = if x <= 1. then x *. 3. else 1. +. half (x /. 2.)
let rec steps x y = if compare x y >= 0 then 0 else 1 + steps (x +. 1.) y
let rec power x n = if n = 0l then Int32.mul x 2l else Int32.add x (power x (Int32.sub n 1l))
let rec rest x n = if n < 3 then x / n else 1 + rest x (n - 3)

let () =
  closures ();
  let parents = [| 0; 0; 1; 2; 9 |] in
  List.iter (fun i -> print_endline (caught (fun () -> root parents i))) [3; 4; 0; 7];
  let position x a = print_endline (caught (fun () -> first x a 0)) in
  position 4 [| 1; 2; 4 |];
  position 5 [| 1; 2; 4 |];
  position 2.5 [| 1.5; 2.5 |];
  position nan [| 1.5; nan |];
  position "b" [| "a"; "b" |];
  position (1, [2.]) [| 1, [3.]; 1, [2.]; 0, [] |];
  List.iter (fun s -> print_endline (caught (fun () -> blanks s 0))) ["  x"; "   "; ""];
  let numbers = Array.init 8 (fun i -> half (float_of_int (i * i))) in
  Array.iter (Printf.printf "%g ") numbers;
  Printf.printf "\n%d %d\n" (steps 0.5 4.) (steps 1.5 nan);
  Printf.printf "%ld\n" (power 7l 5l);
  List.iter (fun n -> print_endline (caught (fun () -> rest 100 n))) [4; 5; 3; 9]
