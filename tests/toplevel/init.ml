let from_init = 41
let () = print_endline "init file"
