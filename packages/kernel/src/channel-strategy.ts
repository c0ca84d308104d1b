import { Strategies, type Context, type Endpoint, type Registry, type ServiceBroker } from "moleculer";

const FNV_OFFSET = 0x81_1c_9d_c5;
const FNV_PRIME = 0x01_00_01_93;

/** What the contract says of an action; the registry carries it to the callers with the action. */
export interface ChannelStrategyOptions {
  shardBy?: "channelId";
}

/**
 * Round robin; but the calls of an action with `shardBy` go to one node per channel, so that its writes gather in
 * larger batches. When a node comes or goes, only its own share of the channels moves: rendezvous hashing. (Moleculer's
 * `Shard` moves a third of the others as well, and takes a microsecond instead of a tenth.)
 */
export class ChannelStrategy extends Strategies.Base {
  readonly #shardBy: "channelId" | undefined;
  readonly #hashes = new WeakMap<Endpoint, number>();
  #next = 0;

  constructor(registry: Registry, broker: ServiceBroker, options?: ChannelStrategyOptions) {
    super(registry, broker, options);
    this.#shardBy = options?.shardBy;
  }

  override select(endpoints: Endpoint[], context?: Context): Endpoint {
    const params = (context?.params ?? {}) as { channelId?: unknown };
    const channelId = this.#shardBy === undefined ? undefined : params[this.#shardBy];
    if (typeof channelId !== "string") {
      this.#next = (this.#next + 1) % endpoints.length;
      return endpoints[this.#next]!;
    }
    const ofChannel = fnv1a(channelId);
    return endpoints.reduce((best, endpoint) =>
      this.#weight(endpoint, ofChannel) > this.#weight(best, ofChannel) ? endpoint : best,
    );
  }

  #weight(endpoint: Endpoint, ofChannel: number): number {
    let ofNode = this.#hashes.get(endpoint);
    if (ofNode === undefined) this.#hashes.set(endpoint, (ofNode = fnv1a(endpoint.id)));
    return scramble(ofNode ^ ofChannel);
  }
}

/** FNV-1a, 32 bits. */
function fnv1a(text: string): number {
  let hash = FNV_OFFSET;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), FNV_PRIME);
  }
  return hash;
}

/** The finaliser of MurmurHash3: without it two nodes would share the channels by a single bit. */
function scramble(hash: number): number {
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x85_eb_ca_6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2_b2_ae_35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
