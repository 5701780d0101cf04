// client-node.js - the client on a desktop or a remote host: the server inside, or the program of this machine.
const rpc = require("vscode-languageclient/node");
const { start, stop } = require("./extension.js");

exports.activate = context => start(context, (path, inside, options) =>
  new rpc.LanguageClient("trainc", "trainc", path ? { command: path, args: ["lsp"] } : () => inside(rpc), options));
exports.deactivate = stop;
