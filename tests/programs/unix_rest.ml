(* The unix library apart from files: errors, environment, dates, addresses, processes, signals,
   threads' locks. *)

let fails name f =
  match f () with
  | _ -> Printf.printf "%s: no error\n" name
  | exception Unix.Unix_error (e, f, a) ->
      Printf.printf "%s: Unix_error (%s, %S, %S)\n" name (Unix.error_message e) f a
  | exception e -> Printf.printf "%s: %s\n" name (Printexc.to_string e)

let () =
  print_endline "-- errors";
  for i = 0 to 67 do print_endline (Unix.error_message (Obj.magic i)) done;
  for i = 0 to 140 do print_endline (Unix.error_message (Unix.EUNKNOWNERR i)) done;
  print_endline (Printexc.to_string (Unix.Unix_error (Unix.EUNKNOWNERR 7, "f", "a")));
  ()


let () =
  print_endline "-- environment";
  Unix.putenv "HUMPS" "2";
  print_endline (Sys.getenv "HUMPS");
  Unix.putenv "HUMPS" "two=2";
  print_endline (Unix.getenv "HUMPS");
  Printf.printf "%d\n" (Array.length (Unix.environment ()));
  Array.iter print_endline (Unix.environment ());
  fails "empty" (fun () -> Unix.putenv "" "x");
  fails "equals" (fun () -> Unix.putenv "a=b" "x");
  List.iter (fun name -> print_endline (Option.value (Sys.getenv_opt name) ~default:"none"))
    [ "a"; "a=b"; "a=" ];
  fails "nul" (fun () -> Unix.putenv "a" "x\000y");
  fails "unset" (fun () -> Unix.getenv "NOPE")

let show (t : Unix.tm) =
  Printf.sprintf "%d-%02d-%02d %02d:%02d:%02d wday %d yday %d dst %b"
    (t.tm_year + 1900) (t.tm_mon + 1) t.tm_mday
    t.tm_hour t.tm_min t.tm_sec t.tm_wday t.tm_yday t.tm_isdst

let date year month day hour minute second =
  { Unix.tm_year = year - 1900; tm_mon = month - 1; tm_mday = day; tm_hour = hour; tm_min = minute;
    tm_sec = second; tm_wday = 0; tm_yday = 0; tm_isdst = false }

let zones = ["UTC"; ""; "CET-1CEST,M3.5.0,M10.5.0/3"; "EST5EDT"; "AEST-10AEDT,M10.1.0,M4.1.0/3";
             "<+0330>-3:30<+0430>,J79/24,J263/24"; "XYZ3:30:15"; "XXX-25"; "nonsense";
             "NST3:30NDT,M3.2.0/0:01,100/1:30"]

let () =
  print_endline "-- dates";
  List.iter (fun t -> Printf.printf "%s\n" (show (Unix.gmtime t)))
    [0.; 1e9; 1636000000.75; -1.; -1.5; 951782400.; 4e9; -6e10; 2.5e11; 6.7e16];
  fails "gmtime" (fun () -> Unix.gmtime 1e18);
  fails "gmtime nan" (fun () -> Unix.gmtime nan);
  List.iter (fun zone ->
    Unix.putenv "TZ" zone;
    Printf.printf "TZ=%s\n" zone;
    List.iter (fun t -> Printf.printf "  %s\n" (show (Unix.localtime t)))
      [0.; -615000000.; -600000000.; 1609459200.; 1616893199.; 1616893200.; 1625097600.;
       1635641999.; 1635642000.; 1617465599.; 1633190400.];
    List.iter (fun d ->
      match Unix.mktime d with
      | t, tm -> Printf.printf "  %.0f %s\n" t (show tm)
      | exception Unix.Unix_error (e, f, _) -> Printf.printf "  %s %s\n" f (Unix.error_message e))
      [date 2021 1 1 0 0 0; date 2021 7 1 12 0 0; date 2021 14 35 25 61 61; date 2021 0 0 0 0 0;
       date 1970 1 1 0 0 0; date 2021 7 1 0 0 (-1)])
    zones;
  let now = Unix.gettimeofday () in
  (* Linux reads time(2) off a coarser clock, which passes a second a few milliseconds late. *)
  Printf.printf "%b %b\n" (now > 9e8) (Unix.time () >= floor now -. 1.);
  let before = Unix.gettimeofday () in
  Unix.sleepf 0.001; Unix.sleep 0; ignore (Unix.select [] [] [] 0.001);
  Printf.printf "slept %b\n" (Unix.gettimeofday () > before)

let () =
  print_endline "-- addresses";
  List.iter (fun s ->
    match Unix.inet_addr_of_string s with
    | a ->
        Printf.printf "%s = %s (%b)\n" s (Unix.string_of_inet_addr a)
          (String.length (Obj.magic a) = 16)
    | exception Failure m -> Printf.printf "%s: %s\n" s m)
    ["127.0.0.1"; "10.1"; "0x7f.1"; "010.0.0.1"; "256.1.1.1"; "1.2.3.4.5"; ""; "4294967295"; "::";
     "::1"; "::1.2.3.4"; "::ffff:1.2.3.4"; "1:0:0:2::3"; "FE80::1"; "2001:db8:0:0:1:0:0:1";
     "1::2::3"; "host"; "1.2.3.4x"; "1.2.3.4 x"; "::7"];
  print_endline (Unix.string_of_inet_addr Unix.inet_addr_any);
  print_endline (Unix.string_of_inet_addr Unix.inet6_addr_loopback);
  let h = Unix.gethostbyname "127.0.0.1" in
  Printf.printf "%s %d %s\n" h.h_name (Array.length h.h_aliases)
    (Unix.string_of_inet_addr h.h_addr_list.(0));
  fails "host" (fun () -> Unix.gethostbyname "no such host.invalid");
  fails "protocol" (fun () -> Unix.getprotobyname "nonsense");
  fails "service" (fun () -> Unix.getservbyname "nonsense" "tcp");
  fails "user" (fun () -> Unix.getpwnam "no such user");
  fails "group" (fun () -> Unix.getgrnam "no such group")

let () =
  print_endline "-- process";
  fails "wait" (fun () -> Unix.wait ());
  fails "waitpid" (fun () -> Unix.waitpid [Unix.WNOHANG] (-1));
  fails "not a socket" (fun () -> Unix.getsockname Unix.stdin);
  fails "not a terminal" (fun () -> Unix.tcgetattr Unix.stdin);
  fails "closed" (fun () -> Unix.listen (Obj.magic 99) 1)

let () =
  print_endline "-- threads";
  let self = Thread.self () in
  Printf.printf "%d %b\n" (Thread.id self) (self == Thread.self ());
  Thread.yield (); Thread.delay 0.001;
  let m = Mutex.create () in
  Mutex.lock m;
  Printf.printf "%b\n" (Mutex.try_lock m);
  fails "locked" (fun () -> Mutex.lock m);
  Mutex.unlock m;
  fails "not locked" (fun () -> Mutex.unlock m);
  Printf.printf "%b\n" (Mutex.try_lock m);
  let c = Condition.create () in
  Condition.signal c; Condition.broadcast c;
  Mutex.unlock m

(* The end by a signal, after all that was written. *)
let () =
  flush stdout;
  Unix.dup2 Unix.stdout Unix.stderr;
  prerr_endline "to standard output";
  exit (let code = 7 in at_exit (fun () -> print_string "at exit"); flush stdout; code)
