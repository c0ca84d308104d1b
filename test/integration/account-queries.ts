import { createHash } from "node:crypto";
import type { NodeContext } from "@fanfare/kernel";
import { must, post } from "@fanfare/testing";
import { TOTP } from "otpauth";
import { Authenticator } from "./authenticator.ts";

const password = "correct horse";
const hash = (secret: string): string => createHash("sha256").update(secret).digest("base64url");

/** Everything an account's owner can do with credentials, so that each query is made once. */
export async function exerciseAccounts(
  url: string,
  { database, config }: Pick<NodeContext, "database" | "config">,
): Promise<void> {
  const username = `accounts-${Date.now().toString(36)}`;
  const email = `${username}@example.org`;
  const { user, accessToken } = await must(url, "user.register", { username, email, password });
  await must(url, "user.requestEmailVerification", {}, accessToken);
  await must(url, "user.changeEmail", { email: `new-${email}`, password }, accessToken);
  await must(url, "user.requestPasswordReset", { email });

  // Tokens are only readable in the emails, so these are created here.
  const tokens = database.collection<{ _id: string }>("mailedTokens");
  const expiresAt = new Date(Date.now() + 60_000);
  const userId = (await database.collection("users").findOne({ usernameLower: username }))!._id;
  for (const purpose of ["verifyEmail", "resetPassword"])
    await tokens.insertOne({ _id: hash(purpose), userId, purpose, email, expiresAt } as { _id: string });
  await must(url, "user.verifyEmail", { token: "verifyEmail" });
  await must(url, "user.resetPassword", { token: "resetPassword", newPassword: password });

  const again = await must(url, "user.login", { username, password });
  const { secret } = await must(url, "user.setupTotp", { password }, again.accessToken);
  const code = new TOTP({ secret }).generate();
  const { recoveryCodes } = await must(url, "user.enableTotp", { code }, again.accessToken);
  // The same code again is rejected, but only after every query.
  await post(url, "user.login", { username, password, code });
  await must(url, "user.login", { username, password, code: recoveryCodes[0] });
  await must(url, "user.disableTotp", { password, code: recoveryCodes[1]! }, again.accessToken);

  const authenticator = new Authenticator(new URL(config.publicUrl).origin);
  const setup = await must(url, "user.startPasskeySetup", { password }, again.accessToken);
  const { passkey, answer } = authenticator.create(setup.options);
  await must(url, "user.addPasskey", { name: "Phone", ...answer }, again.accessToken);
  const { options } = await must(url, "user.startPasskeyLogin", {});
  await must(url, "user.loginWithPasskey", authenticator.get(options, passkey));
  const passkeyId = passkey.id;
  await must(url, "user.renamePasskey", { passkeyId, name: "Old phone" }, again.accessToken);
  await must(url, "user.removePasskey", { passkeyId, password }, again.accessToken);

  const logins = database.collection<{ _id: string }>("oidcCodes");
  for (const oidcCode of ["first", "second"]) {
    const identity = { provider: "default", key: `${user.id}-key`, email, names: {} };
    const login = { _id: hash(oidcCode), challenge: hash("verifier"), ...identity, expiresAt };
    await logins.insertOne(login);
  }
  await must(url, "user.exchangeOidcCode", { oidcCode: "first", verifier: "verifier" });
  const link = { oidcCode: "second", verifier: "verifier", password };
  await must(url, "user.linkOidc", link, again.accessToken);
  await must(url, "user.unlinkOidc", { password }, again.accessToken);
}
