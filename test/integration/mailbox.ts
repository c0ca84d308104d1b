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
  /** What its link carries, or "" in a mail without a link. */
  token: string;
}

export interface Mailbox {
  /** What an instance is started with. */
  env: Record<string, string>;
  /** Those that nobody has asked for yet. */
  mails: Mail[];
  /** The next mail to somebody; each is given once. */
  next(to: string, subject: RegExp): Promise<Mail>;
  stop(): Promise<void>;
}

/** A mail server that keeps what it gets. @param listenPort default: a free one */
export async function startMailbox(listenPort = 0): Promise<Mailbox> {
  const mails: Mail[] = [];
  const server = new SMTPServer({
    disabledCommands: ["STARTTLS", "AUTH"],
    onData(stream, { envelope }, done) {
      const take = async (): Promise<void> => {
        try {
          const { subject = "", text = "", html = "" } = await PostalMime.parse(await buffer(stream));
          const token = /#token=([\w-]+)/.exec(text)?.[1] ?? "";
          for (const { address } of envelope.rcptTo) mails.push({ to: address, subject, text, html, token });
          done();
        } catch (error) {
          done(error as Error);
        }
      };
      void take();
    },
  });
  // Senders are killed in some tests; what they send of a mail then does not count.
  server.on("error", () => {});
  server.listen(listenPort, "127.0.0.1");
  await once(server.server, "listening");
  const { port } = server.server.address() as AddressInfo;
  return {
    env: { SMTP_URL: `smtp://127.0.0.1:${port}`, MAIL_FROM: "Fanfare <chat@example.org>" },
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
