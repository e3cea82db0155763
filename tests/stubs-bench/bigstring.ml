(* A bigstring, a byte at a time; a call reads and a call writes. *)
type bigstring = (char, Bigarray.int8_unsigned_elt, Bigarray.c_layout) Bigarray.Array1.t

external peek : bigstring -> int -> int = "bench_peek" [@@noalloc]
external poke : bigstring -> int -> int -> unit = "bench_poke" [@@noalloc]

let () =
  let bytes = Bigarray.(Array1.create char c_layout 4096) in
  Bigarray.Array1.fill bytes 'x';
  for i = 1 to int_of_string Sys.argv.(1) / 2 do
    let at = i land 4095 in
    poke bytes at (peek bytes at + i)
  done;
  let total = ref 0 in
  for i = 0 to 4095 do
    total := (!total * 31) + peek bytes i
  done;
  print_int !total
