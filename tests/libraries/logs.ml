(* Messages of several sources and levels, with tags and a reporter of our own. *)
let source = Logs.Src.create "camel" ~doc:"what a camel says"
module Log = (val Logs.src_log source : Logs.LOG)
let tag : int Logs.Tag.def = Logs.Tag.def "step" Format.pp_print_int
let reporter ppf =
  let report src level ~over k msgf =
    let k _ = over (); k () in
    msgf @@ fun ?header ?tags fmt ->
    let step = Option.bind tags (Logs.Tag.find tag) in
    Format.kfprintf k ppf ("%s %a%s%s: @[" ^^ fmt ^^ "@]@.") (Logs.Src.name src) Logs.pp_level level
      (match header with None -> "" | Some h -> "[" ^ h ^ "]")
      (match step with None -> "" | Some n -> " step " ^ string_of_int n)
  in
  { Logs.report }
let () =
  Logs.set_reporter (reporter Format.std_formatter);
  Logs.set_level (Some Logs.Info);
  Log.info (fun m -> m "walks %d miles" 3);
  Log.debug (fun m -> m "is not shown");
  Log.warn (fun m -> m ~header:"WET" ~tags:Logs.Tag.(empty |> add tag 4) "is %s" "thirsty");
  Logs.Src.set_level source (Some Logs.Debug);
  Log.debug (fun m -> m "is shown");
  Logs.app (fun m -> m "an application's");
  let r = Logs.on_error ~pp:Format.pp_print_string ~use:(fun _ -> 0) (Error "broken") in
  Printf.printf "%d errors %d warnings %d\n" r (Logs.err_count ()) (Logs.warn_count ());
  Logs.set_reporter (Logs_fmt.reporter ~app:Format.std_formatter ~dst:Format.std_formatter ());
  Logs.err (fun m -> m "with the library's own reporter");
  Log.info (fun m -> m "twice");
  List.iter (fun s -> print_endline (Logs.Src.name s)) (Logs.Src.list ())
