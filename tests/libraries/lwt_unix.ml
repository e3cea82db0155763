(* Promises that wait: threads, timers, pipes, files, channels, children, signals, sockets. *)
open Lwt.Infix
let line fmt = Printf.ksprintf (fun s -> Lwt_io.printl s) fmt
(* No timer wakes the loop. *)
let threads () =
  let square i = Thread.delay (0.02 *. float i); i * i in
  Lwt_list.map_p (Lwt_preemptive.detach square) [ 1; 2; 3 ] >>= fun squares ->
  line "%s" (String.concat " " (List.map string_of_int squares))
let timers () =
  let order = ref [] in
  let wait t n = Lwt_unix.sleep t >|= fun () -> order := n :: !order in
  Lwt.join [ wait 0.06 3; wait 0.02 1; wait 0.04 2 ] >>= fun () ->
  line "%s" (String.concat " " (List.rev_map string_of_int !order)) >>= fun () ->
  Lwt.catch (fun () -> Lwt_unix.with_timeout 0.02 (fun () -> Lwt_unix.sleep 10.)) (function
    | Lwt_unix.Timeout -> line "timeout" | e -> Lwt.fail e)
let pipes () =
  let ic, oc = Lwt_io.pipe () in
  let write = Lwt_list.iter_s (fun s -> Lwt_io.write_line oc s >>= Lwt.pause) [ "one"; "two";
    "three" ] >>= fun () -> Lwt_io.close oc in
  let read = Lwt_stream.to_list (Lwt_io.read_lines ic) in
  write >>= fun () -> read >>= fun l -> line "%s" (String.concat "|" l)
let files () =
  Lwt_io.with_file ~mode:Lwt_io.Output "data" (fun oc ->
    Lwt_io.fprintf oc "%d camels\n%s" 3 (String.make 5000 'x')) >>= fun () ->
  Lwt_io.with_file ~mode:Lwt_io.Input "data" (fun ic ->
      Lwt_io.read_line ic >>= fun l -> Lwt_io.read ic >>= fun rest ->
        line "%s %d" l (String.length rest)) >>= fun () ->
  Lwt_unix.stat "data" >>= fun st -> line "%d" st.Unix.st_size >>= fun () ->
  Lwt.catch (fun () -> Lwt_unix.openfile "absent" [ Unix.O_RDONLY ] 0 >|= ignore) (function
    | Unix.Unix_error (e, f, _) -> line "%s in %s" (Unix.error_message e) f | e -> Lwt.fail e)
let children () =
  let run command =
    let pid = Unix.create_process "/bin/sh" [| "sh"; "-c"; command |] Unix.stdin
      Unix.stdout Unix.stderr in
    Lwt_unix.waitpid [] pid >>= function
    | _, Unix.WEXITED n -> line "status %d" n
    | _, (Unix.WSIGNALED n | Unix.WSTOPPED n) -> line "signal %d" n in
  Lwt_list.iter_s run [ "exit 4"; "sleep 0.05"; "kill -9 $$" ] >>= fun () ->
  let t, u = Lwt.wait () in
  let handler = Lwt_unix.on_signal Sys.sigusr1 (fun n -> Lwt.wakeup u n) in
  Unix.kill (Unix.getpid ()) Sys.sigusr1;
  t >>= fun n ->
  Lwt_unix.disable_signal_handler handler;
  line "%b" (n = Sys.sigusr1)
let sockets () =
  let address = Unix.ADDR_INET (Unix.inet_addr_loopback, 0) in
  let s = Lwt_unix.socket PF_INET SOCK_STREAM 0 in
  Lwt_unix.bind s address >>= fun () ->
  Lwt_unix.listen s 5;
  let address = Lwt_unix.getsockname s in
  let serve = Lwt_unix.accept s >>= fun (c, _) ->
    let ic = Lwt_io.of_fd ~mode:Lwt_io.Input c and oc = Lwt_io.of_fd ~mode:Lwt_io.Output c in
    Lwt_io.read_line ic >>= fun l -> Lwt_io.write_line oc (String.uppercase_ascii l) >>= fun () ->
      Lwt_io.close oc in
  let ask = Lwt_io.with_connection address (fun (ic, oc) -> Lwt_io.write_line oc "hello"
    >>= fun () -> Lwt_io.read_line ic) in
  ask >>= fun answer -> serve >>= fun () -> line "%s" answer
let () =
  Lwt_main.run
    (threads () >>= timers >>= pipes >>= files >>= children >>= sockets >>= fun () ->
     Lwt.catch (fun () -> Lwt_unix.sleep 0.01 >>= fun () -> Lwt.fail Not_found) (fun e ->
       line "%s" (Printexc.to_string e)))
