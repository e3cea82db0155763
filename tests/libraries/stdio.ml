(* Channels of Jane Street's library. *)
open Base
open Stdio
let () =
  Out_channel.write_lines "lines.txt" [ "one"; "two"; "three" ];
  let lines = In_channel.read_lines "lines.txt" in
  printf "%d %s\n" (List.length lines) (String.concat ~sep:"+" lines);
  let total = In_channel.with_file "lines.txt" ~f:(In_channel.fold_lines ~init:0 ~f:(fun n l ->
    n + String.length l)) in
  printf "%d %S\n" total (In_channel.read_all "lines.txt");
  Out_channel.with_file ~append:true "lines.txt" ~f:(fun oc -> Out_channel.fprintf oc "%d\n" 4);
  In_channel.with_file "lines.txt" ~f:(fun ic ->
      In_channel.seek ic 4L;
      printf "%s %Ld\n" (Option.value ~default:"" (In_channel.input_line ic)) (In_channel.pos ic));
  (try ignore (In_channel.read_all "absent") with Stdlib.Sys_error m -> print_endline m);
  print_s (List.sexp_of_t String.sexp_of_t (In_channel.read_lines "lines.txt"));
  eprintf "to %s\n" "stderr";
  Out_channel.flush stdout
