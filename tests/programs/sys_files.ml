(* Files through Sys, Filename and channels: texts of errors, flags, directories. Starts in an empty
   directory. *)

let attempt name f =
  match f () with
  | s -> Printf.printf "%s: %s\n" name s
  | exception e -> Printf.printf "%s: %s\n" name (Printexc.to_string e)

let unit f () = f (); "done"
let write name s = let oc = open_out name in output_string oc s; close_out oc
let read name =
  let ic = open_in_bin name in
  let s = really_input_string ic (in_channel_length ic) in
  close_in ic; s
let list d = let a = Sys.readdir d in Array.sort compare a; String.concat " " (Array.to_list a)

let () =
  attempt "open missing" (fun () -> read "x");
  attempt "open empty name" (fun () -> read "");
  attempt "open nul" (fun () -> read "a\000b");
  attempt "create in missing" (unit (fun () -> write "no/x" ""));
  write "f" "contents\n";
  attempt "read" (fun () -> String.escaped (read "f"));
  attempt "under a file" (fun () -> read "f/x");
  attempt "file with slash" (fun () -> read "f/");
  attempt "exists" (fun () ->
      Printf.sprintf "%b %b %b %b" (Sys.file_exists "f") (Sys.file_exists "g")
        (Sys.file_exists ".") (Sys.file_exists ""));
  attempt "is_directory" (fun () ->
      Printf.sprintf "%b %b" (Sys.is_directory "f") (Sys.is_directory "."));
  attempt "is_directory missing" (fun () -> string_of_bool (Sys.is_directory "g"));
  attempt "mkdir" (unit (fun () -> Sys.mkdir "d" 0o755));
  attempt "mkdir again" (unit (fun () -> Sys.mkdir "d" 0o755));
  attempt "mkdir over file" (unit (fun () -> Sys.mkdir "f" 0o755));
  attempt "mkdir in missing" (unit (fun () -> Sys.mkdir "no/d" 0o755));
  attempt "rename" (unit (fun () -> Sys.rename "f" "d/g"));
  attempt "rename missing" (unit (fun () -> Sys.rename "f" "d/g"));
  attempt "rmdir full" (unit (fun () -> Sys.rmdir "d"));
  attempt "rmdir missing" (unit (fun () -> Sys.rmdir "e"));
  attempt "rmdir file" (unit (fun () -> Sys.rmdir "d/g"));
  attempt "remove directory" (unit (fun () -> Sys.remove "d"));
  attempt "remove missing" (unit (fun () -> Sys.remove "e"));
  attempt "readdir" (fun () -> list ".");
  attempt "readdir missing" (fun () -> list "e");
  attempt "readdir file" (fun () -> list "d/g");
  attempt "chdir missing" (unit (fun () -> Sys.chdir "e"));
  attempt "chdir file" (unit (fun () -> Sys.chdir "d/g"));
  let base = Sys.getcwd () in
  attempt "chdir" (unit (fun () -> Sys.chdir "d"));
  attempt "cwd" (fun () -> string_of_bool (Sys.getcwd () = Filename.concat base "d"));
  attempt "relative" (fun () ->
      list "." ^ "; " ^ list ".." ^ "; " ^ String.escaped (read "../d/g"));
  attempt "absolute" (fun () -> String.escaped (read (Filename.concat (Sys.getcwd ()) "g")));
  attempt "chdir up" (unit (fun () -> Sys.chdir ".."));
  attempt "back" (fun () -> string_of_bool (Sys.getcwd () = base));
  attempt "directory as file" (fun () -> let ic = open_in "d" in input_line ic);
  attempt "write to directory" (unit (fun () -> write "d" ""));
  attempt "too long" (unit (fun () -> write (String.make 300 'x') ""))

let flags name fl s =
  attempt name (fun () ->
    let oc = open_out_gen fl 0o644 "flags" in
    output_string oc s; close_out oc; String.escaped (read "flags"))

let () =
  flags "no create" [Open_wronly] "a";
  flags "create" [Open_wronly; Open_creat] "one";
  flags "no trunc" [Open_wronly] "X";
  flags "append" [Open_append; Open_wronly] "two";
  flags "excl" [Open_wronly; Open_creat; Open_excl] "x";
  flags "trunc" [Open_wronly; Open_trunc] "three";
  flags "read only" [Open_rdonly] "x";
  flags "append only" [Open_append] "x";
  let oc = open_out_gen [Open_wronly] 0o644 "flags" in
  seek_out oc 10; output_string oc "far";
  Printf.printf "at %d, length %d\n" (pos_out oc) (out_channel_length oc);
  close_out oc;
  Printf.printf "%s\n" (String.escaped (read "flags"));
  attempt "closed" (unit (fun () -> output_string oc "x"; flush oc));
  attempt "closed position" (fun () -> string_of_int (pos_out oc));
  attempt "closed length" (fun () -> string_of_int (out_channel_length oc));
  let ic = open_in "flags" in
  seek_in ic 5; Printf.printf "%C at %d of %d\n" (input_char ic) (pos_in ic) (in_channel_length ic);
  close_in ic;
  attempt "closed in" (fun () -> input_line ic);
  attempt "closed in length" (fun () -> string_of_int (in_channel_length ic));
  List.iter
    (fun target ->
      attempt "closed seek" (fun () -> seek_in ic target; "done");
      attempt "closed position" (fun () -> string_of_int (pos_in ic)))
    [ 0; 5; 3; -1; max_int ]

let () =
  let name, oc = Filename.open_temp_file ~temp_dir:"." "camel" ".tmp" in
  output_string oc "temporary"; close_out oc;
  Printf.printf "%b %b %s\n" (Filename.check_suffix name ".tmp")
    (String.length name = String.length "./camel123456.tmp") (read name);
  Sys.remove name;
  print_endline (Filename.get_temp_dir_name ());
  match Filename.temp_file ~temp_dir:"e" "a" "b" with
  | _ -> print_endline "made"
  | exception Sys_error m -> print_endline (String.sub m (String.index m ':') 27)

let () =
  attempt "getenv" (fun () -> Sys.getenv "CAMEL");
  attempt "getenv empty" (fun () -> Sys.getenv "EMPTY");
  attempt "getenv missing" (fun () -> Sys.getenv "DROMEDARY");
  attempt "getenv nul" (fun () -> Sys.getenv "CAMEL\000");
  attempt "getenv_opt" (fun () -> match Sys.getenv_opt "A=B" with None -> "none" | Some s -> s);
  let t = Sys.time () in
  let rec spin n acc = if n = 0 then acc else spin (n - 1) (acc lxor n) in
  ignore (Sys.opaque_identity (spin 100_000 0));
  Printf.printf "%b\n" (t >= 0. && Sys.time () >= t)

let () = Array.iter (fun f -> if Sys.is_directory f then () else Sys.remove f) (Sys.readdir ".");
  Sys.remove "d/g"; Sys.rmdir "d"; Printf.printf "left: %d\n" (Array.length (Sys.readdir "."))
