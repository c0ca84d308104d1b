import { z } from "zod";

// Types of setting values. Error messages describe the expected format but never repeat the value, which may be secret.

export const wholeNumber = (min: number, max = Number.MAX_SAFE_INTEGER) => {
  const range = max === Number.MAX_SAFE_INTEGER ? `of ${min} or more` : `from ${min} to ${max}`;
  return z.coerce
    .number(`must be a whole number ${range}`)
    .refine((n) => Number.isInteger(n) && n >= min && n <= max, `must be a whole number ${range}`);
};

export const port = wholeNumber(0, 65_535);

export const oneOf = <const T extends readonly string[]>(values: T) =>
  z.enum(values, `must be one of ${values.join(", ")}`);

export const onOrOff = z.stringbool("must be on or off, true or false");

const split = (text: string): string[] =>
  text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");

/** Comma-separated items. */
export const list = z.string().transform(split);

export const network = z.union(
  [z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()],
  "must be addresses or networks such as 10.0.0.0/8",
);

const PROXIES =
  "must be on, off, the number of proxies in front of the server, or their addresses or networks, separated by commas";
const hops = z.stringFormat("hops", /^\d{1,2}$/, PROXIES).transform(Number);

/** The number of trusted proxies in front of this server (`off`: none), or their addresses and networks. */
export const proxies = z.union(
  [hops, z.stringbool().transform(Number), list.pipe(z.array(network).min(1, PROXIES))],
  PROXIES,
);

export const httpUrl = z.url({ protocol: /^https?$/, message: "must start with https:// or http://" });
export const ldapUrl = z.url({
  protocol: /^ldaps?$/,
  normalize: true,
  message: "must start with ldaps:// or ldap://",
});
/** Address of a server for WebSockets. Without a trailing slash. */
export const socketUrl = z
  .url({ protocol: /^wss?$/, normalize: true, message: "must start with wss:// or ws://" })
  .transform((url) => url.replace(/\/+$/, ""));
/** Without a trailing slash, so a path can be appended. */
export const baseUrl = httpUrl.transform((url) => url.replace(/\/+$/, ""));

/**
 * Address of a server, often with a password. Ambiguous passwords are rejected: parts of them would be parsed as the host and
 * printed.
 * @param schemes the allowed schemes, without `://`
 */
export const serverUrl = (schemes: readonly string[], { several = false } = {}) => {
  const start = `must start with ${schemes.map((scheme) => `${scheme}://`).join(" or ")}`;
  const scheme = `(?:${schemes.join("|").replaceAll("+", "\\+")})`;
  const part = "(?:[^@/?#\\s%]|%[0-9a-f]{2})";
  const whole = new RegExp(`^${scheme}://(?:${part}*@)?${part}+(?:/[^@?#\\s]*)?(?:\\?[^@#\\s]*)?$`, "i");
  const startsWell = new RegExp(`^${scheme}://`);
  const isWhole = (url: string): boolean => (several ? split(url) : [url]).every((one) => whole.test(one));
  return z
    .string()
    .regex(startsWell, { error: start, abort: true })
    .refine(
      isWhole,
      `must look like ${schemes[0]}://user:password@host:port, with @ : / ? # and % in the password percent-encoded (@ is %40)`,
    );
};

/** `name=value,name=value` with percent-encoded values, as specified by OpenTelemetry. */
export const headers = z.string().transform((text, context): Record<string, string> => {
  try {
    return Object.fromEntries(
      split(text).map((pair) => {
        const [, name, value] = /^([^=]+)=(.*)$/.exec(pair)!;
        return [name!.trim(), decodeURIComponent(value!.trim())];
      }),
    );
  } catch {
    context.addIssue("must be name=value,name=value with percent-encoded values");
    return z.NEVER;
  }
});

/** Documentation of a setting beyond its schema, used to generate the reference. */
interface Notes {
  /** Its effect, in one or two sentences. */
  description: string;
  example: string;
  unit?: string;
  /** The behavior if it is not set, unless that is a default value. */
  defaultText?: string;
  /** When it is required. */
  required?: string;
  /** Never shown; can be read from the file named by `<NAME>_FILE`. */
  secret?: true;
}

export const notes = z.registry<Notes>();
