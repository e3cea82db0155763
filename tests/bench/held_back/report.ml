(* strings: Tables and messages formatted with Printf and Buffer, read back with Scanf. *)
type entry = { name : string; amount : float; count : int; code : char }

let entries = List.init 400 (fun i ->
  { name = Printf.sprintf "item-%03d" (i * 7 mod 400);
    amount = float_of_int (i * 7919 mod 100_000) /. 100.;
    count = i * i mod 97;
    code = Char.chr (65 + (i mod 26)) })

let row b e =
  Printf.bprintf b "| %-12s | %10.2f | %5d | %c | %#x | %s |\n"
    e.name e.amount e.count e.code e.count (if e.amount > 500. then "high" else "low")

let thousands n =
  let s = string_of_int n in
  let b = Buffer.create 20 in
  String.iteri (fun i c ->
    if i > 0 && (String.length s - i) mod 3 = 0 then Buffer.add_char b ',';
    Buffer.add_char b c) s;
  Buffer.contents b

let pad width s =
  if String.length s >= width then s
  else String.make (width - String.length s) '.' ^ s

let () =
  let total = ref 0 and digest = ref "" in
  for page = 1 to 200 do
    let b = Buffer.create 4096 in
    Printf.bprintf b "%s page %02d %s\n" (String.make 10 '=') page (String.make 10 '=');
    List.iter (fun e -> row b { e with count = e.count * page }) entries;
    let sum = List.fold_left (fun s e -> s +. e.amount) 0. entries in
    Printf.bprintf b "%s%*.1f\n" (pad 12 "sum") 14 sum;
    List.iter (fun e -> Buffer.add_string b (pad 12 (thousands (e.count * 12_345)))) entries;
    total := !total + Buffer.length b;
    digest := Digest.to_hex (Digest.string (!digest ^ Buffer.contents b))
  done;
  Printf.printf "%s characters, %s\n" (thousands !total) !digest;
  let sum = ref 0 in
  for i = 1 to 10_000 do
    Scanf.sscanf (Printf.sprintf "%d-%s:%x" i "ab" (i * 3)) "%d-%[a-z]:%x" (fun a s x ->
        sum := !sum + a + String.length s + x)
  done;
  Printf.printf "%d\n" !sum
