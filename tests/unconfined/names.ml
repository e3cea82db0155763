(* Names, links and directories. Starts in an empty directory. *)

let row name f =
  match f () with
  | text -> Printf.printf "%s: %s\n" name text
  | exception Unix.Unix_error (e, f, a) ->
      Printf.printf "%s: %s in %s %S\n" name (Unix.error_message e) f a
  | exception e -> Printf.printf "%s: %s\n" name (Printexc.to_string e)

let contents name =
  let c = open_in name in
  let s = really_input_string c (in_channel_length c) in
  close_in c; s
let write name text = let c = open_out name in output_string c text; close_out c

let base = Sys.getcwd ()
let inside path = Filename.concat base path
let relative path =
  let n = String.length base in
  if String.length path >= n && String.sub path 0 n = base then
    "BASE" ^ String.sub path n (String.length path - n)
  else path

let () =
  write "file" "contents\n";
  Unix.mkdir "dir" 0o755;
  write "dir/inner" "inner\n";
  row "symlink, absolute" (fun () ->
    Unix.symlink (inside "file") "absolute"; relative (Unix.readlink "absolute"));
  row "symlink to a directory" (fun () ->
    Unix.symlink (inside "dir") "dirlink"; relative (Unix.readlink "dirlink"));
  row "symlink, to the system's" (fun () ->
    Unix.symlink "/etc/passwd" "users"; Unix.readlink "users");
  row "symlink, relative" (fun () -> Unix.symlink "dir/inner" "soft"; Unix.readlink "soft");
  row "symlink to nothing" (fun () ->
    Unix.symlink "/none/at/all" "dangling"; Unix.readlink "dangling");
  row "symlink to itself" (fun () -> Unix.symlink (inside "loop") "loop"; "made");
  row "symlink over a file" (fun () -> Unix.symlink "/x" "file"; "made");
  row "has_symlink" (fun () -> string_of_bool (Unix.has_symlink ()));
  List.iter (fun name ->
    row ("read " ^ name) (fun () -> Digest.to_hex (Digest.string (contents name)));
    row ("exists " ^ name) (fun () -> string_of_bool (Sys.file_exists name));
    row ("is a directory " ^ name) (fun () -> string_of_bool (Sys.is_directory name));
    row ("readlink " ^ name) (fun () -> relative (Unix.readlink name));
    row ("realpath " ^ name) (fun () -> relative (Unix.realpath name));
    row ("size " ^ name) (fun () ->
      string_of_int (Unix.lstat name).st_size |> fun s ->
      if (Unix.lstat name).st_kind = Unix.S_REG then s else "-"))
    ["file"; "absolute"; "dirlink"; "dirlink/inner"; "dirlink/../file"; "users"; "soft"; "dangling";
     "loop"; "none"; "/"; "/bin"; ""];
  row "written through" (fun () -> write "absolute" "changed\n"; contents "file");
  row "made through" (fun () ->
    Unix.symlink (inside "made") "to-make"; write "to-make" "new\n"; contents "made");
  row "link" (fun () -> Unix.link "file" "hard"; string_of_int (Unix.stat "file").st_nlink);
  row "link to a link" (fun () ->
    Unix.link "absolute" "hard-link"; relative (Unix.readlink "hard-link"));
  row "link, followed" (fun () ->
    Unix.link ~follow:true "absolute" "hard-file"; contents "hard-file");
  row "link, not followed" (fun () ->
    Unix.link ~follow:false "absolute" "hard-link-2"; relative (Unix.readlink "hard-link-2"));
  row "link twice" (fun () -> Unix.link "file" "hard"; "made");
  row "link to a directory" (fun () -> Unix.link "dir" "dir2"; "made")

let () =
  row "rename" (fun () -> Unix.rename "hard" "dirlink/hard"; contents "dir/hard");
  row "rename over" (fun () ->
    write "other" "other\n"; Unix.rename "other" "dir/hard"; contents "dir/hard");
  row "rename none" (fun () -> Unix.rename "none" "x"; "done");
  row "rename over a directory" (fun () -> Unix.rename "file" "dir"; "done");
  row "Sys.rename none" (fun () -> Sys.rename "none" "x"; "done");
  row "unlink" (fun () -> Unix.unlink "dir/hard"; string_of_bool (Sys.file_exists "dir/hard"));
  row "unlink a link" (fun () -> Unix.unlink "hard-link"; contents "file");
  row "unlink a directory" (fun () -> Unix.unlink "dir"; "done");
  row "unlink none" (fun () -> Unix.unlink "none"; "done");
  row "Sys.remove" (fun () -> Sys.remove "hard-link-2"; "done");
  row "Sys.remove a directory" (fun () -> Sys.remove "dir"; "done");
  row "mkdir" (fun () ->
    Unix.mkdir "dirlink/deep" 0o750; Printf.sprintf "%o" (Unix.stat "dir/deep").st_perm);
  row "mkdir twice" (fun () -> Unix.mkdir "dir/deep" 0o750; "done");
  row "mkdir in none" (fun () -> Unix.mkdir "none/deep" 0o750; "done");
  row "Sys.mkdir" (fun () ->
    Sys.mkdir "dir/sys" 0o711; Printf.sprintf "%o" (Unix.stat "dir/sys").st_perm);
  row "rmdir" (fun () -> Unix.rmdir "dir/deep"; string_of_bool (Sys.file_exists "dir/deep"));
  row "rmdir full" (fun () -> Unix.rmdir "dir"; "done");
  row "rmdir file" (fun () -> Unix.rmdir "file"; "done");
  row "rmdir link" (fun () -> Unix.rmdir "dirlink"; "done");
  row "Sys.rmdir" (fun () -> Sys.rmdir "dir/sys"; "done")

let list name =
  let h = Unix.opendir name in
  let rec go names =
    match Unix.readdir h with name -> go (name :: names) | exception End_of_file -> names in
  let first = go [] in
  Unix.rewinddir h;
  let again = go [] in
  Unix.closedir h;
  Printf.sprintf "%s (%b)" (String.concat " " (List.rev first)) (first = again)

let () =
  row "readdir" (fun () -> list ".");
  row "readdir by a link" (fun () -> list "dirlink");
  row "readdir of many" (fun () ->
    Unix.mkdir "many" 0o755;
    for i = 1 to 3000 do write (Printf.sprintf "many/%s-%d" (String.make 40 'n') i) "" done;
    Digest.to_hex (Digest.string (list "many")));
  row "Sys.readdir" (fun () -> String.concat " " (Array.to_list (Sys.readdir ".")));
  row "opendir none" (fun () -> list "none");
  row "opendir file" (fun () -> list "file");
  row "readdir closed" (fun () -> let h = Unix.opendir "." in Unix.closedir h; Unix.readdir h);
  row "chdir" (fun () ->
    Unix.chdir "dirlink"; relative (Unix.getcwd ()) ^ " " ^ relative (Sys.getcwd ()));
  row "chdir, then read" (fun () -> contents "inner");
  row "renamed under its feet" (fun () ->
    Unix.rename (inside "dir") (inside "moved"); relative (Unix.getcwd ()) ^ contents "inner");
  row "Sys.chdir" (fun () -> Sys.chdir base; relative (Sys.getcwd ()));
  row "chdir none" (fun () -> Unix.chdir "none"; "done");
  row "chdir file" (fun () -> Unix.chdir "file"; "done");
  row "getcwd of a directory that is gone" (fun () ->
    Unix.mkdir "gone" 0o755; Unix.chdir "gone"; Unix.rmdir (inside "gone"); Unix.getcwd ())
