// worker.js - the thread of the page in which the server runs. The first message is { packed, unpack, size, wasmSize, port }: half of
// what build.py packed, and where the other half comes from, which a second thread of this file, the helper, unpacks. { path, text } is a file. The thread sends lists of messages: { programs } of the menus, { ended } as its last,
// all others are the protocol's.
const LONGEST = 30;                                     // milliseconds that an answer waits for those that follow at once
let take, server, since;
const early = [], said = [];
function flush() {
  if (said.length) postMessage(said.splice(0));
}
function say(message) {
  if (!said.length) since = performance.now();
  said.push(message);
  if (performance.now() - since > LONGEST) flush();
}
function bytesOf(base64) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(base64);
  const words = atob(base64), bytes = new Uint8Array(words.length);
  for (let i = 0; i < words.length; i++) bytes[i] = words.charCodeAt(i);
  return bytes;
}
// One of the streams of build.py.
function unpacked({ packed, unpack, size }) {
  const bytes = bytesOf(packed), { memory, web_unpack, web_room } = new WebAssembly.Instance(new WebAssembly.Module(bytesOf(unpack))).exports;
  const from = web_room(), to = from + bytes.length;
  memory.grow(Math.ceil((to + size) / 65536));
  new Uint8Array(memory.buffer).set(bytes, from);
  if (web_unpack(from, bytes.length, to, size)) throw new Error("the page is damaged; load it again");
  return new Uint8Array(memory.buffer, to, size);
}
// trainc.wasm, then the programs of the menus as JSON: the second half is what the helper has unpacked meanwhile.
async function both(parts) {
  const other = new Promise((done, failed) => parts.port.onmessage = ({ data }) => data.failed ? failed(new Error(data.failed)) : done(data));
  const half = unpacked(parts), rest = await other, all = new Uint8Array(half.length + rest.length);
  all.set(half);
  all.set(rest, half.length);
  return all;
}
function help(parts) {
  try {
    const half = unpacked(parts).slice();
    parts.port.postMessage(half, [half.buffer]);
  } catch (error) { parts.port.postMessage({ failed: error.message }); }
}
function ended(error) {
  say({ ended: error.message });
  flush();
}
async function begin(parts) {
  const all = await both(parts);
  say({ programs: JSON.parse(new TextDecoder().decode(all.subarray(parts.wasmSize))) });
  server = await openTrainc(all.subarray(0, parts.wasmSize), say);
  take = inTurns(server, ended, flush);
  early.splice(0).forEach(handle);
}
function handle(data) {
  if (data.path) server.file(data.path, data.text); else take(data);
}
onmessage = ({ data }) => {
  if (data.helps) help(data);
  else if (data.packed) begin(data).catch(ended);
  else if (take) handle(data);
  else early.push(data);
};
