(* Prints structures with boxes, and aligns. *)
type shape = Circle of float | Polygon of (int * int) list
let shape ppf = function
  | Circle r -> Fmt.pf ppf "circle %a" Fmt.float r
  | Polygon points ->
      Fmt.pf ppf "@[<2>polygon@ %a@]"
        Fmt.(list ~sep:semi (parens (pair ~sep:comma int int))) points
let () =
  Fmt.pr "%a@." shape (Circle 2.5);
  Fmt.pr "@[<v>%a@]@." (Fmt.list shape)
    [ Polygon (List.init 25 (fun i -> (i, i * i))); Circle 1. ];
  let record = Fmt.(record [ field "name" fst string; field "age" snd int ]) in
  Fmt.pr "%a@." record ("camel", 12);
  Fmt.pr "%a %a@." Fmt.(option ~none:(any "nothing") int) None Fmt.(result ~ok:int ~error:string)
    (Error "e");
  Fmt.pr "%a@." Fmt.(Dump.list (Dump.pair Dump.string (Dump.option int))) [ ("a", Some 1);
    ("b\n", None) ];
  Fmt.pr "%a %a %a@." Fmt.byte_size 123456 Fmt.bi_byte_size 123456 Fmt.uint64_ns_span
    1_234_567_890L;
  Fmt.pr "%a@." (Fmt.hashtbl ~sep:Fmt.sp Fmt.(pair ~sep:(any "->") int string))
    (let h = Hashtbl.create 3 in Hashtbl.add h 1 "one"; h);
  Fmt.set_style_renderer Fmt.stdout `Ansi_tty;
  Fmt.pr "%a %a@." Fmt.(styled `Bold string) "bold" Fmt.(styled (`Fg `Red) int) 3;
  print_endline (Fmt.str "%a" Fmt.(array ~sep:(any "-") int) [| 1; 2; 3 |]);
  Fmt.epr "%a@." Fmt.(list ~sep:comma string) [ "to"; "stderr" ];
  (try Fmt.failwith "number %d" 7 with Failure m -> print_endline m);
  Fmt.pr "%a@." Fmt.(on_string (hex ())) "hexadecimal\000\255 output"
