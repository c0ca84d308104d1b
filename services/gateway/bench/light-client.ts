import { connect, type Socket } from "node:net";
import { clientFrame, Opcode } from "@fanfare/fanout/frames";

/** Opens a WebSocket, connects to Socket.IO and resolves after `ready`. Nothing is read after that. */
export async function connectReady(port: number, token: string, localAddress: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1", localAddress });
    let received = "";
    let asked = false;
    socket.on("error", reject);
    socket.on("close", () => reject(new Error(`closed after: ${received.slice(-300)}`)));
    socket.on("data", (chunk) => {
      received += chunk.toString("latin1");
      if (!asked && received.includes('0{"sid"')) {
        asked = true;
        socket.write(clientFrame(Opcode.text, Buffer.from(`40${JSON.stringify({ token })}`)));
      }
      if (!received.includes('42["ready"')) return;
      socket.removeAllListeners("data").removeAllListeners("close").resume();
      resolve(socket);
    });
    socket.write(
      `GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n` +
        `Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n` +
        `Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
    );
  });
}
