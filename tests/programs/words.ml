(* Several bytes at once, of bytes and of bigarrays: in loops, at odd indices, in either order, and
   where they do not fit. *)

open Bigarray

type bigstring = (char, int8_unsigned_elt, c_layout) Array1.t

external get16 : bigstring -> int -> int = "%caml_bigstring_get16"
external get32 : bigstring -> int -> int32 = "%caml_bigstring_get32"
external get64 : bigstring -> int -> int64 = "%caml_bigstring_get64"
external set16 : bigstring -> int -> int -> unit = "%caml_bigstring_set16"
external set32 : bigstring -> int -> int32 -> unit = "%caml_bigstring_set32"
external set64 : bigstring -> int -> int64 -> unit = "%caml_bigstring_set64"
external swap16 : int -> int = "%bswap16"
external swap32 : int32 -> int32 = "%bswap_int32"
external swap64 : int64 -> int64 = "%bswap_int64"
external swap_native : nativeint -> nativeint = "%bswap_native"

let length = 61

let hash bytes =
  let h = ref 0xcbf29ce484222325L in
  for i = 0 to length - 8 do
    h := Int64.mul (Int64.logxor !h (Bytes.get_int64_le bytes i)) 0x100000001b3L;
    h := Int64.add !h (Bytes.get_int64_be bytes i);
    h := Int64.logxor !h (Int64.of_int32 (Bytes.get_int32_be bytes i));
    h := Int64.sub !h (Int64.of_int32 (Bytes.get_int32_le bytes (i + 4)));
    h := Int64.add !h (Int64.of_int (Bytes.get_uint16_be bytes i + Bytes.get_int16_le bytes i))
  done;
  !h

let fill bytes =
  for i = 0 to length - 8 do
    let n = Int64.mul (Int64.of_int (i + 1)) 0x9e3779b97f4a7c15L in
    match i mod 6 with
    | 0 -> Bytes.set_int64_le bytes i n
    | 1 -> Bytes.set_int64_be bytes i n
    | 2 -> Bytes.set_int32_le bytes i (Int64.to_int32 n)
    | 3 -> Bytes.set_int32_be bytes i (Int64.to_int32 n)
    | 4 -> Bytes.set_uint16_le bytes i (Int64.to_int n)
    | _ -> Bytes.set_int16_be bytes i (Int64.to_int n)
  done

let big_hash (big : bigstring) =
  let h = ref 0L in
  for i = 0 to length - 8 do
    set16 big i (get16 big (i + 1) + i);
    set32 big i (Int32.add (get32 big (i + 2)) (Int32.of_int i));
    set64 big i (Int64.logxor (get64 big i) !h);
    h := Int64.add (Int64.mul !h 31L) (get64 big i)
  done;
  !h

let outside name access index =
  match access index with
  | () -> Printf.printf "%s at %d: inside\n" name index
  | exception Invalid_argument what -> Printf.printf "%s at %d: %s\n" name index what

let () =
  let bytes = Bytes.make length 'x' in
  fill bytes;
  Printf.printf "%Lx %s\n" (hash bytes) (Digest.to_hex (Digest.bytes bytes));
  let big = Array1.create char c_layout length in
  Bytes.iteri (fun i c -> big.{i} <- c) bytes;
  Printf.printf "%Lx\n" (big_hash big);
  let ends = List.map (fun before -> length - before) [ 8; 7; 4; 3; 2; 1; 0 ] in
  let indices = [ min_int; -9; -1; 0 ] @ ends @ [ max_int - 7; max_int ] in
  let each name access = List.iter (outside name access) indices in
  each "get 16" (fun i -> ignore (Bytes.get_uint16_ne bytes i));
  each "get 32" (fun i -> ignore (Int32.to_int (Bytes.get_int32_ne bytes i)));
  each "get 64" (fun i -> ignore (Int64.to_int (Bytes.get_int64_ne bytes i)));
  each "set 16" (fun i -> Bytes.set_uint16_ne bytes i i);
  each "set 32" (fun i -> Bytes.set_int32_ne bytes i 1l);
  each "set 64" (fun i -> Bytes.set_int64_ne bytes i 1L);
  each "big get 16" (fun i -> ignore (get16 big i));
  each "big get 32" (fun i -> ignore (Int32.to_int (get32 big i)));
  each "big get 64" (fun i -> ignore (Int64.to_int (get64 big i)));
  each "big set 16" (fun i -> set16 big i i);
  each "big set 32" (fun i -> set32 big i 1l);
  each "big set 64" (fun i -> set64 big i 1L);
  List.iter
    (fun n ->
      Printf.printf "%x %lx %Lx %nx\n" (swap16 n)
        (swap32 (Int32.of_int n))
        (swap64 (Int64.of_int n))
        (swap_native (Nativeint.of_int n)))
    [ 0; 1; -1; 0x1234; 0x80; 0x12345678; 0x7f80abcd; min_int; max_int ];
  Printf.printf "%b %d %d %b %b\n" Sys.big_endian Sys.word_size Sys.int_size Sys.unix Sys.win32
