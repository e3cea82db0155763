(* Sockets, both ends in this program or one in a child. *)

open Unix

let fails name f =
  match f () with
  | _ -> Printf.printf "%s: no error\n%!" name
  | exception Unix_error (e, f, a) ->
    Printf.printf "%s: %s in %s of %S\n%!" name (error_message e) f a
  | exception e -> Printf.printf "%s: %s\n%!" name (Printexc.to_string e)

let get s n = let b = Bytes.create 200 in Bytes.sub_string b 0 (read s b 0 n)
let put s t = ignore (write_substring s t 0 (String.length t))

let address = function
  | ADDR_UNIX p -> Printf.sprintf "unix %S" p
  | ADDR_INET (a, _) -> "inet " ^ string_of_inet_addr a

let pairs () =
  let a, b = socketpair PF_UNIX SOCK_STREAM 0 in
  put a "hello"; print_endline (get b 200);
  let s = Bytes.of_string "0123456789" in
  Printf.printf "send %d\n" (send b s 2 5 []);
  Printf.printf "peek %d\n" (recv a s 0 3 [MSG_PEEK]);
  Printf.printf "recv %d %s\n" (recv a s 1 9 []) (Bytes.to_string s);
  Printf.printf "%s %s\n" (address (getsockname a)) (address (getpeername b));
  shutdown a SHUTDOWN_SEND;
  Printf.printf "end %d\n%!" (String.length (get b 10));
  close b;
  Sys.set_signal Sys.sigpipe Sys.Signal_ignore;
  fails "write" (fun () -> put a "x");
  fails "send" (fun () -> send a s 0 1 []);
  close a

let tcp () =
  let server = socket PF_INET SOCK_STREAM 0 in
  setsockopt server SO_REUSEADDR true;
  bind server (ADDR_INET (inet_addr_loopback, 0));
  listen server 5;
  let there = getsockname server in
  let client = socket ~cloexec:true PF_INET SOCK_STREAM 0 in
  connect client there;
  let connection, from = accept ~cloexec:true server in
  Printf.printf "%s %b %b\n" (address from) (from = getsockname client)
    (getpeername client = there);
  put client "over TCP";
  let ready, writable, _ = select [connection; server] [client] [] 5. in
  Printf.printf "ready %b %b\n" (ready = [connection]) (writable = [client]);
  print_endline (get connection 200);
  set_nonblock connection;
  fails "nothing there" (fun () -> get connection 1);
  clear_nonblock connection;
  setsockopt client TCP_NODELAY true;
  Printf.printf "nodelay %b\n" (getsockopt client TCP_NODELAY);
  close connection;
  Printf.printf "closed %d\n%!" (String.length (get client 1));
  close client; close server;
  let again = socket PF_INET SOCK_STREAM 0 in
  fails "refused" (fun () -> connect again there);
  close again

let options () =
  let s = socket PF_INET SOCK_STREAM 0 in
  Printf.printf "%b %b %b\n" (getsockopt s SO_KEEPALIVE) (getsockopt s SO_ACCEPTCONN)
    (getsockopt s SO_REUSEADDR);
  setsockopt s SO_KEEPALIVE true; Printf.printf "%b\n" (getsockopt s SO_KEEPALIVE);
  setsockopt_int s SO_RCVBUF 10000; Printf.printf "%d\n" (getsockopt_int s SO_RCVBUF);
  Printf.printf "type %d\n" (getsockopt_int s SO_TYPE);
  let linger () = match getsockopt_optint s SO_LINGER with
    | None -> print_endline "no linger" | Some n -> Printf.printf "linger %d\n" n in
  linger (); setsockopt_optint s SO_LINGER (Some 3); linger ();
  setsockopt_optint s SO_LINGER None; linger ();
  setsockopt_float s SO_RCVTIMEO 0.25; Printf.printf "%g\n%!" (getsockopt_float s SO_RCVTIMEO);
  Printf.printf "%b\n" (getsockopt_error s = None);
  fails "no socket" (fun () -> getsockopt stdin SO_DEBUG);
  fails "not connected" (fun () -> getpeername s);
  fails "not bound" (fun () -> accept s);
  close s;
  fails "closed" (fun () -> listen s 1)

let datagrams () =
  let a = socket PF_INET SOCK_DGRAM 0 and b = socket PF_INET SOCK_DGRAM 0 in
  bind a (ADDR_INET (inet_addr_loopback, 0)); bind b (ADDR_INET (inet_addr_loopback, 0));
  let text = Bytes.of_string "a datagram" in
  Printf.printf "sendto %d\n" (sendto a text 2 8 [] (getsockname b));
  let buffer = Bytes.make 20 '.' in
  let n, from = recvfrom b buffer 3 10 [] in
  Printf.printf "%d %S %b\n%!" n (Bytes.to_string buffer) (from = getsockname a);
  setsockopt_float b SO_RCVTIMEO 0.01;
  fails "none comes" (fun () -> recvfrom b buffer 0 1 []);
  close a; close b

let paths () =
  let server = socket PF_UNIX SOCK_STREAM 0 in
  bind server (ADDR_UNIX "there");
  print_endline (address (getsockname server));
  fails "twice" (fun () -> bind (socket PF_UNIX SOCK_STREAM 0) (ADDR_UNIX "there"));
  fails "nobody" (fun () -> connect (socket PF_UNIX SOCK_STREAM 0) (ADDR_UNIX "nowhere"));
  let long = ADDR_UNIX (String.make 200 'x') in
  fails "too long" (fun () -> bind (socket PF_UNIX SOCK_STREAM 0) long);
  listen server 1;
  let ic, oc = open_connection (ADDR_UNIX "there") in
  let connection, from = accept server in
  print_endline (address from);
  output_string oc "a line\n"; flush oc;
  let server_in = in_channel_of_descr connection in
  print_endline (input_line server_in);
  put connection "answer\n";
  print_endline (input_line ic);
  Printf.printf "%b\n" ((fstat connection).st_kind = S_SOCK);
  shutdown_connection ic;
  close_in ic; close connection; close server

(* A child inherits its end. *)
let with_child () =
  let ours, theirs = socketpair ~cloexec:true PF_UNIX SOCK_STREAM 0 in
  let pid = create_process "tr" [| "tr"; "a-z"; "A-Z" |] theirs theirs stderr in
  close theirs;
  put ours "shout"; shutdown ours SHUTDOWN_SEND;
  print_endline (get ours 100);
  Printf.printf "%b\n" (snd (waitpid [] pid) = WEXITED 0)

let hosts () =
  let h = gethostbyname "localhost" in
  Printf.printf "%b\n" (Array.mem inet_addr_loopback h.h_addr_list);
  fails "no host" (fun () -> gethostbyname "no.such.host.invalid")

let () =
  pairs (); tcp (); options (); datagrams (); paths (); with_child (); hosts ()
