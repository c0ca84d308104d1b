import { randomInt } from "node:crypto";
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { stringify } from "yaml";
import { findFaults } from "./faults.ts";
import { evaluateTemplate } from "./template.ts";

const TEMPLATE = new URL("template/fanfare/index.yaml", import.meta.url);
const USAGE = `node docker/sealos/evaluate.ts --image <name> [--set input=value ...] [--namespace ns] [--domain domain]

Prints the YAML that the Sealos app store would apply. Problems go to stderr, with exit code 1.
`;
const ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789";

const { values } = parseArgs({
  options: {
    image: { type: "string" },
    set: { type: "string", multiple: true, default: [] },
    namespace: { type: "string", default: "ns-sample" },
    domain: { type: "string", default: "cloud.example.org" },
    help: { type: "boolean", default: false },
  },
});

if (values.help || values.image === undefined) {
  process.stdout.write(USAGE);
  process.exit(values.help ? 0 : 1);
}
const inputs = values.set.map((pair) => {
  const at = pair.indexOf("=");
  return [pair.slice(0, at), pair.slice(at + 1)] as const;
});
const { template, resources } = evaluateTemplate(readFileSync(TEMPLATE, "utf8"), {
  inputs: { ...Object.fromEntries(inputs), image: values.image },
  system: {
    SEALOS_NAMESPACE: values.namespace,
    SEALOS_CLOUD_DOMAIN: values.domain,
    SEALOS_CERT_SECRET_NAME: "wildcard-cert",
    SEALOS_SERVICE_ACCOUNT: values.namespace.replace(/^ns-/, ""),
  },
  random: (length) => Array.from({ length }, () => ALPHABET[randomInt(ALPHABET.length)]).join(""),
});
process.stdout.write(resources.map((resource) => stringify(resource)).join("---\n"));
const faults = findFaults(template, resources);
for (const fault of faults) process.stderr.write(`${fault}\n`);
process.exitCode = faults.length > 0 ? 1 : 0;
