(* Counts that have more than 32 bits. *)

let shown name f =
  let result = try f () with error -> Printexc.to_string error in
  Printf.printf "%s: %s\n" name result

let with_file text f =
  let file = Filename.temp_file ~temp_dir:"." "counts" ".txt" in
  let out = open_out file in
  output_string out text;
  close_out out;
  let channel = open_in file in
  Fun.protect ~finally:(fun () -> close_in channel; Sys.remove file) (fun () -> f channel)

let header length =
  let bytes = Bytes.make 33 '\000' in
  Bytes.set_int32_be bytes 0 0x8495A6BFl;
  Bytes.set_int64_be bytes 8 length;
  Bytes.set bytes 32 '\x45';
  bytes

let () =
  shown "calls" (fun () ->
    let stack = Printexc.get_callstack max_int in
    string_of_bool (Printexc.raw_backtrace_length stack > 0));
  shown "no calls" (fun () ->
    string_of_int (Printexc.raw_backtrace_length (Printexc.get_callstack min_int)));
  shown "digest" (fun () ->
    with_file "abcdef" (fun channel -> Digest.to_hex (Digest.channel channel ((1 lsl 32) + 1))));
  shown "digest of all" (fun () ->
    with_file "abcdef" (fun channel -> Digest.to_hex (Digest.channel channel (-1))));
  shown "truncate" (fun () ->
    let block = Obj.repr (Array.make 10 0) in
    (Obj.truncate [@alert "-deprecated"]) block ((1 lsl 32) + 1);
    string_of_int (Obj.size block));
  shown "size" (fun () -> string_of_int (Marshal.data_size (header 0x1_0000_0001L) 0));
  shown "value" (fun () -> string_of_int (Marshal.from_bytes (header 0x1_0000_0001L) 0));
  shown "value of a file" (fun () ->
    with_file (Bytes.to_string (header 0x1_0000_0001L)) (fun channel ->
      string_of_int (input_value channel)))

(* Finalisers that wait run where a running one allows that. *)
let () =
  let count = ref 0 in
  for i = 1 to 2 do
    let finalise x =
      incr count;
      if !x = 2 then begin
        Gc.finalise_release ();
        ignore (Sys.opaque_identity (List.init 1000 (fun i -> [ i ])));
        Printf.printf "in 2: %d run\n" !count
      end
    in
    Gc.finalise finalise (ref i)
  done;
  Gc.full_major ();
  Printf.printf "%d\n" !count
