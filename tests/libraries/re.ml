(* Matches, splits and replaces, with three syntaxes. *)
let () =
  let date = Re.Perl.re {|(\d{4})-(\d\d)-(\d\d)|} |> Re.compile in
  let text = "from 2021-10-04 to 1999-12-31, not 99-1-1" in
  Re.all date text
  |> List.iter (fun g ->
         Printf.printf "%s at %d: %s\n" (Re.Group.get g 0) (Re.Group.start g 0)
           (String.concat "/" (Array.to_list (Re.Group.all g))));
  print_endline (Re.replace date ~f:(fun g -> Re.Group.get g 3 ^ "." ^ Re.Group.get g 2) text);
  let words = Re.(compile (rep1 (alt [ alpha; char '\'' ]))) in
  List.iter print_endline (Re.matches words "it's a camel, isn't it?");
  let spaces = Re.(compile (rep1 space)) in
  print_endline (String.concat "|" (Re.split spaces " a  b\tc\nd "));
  Re.split_full spaces "x y"
  |> List.iter (function
       | `Text s -> Printf.printf "text %S\n" s
       | `Delim g -> Printf.printf "delimiter %S\n" (Re.Group.get g 0));
  let glob = Re.Glob.glob ~anchored:true "*.{ml,mli}" |> Re.compile in
  List.iter (fun f -> Printf.printf "%s %b\n" f (Re.execp glob f)) [ "a.ml"; "b.mli"; "c.mll";
    "d/e.ml" ];
  let emails = Re.Pcre.regexp "^[a-z]+@[a-z.]+$" in
  List.iter (fun m -> Printf.printf "%b " (Re.Pcre.pmatch ~rex:emails m)) [ "a@b.c"; "@b"; "a@B" ];
  print_newline ();
  let nested = Re.(compile (seq [ bos; rep (alt [ str "ab"; str "a" ]); char 'b'; eos ])) in
  Printf.printf "%b %b\n" (Re.execp nested (String.concat "" (List.init 500 (fun _ -> "ab")) ^ "b"))
    (Re.execp nested (String.make 2000 'a'));
  (try ignore (Re.Perl.re "a(b") with Re.Perl.Parse_error -> print_endline "no regular expression")
