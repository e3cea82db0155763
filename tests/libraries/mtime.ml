(* A clock that only goes forward. *)
let () =
  let start = Mtime_clock.now () in
  let counter = Mtime_clock.counter () in
  Unix.sleepf 0.05;
  let elapsed = Mtime.span start (Mtime_clock.now ()) in
  let ms = Mtime.Span.to_ms elapsed in
  Printf.printf "%b %b\n" (ms >= 50.) (ms < 5000.);
  let counted = Mtime.Span.to_ms (Mtime_clock.count counter) in
  Printf.printf "%b %b\n" (counted >= 50.) (counted < 5000.);
  Printf.printf "%b\n" (Mtime.Span.to_s (Mtime_clock.elapsed ()) < 600.);
  Printf.printf "%b\n" (Int64.compare (Mtime_clock.elapsed_ns ()) 50_000_000L > 0);
  Printf.printf "%b\n" (match Mtime_clock.period_ns () with None -> true | Some p ->
    p < 1_000_000_000L);
  let s = Mtime.Span.of_uint64_ns 3_723_004_005_006L in
  Format.printf "%a %f %f@." Mtime.Span.pp s (Mtime.Span.to_min s) (Mtime.Span.to_hour s);
  Format.printf "%b %a@." (Mtime.is_earlier start ~than:(Mtime_clock.now ())) Mtime.Span.pp
    (Mtime.Span.add s s);
  match Mtime.add_span start s with
  | Some later -> Format.printf "%a@." Mtime.Span.pp (Mtime.span start later)
  | None -> print_endline "overflow"
