(* Dates and spans; the clock only as far as it can be compared. *)
let () =
  let t = Option.get (Ptime.of_date_time ((2021, 10, 4), ((13, 37, 42), 7200))) in
  print_endline (Ptime.to_rfc3339 ~tz_offset_s:7200 ~frac_s:3 t);
  Format.printf "%a %a@." Ptime.pp t (Ptime.pp_human ~tz_offset_s:(-18000) ()) t;
  let later = Option.get (Ptime.add_span t (Ptime.Span.of_int_s 86_461)) in
  Format.printf "%a %b@." Ptime.Span.pp (Ptime.diff later t) (Ptime.is_later later ~than:t);
  List.iter
    (fun s ->
      match Ptime.of_rfc3339 s with
      | Ok (t, tz, n) -> Printf.printf "%s %s %d\n" (Ptime.to_rfc3339 t) (match tz with Some z ->
        string_of_int z | None -> "-") n
      | Error _ as e -> (match Ptime.rfc3339_error_to_msg e with Error (`Msg m) -> print_endline m
        | Ok _ -> ()))
    [ "1990-12-31T23:59:60Z"; "1996-12-19T16:39:57-08:00"; "2021-02-30T00:00:00Z"; "2021" ];
  Printf.printf "%f\n" (Ptime.to_float_s t);
  Printf.printf "%s\n" (match Ptime.weekday t with `Mon -> "Monday" | _ -> "another day");
  let now = Ptime_clock.now () in
  let limit = Option.get (Ptime.of_date (2020, 1, 1)) and far = Option.get (Ptime.of_date (2120, 1,
    1)) in
  Printf.printf "%b %b\n" (Ptime.is_later now ~than:limit) (Ptime.is_earlier now ~than:far);
  Printf.printf "%b\n" (abs_float (Ptime.to_float_s now -. Unix.gettimeofday ()) < 5.);
  Printf.printf "%b\n" (match Ptime_clock.period () with None -> true | Some p ->
    Ptime.Span.compare p (Ptime.Span.of_int_s 1) < 0);
  Printf.printf "%s\n" (match Ptime_clock.current_tz_offset_s () with None -> "none" | Some s ->
    string_of_int s)
