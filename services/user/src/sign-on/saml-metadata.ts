import { ConfigError, type Config, type Logger } from "@fanfare/kernel";
import { PROVIDER_TIMEOUT_S } from "./provider.ts";

/** New certificates of the provider are used after this time, without a restart. */
const METADATA_MAX_AGE_MS = 60 * 60 * 1000;
const REDIRECT = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect";

type Settings = Extract<Config["providers"][number], { protocol: "saml" }>;

/** A SAML provider as its metadata describes it. */
type Idp = Exclude<Settings["idp"], string>;

/** Reads metadata from a URL at the first login. XML is read at the start. */
export function createIdpSource({ id, idp }: Pick<Settings, "id" | "idp">, logger: Logger) {
  const isUrl = typeof idp === "string" && /^https?:/i.test(idp);
  let known: { idp: Promise<Idp>; readAtMs: number } | undefined;

  const read = async (text: string): Promise<Idp> => {
    if (!isUrl) return parseMetadata(text);
    const response = await fetch(text, { signal: AbortSignal.timeout(PROVIDER_TIMEOUT_S * 1000) });
    if (!response.ok) throw new Error(`${text} responded with ${response.status}`);
    return parseMetadata(await response.text());
  };

  const find = async (): Promise<Idp> => {
    if (typeof idp !== "string") return idp;
    const before = known;
    if (before !== undefined && (!isUrl || Date.now() - before.readAtMs < METADATA_MAX_AGE_MS))
      return before.idp;
    const current = { idp: read(idp), readAtMs: Date.now() };
    known = current;
    return current.idp.catch((error: unknown) => {
      // The next login tries again.
      if (known === current) known = before;
      if (before === undefined) throw error;
      logger.warn({ err: error, provider: id }, "SAML metadata not read, the previous is used");
      return before.idp;
    });
  };

  return {
    find,

    /** @throws {ConfigError} when the XML in the settings is unusable */
    async check(): Promise<void> {
      if (isUrl) return;
      await find().catch((error: unknown) => {
        throw new ConfigError(`SAML_PROVIDERS: the metadata of ${id} ${(error as Error).message}`);
      });
    },
  };
}

interface Element {
  $?: Record<string, string>;
  _?: string;
  [child: string]: unknown;
}

const children = (element: Element | undefined, name: string): Element[] =>
  (element?.[name] as Element[] | undefined) ?? [];

/** @throws {Error} that continues a sentence about the metadata */
async function parseMetadata(xml: string): Promise<Idp> {
  const { Parser, processors } = await import("xml2js");
  const parser = new Parser({ explicitCharkey: true, tagNameProcessors: [processors.stripPrefix] });
  const parsed = await parser.parseStringPromise(xml).catch((error: unknown) => {
    throw new Error(`isn't XML: ${(error as Error).message.split("\n")[0]}`);
  });
  const provider = (parsed as Record<string, Element> | null)?.["EntityDescriptor"];
  const entityId = provider?.$?.["entityID"];
  if (entityId === undefined) throw new Error("has no EntityDescriptor with an entityID");
  const [idp] = children(provider, "IDPSSODescriptor");
  if (idp === undefined) throw new Error("has no IDPSSODescriptor: it isn't that of an identity provider");
  const ssoUrl = children(idp, "SingleSignOnService").find(({ $ }) => $?.["Binding"] === REDIRECT)?.$?.[
    "Location"
  ];
  if (ssoUrl === undefined || !/^https?:/i.test(ssoUrl) || !URL.canParse(ssoUrl))
    throw new Error("has no SingleSignOnService with the binding HTTP-Redirect and a URL");
  const certificates = children(idp, "KeyDescriptor")
    .filter(({ $ }) => $?.["use"] !== "encryption")
    .flatMap((key) => children(key, "KeyInfo"))
    .flatMap((info) => children(info, "X509Data"))
    .flatMap((data) => children(data, "X509Certificate"))
    .map(({ _: text = "" }) => text.replaceAll(/\s/g, ""));
  if (certificates.length === 0) throw new Error("has no certificate for signatures");
  return { entityId, ssoUrl, certificates };
}
