(* Test cases that pass and one that fails. *)
let lower () = Alcotest.(check string) "same string" "hello!" (String.lowercase_ascii "hELLO!")
let lists () = Alcotest.(check (list int)) "same lists" [ 1; 2; 3 ] (List.append [ 1 ] [ 2; 3 ])
let wrong () = Alcotest.(check (pair int (option bool))) "same pairs" (1, Some true) (1, None)
let raising () = Alcotest.check_raises "raises" (Failure "x") (fun () -> failwith "x")
let float () = Alcotest.(check (float 0.01)) "near" 1.0 1.001
let () =
  print_endline "begin";
  Alcotest.run ~and_exit:true "camels"
    [ ("strings", [ Alcotest.test_case "lower" `Quick lower ]);
      ("lists", [ Alcotest.test_case "append" `Slow lists;
        Alcotest.test_case "wrong" `Quick wrong ]);
      ("others", [ Alcotest.test_case "raises" `Quick raising;
        Alcotest.test_case "float" `Quick float ]) ]
