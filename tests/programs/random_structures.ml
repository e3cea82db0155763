(* Random values of one type with all kinds of blocks: marshalled (digests of the bytes), hashed,
   compared. *)
type t =
  | Empty
  | Int of int
  | Pair of t * t
  | Text of string
  | Float of float
  | Floats of float array
  | Array of t array
  | Record of { mutable x : t; y : int32 }
  | Int64 of int64
  | Native of nativeint
  | Lazy of t Lazy.t
  | Ref of t ref

let () = Random.init 11

let rec random depth =
  match Random.int (if depth = 0 then 6 else 13) with
  | 0 -> Empty
  | 1 -> Int (if Random.bool () then Random.int 4 else Random.bits () - 0x20000000)
  | 2 -> Text (String.init (Random.int 40) (fun _ -> Char.chr (Random.int 256)))
  | 3 -> Float (if Random.int 5 = 0 then nan else Random.float 10. -. 5.)
  | 4 -> Int64 (Random.int64 Int64.max_int)
  | 5 -> Native (Random.nativeint Nativeint.max_int)
  | 6 -> Pair (random (depth - 1), random (depth - 1))
  | 7 -> Floats (Array.init (Random.int 5) float)
  | 8 -> Array (Array.init (Random.int 12) (fun _ -> random (depth - 1)))
  | 9 -> Record { x = random (depth - 1); y = Random.int32 Int32.max_int }
  | 10 -> let shared = random (depth - 1) in Pair (shared, shared)
  | 11 -> Ref (ref (random (depth - 1)))
  | _ -> Lazy (Lazy.from_val (random (depth - 1)))

let flags = [| []; [ Marshal.No_sharing ]; [ Marshal.Closures ]; [ Marshal.Compat_32 ] |]
let attempt show f = match f () with x -> show x | exception e -> Printexc.to_string e

let marshalled v =
  let flags = flags.(Random.int 4) in
  attempt Fun.id (fun () ->
      let bytes = Marshal.to_string v flags in
      let copy : t = Marshal.from_string bytes 0 in
      Printf.sprintf "%s %d %b" (Digest.to_hex (Digest.string bytes))
        (compare v copy) (Marshal.to_string copy flags = bytes))

let () =
  let previous = ref Empty in
  for _ = 1 to 250 do
    let v = random 4 in
    Printf.printf "%s %d %d %d\n" (marshalled v) (Hashtbl.hash v)
      (Hashtbl.hash_param 50 200 v) (Hashtbl.seeded_hash 3 v);
    let p = !previous in
    Printf.printf "%d %b %b %b %b %b\n" (compare v p) (v = p) (v < p) (v <= p) (v > p) (v = v);
    if Random.bool () then previous := v
  done

(* Functions: code pointers are offsets in the program; infix pointers keep their place. *)
let adder y = let add x = x + y in add
let rec even n = n = 0 || odd (n - 1)
and odd n = n <> 0 && even (n - 1)

let () =
  let bytes = Marshal.to_string (adder 3, even, odd) [ Marshal.Closures ] in
  let (add, even', odd') : (int -> int) * (int -> bool) * (int -> bool) =
    Marshal.from_string bytes 0 in
  Printf.printf "%s %d %b %b\n" (Digest.to_hex (Digest.string bytes)) (add 4) (even' 10) (odd' 10);
  print_endline (attempt string_of_int (fun () -> compare even odd));
  print_endline (attempt String.escaped (fun () -> Marshal.to_string even []))
