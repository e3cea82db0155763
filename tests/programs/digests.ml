(* Digest (MD5) beside checksums written in OCaml: CRC-32, Adler-32, FNV, SHA-256. *)
let crc_table = Array.init 256 (fun n ->
  let c = ref n in
  for _ = 0 to 7 do c := if !c land 1 = 1 then 0xedb88320 lxor (!c lsr 1) else !c lsr 1 done;
  !c)

let crc32 s =
  String.fold_left
    (fun c ch -> crc_table.((c lxor Char.code ch) land 255) lxor (c lsr 8)) 0xffffffff s
  lxor 0xffffffff

let adler32 s =
  let a, b =
    String.fold_left
      (fun (a, b) c -> let a = (a + Char.code c) mod 65521 in (a, (b + a) mod 65521))
      (1, 0) s in
  (b lsl 16) lor a

let primes n =
  let rec go k acc len =
    if len = n then List.rev acc
    else if List.exists (fun p -> p * p <= k && k mod p = 0) acc then go (k + 1) acc len
    else go (k + 1) (k :: acc) (len + 1) in
  go 2 [] 0

let frac_bits root p =
  let r = root (float_of_int p) in
  Int64.to_int (Int64.of_float ((r -. floor r) *. 4294967296.))
let k = Array.of_list (List.map (frac_bits Float.cbrt) (primes 64))
let h0 = List.map (frac_bits sqrt) (primes 8)
let mask = 0xffffffff
let rotr x n = ((x lsr n) lor (x lsl (32 - n))) land mask

let sha256 s =
  let len = String.length s in
  let total = (len + 9 + 63) / 64 * 64 in
  let b = Bytes.make total '\000' in
  Bytes.blit_string s 0 b 0 len;
  Bytes.set b len '\x80';
  Bytes.set_int64_be b (total - 8) (Int64.of_int (8 * len));
  let h = Array.of_list h0 and w = Array.make 64 0 in
  for block = 0 to (total / 64) - 1 do
    for i = 0 to 15 do
      w.(i) <- Int32.to_int (Bytes.get_int32_be b ((block * 64) + (i * 4))) land mask
    done;
    for i = 16 to 63 do
      let s0 = rotr w.(i - 15) 7 lxor rotr w.(i - 15) 18 lxor (w.(i - 15) lsr 3) in
      let s1 = rotr w.(i - 2) 17 lxor rotr w.(i - 2) 19 lxor (w.(i - 2) lsr 10) in
      w.(i) <- (w.(i - 16) + s0 + w.(i - 7) + s1) land mask
    done;
    let v = Array.copy h in
    for i = 0 to 63 do
      let e = v.(4) and a = v.(0) in
      let t1 =
        v.(7) + (rotr e 6 lxor rotr e 11 lxor rotr e 25)
        + ((e land v.(5)) lxor (lnot e land mask land v.(6))) + k.(i) + w.(i) in
      let t2 =
        (rotr a 2 lxor rotr a 13 lxor rotr a 22)
        + ((a land v.(1)) lxor (a land v.(2)) lxor (v.(1) land v.(2))) in
      Array.blit v 0 v 1 7;
      v.(4) <- (v.(4) + t1) land mask;
      v.(0) <- (t1 + t2) land mask
    done;
    Array.iteri (fun i x -> h.(i) <- (h.(i) + x) land mask) v
  done;
  String.concat "" (Array.to_list (Array.map (Printf.sprintf "%08x") h))

let () =
  List.iter
    (fun s ->
      Printf.printf "%s %08x %08x %s\n" (Digest.to_hex (Digest.string s))
        (crc32 s) (adler32 s) (sha256 s))
    [ ""; "a"; "abc"; "message digest"; String.make 63 'x'; String.make 64 'y';
      String.make 200 'z' ];
  let d = Digest.substring "xxabcxx" 2 3 in
  Printf.printf "%b %b %d\n" (Digest.equal d (Digest.string "abc"))
    (Digest.from_hex (Digest.to_hex d) = d) (Digest.compare d d);
  (try ignore (Digest.from_hex "zz") with Invalid_argument m -> print_endline m);
  (try ignore (Digest.substring "abc" 2 5) with Invalid_argument m -> print_endline m)
