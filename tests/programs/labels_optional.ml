(* Labelled and optional arguments, defaults, erasure, application in any order, punning. *)
let box ?(left = '[') ?(right = ']') ?width text =
  let pad =
    match width with None -> "" | Some w -> String.make (max 0 (w - String.length text)) '.' in
  Printf.sprintf "%c%s%s%c" left text pad right

let divide ~num ~den = num / den
let fold ~f ~init l = List.fold_left f init l
let range ?(step = 1) ~from ~upto () =
  let rec go i acc = if i > upto then List.rev acc else go (i + step) (i :: acc) in
  go from []

let counter = ref 0
let effect_default ?(n = incr counter; !counter) () = n
let apply_twice f = f (f 1)
let opt_first ?a b ~c = (match a with None -> 0 | Some a -> a) + (10 * b) + (100 * c)
let wrap ?left text = box ?left ~width:6 text
let many ?(a = 1) ~b ?(c = 3) d ?(e = 5) ~f () = Printf.sprintf "%d%d%d%d%d%d" a b c d e f

let () =
  print_endline (box "plain");
  print_endline (box ~left:'<' ~right:'>' "angle");
  print_endline (box ~width:10 "wide");
  print_endline (wrap "w" ^ wrap ~left:'(' "v" ^ wrap ?left:None "u");
  Printf.printf "%d %d\n" (divide ~den:3 ~num:10) (divide ~num:10 ~den:4);
  let by = divide ~den:2 in
  Printf.printf "%d\n" (by ~num:9);
  Printf.printf "%d\n" (fold [ 1; 2; 3 ] ~init:10 ~f:(fun acc x -> (acc * 2) + x));
  let f acc x = acc - x and init = 0 in
  Printf.printf "%d\n" (fold ~f ~init [ 4; 5 ]);
  Printf.printf "%s\n"
    (String.concat "," (List.map string_of_int (range ~step:3 ~from:1 ~upto:12 ())));
  let a = effect_default () in
  let b = effect_default ~n:50 () in
  let c = effect_default () in
  Printf.printf "%d %d %d\n" a b c;
  Printf.printf "%d\n" (apply_twice (fun x -> opt_first x ~c:2));
  Printf.printf "%d %d\n" (opt_first ~a:1 2 ~c:3) (opt_first ~c:3 2);
  print_endline (many ~b:2 4 ~f:6 ());
  print_endline (many ~f:1 ~e:2 ~c:4 ~b:5 ~a:6 3 ());
  let p = many ~b:7 in
  print_endline (p 8 ~f:9 ());
  print_endline (String.concat " " (ListLabels.map ~f:(fun s -> s ^ "!") [ "a"; "b" ]));
  print_endline (StringLabels.sub "labelled" ~pos:2 ~len:3)
