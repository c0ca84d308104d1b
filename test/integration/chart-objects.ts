import { generateKeyPairSync } from "node:crypto";
import type { KubernetesObject } from "../../docker/kubernetes/render-chart.ts";

const pem = {
  publicKeyEncoding: { type: "spki", format: "pem" },
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
} as const;
const firebase = generateKeyPairSync("rsa", { modulusLength: 2048, ...pem });
const apple = generateKeyPairSync("ec", { namedCurve: "P-256", ...pem });

const SAMPLE_SECRETS: Record<string, string> = {
  TOKEN_SECRET: "k8Qz3vWm7Rt2Yb9Lx5Np4Hc6Jd1Fs0GaUe",
  TOKEN_SECRET_PREVIOUS: "p".repeat(32),
  OTEL_EXPORTER_OTLP_HEADERS: "key=value",
  OIDC_PROVIDERS:
    '[{"id":"other","name":"Other","issuer":"https://other.example","clientId":"chat","clientSecret":"x"}]',
  MONGO_URL: "mongodb://user:password@db/fanfare",
  NATS_URL: "nats://nats:4222",
  REDIS_URL: "redis://redis:6379",
  SCIM_TOKEN: "t".repeat(32),
  LIVEKIT_SECRET: "l".repeat(32),
  FCM_SERVICE_ACCOUNT: JSON.stringify({
    project_id: "p",
    client_email: "a@b",
    private_key: firebase.privateKey,
  }),
  APNS_KEY: apple.privateKey,
  SMTP_URL: "smtps://mail.example.org",
};

/** The pod template of each Deployment and StatefulSet. */
export const podsOf = (objects: KubernetesObject[]) =>
  objects
    .filter(({ kind }) => kind === "Deployment" || kind === "StatefulSet")
    .map((object) => ({ name: object["metadata"].name as string, template: object["spec"].template }));

/** The environment of Fanfare's own pods, with sample values for Secrets. */
export function environments(objects: KubernetesObject[]) {
  return podsOf(objects)
    .filter(({ template }) => template.metadata.labels["app.kubernetes.io/part-of"] === "fanfare")
    .map(({ name, template }) => {
      const variables = template.spec.containers[0].env as KubernetesObject[];
      const valueOf = (variable: KubernetesObject): string =>
        variable["value"] ?? SAMPLE_SECRETS[variable["name"]] ?? "sample";
      return {
        name,
        template,
        env: Object.fromEntries(variables.map((variable) => [variable["name"], valueOf(variable)])),
      };
    });
}

/** The selected part of all objects of a kind, by name. */
export const named = (objects: KubernetesObject[], of: string): Record<string, KubernetesObject> =>
  Object.fromEntries(
    objects.filter(({ kind }) => kind === of).map(({ metadata, spec }) => [metadata.name, spec]),
  );

/** Whether a selector with labels `part` matches an object with labels `whole`. */
export const isSubset = (part: Record<string, string>, whole: Record<string, string>): boolean =>
  Object.entries(part).every(([key, value]) => whole[key] === value);
