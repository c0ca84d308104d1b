import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import PostalMime from "postal-mime";
import { SMTPServer } from "smtp-server";
import { vi } from "vitest";

export interface Mail {
  to: string;
  subject: string;
  text: string;
  html: string;
  /** The token in its link; "" in an email without a link. */
  token: string;
  /** By their names in lower case. */
  headers: ReadonlyMap<string, string>;
}

export interface Mailbox {
  /** Settings of an instance that uses this mail server. */
  env: Record<string, string>;
  /** Replies of the server, by the address that they refuse. */
  refusals: Map<string, string>;
  /** Not yet returned by `next`. */
  mails: Mail[];
  /** The next email to an address; each is returned once. */
  next(to: string, subject: RegExp): Promise<Mail>;
  stop(): Promise<void>;
}

/**
 * A mail server that keeps what it receives.
 * @param listenPort default: a free port
 */
export async function startMailbox(listenPort = 0): Promise<Mailbox> {
  const mails: Mail[] = [];
  const refusals = new Map<string, string>();
  const server = new SMTPServer({
    disabledCommands: ["STARTTLS", "AUTH"],
    // Otherwise each 550 becomes "5.1.1".
    hideENHANCEDSTATUSCODES: true,
    onRcptTo({ address }, _session, done) {
      const refusal = refusals.get(address);
      done(refusal === undefined ? undefined : Object.assign(new Error(refusal), { responseCode: 550 }));
    },
    onData(stream, { envelope }, done) {
      const take = async (): Promise<void> => {
        try {
          const mail = await PostalMime.parse(await buffer(stream));
          const { subject = "", text = "", html = "" } = mail;
          const headers = new Map(mail.headers.map(({ key, value }) => [key, value]));
          const token = /#token=([\w-]+)/.exec(text)?.[1] ?? "";
          for (const { address } of envelope.rcptTo)
            mails.push({ to: address, subject, text, html, token, headers });
          done();
        } catch (error) {
          done(error as Error);
        }
      };
      void take();
    },
  });
  // Some tests kill senders; their incomplete emails don't count.
  server.on("error", () => {});
  server.listen(listenPort, "127.0.0.1");
  await once(server.server, "listening");
  const { port } = server.server.address() as AddressInfo;
  return {
    env: { SMTP_URL: `smtp://127.0.0.1:${port}`, MAIL_FROM: "Fanfare <chat@example.org>" },
    refusals,
    mails,
    next: (to, subject) =>
      vi.waitFor(() => {
        const index = mails.findIndex((mail) => mail.to === to && subject.test(mail.subject));
        if (index === -1) throw new Error(`There is no mail to ${to} about ${String(subject)}.`);
        return mails.splice(index, 1)[0]!;
      }),
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
