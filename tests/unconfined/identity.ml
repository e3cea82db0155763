(* Users, groups, the process and the machine. *)

let row name f =
  match f () with
  | text -> Printf.printf "%s: %s\n" name text
  | exception Unix.Unix_error (e, f, a) ->
      Printf.printf "%s: %s in %s %S\n" name (Unix.error_message e) f a
  | exception e -> Printf.printf "%s: %s\n" name (Printexc.to_string e)

let user (p : Unix.passwd_entry) =
  String.concat ":"
    [p.pw_name; p.pw_passwd; string_of_int p.pw_uid; string_of_int p.pw_gid;
     p.pw_gecos; p.pw_dir; p.pw_shell]

let group (g : Unix.group_entry) =
  String.concat ":"
    [g.gr_name; g.gr_passwd; string_of_int g.gr_gid; String.concat "," (Array.to_list g.gr_mem)]

let lines name =
  let c = open_in name in
  let rec go all =
    match input_line c with
    | l -> go (l :: all)
    | exception End_of_file -> close_in c; List.rev all in
  go []

let () =
  row "getuid" (fun () -> string_of_int (Unix.getuid ()));
  row "geteuid" (fun () -> string_of_int (Unix.geteuid ()));
  row "getgid" (fun () -> string_of_int (Unix.getgid ()));
  row "getegid" (fun () -> string_of_int (Unix.getegid ()));
  row "getgroups" (fun () ->
    String.concat " " (List.map string_of_int (Array.to_list (Unix.getgroups ()))));
  row "getlogin" (fun () -> Unix.getlogin ());
  row "getpwuid of the user" (fun () -> user (Unix.getpwuid (Unix.getuid ())));
  row "getgrgid of the group" (fun () -> group (Unix.getgrgid (Unix.getgid ())));
  List.iter (fun line ->
    let name = List.hd (String.split_on_char ':' line) in
    row ("getpwnam " ^ name) (fun () -> user (Unix.getpwnam name));
    row ("getpwuid of " ^ name) (fun () -> user (Unix.getpwuid (Unix.getpwnam name).pw_uid)))
    (lines "/etc/passwd");
  List.iter (fun line ->
    let name = List.hd (String.split_on_char ':' line) in
    row ("getgrnam " ^ name) (fun () -> group (Unix.getgrnam name));
    row ("getgrgid of " ^ name) (fun () -> group (Unix.getgrgid (Unix.getgrnam name).gr_gid)))
    (lines "/etc/group");
  List.iter (fun name ->
    row "getpwnam" (fun () -> user (Unix.getpwnam name));
    row "getgrnam" (fun () -> group (Unix.getgrnam name))) ["nobody at all"; ""; "ro\000ot"];
  List.iter (fun number ->
    row "getpwuid" (fun () -> user (Unix.getpwuid number));
    row "getgrgid" (fun () -> group (Unix.getgrgid number))) [123456; -1; -2]

let () =
  row "gethostname" (fun () -> Unix.gethostname ());
  row "getpid" (fun () ->
    string_of_bool (Unix.readlink "/proc/self" = string_of_int (Unix.getpid ())));
  row "getppid" (fun () ->
    let status =
      List.find
        (fun l -> String.length l > 5 && String.sub l 0 5 = "PPid:")
        (lines "/proc/self/status") in
    string_of_bool (Scanf.sscanf status "PPid: %d" Fun.id = Unix.getppid ()));
  row "nice" (fun () -> string_of_int (Unix.nice 0));
  row "nice, more" (fun () -> string_of_int (Unix.nice 3));
  row "nice, and more" (fun () -> string_of_int (Unix.nice 100));
  row "times" (fun () ->
    let rec burn n = if n = 0 then 0 else 1 + burn (n - 1) in
    let t = ref (Unix.times ()) in
    while (!t).tms_utime +. (!t).tms_stime < 0.05 do ignore (burn 10000); t := Unix.times () done;
    Printf.sprintf "%b %.0f %.0f" ((!t).tms_utime > 0.) (!t).tms_cutime (!t).tms_cstime);
  row "kill 0 to itself" (fun () -> Unix.kill (Unix.getpid ()) 0; "there")
