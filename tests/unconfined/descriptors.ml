(* The flag of descriptors, duplicates of themselves, directories without a name. *)

open Unix

let row name f =
  match f () with
  | s -> Printf.printf "%s: %s\n%!" name s
  | exception Unix_error (e, f, a) ->
    Printf.printf "%s: %s in %s of %S\n%!" name (error_message e) f a

let done_ f () = f (); "done"

let none : file_descr = Obj.magic 99

let () =
  row "set_close_on_exec" (done_ (fun () -> set_close_on_exec none));
  row "clear_close_on_exec" (done_ (fun () -> clear_close_on_exec none));
  row "dup2" (done_ (fun () -> dup2 none none));
  row "dup2 ~cloexec:true" (done_ (fun () -> dup2 ~cloexec:true none none));
  row "dup2 ~cloexec:false" (done_ (fun () -> dup2 ~cloexec:false none none))

(* The same descriptor: nothing happens but to the flag, if it is given. *)
let () =
  let file = openfile "x" [O_CREAT; O_RDWR; O_CLOEXEC] 0o600 in
  let is_inherited () =
    Sys.command (Printf.sprintf "(: >&%d) 2>/dev/null" (Obj.magic file : int)) = 0 in
  let show name = Printf.printf "%s: %b\n%!" name (is_inherited ()) in
  show "opened with O_CLOEXEC";
  dup2 file file; show "dup2";
  dup2 ~cloexec:false file file; show "dup2 ~cloexec:false";
  dup2 ~cloexec:true file file; show "dup2 ~cloexec:true"

(* A current directory that is gone, and names of directories. *)
let () =
  let names path () =
    let handle = opendir path in
    let rec count n = match readdir handle with
      | _ -> count (n + 1) | exception End_of_file -> n in
    let n = count 0 in
    rewinddir handle;
    let again = count 0 in
    closedir handle;
    Printf.sprintf "%b, %d and %d more" (n >= 2) (n - min n 2) (again - n) in
  let all () =
    row "nothing" (names ""); row "/etc/alternatives/.." (fun () ->
      closedir (opendir "/etc/alternatives/.."); "opened");
    row "." (names ".") in
  mkdir "d" 0o700; mkdir "d/e" 0o700;
  chdir "d"; all ();
  chdir "e"; rmdir "../e";
  row "/" (fun () -> closedir (opendir "/"); "opened");
  row "nothing" (names "");
  row "." (done_ (fun () -> closedir (opendir ".")))
