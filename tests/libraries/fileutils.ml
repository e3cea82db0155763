(* File operations of a shell. *)
open FileUtil
let () =
  mkdir ~parent:true "d/e/f";
  touch "d/one.txt";
  let oc = open_out "d/e/two.txt" in
  output_string oc "two\n"; close_out oc;
  cp [ "d/e/two.txt" ] "d/e/f";
  mv "d/one.txt" "d/renamed.txt";
  List.iter print_endline (List.sort compare (find ~follow:Skip True "d" (fun l f -> f :: l) []));
  Printf.printf "%b %b %b\n" (test Is_dir "d/e") (test (And (Is_file, Size_not_null)) "d/e/two.txt")
    (test Exists "none");
  List.iter print_endline (List.sort compare (ls "d"));
  print_endline (FilePath.concat "a" (FilePath.add_extension "b" "ml"));
  print_endline (FilePath.reduce "a/../b/./c");
  print_endline (FilePath.make_relative "/a/b" "/a/c/d");
  Printf.printf "%b %s\n" (FilePath.is_relative "x/y") (FilePath.chop_extension "x.tar.gz");
  (match cmp "d/e/two.txt" "d/e/f/two.txt" with None -> print_endline "same" | Some n ->
    Printf.printf "%d\n" n);
  Printf.printf "%s\n" (string_of_size ~fuzzy:true (KB 2048L));
  rm ~recurse:true [ "d" ];
  Printf.printf "%b\n" (Sys.file_exists "d")
