import { randomUUID } from "node:crypto";
import type { Locale } from "@fanfare/contract";
import { Counter, type Config, type Logger, type NodeContext } from "@fanfare/kernel";
import { PermanentFailure, type RunningJob } from "@fanfare/jobs";
import { render, type RenderedMail } from "./render.ts";
import { textOf, type MailName, type ValuesOf } from "./texts/texts.ts";

const CONNECT_TIMEOUT_MS = 10_000;
const SOCKET_TIMEOUT_MS = 30_000;
/** Mails that one process delivers at the same time. */
const SENDING = 4;
/** A mail that the server does not take is tried again for about an hour, which is as long as most links in mails work. */
const TRIES = 15;
const BACKOFF = { firstMs: 1000, maxMs: 10 * 60_000 };
/** A key is not sent a second time within this time. */
const REMEMBER_MS = 60 * 60_000;

export interface Recipient {
  email: string;
  locale: Locale;
}

export interface Mailer {
  /**
   * Enqueues a mail. It is on disk when the promise resolves, survives restarts, and is delivered at least once: a repeated delivery has the
   * same `Message-ID`.
   * @param path of the page that the link leads to, if the mail has one; secrets come after a '#', which browsers do not send to servers
   * @param key the mail's identity: a second mail with the same key is not sent; default: a new one
   */
  send<N extends MailName>(
    to: Recipient,
    name: N,
    values: ValuesOf<N>,
    path?: string,
    key?: string,
  ): Promise<void>;
  /** Closes the connections to the mail server. */
  stop(): Promise<void>;
}

export interface MailerOptions {
  config: Pick<Config, "environment" | "publicUrl" | "smtp">;
  logger: Logger;
  metrics: NodeContext["metrics"];
  jobs: Pick<NodeContext["jobs"], "define">;
  /** Links in mails open accounts, so mails are sealed while they wait in the database. */
  sealerFor: NodeContext["sealerFor"];
  /** Shows mails in development when no mail server is configured. */
  show?: (text: string) => void;
}

interface Letter extends RenderedMail {
  to: string;
}

/** Sends mails by SMTP. Without a mail server they are shown on standard output in development, and nowhere else. */
export function createMailer(options: MailerOptions): Mailer {
  const { config, logger, metrics, jobs, sealerFor, show = toStandardOutput } = options;
  const { publicUrl, smtp, environment } = config;
  const { host, hostname } = new URL(publicUrl);
  const sealer = sealerFor("mails");
  const transport = smtp === undefined ? undefined : createSmtp(smtp.url);
  const total = new Counter({
    name: "fanfare_mails_total",
    help: "Emails by outcome: sent, or failed after the last try.",
    labelNames: ["outcome"],
    registers: [metrics],
  });
  for (const outcome of ["sent", "failed"]) total.inc({ outcome }, 0);

  const deliver = async ({ id, key, payload }: RunningJob<{ sealed: string }>): Promise<void> => {
    const server = await transport;
    if (smtp === undefined || server === undefined) throw new Error("SMTP_URL is not set.");
    const opened = sealer.open(payload.sealed, key);
    if (opened === null) throw new PermanentFailure("TOKEN_SECRET changed after the mail was enqueued.");
    const { to, subject, text, html } = JSON.parse(opened.text) as Letter;
    try {
      await server.sendMail({
        from: smtp.from,
        to: { name: "", address: to },
        subject,
        text,
        html,
        messageId: `<${id}@${hostname}>`,
      });
    } catch (error) {
      // Without what the server said: it can repeat the address, and administrators and logs need only the reply code.
      const message = `The mail server did not take the mail: ${replyOf(error)}.`;
      throw isFinal(error) ? new PermanentFailure(message) : new Error(message);
    }
    total.inc({ outcome: "sent" });
  };
  const mails = jobs.define("mail.send", {
    run: deliver,
    concurrency: SENDING,
    maxTries: TRIES,
    backoff: BACKOFF,
    onceForMs: REMEMBER_MS,
    onDead: () => total.inc({ outcome: "failed" }),
  });
  if (smtp === undefined && environment === "production")
    logger.info("SMTP_URL is not set: emails are not sent, and passwords cannot be reset");
  return {
    async send({ email, locale }, name, values, path, key = randomUUID()) {
      const link = path === undefined ? undefined : `${publicUrl}${path}`;
      const text = textOf(locale, name, { host, ...values } as Parameters<typeof textOf<typeof name>>[2]);
      const letter: Letter = { to: email, ...render(text, locale, link) };
      if (smtp !== undefined) await mails.enqueue(key, { sealed: sealer.seal(JSON.stringify(letter), key) });
      else if (environment === "development") show(asShown(letter));
    },
    async stop() {
      (await transport)?.close();
    },
  };
}

async function createSmtp(url: string) {
  // Where no mails are sent it is not loaded.
  const { createTransport } = await import("nodemailer");
  return createTransport({
    url,
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: SOCKET_TIMEOUT_MS,
    // No mail contains a file path or an address to include: anything that looks like one would be read by this server.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

/** The server refuses the mail and will refuse it again: 5xx. */
function isFinal(error: unknown): boolean {
  return error instanceof Error && "responseCode" in error && Number(error.responseCode) >= 500;
}

function replyOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown error";
  if ("responseCode" in error) return `reply ${String(error.responseCode)}`;
  return "code" in error ? String(error.code) : error.name;
}

function asShown({ to, subject, text }: Letter): string {
  const line = "─".repeat(60);
  return `\n${line}\nMail to ${to}: ${subject}\n\n${text}${line}\n\n`;
}

function toStandardOutput(text: string): void {
  process.stdout.write(text);
}
