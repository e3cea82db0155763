(* Signals end what channels wait for: handlers run, and then the channel goes on, or is left as it
   is if the handler raises. *)

exception Alarm

let set s = ignore (Unix.setitimer ITIMER_REAL { it_value = s; it_interval = 0. })

let row name f =
  match set 0.05; f () with
  | s -> set 0.; Printf.printf "%s: %s\n%!" name s
  | exception Alarm -> Printf.printf "%s: alarm\n%!" name
  | exception e -> set 0.; Printf.printf "%s: %s\n%!" name (Printexc.to_string e)

let input () = let r, w = Unix.pipe () in Unix.in_channel_of_descr r, w

let output () = let r, w = Unix.pipe () in r, Unix.out_channel_of_descr w

let large = String.make 200_000 'x'

let raising () =
  let ic, w = input () in
  row "input_line" (fun () -> input_line ic);
  row "input_char" (fun () -> String.make 1 (input_char ic));
  row "input" (fun () -> string_of_int (Stdlib.input ic (Bytes.create 5) 0 5));
  row "really_input" (fun () -> really_input_string ic 5);
  row "input_binary_int" (fun () -> string_of_int (input_binary_int ic));
  row "input_value" (fun () -> Marshal.from_channel ic);
  row "digest" (fun () -> Digest.to_hex (Digest.channel ic (-1)));
  ignore (Unix.write_substring w "half a" 0 6);
  row "half a line" (fun () -> input_line ic);
  ignore (Unix.write_substring w " line\nlast" 0 10);
  row "the line" (fun () -> input_line ic);
  Unix.close w;
  row "the last" (fun () -> input_line ic);
  row "the end" (fun () -> input_line ic);
  row "the end" (fun () -> string_of_int (Stdlib.input ic (Bytes.create 5) 0 5));
  row "the end" (fun () -> String.make 1 (input_char ic));
  let r, oc = output () in
  row "output" (fun () -> output_string oc large; "written");
  row "flush" (fun () -> flush oc; "flushed");
  row "output_char" (fun () -> while true do output_char oc 'x' done; "written");
  row "output_binary_int" (fun () -> while true do output_binary_int oc 1 done; "written");
  row "output_value" (fun () -> output_value oc large; "written");
  Unix.close r;
  Sys.set_signal Sys.sigpipe Sys.Signal_ignore;
  row "nobody reads" (fun () -> flush oc; "flushed");
  (try close_out oc with Sys_error _ -> ())

(* The handler itself uses the channel. *)
let going_on () =
  let ic, w = input () in
  let oc = Unix.out_channel_of_descr w in
  Sys.set_signal Sys.sigalrm (Sys.Signal_handle (fun _ ->
    output_string oc "from the handler\n"; flush oc));
  row "input_line" (fun () -> input_line ic);
  let r, full = output () in
  let read = ref 0 and buffer = Bytes.create 65536 in
  Sys.set_signal Sys.sigalrm (Sys.Signal_handle (fun _ ->
    set 0.01; read := !read + Unix.read r buffer 0 65536));
  row "output" (fun () -> output_string full large; flush full; "written");
  set 0.;
  close_out full;
  let rec rest () = match Unix.read r buffer 0 65536 with
    | 0 -> () | n -> read := !read + n; rest () in
  rest ();
  Printf.printf "%d bytes\n" !read

let () =
  Sys.set_signal Sys.sigalrm (Sys.Signal_handle (fun _ -> raise Alarm));
  raising (); going_on ();
  Unix._exit (flush_all (); 0)
