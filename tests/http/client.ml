(* Asks a server on this machine, whose port is the argument. *)

let ask port request =
  let address = Unix.ADDR_INET (Unix.inet_addr_loopback, port) in
  let input, output = Unix.open_connection address in
  output_string output request;
  flush output;
  let status = String.trim (input_line input) in
  let length = ref 0 in
  let rec fields () =
    match String.trim (input_line input) with
    | "" -> ()
    | field ->
        (try Scanf.sscanf field "Content-Length: %d" (fun n ->
          length := n) with Scanf.Scan_failure _ -> ());
        fields ()
  in
  fields ();
  let body = really_input_string input !length in
  Unix.shutdown_connection input;
  close_in input;
  Printf.printf "%s, %d bytes, %s\n" status !length (Digest.to_hex (Digest.string body));
  if !length < 100 then print_string body

let () =
  let port = int_of_string Sys.argv.(1) in
  ask port "GET / HTTP/1.0\r\n\r\n";
  ask port "GET /large HTTP/1.0\r\n\r\n";
  ask port "POST /upper HTTP/1.0\r\nContent-Length: 6\r\n\r\nllama\n";
  ask port "DELETE /x HTTP/1.0\r\n\r\n"
