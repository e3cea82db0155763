(* calls: Classes: expressions as objects that visitors evaluate and measure, and accounts that
   inherit. *)
class type visitor = object
  method number : int -> int
  method variable : string -> int
  method binary : char -> expression -> expression -> int
end

and expression = object
  method accept : visitor -> int
  method size : int
end

class number (value : int) : expression = object
  method accept v = v#number value
  method size = 1
end

class variable name : expression = object
  method accept v = v#variable name
  method size = 1
end

class binary operator (left : expression) (right : expression) : expression = object
  method accept v = v#binary operator left right
  method size = 1 + left#size + right#size
end

class evaluator environment = object (self)
  method number (n : int) = n
  method variable name = List.assoc name environment
  method binary op (l : expression) (r : expression) =
    let a = l#accept (self :> visitor) in
    let b = r#accept (self :> visitor) in
    match op with '+' -> (a + b) land 0xffffff | '*' -> (a * b) land 0xffffff | _ -> a - b
end

class depth = object (self)
  method number (_ : int) = 1
  method variable (_ : string) = 1
  method binary (_ : char) (l : expression) (r : expression) : int =
    1 + max (l#accept (self :> visitor)) (r#accept (self :> visitor))
end

class account = object (self)
  val mutable balance = 0
  method balance = balance
  method deposit amount = balance <- balance + amount
  method fee = 0
  method withdraw amount =
    if amount + self#fee <= balance then balance <- balance - amount - self#fee
end

class checking = object
  inherit account as super
  val mutable count = 0
  method! fee = if count > 1000 then 2 else 1
  method! withdraw amount = count <- count + 1; super#withdraw amount
end

let rec make depth : expression =
  if depth = 0 then new variable "x"
  else if depth mod 5 = 0 then new binary '-' (make (depth - 1)) (new number depth)
  else new binary (if depth mod 2 = 0 then '+' else '*')
      (make (depth - 1)) (make (depth - 2 + (depth mod 2)))

let () =
  let tree = make 18 in
  let sum = ref 0 in
  for x = 1 to 300 do
    sum := !sum + tree#accept (new evaluator [ ("y", 1); ("z", 2); ("x", x) ])
  done;
  Printf.printf "%d %d %d\n" tree#size (tree#accept (new depth)) !sum;
  let accounts = [ new account; (new checking :> account); new checking ] in
  for i = 1 to 300_000 do
    List.iter (fun a -> a#deposit (i land 15); a#withdraw (i land 7)) accounts
  done;
  List.iter (fun a -> Printf.printf "%d " a#balance) accounts;
  print_newline ()
