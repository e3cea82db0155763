(* Loads the files named on its command line, each publicly unless the name follows "private"; then
   runs what registered. *)

let attempt what f =
  match f () with
  | () -> Api.log "host" (what ^ ": loaded")
  | exception Dynlink.Error error ->
    let kind =
      match error with
      | Dynlink.Not_a_bytecode_file _ -> "Not_a_bytecode_file"
      | Inconsistent_import _ -> "Inconsistent_import"
      | Unavailable_unit _ -> "Unavailable_unit"
      | Unsafe_file -> "Unsafe_file"
      | Linking_error (_, Undefined_global _) -> "Undefined_global"
      | Linking_error (_, Unavailable_primitive _) -> "Unavailable_primitive"
      | Linking_error (_, Uninitialized_global _) -> "Uninitialized_global"
      | Corrupted_interface _ -> "Corrupted_interface"
      | Cannot_open_dynamic_library exn -> "Cannot_open_dynamic_library " ^ Printexc.to_string exn
      | Library's_module_initializers_failed exn -> "failed: " ^ Printexc.to_string exn
      | Inconsistent_implementation _ -> "Inconsistent_implementation"
      | Module_already_loaded _ -> "Module_already_loaded"
      | Private_library_cannot_implement_interface _ -> "Private_library_cannot_implement_interface"
    in
    Printf.printf "[host] %s: %s\n  %s\n" what kind (Dynlink.error_message error)
  | exception Api.Refused what -> Printf.printf "[host] refused: %s\n" what

let rec load = function
  | "private" :: file :: rest ->
      attempt ("private " ^ file) (fun () -> Dynlink.loadfile_private file);
      load rest
  | file :: rest -> attempt file (fun () -> Dynlink.loadfile file); load rest
  | [] -> ()

let fib n = let rec fib n = if n < 2 then n else fib (n - 1) + fib (n - 2) in fib n

let use { Api.name; transform; make } =
  let list = List.init 6 (fun n -> n * 3) in
  Api.log name (String.concat " " (List.map string_of_int (make transform list)));
  match Api.twice transform (fib 17) with
  | n -> Api.log name (string_of_int n)
  | exception Api.Refused what -> Api.log name ("refused " ^ what)
  | exception Not_found -> Api.log name "not found"

let () =
  at_exit (fun () -> print_endline "[host] exit");
  Printf.printf "native: %b, adapted: %s\n" Dynlink.is_native
    (Dynlink.adapt_filename "dir/plugin.cmxs");
  Dynlink.allow_unsafe_modules true;
  load (List.tl (Array.to_list Sys.argv));
  List.iter use (List.rev !Api.plugins);
  Gc.compact ();
  List.iter use !Api.plugins;
  let units = List.sort compare (Dynlink.main_program_units ()) in
  Printf.printf "units: %b %b\n" (List.mem "Api" units) (List.mem "First" units);
  print_endline (String.concat " " (List.sort compare (Dynlink.public_dynamically_loaded_units ())))
