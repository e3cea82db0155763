(* Which ends of a pipe can be read or written when the other is closed. *)

open Unix

let () =
  let show name fd =
    let a, b, _ = select [fd] [fd] [] 0. in
    Printf.printf "%s: %d, %d\n%!" name (List.length a) (List.length b) in
  let r, w = pipe () in
  show "reader" r; show "writer" w;
  close w; show "reader alone" r;
  let a, b, _ = select [] [r] [] 0.05 in
  Printf.printf "for writing: %d, %d\n%!" (List.length a) (List.length b);
  let r, w = pipe () in
  close r; show "writer alone" w
