(* A database in memory and one in a file. *)
open Sqlite3
let check db rc = if rc <> Rc.OK && rc <> Rc.DONE then Printf.printf "%s: %s\n" (Rc.to_string rc)
  (errmsg db)
let fill db =
  check db (exec db
    "CREATE TABLE camel (id INTEGER PRIMARY KEY, name TEXT UNIQUE, weight REAL, data BLOB)");
  let insert = prepare db "INSERT INTO camel (name, weight, data) VALUES (?, ?, ?)" in
  check db (exec db "BEGIN");
  for i = 1 to 500 do
    check db (bind_text insert 1 (Printf.sprintf "camel %d" i));
    check db (bind_double insert 2 (float i *. 1.5));
    check db (bind_blob insert 3 (String.make (i mod 7) '\000'));
    check db (step insert);
    check db (reset insert)
  done;
  check db (exec db "COMMIT");
  check db (finalize insert)
let ask db =
  let cb row headers = Array.iteri (fun i h -> Printf.printf "%s=%s " h (Option.value
    ~default:"NULL" row.(i))) headers; print_newline () in
  check db (exec db ~cb
    "SELECT count(*), sum(weight), max(name), length(data) FROM camel \
     WHERE id % 3 = 0 GROUP BY id % 5");
  let select = prepare db
    "SELECT id, name, weight, data FROM camel WHERE weight > ? ORDER BY name LIMIT 3" in
  check db (bind select 1 (Data.FLOAT 700.));
  while step select = Rc.ROW do
    Array.iter (fun d -> print_string (Data.to_string_debug d ^ " ")) (row_data select);
    print_newline ()
  done;
  check db (finalize select);
  check db (exec db "INSERT INTO camel (name) VALUES ('camel 7')");
  check db (exec db "SELEC 1");
  Printf.printf "%d %Ld\n" (changes db) (last_insert_rowid db)
let () =
  let db = db_open ":memory:" in
  fill db; ask db;
  create_fun1 db "twice" (function Data.INT n -> Data.INT (Int64.mul 2L n) | d -> d);
  check db (exec_no_headers db ~cb:(fun r -> print_endline (Option.get r.(0)))
    "SELECT twice(id) FROM camel WHERE id > 497");
  Printf.printf "%b\n" (db_close db);
  let db = db_open "camels.db" in
  fill db;
  Printf.printf "%b\n" (db_close db);
  let db = db_open ~mode:`READONLY "camels.db" in
  ask db;
  check db (exec db "DELETE FROM camel");
  Printf.printf "%b %b\n" (db_close db) (Sys.file_exists "camels.db-journal")
