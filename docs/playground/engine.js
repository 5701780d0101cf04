// engine.js - trainc.wasm: one language server in memory; a request is answered before request() returns.
// openTrainc calls onMessage with each message of the server; send() takes a message, file() a file that programs may read.
async function openTrainc(bytes, onMessage) {
  let memory;
  const decoder = new TextDecoder(), encoder = new TextEncoder();
  const refuse = () => 8;                                 // EBADF: there are no files
  const wasi = new Proxy({
    proc_exit: status => { throw new Error("the compiler ended with " + status); },
    clock_time_get: (id, precision, at) => { new DataView(memory.buffer).setBigUint64(at, BigInt(Date.now()) * 1000000n, true); return 0; },
  }, { get: (known, name) => known[name] ?? refuse });
  const { instance } = await WebAssembly.instantiate(bytes, {
    env: { web_send: (at, n) => onMessage(JSON.parse(decoder.decode(new Uint8Array(memory.buffer, at, n)))) },
    wasi_snapshot_preview1: wasi,
  });
  const wasm = instance.exports;
  memory = wasm.memory;
  wasm._initialize();
  const web = wasm.web_open();
  const put = text => {
    const data = encoder.encode(text), at = wasm.web_alloc(data.length);
    new Uint8Array(memory.buffer, at, data.length).set(data);
    return [at, data.length];
  };
  return {
    send(message) {
      wasm.web_receive(web, ...put(JSON.stringify({ jsonrpc: "2.0", ...message })));
      while (wasm.web_work(web)) continue;
    },
    file(path, text) { wasm.web_file(web, ...put(path), ...(text === null ? [0, -1] : put(text))); },     // null: it is gone
  };
}
// startTrainc answers a request before request() returns.
async function startTrainc(bytes) {
  const inbox = [], server = await openTrainc(bytes, message => inbox.push(message)), send = server.send;
  let last = 0;
  const engine = {
    onNotification: () => {},
    notify(method, params) { send({ method, params }); this.drain(); },
    request(method, params) {
      const id = ++last;
      send({ id, method, params });
      const answer = this.drain(id);
      if (answer?.error) throw new Error(answer.error.message);
      return answer?.result;
    },
    drain(id) {
      let answer;
      for (const message of inbox.splice(0)) {
        if (message.id !== undefined && !message.method) { if (message.id === id) answer = message; }
        else if (message.method) this.onNotification(message.method, message.params);
      }
      return answer;
    },
    file: server.file,
  };
  return engine;
}
if (typeof module !== "undefined") module.exports = { openTrainc };
