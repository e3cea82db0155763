(* strings: a compressor that looks for earlier copies by chains of hashes, and its inverse.
   Compiled as for a debugger, so that `ocamlc` leaves its local references blocks. *)

let window = 4096
let shortest = 4
let longest = 60
let most_tries = 16

let text size =
  let words = [| "camel"; "hump"; "desert"; "sand"; "walks"; "drinks"; "slowly"; "oasis" |] in
  let b = Buffer.create size and state = ref 12345 in
  while Buffer.length b < size do
    state := (!state * 1103515245 + 12345) land 0x3fffffff;
    Buffer.add_string b words.(!state lsr 12 land 7);
    Buffer.add_char b (if !state lsr 20 land 15 = 0 then '\n' else ' ')
  done;
  Buffer.sub b 0 size

let hash s i =
  let h = ref 0 in
  for j = i to i + shortest - 1 do
    h := !h * 31 + Char.code (String.unsafe_get s j)
  done;
  !h land 4095

let match_length s i j =
  let n = ref 0 in
  let most = min longest (String.length s - i) in
  while !n < most && s.[i + !n] = s.[j + !n] do incr n done;
  !n

let compress s =
  let n = String.length s in
  let heads = Array.make 4096 (-1) and chain = Array.make n (-1) in
  let out = Buffer.create n in
  let i = ref 0 in
  while !i < n do
    let best = ref 0 and distance = ref 0 in
    if !i + shortest <= n then begin
      let h = hash s !i in
      let candidate = ref heads.(h) and tries = ref 0 in
      while !candidate >= 0 && !i - !candidate < window && !tries < most_tries do
        let length = match_length s !i !candidate in
        if length > !best then begin
          best := length;
          distance := !i - !candidate
        end;
        candidate := chain.(!candidate);
        incr tries
      done;
      chain.(!i) <- heads.(h);
      heads.(h) <- !i
    end;
    if !best >= shortest then begin
      Buffer.add_char out (Char.chr (128 + !best));
      Buffer.add_char out (Char.chr (!distance lsr 8));
      Buffer.add_char out (Char.chr (!distance land 255));
      i := !i + !best
    end else begin
      Buffer.add_char out s.[!i];
      incr i
    end
  done;
  Buffer.contents out

let expand s size =
  let out = Bytes.create size in
  let i = ref 0 and n = ref 0 in
  while !i < String.length s do
    let c = Char.code s.[!i] in
    if c < 128 then begin
      Bytes.set out !n (Char.chr c);
      incr n;
      incr i
    end else begin
      let distance = Char.code s.[!i + 1] * 256 + Char.code s.[!i + 2] in
      for _ = 1 to c - 128 do
        Bytes.set out !n (Bytes.get out (!n - distance));
        incr n
      done;
      i := !i + 3
    end
  done;
  Bytes.to_string out

let () =
  let original = text 400_000 in
  let total = ref 0 in
  for _ = 1 to 5 do
    let packed = compress original in
    assert (expand packed (String.length original) = original);
    total := !total + String.length packed
  done;
  Printf.printf "%d\n" !total
