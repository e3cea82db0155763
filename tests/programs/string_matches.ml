(* Strings beside literals of each number of words, what begins or ends alike, and a literal that
   somebody writes to. *)

let number = function
  | "" -> 0
  | "\000" -> 1
  | "a" -> 2
  | "abcdef" -> 3
  | "abcdefg" -> 4
  | "abcdefgh" -> 5
  | "abcdefgh\000" -> 6
  | "abcdefghi" -> 7
  | "abcdefghijklmno" -> 8
  | "abcdefghijklmnop" -> 9
  | "abcdefghijklmnopqrstuvw" -> 10
  | "abcdefghijklmnopqrstuvwx" -> 11
  | "abcdefghijklmnopqrstuvwxyz0123456789" -> 12
  | "z" -> 13
  | _ -> -1

let is_short s = s = "abcdefg" || s = "abcdefgh"
let is_other s = s <> "abcdefghijklmnop" && s <> ""

let letters = "abcdefghijklmnopqrstuvwxyz0123456789"

let texts =
  let prefixes = List.init (String.length letters + 1) (String.sub letters 0) in
  let changed s i = String.mapi (fun j c -> if i = j then '\255' else c) s in
  let near s = s :: (s ^ "\000") :: List.init (String.length s) (changed s) in
  "z" :: "zz" :: List.concat_map near prefixes

let () =
  let sum = ref 0 in
  List.iter
    (fun s ->
      let n = number s in
      sum := (!sum * 31) + n + Bool.to_int (is_short s) + (2 * Bool.to_int (is_other s));
      if n >= 0 then Printf.printf "%d %S\n" n s)
    texts;
  Printf.printf "%d texts, %d\n" (List.length texts) !sum

(* The texts with literals of their own, each of which is changed. *)
let literal () = "abcdefghij"
let equals s = s = literal ()

let () =
  let copy = String.concat "" [ "abcde"; "fghij" ] in
  Printf.printf "%b " (equals copy);
  Bytes.set (Bytes.unsafe_of_string (literal ())) 9 'J';
  Printf.printf "%b %s\n" (equals copy) (literal ())
