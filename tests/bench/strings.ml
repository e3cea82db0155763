(* strings: Building, splitting and scanning text: Buffer, Printf, String functions. *)
let words = [| "camel"; "desert"; "hump"; "oasis"; "sand"; "caravan"; "dune" |]

let make_text n =
  let b = Buffer.create 16 in
  for i = 0 to n - 1 do
    Buffer.add_string b words.(i * i mod 7);
    Buffer.add_char b (if i mod 11 = 10 then '\n' else ' ')
  done;
  Buffer.contents b

let reverse_words line = String.concat " " (List.rev (String.split_on_char ' ' line))
let vowels s =
  String.fold_left (fun n c -> match c with 'a' | 'e' | 'i' | 'o' | 'u' -> n + 1 | _ -> n) 0 s

let caesar s =
  String.map
    (fun c -> if c >= 'a' && c <= 'z' then Char.chr (((Char.code c - 84) mod 26) + 97) else c) s

let () =
  let text = make_text 60_000 in
  let total = ref 0 in
  for round = 1 to 20 do
    let lines = String.split_on_char '\n' text in
    let out = Buffer.create 1024 in
    List.iteri
      (fun i l -> Buffer.add_string out (Printf.sprintf "%04d %s\n" i (reverse_words l)))
      lines;
    let s = caesar (Buffer.contents out) in
    total := !total + vowels s + (round * String.length s)
  done;
  Printf.printf "%d\n" !total
