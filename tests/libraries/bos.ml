(* Files, directories and commands, with errors as values. *)
open Rresult
open Bos
let work () =
  OS.Dir.create (Fpath.v "animals/wet") >>= fun made ->
  OS.File.write (Fpath.v "animals/camel.txt") "one hump\ntwo humps\n" >>= fun () ->
  OS.File.writef (Fpath.v "animals/wet/frog") "%d legs" 4 >>= fun () ->
  OS.File.read_lines (Fpath.v "animals/camel.txt") >>= fun lines ->
  OS.Dir.contents ~rel:true (Fpath.v "animals") >>= fun contents ->
  OS.Dir.fold_contents ~elements:`Files (fun p n -> ignore p; n + 1) 0 (Fpath.v "animals")
    >>= fun files ->
  OS.File.exists (Fpath.v "animals/yak") >>= fun yak ->
  Printf.printf "%b %d %d %b\n" made (List.length lines) files yak;
  List.iter (fun p -> print_endline (Fpath.to_string p)) (List.sort compare contents);
  OS.Cmd.(run_out Cmd.(v "tr" % "a-z" % "A-Z" ) |> ignore);
  OS.Cmd.(in_string "shout\n" |> run_io Cmd.(v "tr" % "a-z" % "A-Z") |> to_string) >>= fun loud ->
  print_endline loud;
  OS.Cmd.run_status Cmd.(v "sh" % "-c" % "exit 3") >>= fun status ->
  Format.printf "%a@." OS.Cmd.pp_status status;
  OS.Cmd.exists (Cmd.v "no-such-tool") >>= fun exists ->
  Printf.printf "%b\n" exists;
  OS.Dir.delete ~recurse:true (Fpath.v "animals") >>= fun () ->
  OS.File.read (Fpath.v "animals/camel.txt")
let () =
  print_endline (Cmd.to_string Cmd.(v "ls" % "-l" %% on true (v "-a") % "a b"));
  match work () with
  | Ok _ -> print_endline "it was there"
  | Error (`Msg m) -> print_endline m
