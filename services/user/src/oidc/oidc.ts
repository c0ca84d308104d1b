import { duplicateKeyIndex, type Handlers, orThrow, serviceError } from "@fanfare/kernel";
import { createSigner, createVerifier } from "fast-jwt";
import { publishAccount } from "../account-mails.ts";
import type { UserDependencies } from "../user.dependencies.ts";
import { OIDC_INDEX } from "../user.model.ts";
import { presentOwnUser } from "../user.presenter.ts";
import type { OidcFlow } from "./oidc-provider.ts";

/** Maximum duration of a login at the provider. */
const LIFETIME_MS = 10 * 60 * 1000;

interface StoredFlow extends OidcFlow {
  /** SHA-256 of the verifier, which only the page that started the login has. */
  challenge: string;
}

const flowCookieOf = ({ node }: UserDependencies) => createFlowCookie(node.keyFor("oidc flow"));

export function oidcActions(dependencies: UserDependencies): Handlers {
  const {
    oidcProvider,
    oidcCodes,
    oidcAccounts,
    secondFactor,
    logIn,
    node,
    users,
    confirmPassword,
    accountMails,
  } = dependencies;
  const cookie = flowCookieOf(dependencies);
  return {
    "user.startOidc": async ({ params: { challenge, isFresh } }) => {
      const started = orThrow(await oidcProvider.start(isFresh), "OIDC_FAILED");
      return {
        authorizationUrl: started.authorizationUrl,
        flow: cookie.seal({ ...started.flow, challenge }),
      };
    },

    "user.finishOidc": async ({ params: { query, flow } }) => {
      const kept = cookie.open(flow);
      const identity = kept === null ? null : await oidcProvider.finish(query, kept);
      if (kept === null || identity === null) throw serviceError("OIDC_FAILED");
      return { oidcCode: await oidcCodes.make(identity, kept.challenge) };
    },

    "user.exchangeOidcCode": async ({ params, client }) => {
      const identity = orThrow(await oidcCodes.find(params), "OIDC_FAILED");
      const found = await oidcAccounts.find(identity);
      // Before the login is consumed, so that the call can be repeated with a code.
      if (found !== null) await secondFactor.check(found, params.code);
      if ((await oidcCodes.take(params)) === null) throw serviceError("OIDC_FAILED");
      const user = await oidcAccounts.settle(identity, found, params.inviteCode);
      return logIn(user, client, { byOidc: true });
    },

    "user.linkOidc": async ({ params, actor }) => {
      // A stolen session or an unlocked phone must not be enough to add a way to sign in.
      const { passwordHash } = await confirmPassword(actor.userId, params.password);
      const identity = orThrow(await oidcCodes.take(params), "OIDC_FAILED");
      const linked = await users
        .setOidcKey(actor.userId, passwordHash, identity.key)
        .catch((error: unknown) => {
          if (duplicateKeyIndex(error) === OIDC_INDEX) throw serviceError("OIDC_LINKED");
          throw error;
        });
      if (linked === null) throw serviceError("WRONG_CREDENTIALS");
      publishAccount(node, linked);
      await accountMails.notify(linked, "oidcLinked");
      return { user: presentOwnUser(linked) };
    },

    "user.unlinkOidc": async ({ params, actor }) => {
      const { passwordHash } = await confirmPassword(actor.userId, params.password);
      const unlinked = orThrow(await users.setOidcKey(actor.userId, passwordHash, null), "WRONG_CREDENTIALS");
      publishAccount(node, unlinked);
      await accountMails.notify(unlinked, "oidcUnlinked");
      return { user: presentOwnUser(unlinked) };
    },
  };
}

/** Stores the state of a login in a signed cookie, so that abandoned logins leave nothing on the server. */
function createFlowCookie(key: Buffer) {
  const sign = createSigner({ key, algorithm: "HS256", expiresIn: LIFETIME_MS });
  const verify = createVerifier({ key, algorithms: ["HS256"], requiredClaims: ["exp"], cache: false });
  return {
    seal: ({ state, nonce, codeVerifier, challenge }: StoredFlow): string =>
      sign({ state, nonce, codeVerifier, challenge }),

    /** @returns null when the signature is wrong or the cookie has expired */
    open(cookie: string): StoredFlow | null {
      try {
        return verify(cookie) as StoredFlow;
      } catch {
        return null;
      }
    },
  };
}
