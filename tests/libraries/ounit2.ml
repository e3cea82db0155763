(* A suite with good, bad, skipped and expected failures. *)
open OUnit2
let suite =
  "camels" >::: [
    "equal" >:: (fun _ -> assert_equal ~printer:string_of_int 4 (2 + 2));
    "list" >:: (fun _ -> assert_equal ~cmp:(fun a b -> List.sort compare a = List.sort compare b) [
      1; 2 ] [ 2; 1 ]);
    "raises" >:: (fun _ -> assert_raises Not_found (fun () -> List.find (( = ) 1) []));
    "skipped" >:: (fun _ -> skip_if true "not today");
    "todo" >:: (fun _ -> todo "later");
    "bracket" >:: (fun ctxt ->
      let name, oc = bracket_tmpfile ctxt in
      output_string oc "data"; close_out oc;
      assert_bool "there" (Sys.file_exists name));
    "wrong" >:: (fun _ -> assert_equal ~printer:string_of_int ~msg:"sum" 5 (2 + 2));
    "group" >::: List.init 5 (fun i -> string_of_int i >:: fun _ ->
      assert_bool "even" (i * 2 mod 2 = 0));
  ]
let () = run_test_tt_main suite
