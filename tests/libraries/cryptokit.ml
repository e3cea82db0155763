(* Hashes, ciphers, signatures and encodings. *)
open Cryptokit
let hex s = transform_string (Hexa.encode ()) s
let unhex s = transform_string (Hexa.decode ()) s
let () =
  let text = String.init 1000 (fun i -> Char.chr (i * 11 land 255)) in
  List.iter (fun (name, h) -> Printf.printf "%s %s\n" name (hex (hash_string h text)))
    [ ("md5", Hash.md5 ()); ("sha1", Hash.sha1 ()); ("sha256", Hash.sha256 ());
      ("sha512", Hash.sha512 ());
      ("sha3", Hash.sha3 256); ("keccak", Hash.keccak 512); ("ripemd", Hash.ripemd160 ());
        ("blake2b", Hash.blake2b512 ());
      ("blake2s", Hash.blake2s256 ()); ("blake3", Hash.blake3 256) ];
  let key = unhex "000102030405060708090a0b0c0d0e0f" and iv = unhex
    "0f0e0d0c0b0a09080706050403020100" in
  let both name enc dec =
    let c = transform_string enc text in
    Printf.printf "%s %d %s %b\n" name (String.length c) (hex (hash_string (Hash.md5 ()) c))
      (transform_string dec c = text)
  in
  let open Cipher in
  both "aes-cbc" (aes ~mode:CBC ~pad:Padding.length ~iv key Encrypt) (aes ~mode:CBC
    ~pad:Padding.length ~iv key Decrypt);
  both "aes-ctr" (aes ~mode:CTR ~pad:Padding._8000 ~iv key Encrypt) (aes ~mode:CTR
    ~pad:Padding._8000 ~iv key Decrypt);
  let iv8 = String.sub iv 0 8 in
  both "3des" (triple_des ~mode:CBC ~pad:Padding.length ~iv:iv8 (key ^ iv8) Encrypt) (triple_des
    ~mode:CBC ~pad:Padding.length ~iv:iv8 (key ^ iv8) Decrypt);
  both "blowfish" (blowfish ~pad:Padding.length key Encrypt) (blowfish ~pad:Padding.length key
    Decrypt);
  both "arcfour" (arcfour key Encrypt) (arcfour key Decrypt);
  both "chacha" (chacha20 ~iv:iv8 key Encrypt) (chacha20 ~iv:iv8 key Decrypt);
  Printf.printf "%s\n" (hex (hash_string (MAC.hmac_sha256 key) text));
  Printf.printf "%s\n" (hex (hash_string (MAC.aes_cmac key) text));
  Printf.printf "%s\n" (hex (hash_string (MAC.siphash key) text));
  let gcm = AEAD.aes_gcm ~header:"h" ~iv:(String.sub iv 0 12) key AEAD.Encrypt in
  Printf.printf "%s\n" (hex (auth_transform_string gcm "a camel"));
  let rng = Random.pseudo_rng (key ^ key) in
  Printf.printf "%s\n" (hex (Random.string rng 16));
  let rsa = RSA.new_key ~rng ~e:65537 512 in
  let signed = RSA.sign_CRT rsa "camel" in
  let plain = RSA.unwrap_signature rsa signed in
  Printf.printf "%d %s\n" (String.length signed) (String.sub plain (String.length plain - 5) 5);
  let b64 = transform_string (Base64.encode_compact_pad ()) "any carnal pleas" in
  Printf.printf "%s %s\n" b64 (transform_string (Base64.decode ()) b64);
  let z = transform_string (Zlib.compress ()) (String.make 500 'z') in
  Printf.printf "%d %b\n" (String.length z) (transform_string (Zlib.uncompress ()) z = String.make
    500 'z');
  (try ignore (Cipher.aes "short" Cipher.Encrypt) with Error Wrong_key_size ->
    print_endline "wrong key size");
  Printf.printf "%d\n" (String.length (Random.string (Random.device_rng "/dev/urandom") 20))
