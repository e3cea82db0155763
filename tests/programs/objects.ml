(* Objects and classes: inheritance, virtual methods, late binding, private state, functional
   update. *)
class virtual shape name =
  object (self)
    method virtual area : float
    method name : string = name
    method describe = Printf.sprintf "%s of area %.2f" self#name self#area
    method scaled k = Printf.sprintf "%s x%g = %.2f" name k (k *. k *. self#area)
  end

class circle r = object inherit shape "circle" method area = 3.14159 *. r *. r end

class rect w h =
  object (self)
    inherit shape "rect" as super
    method area = w *. h
    method! describe = "[" ^ super#describe ^ "] diagonal " ^ Printf.sprintf "%.2f" self#diagonal
    method private diagonal = sqrt ((w *. w) +. (h *. h))
  end

class square s = object inherit rect s s method! name = "square" end

class counter =
  object (self)
    val mutable n = 0
    method incr = n <- n + 1
    method get = n
    method twice = self#incr; self#incr
  end

class logging_counter log =
  object
    inherit counter as super
    initializer Buffer.add_string log "created;"
    method! incr = Buffer.add_string log "incr;"; super#incr
  end

class point x y = object
  val x = x
  val y = y
  method x = x
  method y = y
  method move dx dy = {< x = x + dx; y = y + dy >}
end

class ['a] stack = object
  val mutable items : 'a list = []
  method push x = items <- x :: items
  method pop = match items with [] -> None | x :: r -> items <- r; Some x
  method fold : 'b. ('b -> 'a -> 'b) -> 'b -> 'b = fun f init -> List.fold_left f init items
end

let total_area shapes = List.fold_left (fun acc s -> acc +. s#area) 0. shapes
let get_name o = o#name

let () =
  let shapes = [ (new circle 1.5 :> shape); (new rect 3. 4. :> shape); (new square 2. :> shape) ] in
  List.iter (fun s -> print_endline s#describe; print_endline (s#scaled 2.)) shapes;
  Printf.printf "%.3f\n" (total_area shapes);
  let c = new counter in
  c#twice; c#incr;
  let log = Buffer.create 10 in
  let l = new logging_counter log in
  l#twice;
  Printf.printf "%d %d %s\n" c#get l#get (Buffer.contents log);
  let p = new point 1 2 in
  let q = (p#move 10 20)#move 100 200 in
  Printf.printf "%d %d %d %d %b\n" p#x p#y q#x q#y (p = p);
  let s = new stack in
  for i = 1 to 10 do s#push (i * i) done;
  let popped = Option.get s#pop in
  Printf.printf "%d %d %s\n" popped (s#fold ( + ) 0)
    (s#fold (fun acc i -> acc ^ string_of_int i) "");
  let anon = object method name = "anonymous" method extra = 42 end in
  Printf.printf "%s %s %d\n" (get_name anon) (get_name (new circle 1.)) anon#extra;
  let objs =
    Array.init 20 (fun i ->
        if i mod 2 = 0 then (new circle (float_of_int i) :> shape)
        else (new square (float_of_int i) :> shape)) in
  Printf.printf "%.2f\n" (Array.fold_left (fun acc o -> acc +. o#area) 0. objs);
  Printf.printf "%b\n" (new point 1 2 < new point 1 2)
