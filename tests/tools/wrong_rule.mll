rule token = parse
  | ['a'-'z' { 1 }
