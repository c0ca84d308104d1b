import fastify from "fastify";

/** Program: answers with the 14 bytes of the path, on the same HTTP stack as the gateway. Its first argument is the port. */
const app = fastify();
app.get<{ Params: { text: string } }>("/echo/:text", (request, reply) => {
  reply.type("text/plain").send(request.params.text);
});
await app.listen({ host: "127.0.0.1", port: Number(process.argv[2]), backlog: 4096 });
