(* Calls of methods that may be one of a few functions: by label, of the same object, inherited,
   overridden, of more classes than a call has candidates, and of classes made late. *)
let int n = print_string (string_of_int n); print_char ' '
let line () = print_newline ()

class virtual animal = object (self)
  method virtual legs : int
  method pairs = self#legs / 2
  method private twice n = n + n
  method both = self#twice self#legs
end

class bird = object inherit animal method legs = 2 end
class camel = object (self)
  inherit animal as super
  val mutable load = 0
  method legs = 4
  method! pairs = super#pairs + 10
  method take n = load <- load + self#twice n; self
  method load = load
end

let all f = List.iter (fun a -> int (f a))

let () =
  let animals = [new bird; (new camel :> animal); new bird] in
  all (fun a -> a#legs) animals;
  all (fun a -> a#pairs) animals;
  all (fun a -> a#both) animals;
  int ((new camel)#take 3)#load;
  line ()

(* The same function is a method of classes in which what it calls is at other places. *)
class base = object (self) method name = "base" method hello = "hello " ^ self#name end
class more = object inherit base method a = 1 method b = 2 method! name = "more" method zz = 3 end
class other = object method before = 0 inherit base method! name = "other" end

let () =
  List.iter (fun o -> print_string (o#hello ^ ";"))
    [new base; (new more :> base); (new other :> base);
     object method name = "x" method hello = "y" end];
  line ()

(* Methods with parameters, partial applications of them, labels, functions as results. *)
class calculator seed = object
  val seed = seed
  method add a b = a + b + seed
  method scale ?(by = 2) a = a * by * seed
  method adder = fun a b c -> a + b + c + seed
  method with_seed s = {< seed = s >}
end

let () =
  let c = new calculator 5 in
  int (c#add 1 2);
  int (List.fold_left c#add 0 [1; 2; 3]);
  int (c#scale 3);
  int (c#scale ~by:7 3);
  int (c#adder 1 2 3);
  int ((c#with_seed 9)#add 1 1);
  let add = c#add 4 in
  int (add 6);
  line ()

(* Six classes with one label, and a class that there is only after the first output. *)
let () =
  let kinds = [
    object method kind = 1 end; object method kind = 2 end; object method kind = 3 end;
    object method kind = 4 end; object method kind = 5 end; object method kind = 6 end] in
  all (fun o -> o#kind) kinds;
  let late n = let module M = struct class c = object method kind = n * n end end in new M.c in
  int (late 7)#kind;
  all (fun o -> o#kind) [late 8; List.hd kinds];
  line ()

(* Methods that raise, that allocate, and that call themselves. *)
class tree = object (self)
  method depth n : int = if n = 0 then 0 else 1 + self#depth (n - 1)
  method fail n : int = if n > 3 then raise (Failure (string_of_int n)) else self#fail (n + 1)
  method list n : int list = if n = 0 then [] else n :: self#list (n - 1)
end

let () =
  let t = new tree in
  int (t#depth 100);
  (try int (t#fail 0) with Failure s -> print_string (s ^ " "));
  int (List.length (t#list 50));
  (try int (t#depth 10_000_000) with Stack_overflow -> print_string "overflow");
  line ()
