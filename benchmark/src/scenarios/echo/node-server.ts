import { createServer } from "node:http";

/** Program: the same as the Fastify one, on Node's own server. */
const PREFIX = "/echo/";
createServer((request, response) => {
  const text = request.url?.slice(PREFIX.length) ?? "";
  response.writeHead(200, { "content-type": "text/plain", "content-length": text.length }).end(text);
}).listen({ host: "127.0.0.1", port: Number(process.argv[2]), backlog: 4096 });
