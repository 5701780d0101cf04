// engine.js - trainc.wasm: one language server in memory, for a page and for the extension of VS Code.
// SOURCE is the module or its bytes. openTrainc calls onMessage with each message of the server. receive() only queues a message; work() does one thing and says
// whether there is more to do; file() gives a file that programs may read.
async function openTrainc(source, onMessage) {
  let memory;
  const decoder = new TextDecoder(), encoder = new TextEncoder();
  const refuse = () => 8;                                 // EBADF: there are no files
  const wasi = new Proxy({
    proc_exit: status => { throw new Error("the compiler ended with " + status); },
    clock_time_get: (id, precision, at) => { new DataView(memory.buffer).setBigUint64(at, BigInt(Date.now()) * 1000000n, true); return 0; },
  }, { get: (known, name) => known[name] ?? refuse });
  const made = await WebAssembly.instantiate(source, {
    env: { web_send: (at, n) => onMessage(JSON.parse(decoder.decode(new Uint8Array(memory.buffer, at, n)))) },
    wasi_snapshot_preview1: wasi,
  });
  const wasm = (made.instance ?? made).exports;
  memory = wasm.memory;
  wasm._initialize();
  const web = wasm.web_open();
  const put = text => {
    const data = encoder.encode(text), at = wasm.web_alloc(data.length);
    new Uint8Array(memory.buffer, at, data.length).set(data);
    return [at, data.length];
  };
  return {
    receive(message) { wasm.web_receive(web, ...put(JSON.stringify({ jsonrpc: "2.0", ...message }))); },
    work: () => wasm.web_work(web) !== 0,
    file(path, text) { wasm.web_file(web, ...put(path), ...(text === null ? [0, -1] : put(text))); },     // null: it is gone
  };
}
// Returns a function that takes a message. The server works in turns, between which more messages come in: so a request can be
// cancelled before it begins, and of several edits only the last is analyzed. onEnd gets what ended the server; onRest is called
// when nothing is left to do.
function inTurns(server, onEnd, onRest = () => {}) {
  const turn = new MessageChannel();
  let working = false, ended = false;
  const guarded = step => { try { return !ended && step(); } catch (error) { ended = true; onEnd(error); return false; } };
  turn.port1.onmessage = () => {
    working = guarded(server.work);
    if (working) turn.port2.postMessage(0); else onRest();
  };
  return message => guarded(() => {
    server.receive(message);
    if (!working) turn.port2.postMessage(0);
    working = true;
  });
}
if (typeof module !== "undefined") module.exports = { openTrainc, inTurns };
