(* A small HTTP server: several clients at a time over `select`, until it is told to end. *)

let answer status body =
  Printf.sprintf "HTTP/1.1 %s\r\nContent-Length: %d\r\nContent-Type: text/plain\r\n\r\n%s" status
    (String.length body) body

let respond meth path body =
  match (meth, path) with
  | "GET", "/" -> answer "200 OK" "a camel\n"
  | "GET", "/large" -> answer "200 OK" (String.init 300_000 (fun i ->
    Char.chr (97 + (i * i mod 26))))
  | "POST", "/upper" -> answer "200 OK" (String.uppercase_ascii body)
  | "POST", "/length" -> answer "200 OK" (Printf.sprintf "%d %s\n" (String.length body)
    (Digest.to_hex (Digest.string body)))
  | _, "/end" -> answer "200 OK" "ends\n"
  | _ -> answer "404 Not Found" (Printf.sprintf "no %s\n" path)

type client = { socket : Unix.file_descr; input : Buffer.t }

(* Where the header ends, and how long the body is. *)
let header text =
  let rec find i =
    if i + 4 > String.length text then None
    else if String.sub text i 4 = "\r\n\r\n" then Some (i + 4)
    else find (i + 1)
  in
  let length fields =
    List.fold_left
      (fun found field ->
        match String.split_on_char ':' field with
        | [ name; value ] when String.lowercase_ascii name = "content-length" ->
          int_of_string (String.trim value)
        | _ -> found)
      0 fields
  in
  Option.map (fun at -> (at, length (String.split_on_char '\n' (String.sub text 0 at)))) (find 0)

let rec write socket text from =
  if from < String.length text then
    write socket text (from + Unix.write_substring socket text from (String.length text - from))

let expect socket text =
  (* curl waits for that before it sends a large body. *)
  let lower = String.lowercase_ascii text in
  let rec has i = i + 12 <= String.length lower && (String.sub lower i 12 = "100-continue" || has (i
    + 1)) in
  if has 0 then write socket "HTTP/1.1 100 Continue\r\n\r\n" 0

let () =
  Sys.set_signal Sys.sigpipe Sys.Signal_ignore;
  let listening = Unix.socket PF_INET SOCK_STREAM 0 in
  Unix.setsockopt listening SO_REUSEADDR true;
  Unix.bind listening (ADDR_INET (Unix.inet_addr_loopback, 0));
  Unix.listen listening 10;
  (match Unix.getsockname listening with
  | ADDR_INET (_, port) -> Printf.printf "%d\n%!" port
  | ADDR_UNIX _ -> assert false);
  let clients = ref [] and goes_on = ref true and chunk = Bytes.create 10_000 in
  let serve client =
    let count = Unix.read client.socket chunk 0 (Bytes.length chunk) in
    let before = header (Buffer.contents client.input) in
    Buffer.add_subbytes client.input chunk 0 count;
    let text = Buffer.contents client.input in
    let close () =
      Unix.close client.socket;
      clients := List.filter (fun other -> other != client) !clients
    in
    match header text with
    | None -> if count = 0 then close ()
    | Some (at, length) when String.length text < at + length ->
        if before = None then expect client.socket (String.sub text 0 at);
        if count = 0 then close ()
    | Some (at, length) ->
        (match String.split_on_char ' ' (List.hd (String.split_on_char '\r' text)) with
        | meth :: path :: _ ->
            if path = "/end" then goes_on := false;
            write client.socket (respond meth path (String.sub text at length)) 0
        | _ -> write client.socket (answer "400 Bad Request" "") 0);
        close ()
  in
  while !goes_on do
    let sockets = listening :: List.map (fun client -> client.socket) !clients in
    let ready, _, _ = Unix.select sockets [] [] 30. in
    if ready = [] then failwith "nobody asks";
    List.iter
      (fun socket ->
        if socket = listening then begin
          let socket, _ = Unix.accept ~cloexec:true listening in
          clients := { socket; input = Buffer.create 1000 } :: !clients
        end
        else serve (List.find (fun client -> client.socket = socket) !clients))
      ready
  done;
  Printf.printf "%d left\n" (List.length !clients)
