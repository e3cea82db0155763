(* Command-line arguments, Arg parsing, and the constants of Sys. *)
let verbose = ref false
let level = ref 0
let name = ref "nobody"
let rest = ref []

let spec =
  [ ("-v", Arg.Set verbose, " be verbose"); ("-level", Arg.Set_int level, "N set the level");
    ("-name", Arg.Set_string name, "S set the name");
    ("-pair",
     Arg.Tuple [ Arg.Int (fun i -> level := !level + i); Arg.String (fun s -> name := !name ^ s) ],
     " two arguments");
    ("-kind",
     Arg.Symbol ([ "red"; "blue" ], fun s -> rest := ("kind=" ^ s) :: !rest), " a colour") ]

let () =
  Printf.printf "%d %s\n" (Array.length Sys.argv) (Filename.basename Sys.argv.(0));
  Array.iteri (fun i a -> if i > 0 then Printf.printf "%d=%S " i a) Sys.argv;
  print_newline ();
  Arg.parse spec (fun a -> rest := a :: !rest) "usage: sys_args [options]";
  Printf.printf "%b %d %s [%s]\n" !verbose !level !name (String.concat ";" (List.rev !rest));
  print_string (Arg.usage_string (Arg.align spec) "usage:");
  let current = ref 0 in
  (try Arg.parse_argv ~current [| "prog"; "-level"; "x" |] spec ignore "bad"
   with Arg.Bad m -> print_string m);
  Printf.printf "%d %d %b %s %s %b\n" Sys.word_size Sys.int_size Sys.big_endian Sys.os_type
    Sys.ocaml_version Sys.unix;
  Printf.printf "%d %d %b\n" Sys.max_string_length Sys.max_array_length
    (Sys.backend_type = Sys.Bytecode);
  Printf.printf "%b\n" (Sys.getenv_opt "BACTRIAN_SURELY_UNSET" = None);
  (try ignore (Sys.getenv "BACTRIAN_SURELY_UNSET") with Not_found -> print_endline "unset");
  Printf.printf "%s %s %s\n" (Filename.concat "a" "b.ml") (Filename.chop_extension "x/y.ml")
    (Filename.dirname "/a/b/c");
  (try ignore (open_in "/no/such/file") with Sys_error m -> print_endline m);
  Printf.printf "%b\n" (Sys.file_exists "/no/such/file")
