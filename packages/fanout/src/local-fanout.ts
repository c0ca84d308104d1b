import type { Server } from "socket.io";
import { FanoutAdapter } from "./adapter.ts";
import type { Emitter } from "./emitter.ts";

/**
 * The emitter of a process that hosts the gateway itself. Until `attach` is called, and after `detach`, calls are
 * dropped silently: nobody is connected here then, so nobody could receive them.
 */
export class LocalFanout implements Emitter {
  #io: Server | null = null;

  /** Publishes through `io` from now on. Throws when another server is attached. */
  attach(io: Server): void {
    if (this.#io !== null && this.#io !== io) {
      throw new Error("LocalFanout is already attached to another Socket.IO server: call detach() first.");
    }
    this.#io = io;
  }

  detach(): void {
    this.#io = null;
  }

  emit(
    rooms: string | readonly string[],
    event: string,
    payload: unknown,
    except: readonly string[] = [],
  ): void {
    // Socket.IO takes an empty list of rooms for "everybody".
    if (rooms.length === 0) return;
    const to = this.#io?.to(rooms as string | string[]);
    (except.length === 0 ? to : to?.except([...except]))?.emit(event, payload);
  }

  socketsJoin(
    room: string | readonly string[],
    rooms: readonly string[],
    except: readonly string[] = [],
  ): void {
    if (room.length === 0) return;
    this.#io
      ?.in(room as string | string[])
      .except([...except])
      .socketsJoin([...rooms]);
  }

  socketsLeave(
    room: string | readonly string[],
    rooms: readonly string[],
    except: readonly string[] = [],
  ): void {
    if (room.length === 0) return;
    this.#io
      ?.in(room as string | string[])
      .except([...except])
      .socketsLeave([...rooms]);
  }

  disconnectSockets(room: string): void {
    this.#io?.in(room).disconnectSockets(true);
  }

  publishResync(): void {
    const adapter = this.#io?.of("/").adapter;
    if (adapter instanceof FanoutAdapter) adapter.publishResync();
  }
}
