(* Channels: while a thread waits for a transfer the others run, and nobody else uses the
   channel. *)

let pipe () =
  let input, output = Unix.pipe () in
  Unix.in_channel_of_descr input, Unix.out_channel_of_descr output

(* More than a pipe holds, and pieces with pauses between them. *)
let () =
  let ic, oc = pipe () in
  let reading = Thread.create (fun () ->
    let line = input_line ic in
    let char = input_char ic in
    let int = input_binary_int ic in
    let numbers, name = (Marshal.from_channel ic : int list * string) in
    let digest = Digest.channel ic 200_000 in
    let rest = really_input_string ic 100_000 in
    let is_last = match input_char ic with _ -> false | exception End_of_file -> true in
    Printf.printf "%s %c %d %d %s %s %b %b\n%!" line char int
      (List.fold_left (+) 0 numbers) name (Digest.to_hex digest)
      (rest = String.make 100_000 'z') is_last) () in
  let pause () = flush oc; Thread.delay 0.002 in
  output_string oc "a l";
  pause ();
  output_string oc "ine\n";
  pause ();
  output_string oc "x\000\001";
  pause ();
  output_char oc '\002';
  output_byte oc 3;
  pause ();
  Marshal.to_channel oc (List.init 100_000 Fun.id, "name") [];
  pause ();
  output_string oc (String.init 200_000 (fun i -> Char.chr (i land 255)));
  output_substring oc (String.make 200_000 'z') 50_000 100_000;
  close_out oc;
  Thread.join reading

(* Who writes a string to a channel writes all of it before another does. *)
let () =
  let ic, oc = pipe () in
  let writing = List.init 4 (fun i ->
    let line = String.make 100_000 (Char.chr (Char.code 'a' + i)) ^ "\n" in
    Thread.create (fun () -> for _ = 1 to 3 do output_string oc line; flush oc done) ()) in
  let lines = List.init 12 (fun _ -> Thread.yield (); input_line ic) in
  List.iter Thread.join writing;
  let of_one line = line = String.make 100_000 line.[0] in
  Printf.printf "%b" (List.for_all of_one lines);
  List.iter print_char (List.sort compare (List.map (fun line -> line.[0]) lines));
  print_newline ()

(* Several wait for the same one. *)
let () =
  let ic, oc = pipe () in
  let sum = ref 0 in
  let reading = List.init 3 (fun _ ->
    Thread.create (fun () ->
      try while true do let c = input_char ic in sum := !sum + Char.code c done
      with End_of_file -> ()) ()) in
  for i = 1 to 300 do
    output_byte oc i;
    flush oc;
    if i mod 50 = 0 then Thread.delay 0.001
  done;
  close_out oc;
  List.iter Thread.join reading;
  Printf.printf "%d\n%!" !sum

(* Standard input is one of them. *)
let () =
  let input, output = Unix.pipe () in
  Unix.dup2 input Unix.stdin;
  let count = ref 0 in
  let answering = Thread.create (fun () ->
    for _ = 1 to 5 do incr count; Thread.yield () done;
    ignore (Unix.write_substring output "answer\n" 0 7)) () in
  let line = read_line () in
  Thread.join answering;
  Printf.printf "%s after %d\n" line !count
