(* Polymorphic variants: hashed tags, open types, inheritance of cases, printing and comparison. *)
type basic = [ `Int of int | `Str of string ]
type extended = [ basic | `List of extended list | `Nothing ]

let show_basic : basic -> string = function `Int n -> string_of_int n | `Str s -> s
let rec show : extended -> string = function
  | #basic as b -> "<" ^ show_basic b ^ ">"
  | `List l -> "(" ^ String.concat " " (List.map show l) ^ ")"
  | `Nothing -> "()"

let open_case = function `Red -> 1 | `Green -> 2 | `Blue n -> n | _ -> -1
let toggle = function `On -> `Off | `Off -> `On
let rec eval = function
  | `Num n -> n
  | `Add (a, b) -> eval a + eval b
  | `Mul (a, b) -> eval a * eval b
  | `Neg a -> -eval a
let rec eval_more self = function
  | `Let (x, e, b) -> self ((x, self [] e) :: []) b
  | `Var _ -> 0
  | #basic -> 1
let tags = [ `A; `Abc; `Some_rather_long_tag; `A' ; `Z9 ]

let () =
  ignore eval_more;
  print_endline (show (`List [ `Int 1; `Str "two"; `List [ `Nothing ]; `Nothing ]));
  Printf.printf "%d %d %d %d\n" (open_case `Red) (open_case `Green)
    (open_case (`Blue 7)) (open_case `Purple);
  print_endline (match toggle (toggle `On) with `On -> "on" | `Off -> "off");
  Printf.printf "%d\n" (eval (`Add (`Num 2, `Mul (`Num 3, `Neg (`Num 4)))));
  List.iter (fun t -> Printf.printf "%d " (Obj.magic t : int)) tags;
  print_newline ();
  List.iter (fun t -> Printf.printf "%d " (compare t `Abc)) tags;
  print_newline ();
  let l = List.sort compare [ `B 2; `A 1; `B 1; `C 0 ] in
  List.iter
    (function
      | `A n -> Printf.printf "A%d " n
      | `B n -> Printf.printf "B%d " n
      | `C n -> Printf.printf "C%d " n)
    l;
  print_newline ();
  let counts = Hashtbl.create 8 in
  List.iter
    (fun t -> Hashtbl.replace counts t (1 + try Hashtbl.find counts t with Not_found -> 0))
    [ `X; `Y; `X; `X; `Z; `Y ];
  Printf.printf "%d %d %d\n" (Hashtbl.find counts `X) (Hashtbl.find counts `Y)
    (Hashtbl.find counts `Z)
