(* The file system by name: directories, the current one, and what errors say. *)

let trial name f =
  match f () with
  | () -> Printf.printf "%s: ok\n" name
  | exception e -> Printf.printf "%s: %s\n" name (Printexc.to_string e)

let touch name = close_out (open_out name)

let list directory =
  let names = Sys.readdir directory in
  Array.sort compare names;
  print_endline (String.concat " " (Array.to_list names))

let errors () =
  trial "open_in" (fun () -> ignore (open_in "missing"));
  trial "NUL" (fun () -> ignore (open_in "mis\000sing"));
  trial "read a directory" (fun () -> ignore (input_char (open_in ".")));
  trial "write a directory" (fun () -> ignore (open_out "."));
  trial "remove" (fun () -> Sys.remove "missing");
  trial "rename" (fun () -> Sys.rename "missing" "other");
  trial "is_directory" (fun () -> ignore (Sys.is_directory "missing"));
  trial "readdir" (fun () -> ignore (Sys.readdir "missing"));
  trial "mkdir" (fun () -> Sys.mkdir "." 0o755);
  trial "rmdir" (fun () -> Sys.rmdir "missing");
  trial "chdir" (fun () -> Sys.chdir "missing");
  touch "file";
  trial "rmdir a file" (fun () -> Sys.rmdir "file");
  trial "chdir to a file" (fun () -> Sys.chdir "file");
  trial "exclusive" (fun () -> ignore (open_out_gen [ Open_creat; Open_excl ] 0o644 "file"));
  trial "command" (fun () -> ignore (Sys.command "tr\000ue"));
  trial "getenv" (fun () -> ignore (Sys.getenv "SURELY_NOT_SET"));
  Sys.remove "file"

let walk () =
  let top = Sys.getcwd () in
  Sys.mkdir "inner" 0o755;
  Sys.chdir "inner";
  print_endline (Filename.basename (Sys.getcwd ()));
  touch "../inner/a";
  touch "./b";
  touch (Filename.concat top "inner/c");
  list ".";
  list "..";
  Printf.printf "%b %b %b\n" (Sys.file_exists "a") (Sys.is_directory "../inner")
    (Sys.file_exists "../inner/../inner/a");
  Sys.rename "a" "../moved";
  list ".";
  for i = 0 to 300 do
    touch (Printf.sprintf "a-rather-long-file-name-with-number-%d" i)
  done;
  Printf.printf "%d\n" (Array.length (Sys.readdir "."));
  Array.iter Sys.remove (Sys.readdir ".");
  Printf.printf "%d\n" (Array.length (Sys.readdir "."));
  Sys.chdir "..";
  Sys.rmdir "inner";
  list ".";
  print_endline (if Sys.getcwd () = top then "back" else "lost")

let () =
  list ".";
  errors ();
  walk ()
