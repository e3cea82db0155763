type t =
  | Circle of { radius : float }
  | Polygon of (float * float) list

exception Degenerate of string

module type Measure = sig
  val name : string
  val of_shape : t -> float
end

let edges = function
  | [] | [ _ ] | [ _; _ ] -> raise (Degenerate "fewer than three corners")
  | first :: _ as corners ->
    let rec pair = function
      | [ last ] -> [ (last, first) ]
      | a :: (b :: _ as rest) -> (a, b) :: pair rest
      | [] -> assert false
    in
    pair corners

module Area = struct
  let name = "area"

  let of_shape = function
    | Circle { radius } -> Float.pi *. radius *. radius
    | Polygon corners ->
      let cross ((x0, y0), (x1, y1)) = (x0 *. y1) -. (x1 *. y0) in
      Float.abs (List.fold_left (fun sum edge -> sum +. cross edge) 0. (edges corners)) /. 2.
end

module Perimeter = struct
  let name = "perimeter"

  let of_shape = function
    | Circle { radius } -> 2. *. Float.pi *. radius
    | Polygon corners ->
      let length ((x0, y0), (x1, y1)) = Float.hypot (x1 -. x0) (y1 -. y0) in
      List.fold_left (fun sum edge -> sum +. length edge) 0. (edges corners)
end

let report (module M : Measure) shapes =
  let line shape =
    match M.of_shape shape with
    | value -> Printf.sprintf "%s %.3f" M.name value
    | exception Degenerate why -> Printf.sprintf "%s: %s" M.name why
  in
  String.concat "\n" (List.map line shapes)
