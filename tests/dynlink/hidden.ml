(* A plugin that is loaded privately. *)
let placeholder = ()
let () = Api.register { name = "hidden"; transform = (fun n -> n - 1); make = List.map }
