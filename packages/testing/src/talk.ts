import { connect } from "node:net";

const ANSWER_TIMEOUT_MS = 1000;

/**
 * Connects to a port of 127.0.0.1, says something, and resolves with the first thing that comes back.
 * @throws {Error} when nobody listens, or nothing comes within a second
 */
export function talk(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    socket.setTimeout(ANSWER_TIMEOUT_MS, () => socket.destroy(new Error("no answer")));
    socket.once("error", reject);
    socket.once("close", () => reject(new Error("no answer")));
    socket.once("data", (data) => {
      resolve(data.toString("latin1"));
      socket.destroy();
    });
    if (text !== "") socket.write(text);
  });
}
