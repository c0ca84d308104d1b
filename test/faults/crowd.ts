import type { Cluster } from "../support/cluster.ts";
import { Ledger } from "./ledger.ts";
import { Member } from "./member.ts";

export interface Room {
  channelId: string;
  members: readonly Member[];
  /** Messages up to this seq were checked before. */
  checkedSeq: number;
}

/** Members spread over the gateways, in a group and in direct channels that cross the gateways. */
export class Crowd {
  readonly ledger = new Ledger();
  readonly members: readonly Member[];
  #groupId = "";
  #inviteCode = "";
  #group!: Room;
  #direct: Room[] = [];
  #channels = 0;

  constructor({ gateways }: Cluster, size: number) {
    const urls = gateways.map(({ clientUrl }) => clientUrl);
    this.members = Array.from({ length: size }, (_, index) => {
      const at = index % urls.length;
      const [own = "", ...others] = [...urls.slice(at), ...urls.slice(0, at)];
      // The first half knows one gateway and waits for it; the others fail over.
      const known = index < size / 2 ? [own] : [own, ...others];
      return new Member(`member ${index + 1}`, known, this.ledger);
    });
  }

  get rooms(): readonly Room[] {
    return [this.#group, ...this.#direct];
  }

  get groupId(): string {
    return this.#groupId;
  }

  get inviteCode(): string {
    return this.#inviteCode;
  }

  /** Where a member writes: the group's channel and its direct one. */
  roomsOf(member: Member): Room[] {
    return this.rooms.filter(({ members }) => members.includes(member));
  }

  async enter(): Promise<void> {
    for (const member of this.members) await member.logIn();
    const [owner, ...others] = this.members;
    const { group, channels } = await owner!.client.call("group.create", { name: "Faults" });
    const { invite } = await owner!.client.call("invite.create", { groupId: group.id });
    for (const member of others) await member.client.call("invite.accept", { code: invite.code });
    this.#groupId = group.id;
    this.#inviteCode = invite.code;
    this.#group = await this.#open(channels[0]!.id, this.members);
    for (let i = 0; i + 1 < this.members.length; i += 2) {
      // Neighbors are at different gateways.
      const pair = this.members.slice(i, i + 2);
      const { channel } = await pair[0]!.client.call("channel.openDirect", { userId: pair[1]!.userId });
      this.#direct.push(await this.#open(channel.id, pair));
    }
  }

  /** After a check, the group continues in a new channel, so that none grows beyond what a client holds. */
  async moveOn(): Promise<void> {
    this.ledger.clear();
    for (const room of this.#direct) {
      room.checkedSeq = room.members[0]!.views.get(room.channelId)!.head.seq;
    }
    const [owner] = this.members;
    const old = this.#group;
    this.#channels += 1;
    const name = `Part ${this.#channels}`;
    const { channel } = await owner!.client.call("channel.create", { groupId: this.#groupId, name });
    this.#group = await this.#open(channel.id, this.members);
    for (const member of this.members) member.leave(old.channelId);
    await owner!.client.call("channel.delete", { channelId: old.channelId });
  }

  close(): void {
    for (const { client } of this.members) client.close();
  }

  async #open(channelId: string, members: readonly Member[]): Promise<Room> {
    await Promise.all(members.map((member) => member.enter(channelId)));
    return { channelId, members, checkedSeq: 0 };
  }
}
