(* A command with subcommands, options, and a page of help. *)
open Cmdliner
let walk miles names wet =
  Printf.printf "%s walk %d miles%s\n" (String.concat " and " names) miles (if wet then ", wet" else
    "");
  if miles > 10 then `Error (false, "too far") else `Ok ()
let miles = Arg.(value & opt int 3 & info [ "m"; "miles" ] ~docv:"N" ~doc:"How many miles.")
let wet = Arg.(value & flag & info [ "w"; "wet" ] ~doc:"Whether it rains.")
let names = Arg.(non_empty & pos_all string [] & info [] ~docv:"NAME" ~doc:"Who walks.")
let walk = Cmd.v (Cmd.info "walk" ~doc:"walk a way") Term.(ret (const walk $ miles $ names $ wet))
let level = Arg.(value & opt (enum [ ("low", 1); ("high", 2) ]) 1 & info [ "level" ] ~doc:"$(docv)")
let drink n = Printf.printf "drink %d\n" n
let drink = Cmd.v (Cmd.info "drink" ~doc:"drink water") Term.(const drink $ level)
let group =
  let man = [ `S Manpage.s_description; `P "A camel $(b,walks) and $(i,drinks).";
    `I ("$(tname)", "the name") ] in
  Cmd.group (Cmd.info "camel" ~version:"1.0" ~doc:"what a camel does" ~man) [ walk; drink ]
let () = exit (Cmd.eval group)
