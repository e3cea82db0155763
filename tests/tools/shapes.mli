(** Plane figures. *)

type t =
  | Circle of { radius : float }
  | Polygon of (float * float) list

exception Degenerate of string

module type Measure = sig
  val name : string
  val of_shape : t -> float
end

module Area : Measure
module Perimeter : Measure

val report : (module Measure) -> t list -> string
