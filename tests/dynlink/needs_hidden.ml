(* A plugin that asks for a unit which is loaded privately. *)
let () = ignore Hidden.placeholder
