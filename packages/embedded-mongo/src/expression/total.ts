import { addDecimals, type Decimal, divideDecimals, exactDecimal, toDecimal128 } from "../values/decimal.ts";
import { type Kind, kindOf, specialDecimal, toBigInt, toDecimal, toDouble } from "../values/numbers.ts";
import { double, whole, widest } from "./numeric.ts";

/** Beyond this, the running sum of ints is moved to the exact sum. */
const MAX_SMALL = 2 ** 52;

/** A sum as in MongoDB's $sum and $avg: exact for whole numbers, with double-double precision for doubles. */
export class Total {
  #kind: Kind = "int";
  #count = 0;
  #small = 0;
  #whole = 0n;
  #double = 0;
  /** The rounding error of `#double`. */
  #lost = 0;
  /** The plain sum of the doubles, for NaN and infinities. */
  #special = 0;
  #decimal: Decimal = { coefficient: 0n, exponent: 0 };

  add(value: unknown): void {
    const kind = kindOf(value);
    this.#kind = widest(this.#kind, kind);
    this.#count++;
    if (kind === "int") {
      this.#small += value as number;
      if (Math.abs(this.#small) > MAX_SMALL) this.#moveSmall();
    } else if (kind === "long") this.#whole += toBigInt(value);
    else if (kind === "double") this.#addDouble(toDouble(value));
    else {
      const decimal = toDecimal(value);
      if (decimal) this.#decimal = toDecimal(toDecimal128(addDecimals(this.#decimal, decimal)))!;
      else this.#special += toDouble(value);
    }
  }

  get sum(): unknown {
    this.#moveSmall();
    if (this.#kind === "decimal") {
      const decimal = this.#asDecimal();
      return decimal ? toDecimal128(decimal) : specialDecimal(this.#special);
    }
    return this.#kind === "double" ? double(this.#asDouble()) : whole(this.#whole, this.#kind);
  }

  get average(): unknown {
    if (this.#count === 0) return null;
    this.#moveSmall();
    if (this.#kind !== "decimal") return double(this.#asDouble() / this.#count);
    const decimal = this.#asDecimal();
    if (!decimal) return specialDecimal(this.#special);
    return toDecimal128(divideDecimals(decimal, { coefficient: BigInt(this.#count), exponent: 0 }));
  }

  #moveSmall(): void {
    this.#whole += BigInt(this.#small);
    this.#small = 0;
  }

  /** Knuth's TwoSum. */
  #addDouble(value: number): void {
    this.#special += value;
    const sum = this.#double + value;
    const part = sum - this.#double;
    this.#lost += this.#double - (sum - part) + (value - part);
    this.#double = sum;
  }

  #asDouble(): number {
    const whole = Number(this.#whole);
    this.#addDouble(whole);
    this.#addDouble(Number(this.#whole - BigInt(whole)));
    this.#whole = 0n;
    return Number.isFinite(this.#special) ? this.#double + this.#lost : this.#special;
  }

  #asDecimal(): Decimal | undefined {
    if (!Number.isFinite(this.#special)) return undefined;
    const doubles = addDecimals(exactDecimal(this.#double), exactDecimal(this.#lost));
    const rest = addDecimals({ coefficient: this.#whole, exponent: 0 }, doubles);
    return addDecimals(this.#decimal, toDecimal(toDecimal128(rest))!);
  }
}
