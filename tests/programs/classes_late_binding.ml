(* Late binding through open recursion, mixins, visitors, binary methods and class parameters. *)
type tree = Num of int | Bin of string * tree * tree

class virtual visitor = object (self)
  method virtual num : int -> string
  method virtual bin : string -> string -> string -> string
  method visit = function
    | Num n -> self#num n
    | Bin (op, a, b) -> let l = self#visit a in self#bin op l (self#visit b)
end

class infix = object
  inherit visitor
  method num = string_of_int
  method bin op a b = "(" ^ a ^ op ^ b ^ ")"
end

class prefix = object
  inherit infix
  method! bin op a b = op ^ " " ^ a ^ " " ^ b
end

class counting = object
  inherit prefix as super
  val mutable nodes = 0
  method nodes = nodes
  method! visit t = nodes <- nodes + 1; super#visit t
end

class virtual comparable = object (_ : 'self)
  method virtual compare_to : 'self -> int
end

class money amount = object (self)
  inherit comparable
  val amount = amount
  method amount = amount
  method compare_to (other : 'self) = compare amount other#amount
  method plus (other : 'self) = {< amount = amount + other#amount >}
  method exceeds (other : 'self) = self#compare_to other > 0
end

class observer = object
  val mutable seen : string list = []
  method notify s = seen <- s :: seen
  method seen = String.concat "," (List.rev seen)
end

class subject = object
  val mutable observers : observer list = []
  method attach o = observers <- o :: observers
  method emit s = List.iter (fun o -> o#notify s) observers
end

(* The same label sent to objects of many classes: the method cache must not mix them up. *)
let speakers =
  [| object method a = 1 method speak = "a" end;
     object method speak = "b" method a = 2 end;
     object method private hidden = "h" method speak = "c" method a = 3 end;
     object val x = 10 method a = x method speak = string_of_int x end |]

let () =
  let t = Bin ("+", Num 1, Bin ("*", Num 2, Bin ("-", Num 3, Num 4))) in
  print_endline ((new infix)#visit t);
  print_endline ((new prefix)#visit t);
  let c = new counting in
  Printf.printf "%s %d\n" (c#visit t) c#nodes;
  let a = new money 5 and b = new money 7 in
  Printf.printf "%d %d %d\n" (Bool.to_int (a#exceeds b)) (a#plus b)#amount (a#compare_to b);
  let s = new subject in
  let o1 = new observer and o2 = new observer in
  s#attach o1;
  s#emit "one";
  s#attach o2;
  s#emit "two";
  Printf.printf "%s | %s\n" o1#seen o2#seen;
  for i = 0 to 39 do
    let o = speakers.(i * 7 mod 4) in
    Printf.printf "%s%d" o#speak o#a
  done;
  print_newline ();
  let make = let count = ref 0 in fun () -> incr count; object val id = !count method id = id end in
  let l = List.init 5 (fun _ -> make ()) in
  List.iter (fun o -> Printf.printf "%d " o#id) l;
  print_newline ();
  Printf.printf "%b %b\n" (a = a) (a = b);
  let self_ref = object (self) method me = self method v = 9 end in
  Printf.printf "%d %b\n" self_ref#me#me#v (self_ref == self_ref#me)
