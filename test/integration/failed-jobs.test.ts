import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createAccount, must, post } from "@fanfare/testing";
import { startInstance, type Instance } from "../support/instance.ts";
import { SMTPServer } from "smtp-server";
import { afterAll, beforeAll, expect, test, vi } from "vitest";

let instance: Instance;
let admin: string;
let isRefusing = true;
const delivered: string[] = [];

const smtp = new SMTPServer({
  disabledCommands: ["STARTTLS", "AUTH"],
  onRcptTo: (_, __, done) =>
    done(isRefusing ? Object.assign(new Error("No such mailbox"), { responseCode: 550 }) : null),
  onData(stream, { envelope }, done) {
    stream.resume().on("end", () => {
      for (const { address } of envelope.rcptTo) delivered.push(address);
      done();
    });
  },
});

beforeAll(async () => {
  smtp.listen(0, "127.0.0.1");
  await once(smtp.server, "listening");
  const { port } = smtp.server.address() as AddressInfo;
  instance = await startInstance({ SMTP_URL: `smtp://127.0.0.1:${port}`, MAIL_FROM: "chat@example.org" });
  admin = (await createAccount(instance.url)).accessToken;
});
afterAll(async () => {
  await instance?.stop();
  await new Promise<void>((resolve) => smtp.close(resolve));
});

const failedJobs = async () => (await must(instance.url, "admin.listDeadJobs", {}, admin)).jobs;

test("an admin sees emails that the mail server permanently rejected, and can retry or delete them", async () => {
  for (const name of ["first", "second", "third"]) {
    const account = { username: name, password: "correct horse", email: `${name}@example.org` };
    await must(instance.url, "user.register", account);
  }
  await vi.waitFor(async () => expect(await failedJobs()).toHaveLength(3));
  const [latest, middle, earliest] = await failedJobs();
  expect(latest).toMatchObject({ kind: "mail.send", tries: 1, lastError: expect.stringContaining("550") });
  expect(JSON.stringify(latest)).not.toContain("example.org");
  const page = await must(instance.url, "admin.listDeadJobs", { limit: 2 }, admin);
  expect(page).toEqual({ jobs: [latest, middle], nextJobId: expect.stringMatching(`-${middle!.id}$`) });

  isRefusing = false;
  await must(instance.url, "admin.retryJob", { jobId: middle!.id }, admin);
  await vi.waitFor(() => expect(delivered).toHaveLength(1));
  const afterRetry = { limit: 2, beforeJobId: page.nextJobId! };
  const rest = await must(instance.url, "admin.listDeadJobs", afterRetry, admin);
  expect(rest).toEqual({ jobs: [earliest], nextJobId: null });
  for (const { id: jobId } of [latest!, earliest!])
    await must(instance.url, "admin.deleteJob", { jobId }, admin);
  expect(await failedJobs()).toEqual([]);
  for (const action of ["admin.retryJob", "admin.deleteJob"] as const)
    expect(await post(instance.url, action, { jobId: earliest!.id }, admin)).toMatchObject({
      ok: false,
      error: { type: "JOB_NOT_FOUND" },
    });
  const { entries } = await must(instance.url, "admin.auditLog", {}, admin);
  expect(entries.map(({ action, outcome }) => [action, outcome])).toContainEqual(["admin.retryJob", "done"]);
});
