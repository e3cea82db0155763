(* Without -g the places are unknown, but for the standard library's own. *)
let rec fail n = if n = 0 then raise Not_found else 1 + fail (n - 1)
let rethrow f = try f () with e -> ignore (Sys.opaque_identity e); raise e

let () =
  (try ignore (rethrow (fun () -> 1 + fail 3)) with Not_found -> Printexc.print_backtrace stdout);
  (try ignore (List.map (fun n -> 10 / n) [ 1; 0 ]) with _ -> Printexc.print_backtrace stdout);
  let raw = Printexc.get_callstack 10 in
  Printf.printf "%d\n%s" (Printexc.raw_backtrace_length raw) (Printexc.raw_backtrace_to_string raw);
  (match Printexc.backtrace_slots raw with
   | None -> print_endline "no slots"
   | Some slots -> Printf.printf "%d slots\n" (Array.length slots));
  ignore (rethrow (fun () -> List.hd []))
