(* What waits for the outside lets others run: pipes and sockets whose other end is another
   thread's, and programs. *)

let () =
  let input, output = Unix.pipe () in
  let all = 300_000 in
  let writer = Thread.create (fun () ->
    let bytes = Bytes.init all (fun i -> Char.chr (i land 255)) in
    Printf.printf "%d written\n%!" (Unix.write output bytes 0 all);
    Unix.close output) () in
  let sum = ref 0 and count = ref 0 in
  let buffer = Bytes.create 1000 in
  let rec read () =
    match Unix.read input buffer 0 1000 with
    | 0 -> ()
    | n ->
        count := !count + n;
        for i = 0 to n - 1 do sum := !sum + Char.code (Bytes.get buffer i) done;
        read ()
  in
  read ();
  Thread.join writer;
  Printf.printf "%d bytes, sum %d\n%!" !count !sum

let () =
  let server = Unix.socket Unix.PF_INET Unix.SOCK_STREAM 0 in
  Unix.bind server (Unix.ADDR_INET (Unix.inet_addr_loopback, 0));
  Unix.listen server 5;
  let address = Unix.getsockname server in
  let answering = Thread.create (fun () ->
    for _ = 1 to 3 do
      let client, _ = Unix.accept server in
      ignore (Thread.create (fun () ->
        let buffer = Bytes.create 100 in
        let n = Unix.read client buffer 0 100 in
        let answer = String.uppercase_ascii (Bytes.sub_string buffer 0 n) in
        ignore (Unix.write_substring client answer 0 n);
        Unix.close client) ())
    done) () in
  let ask question =
    let socket = Unix.socket Unix.PF_INET Unix.SOCK_STREAM 0 in
    Unix.connect socket address;
    ignore (Unix.write_substring socket question 0 (String.length question));
    let buffer = Bytes.create 100 in
    let n = Unix.recv socket buffer 0 100 [] in
    Unix.close socket;
    Bytes.sub_string buffer 0 n
  in
  let answers = Array.make 3 "" in
  let asking = List.init 3 (fun i ->
    Thread.create (fun i -> answers.(i) <- ask (Printf.sprintf "question %d" i)) i) in
  List.iter Thread.join (answering :: asking);
  Array.iter print_endline answers;
  flush stdout

let () =
  let ticks = ref 0 and over = ref false in
  let other = Thread.create (fun () -> while not !over do incr ticks; Thread.delay 0.005 done) () in
  let null = Unix.openfile "/dev/null" [ Unix.O_RDWR ] 0 in
  let pid = Unix.create_process "sleep" [| "sleep"; "0.1" |] null null null in
  (match Unix.waitpid [] pid with
   | p, Unix.WEXITED 0 when p = pid -> print_endline "slept"
   | _ -> print_endline "not as it should");
  over := true;
  Thread.join other;
  Printf.printf "%b\n" (!ticks > 2)
