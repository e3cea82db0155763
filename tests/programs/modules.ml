(* Functors, first-class modules, recursive modules, generative state, includes and sharing. *)
module type ORDER = sig type t val compare : t -> t -> int val show : t -> string end
module type SHAPE = sig val name : string val area : unit -> float end

module Make_list (O : ORDER) = struct
  type t = O.t list
  let rec insert x = function
    | [] -> [ x ]
    | y :: r as l -> if O.compare x y <= 0 then x :: l else y :: insert x r
  let of_list l : t = List.fold_left (fun acc x -> insert x acc) [] l
  let show l = String.concat " " (List.map O.show l)
end

module Reverse (O : ORDER) = struct include O let compare a b = O.compare b a end
module Int_order = struct type t = int let compare = compare let show = string_of_int end
module String_order = struct type t = string let compare = compare let show s = "'" ^ s ^ "'" end
module Product (A : ORDER) (B : ORDER) = struct
  type t = A.t * B.t
  let compare (a, b) (c, d) = match A.compare a c with 0 -> B.compare b d | n -> n
  let show (a, b) = A.show a ^ ":" ^ B.show b
end

module Up = Make_list (Int_order)
module Down = Make_list (Reverse (Int_order))
module Pairs = Make_list (Product (Reverse (String_order)) (Int_order))

module Counter () = struct let n = ref 0 let next () = incr n; !n end
module C1 = Counter ()
module C2 = Counter ()

let circle r = (module struct let name = "circle" let area () = 3. *. r *. r end : SHAPE)
let square s = (module struct let name = "square" let area () = s *. s end : SHAPE)
let sort_with (type a) (module O : ORDER with type t = a) (l : a list) =
  let module L = Make_list (O) in
  L.show (L.of_list l)

module rec Even : sig val test : int -> bool end = struct let test n = n = 0 || Odd.test (n - 1) end
and Odd : sig val test : int -> bool end = struct let test n = n <> 0 && Even.test (n - 1) end

module rec Tree : sig type t = Leaf of int | Node of Forest.t val sum : t -> int end = struct
  type t = Leaf of int | Node of Forest.t
  let sum = function Leaf n -> n | Node f -> Forest.sum f
end
and Forest : sig type t = Tree.t list val sum : t -> int end = struct
  type t = Tree.t list
  let sum l = List.fold_left (fun acc t -> acc + Tree.sum t) 0 l
end

module type MONAD = sig
  type 'a t
  val return : 'a -> 'a t
  val bind : 'a t -> ('a -> 'b t) -> 'b t
end
module Monad_ops (M : MONAD) = struct
  let ( let* ) = M.bind
  let rec map_m f = function
    | [] -> M.return []
    | x :: r -> let* y = f x in let* ys = map_m f r in M.return (y :: ys)
end
module Opt = struct type 'a t = 'a option let return x = Some x let bind = Option.bind end
module State = struct
  type 'a t = int -> 'a * int
  let return x s = (x, s)
  let bind m f s = let x, s = m s in f x s
end

let () =
  print_endline (Up.show (Up.of_list [ 3; 1; 2 ]));
  print_endline (Down.show (Down.of_list [ 3; 1; 2 ]));
  print_endline (Pairs.show (Pairs.of_list [ ("a", 2); ("b", 1); ("a", 1) ]));
  let a = C1.next () in
  let b = C1.next () in
  Printf.printf "%d %d %d\n" a b (C2.next ());
  List.iter (fun (module S : SHAPE) -> Printf.printf "%s %g\n" S.name (S.area ()))
    [ circle 2.; square 3. ];
  print_endline (sort_with (module String_order) [ "z"; "m"; "a" ]);
  Printf.printf "%b %b\n" (Even.test 100) (Odd.test 100);
  Printf.printf "%d\n" (Tree.sum (Node [ Leaf 1; Node [ Leaf 2; Leaf 3 ]; Leaf 4 ]));
  let module M = Monad_ops (Opt) in
  let module S = Monad_ops (State) in
  let half n = if n mod 2 = 0 then Some (n / 2) else None in
  Printf.printf "%b %b\n" (M.map_m half [ 2; 4 ] = Some [ 1; 2 ]) (M.map_m half [ 2; 3 ] = None);
  let labels, final = S.map_m (fun x s -> (x ^ string_of_int s, s + 1)) [ "a"; "b"; "c" ] 5 in
  Printf.printf "%s %d\n" (String.concat "," labels) final
