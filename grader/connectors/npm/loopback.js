// Loaded before the server, which would listen to the whole network: a lesson's is for this machine.
const net = require("node:net");

const listen = net.Server.prototype.listen;
net.Server.prototype.listen = function (port, ready, ...others) {
  if (!Number.isInteger(port) || typeof ready !== "function" || others.length) {
    throw new Error("kinesis-local asks for its port in another way than its version 0.6.2 did");
  }
  return listen.call(this, port, "127.0.0.1", ready);
};
