(* Promises alone: order, cancellation, errors, mutexes. *)
open Lwt.Infix
let () =
  let log fmt = Printf.printf (fmt ^^ "\n") in
  let p, r = Lwt.wait () in
  let q = p >>= fun n -> log "got %d" n; if n > 3 then Lwt.fail_with "large" else Lwt.return (n * 2)
    in
  let caught = Lwt.catch (fun () -> q >|= string_of_int) (function Failure m ->
    Lwt.return ("failed: " ^ m) | e -> Lwt.fail e) in
  Lwt.on_success caught (log "%s");
  Lwt.wakeup_later r 7;
  let t, _ = Lwt.task () in
  Lwt.on_cancel t (fun () -> log "cancelled");
  Lwt.cancel t;
  (match Lwt.state t with Lwt.Fail Lwt.Canceled -> log "state: cancelled" | _ -> log "other");
  let m = Lwt_mutex.create () in
  let worker i = Lwt_mutex.with_lock m (fun () -> log "worker %d in" i; Lwt.pause () >|= fun () ->
    log "worker %d out" i) in
  let all = Lwt.join (List.init 3 worker) in
  while Lwt.is_sleeping all do Lwt.wakeup_paused () done;
  let stream, push = Lwt_stream.create () in
  List.iter (fun i -> push (Some i)) [ 1; 2; 3 ]; push None;
  ignore (Lwt_stream.to_list (Lwt_stream.map (fun x -> x * x) stream) >|= fun l ->
    log "%s" (String.concat "," (List.map string_of_int l)));
  let c = Lwt_condition.create () in
  let waiting = Lwt_condition.wait c >|= log "condition %s" in
  Lwt_condition.signal c "met";
  let box = Lwt_mvar.create_empty () in
  let taken = Lwt_mvar.take box >|= log "taken %d" in
  ignore (Lwt_mvar.put box 5);
  let key = Lwt.new_key () in
  Lwt.with_value key (Some "local") (fun () -> log "%s" (Option.get (Lwt.get key)));
  Lwt.async_exception_hook := (fun e -> log "hook: %s" (Printexc.to_string e));
  Lwt.async (fun () -> Lwt.fail Exit);
  log "%b %b" (Lwt.is_sleeping waiting) (Lwt.is_sleeping taken);
  let l = Lwt_list.map_s (fun x -> Lwt.return (x + 1)) [ 1; 2; 3 ] in
  ignore (l >|= List.iter (log "%d"));
  match Lwt.state (Lwt.pick [ Lwt.return 1; fst (Lwt.task ()) ]) with Lwt.Return n ->
    log "picked %d" n | _ -> ()
