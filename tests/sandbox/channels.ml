(* Channels at their edges: closed, at the end, seeking, of files that are none. *)

let trial name f =
  match f () with
  | () -> Printf.printf "%s: ok\n" name
  | exception e -> Printf.printf "%s: %s\n" name (Printexc.to_string e)

let write name text =
  let channel = open_out name in
  output_string channel text;
  close_out channel

let reading name f =
  let channel = open_in name in
  Fun.protect ~finally:(fun () -> close_in channel) (fun () -> f channel)

let closed () =
  let out = open_out "closed" in
  output_string out "hello";
  close_out out;
  trial "output_char" (fun () -> output_char out 'c');
  trial "output_string" (fun () -> output_string out "cc");
  trial "flush" (fun () -> flush out);
  trial "close_out" (fun () -> close_out out);
  trial "pos_out" (fun () -> Printf.printf "%d " (pos_out out));
  trial "seek_out" (fun () -> seek_out out 3);
  trial "length" (fun () -> ignore (out_channel_length out));
  let input = open_in "closed" in
  close_in input;
  trial "input_char" (fun () -> ignore (input_char input));
  trial "input_line" (fun () -> ignore (input_line input));
  trial "seek_in" (fun () -> seek_in input 0)

let seeking () =
  write "digits" "0123456789";
  reading "digits" (fun channel ->
      let c = input_char channel in
      seek_in channel 7;
      let d = input_char channel in
      Printf.printf "%c %c %d %d\n" c d (pos_in channel) (in_channel_length channel);
      seek_in channel 100;
      trial "end" (fun () -> ignore (input_char channel));
      Printf.printf "%d\n" (pos_in channel);
      trial "minus one" (fun () -> seek_in channel (-1));
      trial "minus two" (fun () -> seek_in channel (-2)));
  let out = open_out_gen [ Open_wronly ] 0 "digits" in
  seek_out out 4;
  output_binary_int out 0x41424344;
  Printf.printf "%d %d\n" (pos_out out) (out_channel_length out);
  close_out out;
  reading "digits" (fun channel -> print_endline (input_line channel))

let lines () =
  write "lines" (String.make 70000 'x' ^ "\nshort\n\nlast");
  reading "lines" (fun channel ->
      try
        while true do
          let line = input_line channel in
          Printf.printf "%d %d\n" (String.length line) (pos_in channel)
        done
      with End_of_file -> print_endline "end")

let appending () =
  let append () = open_out_gen [ Open_append; Open_creat ] 0o644 "appended" in
  let a = append () in
  let b = append () in
  output_string b "b";
  output_string a "a";
  output_string b "B";
  (* In the order of their opening, as at exit. *)
  flush_all ();
  reading "appended" (fun channel -> print_endline (input_line channel))

let values () =
  let out = open_out_bin "values" in
  output_value out [ "a"; "b" ];
  output_value out 1.5;
  output_string out "abc";
  close_out out;
  reading "values" (fun channel ->
      let strings : string list = input_value channel in
      let x : float = input_value channel in
      Printf.printf "%s %g\n" (String.concat "" strings) x;
      trial "truncated" (fun () -> ignore (input_value channel));
      trial "nothing" (fun () -> ignore (input_value channel)));
  reading "lines" (fun channel -> trial "no value" (fun () -> ignore (input_value channel)));
  reading "digits" (fun channel -> trial "digest" (fun () -> ignore (Digest.channel channel 100)));
  print_endline (Digest.to_hex (Digest.file "lines"))

let dying () =
  (* Dropped with data in its buffer: the flush at exit still finds it. *)
  output_string (open_out "dropped") "late";
  Gc.full_major ();
  Gc.full_major ();
  flush_all ();
  reading "dropped" (fun channel -> print_endline (input_line channel));
  for _ = 1 to 500 do
    close_out (open_out "dropped")
  done

let () = List.iter (fun f -> f ()) [ closed; seeking; lines; appending; values; dying ]
