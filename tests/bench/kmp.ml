(* strings: Searching: naive, Knuth-Morris-Pratt, Boyer-Moore-Horspool and Rabin-Karp over one
   text. *)
let text n =
  let seed = ref 17 in
  String.init n (fun _ ->
    seed := ((!seed * 1103515245) + 12345) land 0x3fffffff;
    "abcd".[(!seed lsr 12) land 3])

let naive text pattern =
  let n = String.length text and m = String.length pattern and count = ref 0 in
  for i = 0 to n - m do
    if String.sub text i m = pattern then incr count
  done;
  !count

let failure pattern =
  let m = String.length pattern in
  let next = Array.make m 0 and k = ref 0 in
  for i = 1 to m - 1 do
    while !k > 0 && pattern.[!k] <> pattern.[i] do k := next.(!k - 1) done;
    if pattern.[!k] = pattern.[i] then incr k;
    next.(i) <- !k
  done;
  next

let kmp text pattern =
  let next = failure pattern and k = ref 0 and count = ref 0 in
  String.iter
    (fun c ->
      while !k > 0 && pattern.[!k] <> c do k := next.(!k - 1) done;
      if pattern.[!k] = c then incr k;
      if !k = String.length pattern then begin incr count; k := next.(!k - 1) end)
    text;
  !count

let horspool text pattern =
  let n = String.length text and m = String.length pattern in
  let shift = Array.make 256 m and count = ref 0 and i = ref 0 in
  for j = 0 to m - 2 do shift.(Char.code pattern.[j]) <- m - 1 - j done;
  while !i <= n - m do
    let j = ref (m - 1) in
    while !j >= 0 && text.[!i + !j] = pattern.[!j] do decr j done;
    if !j < 0 then incr count;
    i := !i + shift.(Char.code text.[!i + m - 1])
  done;
  !count

let rabin_karp text pattern =
  let n = String.length text and m = String.length pattern and modulus = 1_000_003 in
  let power = ref 1 and wanted = ref 0 and hash = ref 0 and count = ref 0 in
  for _ = 2 to m do power := !power * 256 mod modulus done;
  let push h c = ((h * 256) + Char.code c) mod modulus in
  String.iter (fun c -> wanted := push !wanted c) pattern;
  for i = 0 to n - 1 do
    if i >= m then
      hash := (!hash + (modulus * 256) - (Char.code text.[i - m] * !power)) mod modulus;
    hash := push !hash text.[i];
    if i >= m - 1 && !hash = !wanted && String.sub text (i - m + 1) m = pattern then incr count
  done;
  !count

let () =
  let text = text 700_000 in
  List.iter
    (fun pattern ->
      Printf.printf "%s: %d %d %d %d\n" pattern
        (naive text pattern) (kmp text pattern) (horspool text pattern) (rabin_karp text pattern))
    [ "abc"; "abcab"; "dddd"; "bcdabc" ]
