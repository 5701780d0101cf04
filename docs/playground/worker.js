// worker.js - the thread of the page in which the server runs. The first message is { packed, unpack, size, wasmSize }: what
// build.py packed. { path, text } is a file, { ended } the last message that the thread sends; all others are the protocol's.
let take, server;
const early = [];
function bytesOf(base64) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(base64);
  const words = atob(base64), bytes = new Uint8Array(words.length);
  for (let i = 0; i < words.length; i++) bytes[i] = words.charCodeAt(i);
  return bytes;
}
// trainc.wasm, then the programs of the menus as JSON.
async function unpacked({ packed, unpack, size }) {
  const bytes = bytesOf(packed), { instance } = await WebAssembly.instantiate(bytesOf(unpack)), { memory, web_unpack, web_room } = instance.exports;
  const from = web_room(), to = from + bytes.length;
  memory.grow(Math.ceil((to + size) / 65536));
  new Uint8Array(memory.buffer).set(bytes, from);
  if (web_unpack(from, bytes.length, to, size)) throw new Error("the page is damaged; load it again");
  return new Uint8Array(memory.buffer, to, size);
}
const ended = error => postMessage({ ended: error.message });
async function begin(parts) {
  const all = await unpacked(parts);
  postMessage({ programs: JSON.parse(new TextDecoder().decode(all.subarray(parts.wasmSize))) });
  server = await openTrainc(all.subarray(0, parts.wasmSize), message => postMessage(message));
  take = inTurns(server, ended);
  early.splice(0).forEach(handle);
}
function handle(data) {
  if (data.path) server.file(data.path, data.text); else take(data);
}
onmessage = ({ data }) => {
  if (data.packed) begin(data).catch(ended);
  else if (take) handle(data);
  else early.push(data);
};
