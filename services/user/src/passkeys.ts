import { LIMITS, type ParsedParams } from "@fanfare/contract";
import { assertBelow, type Handlers, hashSecret, orThrow, serviceError } from "@fanfare/kernel";
import type { WebAuthnCredential } from "@simplewebauthn/server";
import { assertPasswordsAccepted } from "./registration.policy.ts";
import type { TokenPurpose } from "./email.repository.ts";
import type { UserDependencies } from "./user.dependencies.ts";
import type { StoredPasskey, UserDocument } from "./user.model.ts";
import { presentPasskey } from "./user.presenter.ts";

/** COSE: EdDSA, ES256 and RS256. The library's choice depends on the version of Node, which can differ between processes. */
const ALGORITHMS = [-8, -7, -257];
const LIFETIME_MS = LIMITS.passkeyChallengeLifetimeMs;

/** Loaded at the first use. */
const library = () => import("@simplewebauthn/server");

type Credential<N extends "user.addPasskey" | "user.loginWithPasskey"> = ParsedParams<N>["credential"];

/** The challenge is no longer valid when the password that was confirmed for it changes. */
const additionBy = ({ _id, passwordHash }: UserDocument): TokenPurpose =>
  `addPasskey ${hashSecret(`${_id} ${passwordHash}`)}`;

const bytesOf = (text: string) => new Uint8Array(Buffer.from(text, "base64url"));

/** The user that the authenticator has stored with the credential. @returns null when it isn't from this server */
function ownerIdOf({ response: { userHandle } }: Credential<"user.loginWithPasskey">): string | null {
  const id = Buffer.from(userHandle ?? "", "base64url").toString();
  return /^[0-9a-f]{24}$/.test(id) ? id : null;
}

const assertRoom = ({ passkeys = [] }: UserDocument): void => assertBelow("passkeysPerUser", passkeys.length);

export function passkeyActions({
  node,
  users,
  confirmPassword,
  secondFactor,
  oneTimeTokens,
  accountMails,
  logIn,
}: UserDependencies): Handlers {
  const { hostname: rpID, origin } = new URL(node.config.publicUrl);
  const expected = { expectedRPID: rpID, expectedOrigin: origin };

  /** @throws {ServiceError} PASSKEY_REFUSED, whose reason is logged */
  const attempt = async <T>(verify: () => Promise<T>): Promise<T> => {
    try {
      return await verify();
    } catch (error) {
      node.logger.info({ err: error }, "passkey refused");
      throw serviceError("PASSKEY_REFUSED");
    }
  };

  const verifyNew = async (credential: Credential<"user.addPasskey">, expectedChallenge: string) => {
    const { verifyRegistrationResponse } = await library();
    const { decodeAttestationObject } = await import("@simplewebauthn/server/helpers");
    return attempt(async (): Promise<WebAuthnCredential> => {
      const attestation = decodeAttestationObject(bytesOf(credential.response.attestationObject));
      // None was asked for, and browsers remove certificates then. Checking one could fetch the URLs that it names.
      const format = attestation.get("fmt");
      const isSelfMade = format === "packed" && attestation.get("attStmt").get("x5c") === undefined;
      if (format !== "none" && !isSelfMade) throw new Error(`attestation with a certificate: ${format}`);
      const { registrationInfo } = await verifyRegistrationResponse({
        ...expected,
        expectedChallenge,
        response: { ...credential, clientExtensionResults: {} },
        supportedAlgorithmIDs: ALGORITHMS,
      });
      if (registrationInfo === undefined) throw new Error("wrong attestation");
      return registrationInfo.credential;
    });
  };

  /** @returns the next counter of the passkey */
  const verifyUse = async (
    credential: Credential<"user.loginWithPasskey">,
    expectedChallenge: string,
    { credentialId, publicKey, counter }: StoredPasskey,
  ): Promise<number> => {
    const { verifyAuthenticationResponse } = await library();
    return attempt(async () => {
      const { verified, authenticationInfo } = await verifyAuthenticationResponse({
        ...expected,
        expectedChallenge,
        response: { ...credential, clientExtensionResults: {} },
        credential: { id: credentialId, publicKey: bytesOf(publicKey), counter },
      });
      if (!verified) throw new Error("wrong signature");
      return authenticationInfo.newCounter;
    });
  };

  return {
    "user.listPasskeys": async ({ actor }) => ({
      passkeys: ((await users.find(actor.userId))?.passkeys ?? []).map(presentPasskey),
    }),

    "user.startPasskeySetup": async ({ params: { password, code }, actor }) => {
      assertPasswordsAccepted(await node.policy.get());
      const user = await confirmPassword(actor.userId, password);
      // With a passkey, a user who is removed from the directory could still log in.
      if (user.passwordHash === undefined) throw serviceError("PASSWORD_IN_DIRECTORY");
      assertRoom(user);
      // Logins with a passkey require no code.
      await secondFactor.check(user, code);
      const { generateRegistrationOptions } = await library();
      const options = await generateRegistrationOptions({
        rpName: rpID,
        rpID,
        userID: new Uint8Array(Buffer.from(user._id)),
        userName: user.username ?? user.nickname,
        userDisplayName: user.nickname,
        challenge: bytesOf(await oneTimeTokens.make(additionBy(user), LIFETIME_MS, {})),
        timeout: LIFETIME_MS,
        excludeCredentials: (user.passkeys ?? []).map(({ credentialId }) => ({ id: credentialId })),
        authenticatorSelection: { residentKey: "required", userVerification: "required" },
        supportedAlgorithmIDs: ALGORITHMS,
      });
      return { options: { ...options } };
    },

    "user.addPasskey": async ({ params: { name, challenge, credential }, actor }) => {
      assertPasswordsAccepted(await node.policy.get());
      const user = await users.find(actor.userId);
      if (user?.passwordHash === undefined) throw serviceError("PASSKEY_REFUSED");
      orThrow(await oneTimeTokens.take(challenge, additionBy(user)), "PASSKEY_REFUSED");
      assertRoom(user);
      const { id, publicKey, counter } = await verifyNew(credential, challenge);
      const passkey: StoredPasskey = {
        credentialId: id,
        publicKey: Buffer.from(publicKey).toString("base64url"),
        counter,
        name,
        createdAt: new Date(),
      };
      const added = orThrow(await users.addPasskey(user._id, user.passwordHash, passkey), "PASSKEY_REFUSED");
      await accountMails.notify(added, "passkeyAdded");
      return { passkey: presentPasskey(passkey) };
    },

    "user.renamePasskey": async ({ params: { passkeyId, name }, actor }) => {
      if (!(await users.renamePasskey(actor.userId, passkeyId, name)))
        throw serviceError("PASSKEY_NOT_FOUND");
      return {};
    },

    "user.removePasskey": async ({ params: { passkeyId, password }, actor }) => {
      await confirmPassword(actor.userId, password);
      const removed = orThrow(await users.removePasskey(actor.userId, passkeyId), "PASSKEY_NOT_FOUND");
      await accountMails.notify(removed, "passkeyRemoved");
      return {};
    },

    "user.startPasskeyLogin": async () => {
      assertPasswordsAccepted(await node.policy.get());
      const { generateAuthenticationOptions } = await library();
      const options = await generateAuthenticationOptions({
        rpID,
        challenge: bytesOf(await oneTimeTokens.make("logInWithPasskey", LIFETIME_MS, {})),
        timeout: LIFETIME_MS,
        userVerification: "required",
      });
      return { options: { ...options } };
    },

    "user.loginWithPasskey": async ({ params: { challenge, credential }, client }) => {
      assertPasswordsAccepted(await node.policy.get());
      orThrow(await oneTimeTokens.take(challenge, "logInWithPasskey"), "PASSKEY_REFUSED");
      const ownerId = ownerIdOf(credential);
      const user = ownerId === null ? null : await users.find(ownerId);
      const passkey = user?.passkeys?.find(({ credentialId }) => credentialId === credential.id);
      if (user === null || passkey === undefined) throw serviceError("PASSKEY_REFUSED");
      const counter = await verifyUse(credential, challenge, passkey);
      if (!(await users.usePasskey(user._id, passkey, counter, new Date())))
        throw serviceError("PASSKEY_REFUSED");
      return logIn(user, client, { byPasskey: true }, passkey);
    },
  };
}
