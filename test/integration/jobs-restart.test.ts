import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAccount, freePort, must } from "@fanfare/testing";
import { startNode } from "../support/node-process.ts";
import { expect, test } from "vitest";
import { startMailbox } from "./mailbox.ts";

// The short run has the same for any kind of job: packages/jobs/test/killed.test.ts.
test(
  "a password reset email survives kill -9 while the mail server is down",
  { tags: "long", timeout: 600_000 },
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "fanfare-jobs-restart-"));
    const smtpPort = await freePort();
    const env = {
      SMTP_URL: `smtp://127.0.0.1:${smtpPort}`,
      MAIL_FROM: "chat@example.org",
      PUBLIC_URL: "https://chat.example.org",
    };
    const first = await startNode({ name: "first", folder, env });
    await createAccount(first.url);
    const account = { username: "forgetful", password: "correct horse", email: "me@example.org" };
    await must(first.url, "user.register", account);
    await must(first.url, "user.requestPasswordReset", { email: account.email });
    await first.process.kill();

    const mailbox = await startMailbox(smtpPort);
    const second = await startNode({ name: "second", folder, env, port: first.process.port });
    try {
      const mail = await mailbox.next(account.email, /new password/);
      const newPassword = "battery staple";
      await must(second.url, "user.resetPassword", { token: mail.token, newPassword });
      const { user } = await must(second.url, "user.login", {
        username: account.username,
        password: newPassword,
      });
      expect(user.username).toBe(account.username);
    } finally {
      await second.process.kill();
      await mailbox.stop();
      await rm(folder, { recursive: true, force: true });
    }
  },
);
