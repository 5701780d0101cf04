// client-web.js - the client in a browser, where the server inside is the only one.
const rpc = require("vscode-languageclient/browser");
const { start, stop } = require("./extension.js");

class Client extends rpc.BaseLanguageClient {
  constructor(inside, options) { super("trainc", "trainc", options); this.inside = inside; }
  createMessageTransports() { return this.inside(rpc); }
}
exports.activate = context => start(context, (path, inside, options) => new Client(inside, options));
exports.deactivate = stop;
