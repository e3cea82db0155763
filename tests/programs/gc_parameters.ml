(* Parameters of the collector and the stack: from the environment, then by Gc.set; what verbose
   mode says of them. *)
external runtime_parameters : unit -> string = "caml_runtime_parameters"

let show { Gc.minor_heap_size; major_heap_increment; space_overhead; verbose; max_overhead;
           stack_limit; allocation_policy; window_size; custom_major_ratio; custom_minor_ratio;
           custom_minor_max_size } =
  Printf.printf "s=%d i=%d o=%d v=%d O=%d l=%d a=%d w=%d M=%d m=%d n=%d\n%!"
    minor_heap_size major_heap_increment space_overhead verbose max_overhead stack_limit
    allocation_policy window_size custom_major_ratio custom_minor_ratio custom_minor_max_size

let rec depth n = if n = 0 then 0 else 1 + depth (n - 1)

let try_depth n =
  match depth n with
  | n -> Printf.printf "depth %d\n%!" n
  | exception Stack_overflow -> Printf.printf "%d is too deep\n%!" n

let () =
  show (Gc.get ());
  print_endline (runtime_parameters ());
  try_depth 100;
  try_depth 10_000;
  let initial = Gc.get () in
  Gc.set { initial with Gc.minor_heap_size = 100_000; space_overhead = 0; max_overhead = 1_000_000;
           stack_limit = 1 lsl 22; custom_major_ratio = 0; custom_minor_ratio = 20;
           custom_minor_max_size = 10; window_size = 99; major_heap_increment = 5000 };
  show (Gc.get ());
  try_depth 10_000;
  try_depth 700_000;
  try_depth 4_000_000;
  let list = List.init 200_000 string_of_int in
  Gc.set { (Gc.get ()) with Gc.minor_heap_size = 1; stack_limit = 4096;
           verbose = 0x24; major_heap_increment = 10 };
  show (Gc.get ());
  try_depth 1_000;
  try_depth 10_000;
  try_depth 4_000_000;
  assert (List.nth list 1234 = "1234");
  Gc.set { (Gc.get ()) with Gc.verbose = 0; minor_heap_size = 32768; allocation_policy = 0 };
  show (Gc.get ());
  Gc.set { (Gc.get ()) with Gc.verbose = 0x28; space_overhead = -5; max_overhead = -3;
           custom_major_ratio = -1; custom_minor_ratio = -2; custom_minor_max_size = -3;
           window_size = -1; stack_limit = -1 };
  Gc.set { (Gc.get ()) with Gc.verbose = 0 };
  show (Gc.get ());
  assert (List.length (List.init 100_000 string_of_int) = 100_000);
  Printf.printf "%b\n" (Hashtbl.is_randomized ())
