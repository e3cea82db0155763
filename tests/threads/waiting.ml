(* Functions that the system makes wait let others run: a connection that nobody takes, a lock that
   another process holds, a command. *)

(* Holds a lock for a while. *)
let () =
  if Array.length Sys.argv > 1 then begin
    let file = Unix.openfile "locked" [ Unix.O_RDWR; O_CREAT ] 0o600 in
    Unix.lockf file Unix.F_LOCK 0;
    print_endline "held";
    Unix.sleepf 0.15;
    exit 0
  end

(* Does something while another thread counts; whether that came to more than a few. *)
let counting name f =
  let ticks = ref 0 and over = ref false in
  let other = Thread.create (fun () -> while not !over do incr ticks; Thread.delay 0.005 done) () in
  let result = try f () with
    | Unix.Unix_error (e, f, a) -> Printf.sprintf "%s in %s %S" (Unix.error_message e) f a in
  over := true;
  Thread.join other;
  Printf.printf "%s: %s, %b\n%!" name result (!ticks > 3)

let later time f = Thread.create (fun () -> Thread.delay time; f ()) ()

(* A socket's queue that has no room for the second. *)
let connect domain address =
  let server = Unix.socket domain Unix.SOCK_STREAM 0 in
  Unix.bind server address;
  Unix.listen server 0;
  let address = Unix.getsockname server in
  let ask () =
    let socket = Unix.socket domain Unix.SOCK_STREAM 0 in
    Unix.connect socket address;
    socket in
  let first = ask () in
  let taken = ref [] in
  let taking = later 0.1 (fun () ->
    for _ = 1 to 2 do taken := fst (Unix.accept server) :: !taken done) in
  let second = ask () in
  Thread.join taking;
  ignore (Unix.write_substring second "camel" 0 5);
  let buffer = Bytes.create 10 in
  let heard = Unix.read (List.hd !taken) buffer 0 10 in
  List.iter Unix.close (first :: second :: server :: !taken);
  Bytes.sub_string buffer 0 heard

let () =
  counting "connect to a path" (fun () ->
    let result = connect Unix.PF_UNIX (Unix.ADDR_UNIX "socket") in
    Sys.remove "socket";
    result);
  counting "connect to nobody" (fun () ->
    let nobody = Unix.socket Unix.PF_INET Unix.SOCK_STREAM 0 in
    Unix.bind nobody (Unix.ADDR_INET (Unix.inet_addr_loopback, 0));
    let socket = Unix.socket Unix.PF_INET Unix.SOCK_STREAM 0 in
    Thread.delay 0.05;
    Fun.protect ~finally:(fun () -> Unix.close nobody; Unix.close socket) (fun () ->
      Unix.connect socket (Unix.getsockname nobody);
      "connected"));
  counting "connect" (fun () ->
    connect Unix.PF_INET (Unix.ADDR_INET (Unix.inet_addr_loopback, 0)))

(* The lock is another process's, which runs this program with an argument. *)
let () =
  let held, ready = Unix.pipe ~cloexec:true () in
  let pid = Unix.create_process "ocamlrun" [| "ocamlrun"; Sys.argv.(0); "hold" |] Unix.stdin ready
    Unix.stderr in
  Unix.close ready;
  ignore (input_line (Unix.in_channel_of_descr held));
  counting "lockf" (fun () ->
    let file = Unix.openfile "locked" [ Unix.O_RDWR ] 0 in
    Unix.lockf file Unix.F_LOCK 0;
    Unix.close file;
    "locked");
  ignore (Unix.waitpid [] pid);
  Sys.remove "locked"

let () =
  counting "Sys.command" (fun () -> string_of_int (Sys.command "sleep 0.1; exit 3"));
  counting "Sys.command that is killed" (fun () ->
    string_of_int (Sys.command "sleep 0.1; kill -9 $$"));
  counting "Unix.system" (fun () ->
    match Unix.system "sleep 0.1; exit 4" with
    | Unix.WEXITED n -> string_of_int n
    | Unix.WSIGNALED _ | Unix.WSTOPPED _ -> "not as it should")
