/** A small seeded generator (mulberry32), so that a failing run can be repeated. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  next = (): number => {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };

  int = (below: number): number => Math.floor(this.next() * below);

  chance = (probability: number): boolean => this.next() < probability;

  pick = <T>(items: readonly T[]): T => items[this.int(items.length)]!;
}
