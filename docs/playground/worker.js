// worker.js - the thread of the page in which the server runs. The first message is { source }: the module, or its bytes.
// { path, text } is a file. The thread sends lists of messages: { ready } as its first, { ended } as its last, all others are
// the protocol's.
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
function ended(error) {
  say({ ended: error.message });
  flush();
}
async function begin(source) {
  server = await openTrainc(source, say);
  take = inTurns(server, ended, flush);
  say({ ready: true });
  flush();
  early.splice(0).forEach(handle);
}
function handle(data) {
  if (data.path) server.file(data.path, data.text); else take(data);
}
onmessage = ({ data }) => {
  if (data.source) begin(data.source).catch(ended);
  else if (take) handle(data);
  else early.push(data);
};
