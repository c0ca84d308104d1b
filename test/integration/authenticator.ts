import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from "node:crypto";
import type { Params } from "@fanfare/contract";

/** What an authenticator keeps. */
export interface SoftPasskey {
  id: string;
  key: KeyObject;
  userHandle: string;
  counter: number;
}

/** How an answer differs from a correct one. */
export interface Faults {
  origin?: string;
  challenge?: string;
  rpId?: string;
  isVerified?: boolean;
  counter?: number;
}

interface Options {
  challenge: string;
  /** Of a login. */
  rpId?: string;
  /** Of a new passkey. */
  rp?: { id: string };
  user?: { id: string };
}

const PRESENT = 0x01;
const VERIFIED = 0x04;
const HAS_CREDENTIAL = 0x40;
const ID_BYTES = 16;
const AAGUID = Buffer.alloc(16);

const sha256 = (data: string | Buffer): Buffer => createHash("sha256").update(data).digest();
const base64url = (data: string | Buffer): string => Buffer.from(data).toString("base64url");

/** A WebAuthn authenticator in software, and the browser around it: ES256, without attestation. */
export class Authenticator {
  readonly #origin: string;

  constructor(origin: string) {
    this.#origin = origin;
  }

  /** @param given the options of `user.startPasskeySetup` */
  create(
    given: Record<string, unknown>,
    faults: Faults = {},
  ): { passkey: SoftPasskey; answer: Omit<Params<"user.addPasskey">, "name"> } {
    const options = given as unknown as Options;
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const id = randomBytes(ID_BYTES);
    const { x = "", y = "" } = publicKey.export({ format: "jwk" });
    // CBOR: kty EC2, alg ES256, crv P-256, x and y.
    const coseKey = Buffer.concat([
      Buffer.from("a5010203262001215820", "hex"),
      Buffer.from(x, "base64url"),
      Buffer.from("225820", "hex"),
      Buffer.from(y, "base64url"),
    ]);
    const length = Buffer.from([0, ID_BYTES]);
    const data = Buffer.concat([
      authenticatorData(options.rp!.id, HAS_CREDENTIAL, 0, faults),
      AAGUID,
      length,
      id,
      coseKey,
    ]);
    // CBOR: { fmt: "none", attStmt: {}, authData }
    const attestationObject = Buffer.concat([
      Buffer.from("a363666d74646e6f6e656761747453746d74a0686175746844617461", "hex"),
      Buffer.from([0x58, data.length]),
      data,
    ]);
    const passkey = { id: base64url(id), key: privateKey, userHandle: options.user!.id, counter: 0 };
    const response = {
      clientDataJSON: this.#clientData("webauthn.create", options, faults),
      attestationObject: base64url(attestationObject),
    };
    return { passkey, answer: { challenge: options.challenge, credential: credentialOf(passkey, response) } };
  }

  /** @param given the options of `user.startPasskeyLogin` */
  get(
    given: Record<string, unknown>,
    passkey: SoftPasskey,
    faults: Faults = {},
  ): Params<"user.loginWithPasskey"> {
    const options = given as unknown as Options;
    passkey.counter += 1;
    const data = authenticatorData(options.rpId!, 0, passkey.counter, faults);
    const clientDataJSON = this.#clientData("webauthn.get", options, faults);
    const signed = Buffer.concat([data, sha256(Buffer.from(clientDataJSON, "base64url"))]);
    const response = {
      clientDataJSON,
      authenticatorData: base64url(data),
      signature: base64url(sign("sha256", signed, passkey.key)),
      userHandle: passkey.userHandle,
    };
    return { challenge: options.challenge, credential: credentialOf(passkey, response) };
  }

  #clientData(type: string, { challenge }: Options, faults: Faults): string {
    const signed = { type, challenge: faults.challenge ?? challenge, origin: faults.origin ?? this.#origin };
    return base64url(JSON.stringify(signed));
  }
}

const credentialOf = <R>({ id }: SoftPasskey, response: R) => ({
  id,
  rawId: id,
  type: "public-key" as const,
  response,
});

function authenticatorData(rpId: string, flags: number, counter: number, faults: Faults): Buffer {
  const count = Buffer.alloc(4);
  count.writeUInt32BE(faults.counter ?? counter);
  const verified = faults.isVerified === false ? 0 : VERIFIED;
  return Buffer.concat([sha256(faults.rpId ?? rpId), Buffer.from([PRESENT | verified | flags]), count]);
}
