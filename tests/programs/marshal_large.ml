(* Graphs of more than 256 words: what is read is born in the major heap. Each is read while the
   heap fills, changed so that it refers to young blocks, and read again. *)

type graph = { name : string; mutable next : graph option; numbers : float array; tag : variant }
and variant = Empty | Int of int | Boxed of int64 | Both of string * variant | Many of variant array

let numbers =
  [| 0; 1; 63; 64; 127; 128; -1; -128; -129; 32767; 32768; -32769; 1 lsl 29; 1 lsl 30;
     -(1 lsl 30) - 1; max_int; min_int |]

let rec variant n =
  match n mod 5 with
  | 0 -> Empty
  | 1 -> Int numbers.(n mod Array.length numbers)
  | 2 -> Boxed (Int64.of_int (n * 1_000_003))
  | 3 -> Both (String.make (n mod 41) 'v', variant (n / 2))
  | _ -> Many (Array.init (n mod 9) (fun k -> variant ((n + k) / 3)))

let node n =
  { name = String.init (n mod 300) (fun k -> Char.chr ((n + k) land 255));
    next = None;
    numbers = Array.init (n mod 4) (fun k -> float (n * k) /. 3.);
    tag = variant n }

let ring length =
  let nodes = Array.init length node in
  Array.iteri (fun k it -> it.next <- Some nodes.((k + 1) mod length)) nodes;
  nodes.(0)

let rec walk left it count =
  if left = 0 then count
  else
    let here = Hashtbl.hash (it.name, it.numbers) + Hashtbl.hash_param 100 200 it.tag in
    match it.next with
    | None -> count
    | Some next -> walk (left - 1) next ((count * 31 + here) land 0xffffff)

let () =
  List.iter
    (fun length ->
      let original = ring length in
      let data = Marshal.to_string original [] in
      Printf.printf "%d nodes, %d bytes, digest %s\n" length (String.length data)
        (Digest.to_hex (Digest.string data));
      let copies = List.init 4 (fun _ -> (Marshal.from_string data 0 : graph)) in
      List.iteri
        (fun k copy ->
          Printf.printf "copy %d: %b" k (walk length copy 0 = walk length original 0);
          (* Old blocks refer to young ones now. *)
          let last = node (length + k) in
          (match copy.next with
           | Some second -> second.next <- Some { last with next = Some copy }
           | None -> ());
          ignore (Sys.opaque_identity (List.init 500 (fun n -> (n, k))));
          let again : graph = Marshal.from_string (Marshal.to_string copy []) 0 in
          Printf.printf " %b\n" (walk 50 again 0 = walk 50 copy 0))
        copies)
    [ 3; 40; 150 ];
  let table = Hashtbl.create 16 in
  for n = 0 to 200 do Hashtbl.replace table (string_of_int n) (variant n) done;
  let read : (string, variant) Hashtbl.t = Marshal.from_string (Marshal.to_string table []) 0 in
  for n = 0 to 200 do
    if Hashtbl.find read (string_of_int n) <> variant n then Printf.printf "%d differs\n" n
  done;
  Hashtbl.replace read "new" (Both ("young", Empty));
  Gc.full_major ();
  Printf.printf "%d entries, %b\n" (Hashtbl.length read)
    (Hashtbl.find read "new" = Both ("young", Empty));
  let cut = String.sub (Marshal.to_string (Array.init 500 variant) []) 0 400 in
  (match (Marshal.from_string cut 0 : variant array) with
   | _ -> print_endline "read"
   | exception Invalid_argument message | exception Failure message -> print_endline message);
  Gc.full_major ()
