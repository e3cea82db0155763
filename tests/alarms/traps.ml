(* A signal that comes while a primitive runs is handled before the body of the `try` ends. *)

exception Timeout

let set s = ignore (Unix.setitimer ITIMER_REAL { it_value = s; it_interval = 0. })

let text = String.make 20_000_000 'x'

let within = function
  | 0 -> (try set 0.02; ignore (Digest.string text); ignore (Digest.string text); "no"
          with Timeout -> "timeout")
  | _ -> (try
            (try set 0.02; ignore (Digest.string text); ignore (Digest.string text); "no"
             with Not_found -> "not found")
          with Timeout -> "timeout outside")

let () =
  Sys.set_signal Sys.sigalrm (Sys.Signal_handle (fun _ -> raise Timeout));
  for i = 0 to 1 do
    print_endline (try within i with Timeout -> "too late")
  done
