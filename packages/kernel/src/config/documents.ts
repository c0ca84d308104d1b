import { z } from "zod";
import { type SettingName, SETTINGS, THEMES } from "./settings/index.ts";
import { isSecret } from "./environment.ts";
import { FILE_SUFFIX } from "./secret-files.ts";
import { notes } from "./settings/notes.ts";

const INTRODUCTION = `# Configuration

Generated from \`packages/kernel/src/config/settings/\` by \`pnpm docs:generate\`.

Fanfare is configured by environment variables, all of them below. One that is empty is not set. Nothing has to be set to try it; what
production and a cluster need says **Required**. At start all faults are listed at once, and the program exits with code 1.

## Where to write them

- **On a machine**: \`cp .env.example .env\` and edit that. \`pnpm dev\`, \`pnpm dev:cluster\` and \`pnpm fanfare\` read \`.env\` in the project's
  folder; what the environment says wins, and git ignores the file. The program itself reads no such file:
  \`node --env-file=.env services/node/src/main.ts\`.
- **In a container**: \`docker run --env-file .env\`, or \`-e NAME=value\`. Compose has variables of its own ([docker/](../docker/README.md)).
- **In Kubernetes**: the chart's values, and existing Secrets ([docker/kubernetes/](../docker/kubernetes/README.md)).

The command line (\`fanfare backup\` and so on) takes the same settings. What Node itself reads works too, in the environment but
not in \`.env\`: above all \`NODE_EXTRA_CA_CERTS=/path/ca.pem\`, where a mail server, an S3 or a provider of logins has a certificate of your
own authority.

## Secrets and files

A secret can be in a file, as Docker and Kubernetes hand them out: \`TOKEN_SECRET_FILE=/run/secrets/token\` instead of \`TOKEN_SECRET\`, and so on
for every setting with such a name below. One line break at the end of the file is not part of it. The file is read at start.

No secret is ever logged, nor repeated in a fault. In an address (\`MONGO_URL\`, \`NATS_URL\`, \`REDIS_URL\`, \`SMTP_URL\`) the characters \`@ : / ? # %\` of
a password are percent-encoded: \`p@ss\` is \`p%40ss\`.

## When it does not start

| it says | do |
| --- | --- |
| \`TOKEN_SECRET: is required in production\` | \`openssl rand -hex 32\` prints one. Keep it: [what it is for](operations.md) |
| \`TOKEN_SECRET: is a placeholder\`, \`repeats itself\`, \`is a row of characters\` | production takes only a secret that nobody guesses: the same command |
| \`…: is the example of the documentation\` | put in what your server, bucket or provider gave you |
| \`…: is required with …\` | set what is missing, or leave all of that group out |
| \`NATS_URL: is required to reach the processes that host …\` | leave \`SERVICES\` out for a single instance, or set up [a cluster](#several-processes) |
| \`…: must look like mongodb://user:password@host:port\` | percent-encode the password |
| \`…_FILE: names a file that cannot be read\` | the user that runs the program (1000 in the image) must be allowed to read it |
| \`…_FILE: is set, and … too\` | leave one of the two out |
| \`MONGO_URI is set, which is no setting of Fanfare: is MONGO_URL meant?\` | correct the name. It is only a note, given where a variable is one slip away from a setting that is not set |
| \`Port … is in use\` | set \`PORT\` and \`OPS_PORT\`, or stop the other program |
| \`The database at … cannot be reached\` (NATS, Redis) | it is not there, or the address, a firewall or the password is wrong; the reason stands in the same line |
`;

const MORE: Partial<Record<keyof typeof THEMES, string>> = {
  "Data and how long it is kept":
    "The embedded database is for one machine and states its bound ([packages/embedded-mongo](../packages/embedded-mongo/README.md)). What goes with an old message, and how backups are made: [operations.md](operations.md).",
  "Several processes":
    "A cluster is any number of processes of the same program: `SERVICES=gateway`, `SERVICES=workers`, or any mix of names. All of them need `NATS_URL`, `REDIS_URL` and the same `TOKEN_SECRET`; those that store something, which is all but gateways, `MONGO_URL`; and gateways and those that host `file`, one place for files: `S3_BUCKET` and its keys, or a `FILES_DIR` that they share. The clocks of its machines must agree within a second (NTP): calls carry the time at which their caller stops waiting. Clients may come to any gateway. `/readyz` on `OPS_PORT` says what a process lacks, and a gateway that lacks something sends clients elsewhere.",
  Files: "How files are kept and served: [services/file](../services/file/README.md).",
  Mail: "What is sent, and when: [packages/mail](../packages/mail/README.md).",
  "Pushes to browsers": "Who is told what: [services/inbox](../services/inbox/README.md).",
  "Login by OpenID Connect": "One login, step by step: [services/user](../services/user/README.md).",
  "What the server fetches":
    "Nothing in your own network is asked for unless you allow it here: [packages/outbound](../packages/outbound/README.md).",
};

/** `docs/configuration.md`: every setting by theme, for those who run an instance. */
export function configurationPage(): string {
  const themes = Object.entries(THEMES).map(([title, settings]) => {
    const more = MORE[title as keyof typeof THEMES];
    return [
      `## ${title}`,
      "",
      ...(more === undefined ? [] : [more, ""]),
      "| setting | what it does | without it | example |",
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

/** `.env.example`: every setting, none of them set. */
export function envExample(): string {
  const head = [
    ...comment(
      "The settings of Fanfare, generated by `pnpm docs:generate`. Copy this file to `.env` and take away the # in front of what you set: " +
        "`pnpm dev`, `pnpm dev:cluster` and `pnpm fanfare` read it. What the environment says wins. A # within a line begins a comment, too. " +
        "docs/configuration.md says more.",
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
    standard === undefined && otherwise !== undefined && `Without it: ${otherwise}.`,
    fileVariable && `Secret: ${fileVariable}=<path> can name a file with it.`,
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
/** No setting takes it that takes anything less than any text. */
const NONSENSE = "\0";

interface Facts {
  name: SettingName;
  description: string;
  /** What a value has to be, as a sentence; undefined: any text. */
  accepts: string | undefined;
  /** The value that holds without it, as it would be written; undefined: it is not simply a value. */
  standard: string | undefined;
  /** What holds without it, in words and Markdown; undefined: nothing does. */
  otherwise: string | undefined;
  required: string | undefined;
  example: string;
  /** The variable that can name a file with it. */
  fileVariable: string | undefined;
}

/** What the schema and the notes say of a setting. */
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
