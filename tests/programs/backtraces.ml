(* What Printexc and the runtime tell of an exception's way. *)
exception Own of string * int
exception Quiet

let show title f =
  Printf.printf "== %s\n" title;
  (match f () with
   | _ -> print_endline "fine"
   | exception e ->
     let bt = Printexc.get_backtrace () in
     Printf.printf "%s\n%s" (Printexc.to_string e) bt)

let rec fail n = if n = 0 then raise (Own ("x", n)) else 1 + fail (n - 1)
let rec tail n = if n = 0 then raise Quiet else tail (n - 1)
let rethrow f = try f () with Own _ as e -> raise e
let shadow f = try f () with Own (s, n) -> raise (Own (s, n))
let reserve f = try f () with e -> (try raise Quiet with Quiet -> ()); raise e

let () =
  show "calls" (fun () -> fail 3);
  show "tail calls" (fun () -> tail 3);
  show "raised again" (fun () -> rethrow (fun () -> fail 1));
  show "another one" (fun () -> shadow (fun () -> fail 1));
  show "lost" (fun () -> reserve (fun () -> fail 1));
  show "pending" (fun () -> [ fail 0; List.length [ fail 1 ] ]);
  show "tuple" (fun () -> Printf.sprintf "%d %d %s %d" 1 2 (string_of_int (fail 1)) 4);
  show "assertion" (fun () -> assert (Sys.opaque_identity false));
  show "match" (fun () -> match Sys.opaque_identity 3 with 1 -> 2);
  show "letop" (fun () -> let ( let* ) x f = f x in let* x = 1 in fail x);
  show "string" (fun () -> (Sys.opaque_identity "abc").[3]);
  show "array" (fun () -> (Sys.opaque_identity [| 1; 2 |]).(-1));
  show "set" (fun () -> (Sys.opaque_identity [| 1. |]).(7) <- 2.);
  show "division" (fun () -> 7 / Sys.opaque_identity 0);
  show "remainder" (fun () -> let r = 7 mod Sys.opaque_identity 0 in r + 1);
  show "int32" (fun () -> Int32.div 7l (Sys.opaque_identity 0l));
  show "compare" (fun () -> compare (fun x -> x) (fun y -> y));
  show "marshal" (fun () -> Marshal.to_string (fun () -> ()) []);
  show "input" (fun () -> input_char stdin);
  show "open" (fun () -> open_in "no such file");
  show "getenv" (fun () -> Sys.getenv "NO_SUCH_VARIABLE");
  show "bytes" (fun () -> Bytes.create (-1));
  show "scanf" (fun () -> Scanf.sscanf "x" "%d" (fun n -> n));
  show "protect" (fun () -> Fun.protect ~finally:(fun () -> raise Quiet) (fun () -> fail 1));
  show "lazy" (fun () ->
      let l = lazy (fail 1) in (try Lazy.force l with Own _ -> 0) + Lazy.force l);
  show "finaliser" (fun () ->
    Gc.finalise (fun _ -> ignore (fail 1)) (ref 1);
    Gc.full_major ())

let () =
  print_endline "== raw";
  let raw = try ignore (fail 2); assert false with Own _ -> Printexc.get_raw_backtrace () in
  Printf.printf "%d %b\n" (Printexc.raw_backtrace_length raw) (Printexc.backtrace_status ());
  for i = 0 to Printexc.raw_backtrace_length raw - 1 do
    let slot = Printexc.get_raw_backtrace_slot raw i in
    assert (Printexc.get_raw_backtrace_next_slot slot = None);
    let slot = Printexc.convert_raw_backtrace_slot slot in
    Printf.printf "%b %b %s %s\n" (Printexc.Slot.is_raise slot) (Printexc.Slot.is_inline slot)
      (Option.value ~default:"-" (Printexc.Slot.name slot))
      (match Printexc.Slot.location slot with
       | Some { filename; line_number; start_char; end_char } ->
         Printf.sprintf "%s:%d:%d-%d" filename line_number start_char end_char
       | None -> "nowhere")
  done;
  (match Printexc.get_raw_backtrace_slot raw 99 with
   | _ -> () | exception Invalid_argument s -> print_endline s);
  (match Printexc.raise_with_backtrace (Own ("again", 1)) raw with
   | () -> () | exception e ->
     Printf.printf "%s\n" (Printexc.to_string e); Printexc.print_backtrace stdout);
  (match raise (Own ("fresh", 1)) with
   | () -> () | exception _ -> Printexc.print_backtrace stdout);
  Printf.printf "same: %b\n" (raw = Printexc.get_raw_backtrace ());
  Printexc.record_backtrace false;
  (try ignore (fail 3) with Own _ -> ());
  Printf.printf "off: %d\n" (Printexc.raw_backtrace_length (Printexc.get_raw_backtrace ()));
  print_string (Printexc.raw_backtrace_to_string raw);
  Printexc.record_backtrace true;
  Printf.printf "on: %S\n" (Printexc.get_backtrace ())

external old_backtrace : unit -> Printexc.Slot.t array option = "caml_get_exception_backtrace"

let () =
  print_endline "== old";
  (try ignore (fail 1) with Own _ ->
    match old_backtrace () with
    | None -> print_endline "none"
    | Some slots ->
      Array.iteri (fun i slot -> Option.iter print_endline (Printexc.Slot.format i slot)) slots)

let stack n = Printexc.raw_backtrace_to_string (Printexc.get_callstack n)
let rec down n k = if n = 0 then stack k else let s = down (n - 1) k in s ^ ""
let many a b c d e f g h s = String.length s + a + b + c + d + e + f + g + h

let () =
  print_endline "== call stacks";
  print_string (down 3 100);
  print_string (down 30 4);
  Printf.printf "%S %S\n" (stack 0) (stack (-1));
  ignore
    (many 1 2
       (try many 1 2 3 4 5 6 7 (print_string (stack 9); 8) "s" with Not_found -> 0)
       4 5 6 7 8 "t");
  List.iter (fun _ -> try print_string (stack 20) with Not_found -> ()) [ 1 ];
  Gc.finalise (fun _ -> print_string (stack 20)) (ref 1);
  Gc.full_major ();
  let o = object method m n = let s = down n 50 in s ^ "." end in
  print_string (o#m 1)

let () =
  at_exit (fun () -> (try ignore (fail 1) with Own _ -> ()); print_endline "at exit");
  Printexc.register_printer
    (function Own (s, n) -> Some (Printf.sprintf "<%s %d>" s n) | _ -> None);
  Printexc.set_uncaught_exception_handler (fun e bt ->
    Printf.eprintf "handler: %s\n" (Printexc.to_string e);
    Printexc.print_raw_backtrace stderr bt;
    flush stderr;
    raise Quiet);
  ignore (rethrow (fun () -> fail 2))
