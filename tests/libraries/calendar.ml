(* Dates, times and periods. *)
open CalendarLib
let () =
  let d = Date.make 2020 2 28 in
  let show d = print_endline (Printer.Date.sprint "%A %d %B %Y, week %W, day %j" d) in
  show d;
  show (Date.add d (Date.Period.day 2));
  show (Date.add d (Date.Period.month 12));
  show (Date.prev d `Year);
  Printf.printf "%d %b %d\n" (Date.days_in_month d) (Date.is_leap_year 2100) (Date.day_of_year d);
  let p = Date.sub (Date.make 2021 10 4) d in
  Printf.printf "%d\n" (Date.Period.nb_days p);
  Printf.printf "%d %d\n" (Date.week d) (Date.int_of_day (Date.day_of_week d));
  let c = Calendar.make 2021 12 31 23 59 50 in
  let c' = Calendar.add c (Calendar.Period.second 15) in
  print_endline (Printer.Calendar.sprint "%Y-%m-%dT%H:%M:%S" c');
  print_endline (Printer.Calendar.to_string (Calendar.from_unixfloat 1e9));
  Printf.printf "%f\n" (Calendar.to_jd c);
  show (Printer.Date.from_fstring "%d/%m/%Y" "04/10/2021");
  (try ignore (Date.make 2021 2 30 |> show) with Date.Out_of_bounds -> print_endline "out of bounds"
    | Date.Undefined -> print_endline "undefined");
  (try ignore (Printer.Date.from_fstring "%Y" "x") with Invalid_argument _ ->
    print_endline "no date" | Failure _ -> print_endline "failure");
  Printf.printf "%s\n" (Printer.Time.sprint "%I:%M %p" (Time.make 15 4 0));
  Printf.printf "%d\n" (Date.compare (Date.easter 2022) (Date.make 2022 4 17))
