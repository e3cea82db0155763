(* Calls of closures of which there are more than eight: all are certain, and some raise, return
   floats, or call the others. Types of formats are compared by functions that hand on a constant.
*)

type expr =
  | Int of int | Var of int | Add of expr * expr | Sub of expr * expr | Mul of expr * expr
  | Div of expr * expr | Less of expr * expr | If of expr * expr * expr | Set of int * expr
  | While of expr * expr | Seq of expr * expr | Try of expr * expr | Neg of expr

let rec compile = function
  | Int n -> fun _ -> n
  | Var i -> fun env -> env.(i)
  | Add (a, Int n) -> let a = compile a in fun env -> a env + n
  | Add (a, b) -> let a = compile a and b = compile b in fun env -> a env + b env
  | Sub (a, b) -> let a = compile a and b = compile b in fun env -> a env - b env
  | Mul (a, b) -> let a = compile a and b = compile b in fun env -> a env * b env
  | Div (a, b) -> let a = compile a and b = compile b in fun env -> a env / b env
  | Less (a, b) ->
    let a = compile a and b = compile b in fun env -> if a env < b env then 1 else 0
  | If (c, a, b) ->
    let c = compile c and a = compile a and b = compile b in
    fun env -> if c env <> 0 then a env else b env
  | Set (i, a) -> let a = compile a in fun env -> env.(i) <- a env; 0
  | While (c, a) ->
    let c = compile c and a = compile a in
    fun env -> while c env <> 0 do ignore (a env) done; 0
  | Seq (a, b) -> let a = compile a and b = compile b in fun env -> ignore (a env); b env
  | Try (a, b) ->
    let a = compile a and b = compile b in
    fun env -> (try a env with Division_by_zero -> b env)
  | Neg a -> let a = compile a in fun env -> - (a env)

let program =
  let step =
    Seq (Set (1, Add (Var 1, Try (Div (Int 100, Sub (Var 0, Int 7)), Neg (Int 3)))),
      Seq (If (Less (Var 1, Int 50), Set (1, Mul (Var 1, Int 2)), Set (2, Add (Var 2, Int 1))),
        Set (0, Add (Var 0, Int 1))))
  in
  Seq (While (Less (Var 0, Int 20), step), Sub (Var 1, Var 2))

(* The same with floats. *)
let operations =
  [| (fun x -> x +. 1.0); (fun x -> x *. 2.0); (fun x -> x -. 0.5); (fun x -> -. x);
     (fun x -> x /. 3.0); (fun x -> sqrt (abs_float x));
     (fun x -> x *. 0.75); (fun x -> if x < 0.0 then raise Exit else x);
     (fun x -> x +. 10.0); floor; (fun x -> x -. 7.0); (fun x -> 1.0 /. (x +. 1.0)) |]

let rec apply i n x =
  if n = 0 then x else
    let y = try operations.((i land 4095) mod 12) x with Exit -> 4.0 in
    apply (i * 5 + 1) (n - 1) (y +. 0.25)

let () =
  Printf.printf "%d\n" (compile program (Array.make 3 0));
  (match compile (Div (Int 1, Var 0)) [| 0 |] with
   | n -> print_int n
   | exception Division_by_zero -> print_endline "raised");
  for i = 0 to 11 do Printf.printf "%h\n" (apply i 40 (float i)) done;
  let format = format_of_string "%d %s %c %f %b\n" in
  Printf.printf "%(%d %s %c %f %b%)" format 1 "a" 'b' 2.5 true;
  match CamlinternalFormat.format_of_string_format "%x %S %C %e %B\n" format with
  | format -> Printf.printf format 255 "q" 'c' 0.5 false
  | exception Failure what -> print_endline what
