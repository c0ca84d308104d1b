import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isInstalled, startServer } from "@fanfare/testing";
import { newProof, type Browser, type Login } from "./oidc-browser.ts";

/** The folder of SimpleSAMLphp that `.ci/fetch simplesamlphp` prints. */
const FOLDER = process.env["SIMPLESAMLPHP"];
const PASSWORD = "provider horse";

/** Whether tests can call `startSamlProvider`. Throws like `isInstalled`. */
export function hasSamlProvider(): boolean {
  const found = FOLDER !== undefined && existsSync(FOLDER);
  if (!found && process.env["REQUIRE_ALL_TESTS"] === "1")
    throw new Error("SIMPLESAMLPHP is not set, and REQUIRE_ALL_TESTS=1 allows no test to be skipped.");
  if (!found) console.warn("SIMPLESAMLPHP is not set: the tests that need it are skipped.");
  return found && isInstalled("php");
}

/** What the provider sends about someone, and `uid`, from which it makes the NameID. */
export type Attributes = Record<string, string[]>;

export type SamlProvider = Awaited<ReturnType<typeof startSamlProvider>>;

/** Starts SimpleSAMLphp, which knows the servers whose metadata it was given. */
export async function startSamlProvider() {
  const people: Record<string, Attributes> = {};
  let known = 0;
  const server = await startServer("saml", {}, ({ port, folder }) => {
    const file = (name: string): string => join(folder, name);
    for (const name of ["metadata", "sp", "sessions", "data", "log", "temp"]) mkdirSync(file(name));
    const pair = ["-keyout", file("idp.key"), "-out", file("idp.crt"), "-subj", "/CN=provider"];
    execFileSync("openssl", ["req", "-x509", "-newkey", "rsa:2048", "-nodes", ...pair], { stdio: "ignore" });
    writeFileSync(file("people.json"), "{}");
    writeFileSync(file("options.json"), "{}");
    const url = `http://127.0.0.1:${port}`;
    for (const [name, text] of Object.entries(configuration(url, folder))) writeFileSync(file(name), text);
    return {
      command: "php",
      args: ["-S", `127.0.0.1:${port}`, "-t", join(FOLDER!, "www")],
      env: { SIMPLESAMLPHP_CONFIG_DIR: folder },
      url,
      isReady: async () => (await fetch(`${url}/saml2/idp/metadata.php`)).ok,
    };
  });
  const metadataUrl = `${server.url}/saml2/idp/metadata.php`;
  const write = (name: string, value: unknown): void =>
    writeFileSync(join(server.folder, name), JSON.stringify(value));
  return {
    url: server.url,
    metadataUrl,
    entityId: `${server.url}/idp`,
    password: PASSWORD,

    /** Lets the server with this metadata use the provider. */
    register(xml: string): void {
      writeFileSync(join(server.folder, "sp", `${(known += 1)}.xml`), xml);
    },

    /** Adds someone with the password `password`, or changes them. */
    set(username: string, attributes: Attributes): void {
      people[`${username}:${PASSWORD}`] = { uid: [username], ...attributes };
      write("people.json", people);
    },

    /** Of `saml20-idp-hosted`. */
    setOptions: (options: Record<string, unknown>): void => write("options.json", options),

    stop: () => server.stop(),
  };
}

/** Everything that people send from page to page. */
export interface Form {
  action: URL;
  fields: Record<string, string>;
}

/** From the page to the provider, where they sign in, to the form that would be posted to the server. */
export async function answerOf(
  provider: SamlProvider,
  browser: Browser,
  username: string,
  start: string,
): Promise<Form> {
  let response = await browser.follow(start);
  let form = await formOf(response);
  if (Object.hasOwn(form.fields, "AuthState")) {
    const fields = { ...form.fields, username, password: provider.password };
    response = await browser.follow(form.action.href, fields);
    form = await formOf(response);
  }
  return form;
}

/** From the page to the provider and back. */
export async function signInWithSaml(
  provider: SamlProvider,
  browser: Browser,
  username: string,
  more = "",
): Promise<Login> {
  const { verifier, challenge } = newProof();
  const start = `/auth/oidc/start?provider=work&challenge=${challenge}${more}`;
  const { action, fields } = await answerOf(provider, browser, username, start);
  const end = await browser.post(action, fields);
  const { hash } = new URL(end.headers.get("location") ?? "");
  const [, name, value = ""] = /^#(\w+)=(.*)$/.exec(hash) ?? [];
  if (name !== "oidcCode") throw new Error(hash);
  return { oidcCode: value, verifier };
}

async function formOf(response: Response): Promise<Form> {
  const html = await response.text();
  const [, action = ""] = /<form[^>]*\saction="([^"]*)"/.exec(html) ?? [];
  const inputs = html.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g);
  const fields = Object.fromEntries([...inputs].map(([, name, value]) => [name!, unescaped(value!)]));
  if (Object.keys(fields).length === 0) throw new Error(`${response.url} has no form: ${html.slice(0, 500)}`);
  return { action: new URL(unescaped(action), response.url), fields };
}

const unescaped = (text: string): string =>
  text.replaceAll("&quot;", '"').replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");

const php = (value: string): string => `'${value.replaceAll(/['\\]/g, String.raw`\$&`)}'`;

const configuration = (url: string, folder: string): Record<string, string> => {
  const json = (name: string): string => `json_decode(file_get_contents(${php(join(folder, name))}), true)`;
  return {
    "config.php": `<?php
$config = [
  'baseurlpath' => ${php(`${url}/`)},
  'certdir' => ${php(`${folder}/`)},
  'loggingdir' => ${php(`${folder}/log/`)},
  'datadir' => ${php(`${folder}/data/`)},
  'tempdir' => ${php(`${folder}/temp`)},
  'metadatadir' => ${php(`${folder}/metadata/`)},
  'secretsalt' => ${php(randomBytes(16).toString("hex"))},
  'auth.adminpassword' => ${php(randomBytes(16).toString("hex"))},
  'timezone' => 'UTC',
  'language.default' => 'en',
  'logging.handler' => 'errorlog',
  'logging.level' => SimpleSAML\\Logger::WARNING,
  'enable.saml20-idp' => true,
  'module.enable' => ['core' => true, 'saml' => true, 'exampleauth' => true],
  'session.cookie.secure' => false,
  'session.cookie.samesite' => null,
  'session.phpsession.savepath' => ${php(`${folder}/sessions`)},
  'store.type' => 'phpsession',
  'metadata.sources' => [['type' => 'flatfile']],
];
`,
    "authsources.php": `<?php
$config = ['people' => array_merge(['exampleauth:UserPass'], ${json("people.json")})];
`,
    "metadata/saml20-idp-hosted.php": `<?php
$metadata[${php(`${url}/idp`)}] = array_merge([
  'host' => '__DEFAULT__',
  'privatekey' => 'idp.key',
  'certificate' => 'idp.crt',
  'auth' => 'people',
  'authproc' => [[
    'class' => 'saml:AttributeNameID',
    'attribute' => 'uid',
    'Format' => 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
  ]],
], ${json("options.json")});
`,
    "metadata/saml20-sp-remote.php": `<?php
foreach (glob(${php(`${folder}/sp/*.xml`)}) as $file) {
  $sp = \\SimpleSAML\\Metadata\\SAMLParser::parseFile($file)->getMetadata20SP();
  $metadata[$sp['entityid']] = $sp;
}
`,
  };
};
