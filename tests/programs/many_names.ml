(* A directory with so many long names that its listing takes several buffers. *)

let name index = Printf.sprintf "%04d_%s" index (String.make 150 'n')
let count = 3000

let listed () =
  let names = Sys.readdir "many" in
  Array.sort compare names;
  names

let () =
  Sys.mkdir "many" 0o755;
  for index = 0 to count - 1 do
    close_out (open_out (Filename.concat "many" (name index)))
  done;
  Printf.printf "all: %b\n" (listed () = Array.init count name);
  for index = 0 to count - 2 do
    Sys.remove (Filename.concat "many" (name index))
  done;
  Printf.printf "left: %b\n" (listed () = [| name (count - 1) |]);
  Sys.remove (Filename.concat "many" (name (count - 1)));
  Sys.rmdir "many";
  Printf.printf "gone: %b\n" (not (Sys.file_exists "many"))
