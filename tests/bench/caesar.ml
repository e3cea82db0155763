(* strings: Ciphers and runs: String.map, mapi, Bytes loops, run-length coding, palindromes,
   anagrams. *)
let shift k c =
  match c with
  | 'a' .. 'z' -> Char.chr (((Char.code c - 97 + k + 26) mod 26) + 97)
  | 'A' .. 'Z' -> Char.chr (((Char.code c - 65 + k + 26) mod 26) + 65)
  | _ -> c

let caesar k = String.map (shift k)
let vigenere key = String.mapi (fun i c -> shift (Char.code key.[i mod String.length key] - 97) c)

let encode s =
  let buffer = Buffer.create (String.length s) and n = String.length s in
  let rec go i =
    if i < n then begin
      let j = ref i in
      while !j < n && s.[!j] = s.[i] do incr j done;
      if !j - i > 1 then Buffer.add_string buffer (string_of_int (!j - i));
      Buffer.add_char buffer s.[i];
      go !j
    end
  in
  go 0;
  Buffer.contents buffer

let reverse s = let n = String.length s in String.init n (fun i -> s.[n - 1 - i])

let is_palindrome s =
  let rec go i j = i >= j || (s.[i] = s.[j] && go (i + 1) (j - 1)) in
  go 0 (String.length s - 1)

let letters s =
  let b = Bytes.of_string s in
  for i = 1 to Bytes.length b - 1 do
    let c = Bytes.get b i and j = ref (i - 1) in
    while !j >= 0 && Bytes.get b !j > c do
      Bytes.set b (!j + 1) (Bytes.get b !j);
      decr j
    done;
    Bytes.set b (!j + 1) c
  done;
  Bytes.to_string b

let word i = Printf.sprintf "%x" (i * 7919) |> caesar 3

let () =
  let line = String.concat " " (List.init 8000 (fun i -> word i ^ "Quick")) in
  let text = ref line in
  for k = 1 to 26 do text := caesar k (vigenere "secret" !text) done;
  Printf.printf "%s\n" (Digest.to_hex (Digest.string !text));
  Printf.printf "%d\n"
    (String.length (encode (String.concat "" (List.init 20_000 (fun i ->
      String.make (1 + (i mod 5)) (String.sub (word (i + 3)) 1 2).[i land 1])))));
  let palindromes = ref 0 in
  for i = 1 to 100_000 do
    let s = string_of_int i in
    if is_palindrome s then incr palindromes;
    if is_palindrome (s ^ reverse s) then incr palindromes
  done;
  Printf.printf "%d\n" !palindromes;
  let table = Hashtbl.create 1000 in
  for i = 1 to 60_000 do
    let key = letters (word i) in
    Hashtbl.replace table key (i :: (try Hashtbl.find table key with Not_found -> []))
  done;
  Printf.printf "%d %d\n" (Hashtbl.length table)
    (Hashtbl.fold (fun _ l best -> max best (List.length l)) table 0)
