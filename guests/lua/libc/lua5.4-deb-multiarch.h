/* Debian's Lua looks for libraries in a directory of the machine's. */
#define DEB_HOST_MULTIARCH "wasm32-wasi"
