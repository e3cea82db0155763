(* No Printexc: the runtime itself prints the exception and its backtrace, after what runs at
   exit. *)
exception Own of string * float * int

let rec fail n = if n = 0 then raise (Own ("x", 1.5, 3)) else 1 + fail (n - 1)
let pending a b c d e = a + b + c + d + e
let rethrow f = try f () with Not_found -> 0 | Own _ as e -> raise e

let () =
  at_exit (fun () ->
    (try ignore (fail 2) with Own _ -> print_endline "at exit");
    ignore (int_of_string "nothing"));
  ignore (pending 1 (rethrow (fun () -> 1 + fail 2)) 3 4 (List.length []))
