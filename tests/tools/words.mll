{
  exception Unterminated
}

let letter = ['a'-'z' 'A'-'Z']
let digit = ['0'-'9']

rule token = parse
  | letter (letter | digit)* as word { Some word }
  | digit+ as number { Some ("number " ^ number) }
  | '"' { let text = Buffer.create 16 in quoted text lexbuf; Some (Buffer.contents text) }
  | "(*" { comment 1 lexbuf; token lexbuf }
  | eof { None }
  | _ { token lexbuf }

and quoted text = parse
  | '"' { () }
  | [^ '"']+ as part { Buffer.add_string text part; quoted text lexbuf }
  | eof { raise Unterminated }

and comment depth = parse
  | "(*" { comment (depth + 1) lexbuf }
  | "*)" { if depth > 1 then comment (depth - 1) lexbuf }
  | eof { raise Unterminated }
  | _ { comment depth lexbuf }
