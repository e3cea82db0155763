(* Format: boxes, breaks, margins, pretty-printing of a small language, tags of semantics left
   alone. *)
type expr =
  | Var of string
  | Lam of string * expr
  | App of expr * expr
  | Let of string * expr * expr
  | If of expr * expr * expr

open Format

let rec pp ppf = function
  | Var x -> pp_print_string ppf x
  | Lam (x, e) -> fprintf ppf "@[<hov 2>fun %s ->@ %a@]" x pp e
  | App (f, a) -> fprintf ppf "@[<hov 2>(%a@ %a)@]" pp f pp a
  | Let (x, e, b) -> fprintf ppf "@[<v>@[<hv 2>let %s =@ %a@;<1 -2>in@]@ %a@]" x pp e pp b
  | If (c, t, e) -> fprintf ppf "@[<hv>if %a@;<1 2>then %a@;<1 2>else %a@]" pp c pp t pp e

let rec nest n =
  if n = 0 then Var "x" else App (Lam ("y" ^ string_of_int n, nest (n - 1)), Var "argument")

let pp_list pp_item = pp_print_list ~pp_sep:(fun ppf () -> fprintf ppf ";@ ") pp_item

let () =
  set_margin 50;
  printf "%a@." pp (nest 4);
  printf "%a@." pp
    (Let ("compose", Lam ("f", Lam ("g", Lam ("x", App (Var "f", App (Var "g", Var "x"))))),
          If (Var "condition_that_is_long", nest 2, Var "otherwise")));
  printf "@[<hov 1>[%a]@]@." (pp_list pp_print_int) (List.init 40 (fun i -> i * i));
  printf "@[<v 2>begin@,first@,@[<h>all on one line@ %d@]@,last@]@.end@." 5;
  set_margin 20;
  printf "@[<b 3>%s@ %s@ %s@ %s@]@." "several" "words" "that" "wrap around";
  let s = asprintf "@[<h>%a|%5d|%-6s|%.2f@]" pp (Var "v") 42 "left" 1.5 in
  print_endline s;
  let b = Buffer.create 10 in
  let ppf = formatter_of_buffer b in
  pp_set_margin ppf 12;
  fprintf ppf "@[<hov>%a@]@?" (pp_print_list ~pp_sep:pp_print_space pp_print_string)
    [ "alpha"; "beta"; "gamma"; "delta" ];
  print_endline (Buffer.contents b);
  printf "@[%a@]@." pp_print_text "a text whose spaces are breaks, so that it fills the margin";
  print_string "@{<b>tag@}";
  printf "@{<b>bold@} plain%a@." (pp_print_option pp_print_int) (Some 3);
  open_vbox 4; print_string "v1"; print_cut (); print_string "v2"; close_box (); print_newline ();
  set_max_boxes 3;
  printf "@[a@[b@[c@[d@]@]@]@]@.";
  printf "%s@\nforced %c%%@." "line" 'x';
  eprintf "on stderr: %d@." 7
