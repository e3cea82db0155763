(* integers: Checksums with Int32: CRC-32 by table and by bit, Adler-32, and the FNV hash. *)
let table =
  Array.init 256 (fun n ->
    let c = ref (Int32.of_int n) in
    for _ = 1 to 8 do
      c :=
        if Int32.logand !c 1l = 0l then Int32.shift_right_logical !c 1
        else Int32.logxor (Int32.shift_right_logical !c 1) 0xedb88320l
    done;
    !c)

let crc32 s =
  let crc = ref 0xffffffffl in
  for i = 0 to String.length s - 1 do
    let index =
      Int32.to_int (Int32.logand (Int32.logxor !crc (Int32.of_int (Char.code s.[i]))) 0xffl) in
    crc := Int32.logxor table.(index) (Int32.shift_right_logical !crc 8)
  done;
  Int32.lognot !crc

let bitwise s =
  let step crc c =
    let rec go n crc =
      if n = 0 then crc
      else
        let shifted = Int32.shift_right_logical crc 1 in
        go (n - 1) (if Int32.rem crc 2l <> 0l then Int32.logxor shifted 0xedb88320l else shifted)
    in
    go 8 (Int32.logxor crc (Int32.of_int (Char.code c)))
  in
  Int32.lognot (Seq.fold_left step (-1l) (String.to_seq s))

let fnv s =
  Seq.fold_left
    (fun h c -> Int32.mul (Int32.logxor h (Int32.of_int (Char.code c))) 0x01000193l)
    0x811c9dc5l (String.to_seq s)

let adler s =
  let a = ref 1l and b = ref 0l in
  String.iter
    (fun c ->
      a := Int32.rem (Int32.add !a (Int32.of_int (Char.code c))) 65521l;
      b := Int32.rem (Int32.add !b !a) 65521l)
    s;
  Int32.logor (Int32.shift_left !b 16) !a

let () =
  let text = String.init 600_000 (fun i -> Char.chr (((i * 31) + (i / 251)) land 255)) in
  Printf.printf "%08lx\n" (crc32 "The quick brown fox jumps over the lazy dog");
  for round = 1 to 4 do
    let part = String.sub text round (String.length text - 10) in
    Printf.printf "%08lx %08lx %08lx\n" (crc32 part) (fnv part) (adler part)
  done;
  let part = String.sub text 0 60_000 in
  Printf.printf "%08lx %b\n" (bitwise part) (bitwise part = crc32 part)
