import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ConfigError, type Config } from "@fanfare/kernel";
import webPush from "web-push";

/** The identity of this server for push services. */
export interface VapidKeys {
  /** https: or mailto: URL to contact the operator. */
  subject: string;
  publicKey: string;
  privateKey: string;
}

/** Required by push services, but not read. */
const DEVELOPMENT_SUBJECT = "mailto:admin@localhost.invalid";

/**
 * The configured keys. Without any, a single instance in development stores generated keys in its data folder; otherwise pushes
 * are disabled.
 * @throws {ConfigError} when the keys are invalid
 */
export async function loadVapidKeys(
  config: Pick<Config, "vapid" | "environment" | "natsUrl" | "dataDir">,
): Promise<VapidKeys | null> {
  if (config.vapid !== undefined) return checked(config.vapid, "VAPID_PUBLIC_KEY or VAPID_PRIVATE_KEY");
  if (config.environment === "production" || config.natsUrl !== undefined) return null;
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 });
  const file = join(config.dataDir, "vapid-keys.json");
  const made = { subject: DEVELOPMENT_SUBJECT, ...webPush.generateVAPIDKeys() };
  // If another process has written keys first, those are used.
  await writeFile(file, JSON.stringify(made), { mode: 0o600, flag: "wx", flush: true }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    },
  );
  return checked(
    parse(await readFile(file, "utf8")),
    `${file} (delete it; all devices must subscribe again)`,
  );
}

function parse(text: string): VapidKeys | null {
  try {
    return JSON.parse(text) as VapidKeys;
  } catch {
    return null;
  }
}

function checked(keys: VapidKeys | null, what: string): VapidKeys {
  try {
    if (keys === null) throw new Error("no JSON");
    webPush.getVapidHeaders(
      "https://push.example.org",
      keys.subject,
      keys.publicKey,
      keys.privateKey,
      "aes128gcm",
    );
    return keys;
  } catch (error) {
    throw new ConfigError(`${what}: no keys for Web Push: ${(error as Error).message}`);
  }
}
