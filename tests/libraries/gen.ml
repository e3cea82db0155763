(* Generators and their combinators. *)
let () =
  let list g = String.concat "," (List.map string_of_int (Gen.to_list g)) in
  print_endline (list (Gen.take 10 (Gen.filter (fun x -> x mod 3 = 0) (Gen.int_range 1 100))));
  print_endline (list (Gen.map2 ( + ) (Gen.of_list [ 1; 2; 3 ]) (Gen.repeat 10 )));
  print_endline (list (Gen.unfold (fun (a, b) -> if a > 200 then None else Some (a, (b, a + b))) (0,
    1)));
  let r = GenLabels.Restart.of_list [ 3; 1; 2 ] in
  Printf.printf "%d %d\n" (Gen.Restart.fold ( + ) 0 r) (Gen.Restart.length r);
  print_endline (list (Gen.sort ~cmp:compare (r ())));
  print_endline (list (Gen.merge (Gen.of_list [ Gen.of_list [ 1; 2 ]; Gen.of_list [ 10; 20 ] ])));
  Gen.permutations (Gen.of_list [ 1; 2; 3 ]) |> Gen.iter (fun l ->
    print_string (String.concat "" (List.map string_of_int l) ^ " "));
  print_newline ();
  Gen.group ~eq:( = ) (Gen.of_list [ 1; 1; 2; 3; 3 ]) |> Gen.iter (fun l ->
    Printf.printf "%d " (List.length l));
  print_newline ();
  let b = Buffer.create 10 in
  Gen.IO.write_lines "lines" (Gen.of_list [ "x"; "y" ]);
  Gen.IO.with_lines "lines" (Gen.iter (Buffer.add_string b));
  print_endline (Buffer.contents b);
  Printf.printf "%b %s\n" (Gen.for_all (fun x -> x > 0) (Gen.of_array [| 1;
    2 |])) (Gen.to_string (Gen.drop_while (fun c -> c < 'm') (Gen.of_string "camel")));
  Gen.tee ~n:2 (Gen.of_list [ 1; 2 ]) |> List.iter (fun g -> print_endline (list g))
