import { z } from "zod";
import { type SettingName, SETTINGS, THEMES } from "./settings/index.ts";
import { isSecret } from "./environment.ts";
import { FILE_SUFFIX } from "./secret-files.ts";
import { notes } from "./settings/notes.ts";

const INTRODUCTION = `# Configuration

Generated from \`packages/kernel/src/config/settings/\` by \`pnpm docs:generate\`.

Fanfare is configured with environment variables. Empty variables count as not set. To try it, you don't need any; settings that
production or a cluster needs are marked **Required**. At startup, all configuration errors are reported together, and the program exits with code 1.

## Where to set them

- **On a machine**: \`cp .env.example .env\` and edit it. \`pnpm dev\`, \`pnpm dev:cluster\` and \`pnpm fanfare\` read \`.env\` in the project's
  folder. Environment variables take precedence, and git ignores the file. If you start Node yourself, pass the file:
  \`node --env-file=.env services/node/src/main.ts\`.
- **In a container**: \`docker run --env-file .env\`, or \`-e NAME=value\`. For Compose, see [Docker and Compose](docker.md).
- **In Kubernetes**: the chart's values and existing Secrets ([Kubernetes](kubernetes.md)).

The command line (\`fanfare backup\` and so on) uses the same settings. Node's own variables work too, but not in \`.env\`. For example, set \`NODE_EXTRA_CA_CERTS=/path/ca.pem\`
if your mail server, S3 service or identity provider has a certificate from a private CA.

## Secrets and files

Secrets can be read from files, such as those that Docker and Kubernetes mount: \`TOKEN_SECRET_FILE=/run/secrets/token\` instead of \`TOKEN_SECRET\`.
This works for all settings below that have a \`_FILE\` name. Files are read at startup; a line break at the end is ignored.

Secrets are never logged and never appear in error messages. In URLs (\`MONGO_URL\`, \`NATS_URL\`, \`REDIS_URL\`, \`SMTP_URL\`), percent-encode the
characters \`@ : / ? # %\` of a password: \`p@ss\` becomes \`p%40ss\`.

## Startup errors

| error | what to do |
| --- | --- |
| \`TOKEN_SECRET: is required in production\` | \`openssl rand -hex 32\` creates one. Keep it safe: [what it is used for](secrets.md) |
| \`TOKEN_SECRET: is a placeholder\`, \`repeats itself\`, \`is a row of characters\` | production needs a random secret: use the same command |
| \`…: is the example of the documentation\` | use the value from your server, bucket or provider |
| \`…: is required with …\` | set the missing settings, or none of that group |
| \`NATS_URL: is required to reach the processes that host …\` | leave \`SERVICES\` out for a single instance, or set up [a cluster](#several-processes) |
| \`…: must look like mongodb://user:password@host:port\` | percent-encode the password |
| \`…_FILE: names a file that cannot be read\` | make it readable for the user that runs the program (1000 in the image) |
| \`…_FILE: is set, and … too\` | remove one of the two |
| \`MONGO_URI is not a setting of Fanfare. Did you mean MONGO_URL?\` | correct the name. This is only a hint: the variable looks like a misspelled setting |
| \`Port … is in use\` | set \`PORT\` and \`OPS_PORT\`, or stop the other program |
| \`The database at … cannot be reached\` (NATS, Redis) | check that it runs, and check the address, the firewall and the password. The message contains the reason |
`;

const MORE: Partial<Record<keyof typeof THEMES, string>> = {
  "Data and how long it is kept":
    "The embedded database is for one machine; see [sizing](sizing.md). For retention, see [operating an instance](index.md#how-long-messages-are-kept); for backups, [backup and restore](backups.md).",
  "Several processes":
    "A cluster consists of any number of processes: `SERVICES=gateway`, `SERVICES=workers`, or any combination of services. All processes need `NATS_URL`, `REDIS_URL` and the same `TOKEN_SECRET`. All except pure gateways need `MONGO_URL`. Processes that run `gateway` or `file` need the same file storage: an S3 bucket, or a shared `FILES_DIR`. The clocks of all machines must agree within a second (NTP), because calls carry their deadline as a time. Clients can connect to any gateway. `/readyz` on `OPS_PORT` reports what a process is missing; a gateway that isn't ready sends clients elsewhere.",
  "What the server fetches": "The server doesn't connect to private networks unless you allow it here.",
};

/** Generates `docs/run/configuration.md`: all settings by topic, for operators. */
export function configurationPage(): string {
  const themes = Object.entries(THEMES).map(([title, settings]) => {
    const more = MORE[title as keyof typeof THEMES];
    return [
      `## ${title}`,
      "",
      ...(more === undefined ? [] : [more, ""]),
      "| setting | description | default | example |",
      "| --- | --- | --- | --- |",
      ...(Object.keys(settings) as SettingName[]).map(row),
      "",
    ].join("\n");
  });
  return [INTRODUCTION, ...themes].join("\n");
}

function row(name: SettingName): string {
  const { description, accepts, otherwise, required, example, fileVariable } = factsOf(name);
  const names = [name, fileVariable].filter((each) => each !== undefined).map((each) => `\`${each}\``);
  const sentences = [description, accepts, required && `**Required** ${required}.`].filter(Boolean);
  return `| ${names.join(" or ")} | ${sentences.join(" ")} | ${otherwise ?? ""} | \`${example}\` |`;
}

const LINE_CHARS = 100;

/** Generates `.env.example`: all settings, commented out. */
export function envExample(): string {
  const head = [
    ...comment(
      "Settings of Fanfare, generated by `pnpm docs:generate`. Copy this file to `.env` and uncomment what you want to set: " +
        "`pnpm dev`, `pnpm dev:cluster` and `pnpm fanfare` read it. Environment variables take precedence. A # within a line starts a comment. " +
        "See docs/run/configuration.md.",
    ),
  ];
  const themes = Object.entries(THEMES).flatMap(([title, settings]) => [
    "",
    "",
    `# ==== ${title}`,
    ...(Object.keys(settings) as SettingName[]).flatMap(entry),
  ]);
  return `${[...head, ...themes].join("\n")}\n`;
}

function entry(name: SettingName): string[] {
  const { description, accepts, standard, otherwise, required, example, fileVariable } = factsOf(name);
  const sentences = [
    description,
    accepts,
    required && `Required ${required}.`,
    standard === undefined && otherwise !== undefined && `Default: ${otherwise}.`,
    fileVariable && `Secret: ${fileVariable}=<path> reads it from a file.`,
  ];
  const text = sentences.filter(Boolean).join(" ").replaceAll("`", "");
  return ["", ...comment(text), `#${name}=${standard ?? example}`];
}

/** Broken into lines between words. */
function comment(text: string): string[] {
  const lines = ["#"];
  for (const word of text.split(" ")) {
    const line = `${lines.at(-1)} ${word}`;
    if (line.length > LINE_CHARS) lines.push(`# ${word}`);
    else lines[lines.length - 1] = line;
  }
  return lines;
}

const MEBIBYTE = 1024 * 1024;
/** Only settings that accept any text accept this value. */
const NONSENSE = "\0";

interface Facts {
  name: SettingName;
  description: string;
  /** The allowed values as a sentence; undefined: any text. */
  accepts: string | undefined;
  /** The default as written in the environment; undefined if there is no simple one. */
  standard: string | undefined;
  /** The default behavior in Markdown; undefined if there is none. */
  otherwise: string | undefined;
  required: string | undefined;
  example: string;
  /** The variable that can name a file with it. */
  fileVariable: string | undefined;
}

/** Combines the schema and the notes of a setting. */
function factsOf(name: SettingName): Facts {
  const schema = SETTINGS[name];
  const { description, example, unit, otherwise, required } = notes.get(schema)!;
  const refusal = schema.safeParse(NONSENSE).error?.issues[0]?.message;
  const value = schema instanceof z.ZodDefault ? written(schema.def.defaultValue) : undefined;
  const standard = otherwise === undefined ? value : undefined;
  return {
    name,
    description,
    accepts: refusal === undefined ? undefined : `It ${refusal}.`,
    standard,
    otherwise: otherwise ?? (standard === undefined ? undefined : withUnit(standard, unit)),
    required,
    example,
    fileVariable: isSecret(name) ? `${name}${FILE_SUFFIX}` : undefined,
  };
}

function written(value: unknown): string {
  return typeof value === "boolean" ? (value ? "on" : "off") : String(value);
}

function withUnit(value: string, unit: string | undefined): string {
  if (unit === "bytes") {
    const mebibytes = Number(value) / MEBIBYTE;
    return `\`${value}\` (${mebibytes < 1024 ? `${mebibytes} MiB` : `${mebibytes / 1024} GiB`})`;
  }
  return unit === undefined ? `\`${value}\`` : `\`${value}\` ${unit}`;
}
export { VARIABLES } from "./secret-files.ts";
