(* A small XML parser. *)
let () =
  let x = Xml.parse_string
    "<zoo name='a &amp; b'><camel humps=\"2\">text</camel><yak/><!-- no --></zoo>" in
  Printf.printf "%s %s\n" (Xml.tag x) (Xml.attrib x "name");
  Xml.iter (fun c -> match c with Xml.Element (t, a, _) -> Printf.printf "%s %d\n" t (List.length a)
    | PCData d -> print_endline d) x;
  print_endline (Xml.to_string x);
  print_endline (Xml.to_string_fmt x);
  List.iter
    (fun s -> try ignore (Xml.parse_string s) with Xml.Error e -> print_endline (Xml.error e))
    [ "<a><b></a>"; "<a"; "<a x=1/>"; "plain" ];
  (try ignore (Xml.attrib x "none") with Xml.No_attribute a -> Printf.printf "no %s\n" a);
  let dtd = Dtd.parse_string
    "<!ELEMENT zoo (camel+)><!ELEMENT camel (#PCDATA)><!ATTLIST camel humps CDATA #REQUIRED>" in
  List.iter (fun d -> print_endline (Dtd.to_string d)) dtd;
  let checked = Dtd.check dtd in
  let prove s = try print_endline (Xml.to_string (Dtd.prove checked "zoo" (Xml.parse_string s)))
    with Dtd.Prove_error e -> print_endline (Dtd.prove_error e) in
  prove "<zoo><camel humps='1'>a</camel></zoo>";
  prove "<zoo></zoo>"
