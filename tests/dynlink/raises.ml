(* A plugin whose initialisation fails after it has registered. *)
let () = Api.log "raises" "starts"
let () = raise (Api.Refused "by the plugin")
