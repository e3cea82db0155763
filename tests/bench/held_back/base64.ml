(* strings: Base64, hexadecimal and percent coding, there and back, with Bytes and Buffer. *)
let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

let encode s =
  let n = String.length s in
  let out = Bytes.make ((n + 2) / 3 * 4) '=' in
  let byte i = if i < n then Char.code s.[i] else 0 in
  for group = 0 to ((n + 2) / 3) - 1 do
    let i = 3 * group in
    let bits = (byte i lsl 16) lor (byte (i + 1) lsl 8) lor byte (i + 2) in
    for k = 0 to min 3 (n - i) do
      Bytes.set out ((4 * group) + k) alphabet.[(bits lsr (18 - (6 * k))) land 63]
    done
  done;
  Bytes.unsafe_to_string out

let decode s =
  let buffer = Buffer.create (String.length s) and bits = ref 0 and have = ref 0 in
  String.iter
    (fun c ->
      if c <> '=' then begin
        bits := ((!bits lsl 6) lor String.index alphabet c) land 0xffffff;
        have := !have + 6;
        if !have >= 8 then begin
          have := !have - 8;
          Buffer.add_char buffer (Char.chr ((!bits lsr !have) land 255))
        end
      end)
    s;
  Buffer.contents buffer

let hex s =
  let digit n = "0123456789abcdef".[n] in
  String.init (2 * String.length s) (fun i ->
    let code = Char.code s.[i / 2] in
    digit (if i land 1 = 0 then code lsr 4 else code land 15))

let unhex s =
  let value = function
    | '0' .. '9' as c -> Char.code c - 48
    | 'a' .. 'f' as c -> Char.code c - 87
    | _ -> invalid_arg "unhex" in
  String.init (String.length s / 2) (fun i ->
      Char.chr ((value s.[2 * i] * 16) + value s.[(2 * i) + 1]))

let percent s =
  let buffer = Buffer.create (2 * String.length s) in
  String.iter
    (function
      | ('a' .. 'z' | 'A' .. 'Z' | '0' .. '9' | '-' | '_') as c -> Buffer.add_char buffer c
      | c -> Buffer.add_string buffer (Printf.sprintf "%%%02X" (Char.code c)))
    s;
  Buffer.contents buffer

let () =
  let data = String.init 40_000 (fun i -> Char.chr (((i * i) + (i / 7)) land 255)) in
  for round = 1 to 8 do
    let s = String.sub data 0 (String.length data - round) in
    let e = encode s in
    assert (decode e = s);
    let h = hex s in
    assert (unhex h = s);
    let p = percent s in
    Printf.printf "%d %d %d %s\n" (String.length e) (String.length h) (String.length p)
      (Digest.to_hex (Digest.string (e ^ p)))
  done
