import type { Socket as NetSocket } from "node:net";
import { Adapter, type BroadcastOptions } from "socket.io-adapter";
import { textFrame } from "../src/frames.ts";

/** The simplest fast baseline: writes a shared frame to every connection of the room in one turn. */
export class DenseAdapter extends Adapter {
  #connections: NetSocket[] = [];

  override addAll(id: string, rooms: Set<string>): void {
    void super.addAll(id, rooms);
    if (rooms.has("all")) this.#connections.push(this.nsp.sockets.get(id).request.socket);
  }

  override broadcast(packet: { nsp?: string }, _opts: BroadcastOptions): void {
    packet.nsp = this.nsp.name;
    const frame = textFrame(`4${this.nsp.server.encoder.encode(packet)[0]}`);
    for (const connection of this.#connections) if (connection.writable) connection.write(frame);
  }
}
