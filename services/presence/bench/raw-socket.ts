/** A minimal Socket.IO client, so that thousands fit into one process. */
export interface RawSocket {
  call(name: string, params: object): Promise<Answer>;
}

interface Answer {
  ok: boolean;
  data: Record<string, unknown>;
}

/** Resolves when the socket is ready. */
export async function openRawSocket(
  url: string,
  token: string,
  onEvent: (name: string, payload: Record<string, unknown>) => void = () => {},
): Promise<RawSocket> {
  const socket = new WebSocket(`${url.replace("http", "ws")}/socket.io/?EIO=4&transport=websocket`);
  const ready = Promise.withResolvers<void>();
  const answers = new Map<number, (answer: Answer) => void>();
  let calls = 0;
  socket.addEventListener("error", () => ready.reject(new Error(`no connection to ${url}`)));
  socket.addEventListener("close", ({ reason }) => ready.reject(new Error(`closed: ${reason}`)));
  socket.addEventListener("message", ({ data }) => {
    const packet = String(data);
    if (packet.startsWith("0")) socket.send(`40${JSON.stringify({ token })}`);
    else if (packet === "2") socket.send("3");
    else if (packet.startsWith("44")) ready.reject(new Error(packet));
    else if (packet.startsWith("43")) {
      const [, id, body] = /^43(\d+)(.*)$/s.exec(packet)!;
      answers.get(Number(id))?.((JSON.parse(body!) as [Answer])[0]);
      answers.delete(Number(id));
    } else if (packet.startsWith("42")) {
      const [name, payload] = JSON.parse(packet.slice(2)) as [string, Record<string, unknown>];
      if (name === "ready") ready.resolve();
      else onEvent(name, payload);
    }
  });
  await ready.promise;
  return {
    call: (name, params) =>
      new Promise((resolve) => {
        calls += 1;
        answers.set(calls, resolve);
        socket.send(`42${calls}${JSON.stringify([name, params])}`);
      }),
  };
}
