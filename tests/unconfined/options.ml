(* Options of sockets, protocols, and the names that errors have. *)

open Unix

let row name f =
  match f () with
  | s -> Printf.printf "%s: %s\n%!" name s
  | exception Unix_error (e, f, a) ->
    Printf.printf "%s: %s in %s of %S\n%!" name (error_message e) f a

let done_ f () = f (); "done"

let () =
  let no_socket, _ = pipe () in
  row "setsockopt" (done_ (fun () -> setsockopt no_socket SO_REUSEADDR true));
  row "setsockopt_int" (done_ (fun () -> setsockopt_int no_socket SO_SNDBUF 1));
  row "setsockopt_optint" (done_ (fun () -> setsockopt_optint no_socket SO_LINGER None));
  row "setsockopt_float" (done_ (fun () -> setsockopt_float no_socket SO_RCVTIMEO 1.));
  row "getsockopt" (done_ (fun () -> ignore (getsockopt no_socket SO_REUSEADDR)));
  row "getsockopt_int" (done_ (fun () -> ignore (getsockopt_int no_socket SO_SNDBUF)));
  row "getsockopt_optint" (done_ (fun () -> ignore (getsockopt_optint no_socket SO_LINGER)));
  row "getsockopt_float" (done_ (fun () -> ignore (getsockopt_float no_socket SO_RCVTIMEO)));
  row "getsockopt_error" (done_ (fun () -> ignore (getsockopt_error no_socket)))

let () =
  let s = socket PF_INET SOCK_STREAM 0 in
  List.iter (fun time ->
    row (Printf.sprintf "%h seconds" time) (fun () ->
      setsockopt_float s SO_RCVTIMEO time;
      string_of_float (getsockopt_float s SO_RCVTIMEO)))
    [0.; 1.5; 1e-7; 0.9999999; 2147483647.; 2147483648.; 1e10; 1e18; -1.; -0.5; nan];
  List.iter (fun protocol ->
    row (Printf.sprintf "protocol %d" protocol) (done_ (fun () ->
      close (socket PF_INET SOCK_STREAM protocol)));
    row (Printf.sprintf "protocol %d of paths" protocol) (done_ (fun () ->
      close (socket PF_UNIX SOCK_STREAM protocol)));
    row (Printf.sprintf "a pair of protocol %d" protocol) (done_ (fun () ->
      ignore (socketpair PF_UNIX SOCK_STREAM protocol))))
    [0; -1; 100_000]
