(* What each random program begins with: fuel, so that it ends; a trace, so that it shows what it
   does; functions that keep sizes small; and a printer for each type constructor. *)

type 'a table = (int, 'a) Hashtbl.t
module Int_map = Map.Make (Int)
type 'a map = 'a Int_map.t
module Set_of_strings = Set.Make (String)
type set = Set_of_strings.t
type 'a outcome = ('a, string) result
type buffer = Buffer.t
type floats = floatarray
type matrix = (float, Bigarray.float64_elt, Bigarray.c_layout) Bigarray.Array1.t
type 'a queue = 'a Queue.t
type 'a lazily = 'a Lazy.t
type 'a seq = 'a Seq.t

exception Out_of_fuel
exception Bad of int
exception Worse of string * float

let fuel = ref 0
let tick () = if !fuel <= 0 then raise Out_of_fuel else decr fuel
let spent () = !fuel <= 0 || (decr fuel; false)

let hash = ref 0
let lines = ref 0

let trace name text =
  hash := Hashtbl.hash (!hash, text);
  if !lines > 0 then begin
    decr lines;
    print_string name;
    print_char ' ';
    print_string (if String.length text > 160 then String.sub text 0 160 else text);
    print_char '\n'
  end

let attempt body =
  fuel := 100;
  try body () with e -> trace "raised" (Printexc.to_string e)

let test name body =
  lines := 25;
  body ();
  Printf.printf "%s %x\n" name !hash

let small n = (n land max_int) mod 7
let clip s = if String.length s > 200 then String.sub s 0 60 else s
let cat a b = clip (a ^ b)
let rec take n = function x :: rest when n > 0 -> x :: take (n - 1) rest | _ -> []
let short l = if List.compare_length_with l 30 > 0 then take 5 l else l
let append a b = short (List.append a b)
let brief a = if Array.length a > 30 then Array.sub a 0 5 else a
let compose f g x = tick (); f (g x)
let twice f x = tick (); f (f x)
let flip f x y = f y x
let const x _ = x
let apply f x = tick (); f x
let pair x y = (x, y)
let curry f x y = f (x, y)
let uncurry f (x, y) = f x y
let choose c f g = if c then f else g
let protect finally body = Fun.protect ~finally body
let handle body other = try body () with e -> tick (); other (Printexc.to_string e)
let rec iterate n f x = if n <= 0 then x else begin tick (); iterate (n - 1) f (f x) end
let rec deep n f x = if n <= 0 then x else let y = deep (n - 1) f x in f y
let rec sum n f = if n <= 0 then 0 else let rest = sum (n - 1) f in f n + rest
let optional ?(first = 3) ?second third =
  match second with None -> first - third | Some s -> (first * s) + third
let labelled ~left ~right x = (left x, right x)
let push q x = if Queue.length q < 30 then Queue.add x q
let put t k x = if Hashtbl.length t < 30 then Hashtbl.add t k x
let write b s = if Buffer.length b < 200 then Buffer.add_string b s
let to_seq_mapped f l = List.to_seq (List.map f l)
let rec naturals n () = Seq.Cons (n, naturals (n + 1))
let rec take_seq n s () =
  if n <= 0 then Seq.Nil
  else match s () with Seq.Nil -> Seq.Nil | Seq.Cons (x, r) -> Seq.Cons (x, take_seq (n - 1) r)
let matrix_of f =
  let m = Bigarray.Array1.create Bigarray.float64 Bigarray.c_layout 5 in
  for i = 0 to 4 do m.{i} <- f i done;
  m

(* What is alive stays in a weak array, whenever collections are. *)
let weak x =
  let r = ref x in
  let w = Weak.create 3 in
  Weak.set w 1 (Some r);
  Gc.minor ();
  let found = match Weak.get w 1 with Some r -> !r | None -> raise Exit in
  ignore (Sys.opaque_identity !r);
  found
let ephemeron k x =
  let key = ref k in
  let e = Ephemeron.K1.create () in
  Ephemeron.K1.set_key e key;
  Ephemeron.K1.set_data e x;
  Gc.minor ();
  let found = match Ephemeron.K1.get_data e with Some x -> x | None -> raise Exit in
  ignore (Sys.opaque_identity !key);
  found
let marshalled (x : 'a) : 'a = Marshal.from_string (Marshal.to_string x []) 0

let list show l = "[" ^ String.concat "; " (List.map show l) ^ "]"
let show_unit () = "()"
let show_bool = string_of_bool
let show_int = string_of_int
let show_char = Printf.sprintf "%C"
let show_float = Printf.sprintf "%h"
let show_string = Printf.sprintf "%S"
let show_bytes b = show_string (Bytes.to_string b)
let show_int32 = Printf.sprintf "%ldl"
let show_int64 = Printf.sprintf "%LdL"
let show_nativeint = Printf.sprintf "%ndn"
let show_exn = Printexc.to_string
let show_buffer b = show_string (Buffer.contents b)
let show_list = list
let show_array show a = "|" ^ list show (Array.to_list a)
let show_option show = function None -> "None" | Some x -> "Some " ^ show x
let show_ref show r = "ref " ^ show !r
let show_lazily show l = if Lazy.is_val l then "lazy " ^ show (Lazy.force l) else "lazy"
let show_outcome show = function Ok x -> "Ok " ^ show x | Error s -> "Error " ^ s
let show_table show t =
  let bindings = Hashtbl.fold (fun k x rest -> (k, show x) :: rest) t [] in
  list (fun (k, x) -> string_of_int k ^ ":" ^ x) (List.sort compare bindings)
let show_map show m =
  list (fun (k, x) -> string_of_int k ^ ":" ^ show x) (Int_map.bindings m)
let show_set s = list show_string (Set_of_strings.elements s)
let show_queue show q = list show (List.of_seq (Queue.to_seq q))
let show_seq show s = list show (List.of_seq (take_seq 4 s))
let show_floats a = list show_float (Float.Array.to_list a)
let show_matrix m = list (fun i -> show_float m.{i}) [0; 1; 2; 3; 4]
let show_function _ = "<fun>"
