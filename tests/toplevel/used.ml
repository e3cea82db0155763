let from_used n = String.concat "-" (List.init n string_of_int)
let warned = function Some x -> x;;
#show from_used;;
