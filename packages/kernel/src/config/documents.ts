import { z } from "zod";
import { type SettingName, SETTINGS, THEMES } from "./settings/index.ts";
import { isSecret, FILE_SUFFIX } from "./environment.ts";
import { notes } from "./values.ts";

const INTRODUCTION = `# Configuration

Fanfare is configured with environment variables. To try it, you don't need any. Settings that production or a cluster needs are marked **Required**.

Empty variables count as not set. Admins can change many options in the web client, unless a variable sets them.

## Where to set them

- **In a clone**: copy \`.env.example\` to \`.env\` and edit it. \`pnpm dev\`, \`pnpm dev:cluster\` and \`pnpm fanfare\` read it;
  environment variables take precedence. If you start Node.js yourself, pass the file: \`node --env-file=.env services/node/dist/main.js\`.
- **npm package** ([not published](cli.md#the-npm-package)): in \`.env\` in the folder where you run \`npx fanfare\`.
- **With systemd**: in the file that the unit names as \`EnvironmentFile\`. See [Linux with systemd](install.md).
- **In a container**: \`docker run --env-file fanfare.env\`, or \`-e NAME=value\`. With Compose, in \`docker/.env\`. See [Docker](docker.md).
- **In Kubernetes**: in the chart's values and in Secrets. See [Kubernetes](kubernetes.md).

Restart Fanfare after a change; recreate a container, because it keeps its old settings. The [command line](cli.md) uses the same settings.

Node.js has settings of its own. For example, set \`NODE_EXTRA_CA_CERTS=/path/ca.pem\` if your mail server, S3 service, LDAP server or identity provider uses a private CA.
Set them in the environment of the process: in \`.env\`, they have no effect.

## Secrets in files and URLs

Settings that also have a \`_FILE\` name below can be read from a file, such as a secret that Docker or Kubernetes mounts. For example, set
\`TOKEN_SECRET_FILE=/run/secrets/token\` instead of \`TOKEN_SECRET\`. Files are read at startup. A line break at the end is ignored.

In \`MONGO_URL\`, \`NATS_URL\`, \`REDIS_URL\` and \`SMTP_URL\`, percent-encode the characters \`@ : / ? # %\` of a password: \`p@ss\` becomes \`p%40ss\`.

Secrets are never logged.

## Startup errors

If the configuration is wrong, Fanfare prints all errors and exits with code 1.

| error | what to do |
| --- | --- |
| \`TOKEN_SECRET: is required in production\` | Create one with \`openssl rand -hex 32\`. See [what it is used for](secrets.md#change-the-token-secret). |
| \`TOKEN_SECRET: is a placeholder\`, \`is repetitive\`, \`is a sequence of characters\` | Use a random secret, created by the same command. |
| \`…: is the example of the documentation\` | Use the value from your server, bucket or provider. |
| \`…: is required with …\` | Set the missing setting, or remove the one that requires it. |
| \`NATS_URL: is required to reach the processes that host …\` | Leave out \`SERVICES\` for a single instance, or set up [a cluster](#several-processes). |
| \`…: must look like mongodb://user:password@host:port\` | Percent-encode the password. |
| \`…_FILE: names a file that cannot be read\` | Make it readable for the user that runs Fanfare (1000 in the image). |
| \`…_FILE: must not be set together with …\` | Remove one of the two. |
| \`MONGO_URI is not a setting of Fanfare. Did you mean MONGO_URL?\` | Correct the name. This is only a warning. |
| \`Port … is in use\` | Set \`PORT\` and \`OPS_PORT\`, or stop the other program. |
| \`The database at … cannot be reached\` (or \`NATS\`, \`Redis\`) | Check that it runs, the address, the password and the firewall. The message contains the reason. |
`;

const THEME_INTRODUCTIONS: Partial<Record<keyof typeof THEMES, string>> = {
  "Data and how long it is kept":
    "The embedded database is for one machine; see [sizing](sizing.md). See also [how long messages are kept](administration.md#how-long-messages-are-kept) and [backups](backups.md).",
  "Several processes":
    "A cluster consists of any number of processes. A process runs the services in `SERVICES`, such as `gateway` or `workers`.\n\n" +
    "- All processes need `NATS_URL`, `REDIS_URL` and the same `TOKEN_SECRET`.\n" +
    "- All except pure gateways need `MONGO_URL`.\n" +
    "- Processes that run `gateway` or `file` need the same file storage: an S3 bucket, or a shared `FILES_DIR`.\n" +
    "- The clocks of all machines must agree within a second (NTP).\n\n" +
    "Clients can connect to any gateway. `/readyz` on `OPS_PORT` reports what a process is missing.",
  "Outgoing requests": "The server doesn't connect to private networks unless you allow it here.",
};

/** Generates `docs/run/configuration.md`: all settings by topic, for operators. */
export function configurationPage(): string {
  const themes = Object.entries(THEMES).map(([title, settings]) => {
    const more = THEME_INTRODUCTIONS[title as keyof typeof THEMES];
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
  const { description, accepts, defaultText, required, example, fileVariable } = settingDocs(name);
  const names = [name, fileVariable].filter((each) => each !== undefined).map((each) => `\`${each}\``);
  const sentences = [description, accepts, required && `**Required** ${required}.`].filter(Boolean);
  return `| ${names.join(" or ")} | ${sentences.join(" ")} | ${defaultText ?? ""} | \`${example}\` |`;
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
  const { description, accepts, defaultValue, defaultText, required, example, fileVariable } =
    settingDocs(name);
  const sentences = [
    description,
    accepts,
    required && `Required ${required}.`,
    defaultValue === undefined && defaultText !== undefined && `Default: ${defaultText}.`,
    fileVariable && `Secret: ${fileVariable}=<path> reads it from a file.`,
  ];
  const text = sentences.filter(Boolean).join(" ").replaceAll("`", "");
  return ["", ...comment(text), `#${name}=${defaultValue ?? example}`];
}

/** Wraps a text into lines. */
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
const INVALID_VALUE = "\0";

interface SettingDocs {
  name: SettingName;
  description: string;
  /** The allowed values as a sentence; undefined: any text. */
  accepts: string | undefined;
  /** The default as written in the environment; undefined if there is no simple one. */
  defaultValue: string | undefined;
  /** The default behavior in Markdown; undefined if there is none. */
  defaultText: string | undefined;
  required: string | undefined;
  example: string;
  /** The variable that can name a file with it. */
  fileVariable: string | undefined;
}

/** Combines the schema and the notes of a setting. */
function settingDocs(name: SettingName): SettingDocs {
  const schema = SETTINGS[name];
  const { description, example, unit, defaultText, required } = notes.get(schema)!;
  const refusal = schema.safeParse(INVALID_VALUE).error?.issues[0]?.message;
  const value = schema instanceof z.ZodDefault ? formatted(schema.def.defaultValue) : undefined;
  const defaultValue = defaultText === undefined ? value : undefined;
  return {
    name,
    description,
    accepts: refusal === undefined ? undefined : `It ${refusal}.`,
    defaultValue,
    defaultText: defaultText ?? (defaultValue === undefined ? undefined : withUnit(defaultValue, unit)),
    required,
    example,
    fileVariable: isSecret(name) ? `${name}${FILE_SUFFIX}` : undefined,
  };
}

function formatted(value: unknown): string {
  return typeof value === "boolean" ? (value ? "on" : "off") : String(value);
}

function withUnit(value: string, unit: string | undefined): string {
  if (unit === "bytes") {
    const mebibytes = Number(value) / MEBIBYTE;
    return `\`${value}\` (${mebibytes < 1024 ? `${mebibytes} MiB` : `${mebibytes / 1024} GiB`})`;
  }
  return unit === undefined ? `\`${value}\`` : `\`${value}\` ${unit}`;
}
export { VARIABLES } from "./environment.ts";
