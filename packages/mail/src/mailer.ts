import { randomUUID } from "node:crypto";
import type { Locale } from "@fanfare/contract";
import { Counter, type Config, type Logger, type NodeContext } from "@fanfare/kernel";
import { PermanentError, type RunningJob } from "@fanfare/jobs";
import { render, type RenderedMail } from "./render.ts";
import { textOf, type MailName, type ValuesOf } from "./texts/texts.ts";

const CONNECT_TIMEOUT_MS = 10_000;
const SOCKET_TIMEOUT_MS = 30_000;
/** How many emails one process delivers concurrently. */
const CONCURRENCY = 4;
/** With the backoff, about an hour of retries: as long as most links in emails are valid. */
const TRIES = 15;
const BACKOFF = { firstMs: 1000, maxMs: 10 * 60_000 };
/** Emails with the same key are deduplicated for this time. */
const REMEMBER_MS = 60 * 60_000;

export interface Recipient {
  email: string;
  locale: Locale;
}

export interface Mailer {
  /**
   * Enqueues an email. It is on disk when the promise resolves, and is delivered at least once; repeated deliveries have the same
   * `Message-ID`.
   * @param path the target of the link; secrets go after a '#', which browsers don't send to servers. Default: no link
   * @param key an email with a key that was already used is not sent. Default: a new key
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
  /** Encrypts enqueued emails in the database, because their links give access to accounts. */
  sealerFor: NodeContext["sealerFor"];
  /** Prints emails in development if no mail server is configured. Default: to standard output. */
  show?: (text: string) => void;
}

interface Email extends RenderedMail {
  to: string;
}

/** Sends emails by SMTP. Without a mail server, they are printed in development and discarded otherwise. */
export function createMailer(options: MailerOptions): Mailer {
  const { config, logger, metrics, jobs, sealerFor, show = printToStdout } = options;
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
    if (opened === null) throw new PermanentError("TOKEN_SECRET was changed after the email was enqueued.");
    const { to, subject, text, html } = JSON.parse(opened.text) as Email;
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
      // Only the reply code: the server's text can contain the recipient's address, which must not be logged.
      const message = `The mail server rejected the email: ${replyOf(error)}.`;
      throw isPermanent(error) ? new PermanentError(message) : new Error(message);
    }
    total.inc({ outcome: "sent" });
  };
  const mails = jobs.define("mail.send", {
    run: deliver,
    concurrency: CONCURRENCY,
    maxTries: TRIES,
    backoff: BACKOFF,
    onceForMs: REMEMBER_MS,
    onDead: () => total.inc({ outcome: "failed" }),
  });
  if (smtp === undefined && environment === "production")
    logger.info("SMTP_URL is not set: emails are not sent, and passwords cannot be reset");
  return {
    async send({ email: to, locale }, name, values, path, key = randomUUID()) {
      const link = path === undefined ? undefined : `${publicUrl}${path}`;
      const text = textOf(locale, name, { host, ...values } as Parameters<typeof textOf<typeof name>>[2]);
      const email: Email = { to, ...render(text, locale, link) };
      if (smtp !== undefined) await mails.enqueue(key, { sealed: sealer.seal(JSON.stringify(email), key) });
      else if (environment === "development") show(formatForTerminal(email));
    },
    async stop() {
      (await transport)?.close();
    },
  };
}

async function createSmtp(url: string) {
  // Loaded only if emails are sent, to save memory.
  const { createTransport } = await import("nodemailer");
  return createTransport({
    url,
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: SOCKET_TIMEOUT_MS,
    // Emails contain no paths or URLs for nodemailer to load, so any in their content would be an attack.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

/** Whether retrying is pointless: a 5xx reply. */
function isPermanent(error: unknown): boolean {
  return error instanceof Error && "responseCode" in error && Number(error.responseCode) >= 500;
}

function replyOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown error";
  if ("responseCode" in error) return `reply ${String(error.responseCode)}`;
  return "code" in error ? String(error.code) : error.name;
}

function formatForTerminal({ to, subject, text }: Email): string {
  const line = "─".repeat(60);
  return `\n${line}\nEmail to ${to}: ${subject}\n\n${text}${line}\n\n`;
}

function printToStdout(text: string): void {
  process.stdout.write(text);
}
