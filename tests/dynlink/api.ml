(* What host and plugins share. *)

exception Refused of string

type plugin = { name : string; transform : int -> int; make : (int -> int) -> int list -> int list }

let plugins : plugin list ref = ref []
let register plugin = plugins := plugin :: !plugins
let log = Printf.printf "[%s] %s\n"

(* Called by plugins; calls what they pass. *)
let rec twice f x = if x > 1000 then raise (Refused (string_of_int x)) else f (f x)

module type Shape = sig
  type t
  val make : int -> t
  val area : t -> int
end

module Total (S : Shape) = struct
  let of_list sizes = List.fold_left (fun sum size -> sum + S.area (S.make size)) 0 sizes
end
