(* Pages whose validity is typed. *)
open Tyxml.Html
let () =
  let row (name, n) = tr [ td [ txt name ]; td ~a:[ a_class [ "n";
    "wide" ] ] [ txt (string_of_int n) ] ] in
  let page =
    html ~a:[ a_lang "en" ]
      (head (title (txt "Camels & co")) [ meta ~a:[ a_charset "utf-8" ] ();
        link ~rel:[ `Stylesheet ] ~href:"a.css" () ])
      (body [
        h1 [ txt "1 < 2" ];
        p ~a:[ a_id "first"; a_title "\"quoted\"" ] [ txt "text "; em [ txt "stressed" ]; br ();
          entity "nbsp" ];
        table (List.map row [ ("camel", 2); ("yak", 0) ]);
        ul (List.init 3 (fun i -> li [ a ~a:[ a_href (Printf.sprintf "/p?i=%d&x" i) ] [ txt
          (string_of_int i) ] ]));
        form [ input ~a:[ a_input_type `Checkbox; a_checked () ] () ];
        script (cdata_script "if (a < b) run()") ])
  in
  Format.printf "%a@." (pp ()) page;
  Format.printf "%a@." (pp ~indent:true ()) page;
  let open Tyxml.Svg in
  Format.printf "%a@." (pp_elt ()) (circle ~a:[ a_r (2.5, Some `Px) ] []);
  let doc = Tyxml.Xml.(node "root" ~a:[ string_attrib "k" "v" ] [ pcdata "é"; leaf "x";
    comment "note" ]) in
  Format.printf "%a@." (Tyxml.Xml.pp ()) doc
