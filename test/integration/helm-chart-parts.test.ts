import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { loadConfig } from "@fanfare/kernel";
import { hasLiveKit, isInstalled } from "@fanfare/testing";
import { beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import {
  CASE_NAMES,
  CHART_FOLDER,
  renderChart,
  type Case,
  type KubernetesObject,
} from "../../docker/kubernetes/render-chart.ts";
import { livekitPorts } from "../../docker/test/livekit-ports.ts";
import { environments, isSubset, named, podsOf } from "./chart-objects.ts";

const PROJECT_FOLDER = join(CHART_FOLDER, "../../..");

describe.skipIf(!isInstalled("helm"))("objects of the Helm chart", () => {
  const rendered = {} as Record<Case, KubernetesObject[]>;
  beforeAll(async () => {
    for (const name of CASE_NAMES) rendered[name] = await renderChart(name);
  });

  test("give a pod enough time to shut down", () => {
    const source = readFileSync(join(PROJECT_FOLDER, "services/node/src/run-program.ts"), "utf8");
    const stopSeconds = Number(/STOP_TIMEOUT_MS = ([\d_]+);/.exec(source)?.[1]?.replaceAll("_", "")) / 1000;
    expect(stopSeconds).toBeGreaterThan(0);
    for (const { template } of environments(rendered.production)) {
      const preStop = template.spec.containers[0].lifecycle?.preStop.sleep.seconds ?? 0;
      // Removing a gateway from the Service takes a moment; workers are in none.
      expect(preStop > 0).toBe(template.metadata.labels["fanfare/role"] === "gateway");
      expect(template.spec.terminationGracePeriodSeconds).toBeGreaterThan(preStop + stopSeconds);
    }
  });

  test.each([
    ["trial", ["gateway", "mongodb", "nats", "redis", "worker"]],
    ["production", ["core", "gateway", "side"]],
    ["least", ["gateway", "worker"]],
  ] as const)("contain %s only %s", (name, parts) => {
    const names = podsOf(rendered[name]).map((pods) => pods.name.replace("chat-fanfare-", ""));
    expect(names.toSorted()).toEqual(parts);
  });

  test("keep all but one pod of a role through a disruption, and let a single pod be moved", () => {
    const budgets = (name: Case) => named(rendered[name], "PodDisruptionBudget");
    expect(budgets("trial")).toEqual({});
    for (const name of ["production", "everything"] as const) {
      const roles = environments(rendered[name]).map((role) => role.name);
      expect(Object.keys(budgets(name)).toSorted()).toEqual(roles.toSorted());
      for (const spec of Object.values(budgets(name)))
        expect(spec).toMatchObject({ maxUnavailable: 1, unhealthyPodEvictionPolicy: "AlwaysAllow" });
    }
  });

  test("spread the pods of each role over zones and nodes", () => {
    for (const { template } of environments(rendered.production)) {
      const constraints = template.spec.topologySpreadConstraints as KubernetesObject[];
      expect(constraints.map((one) => one["topologyKey"])).toEqual([
        "topology.kubernetes.io/zone",
        "kubernetes.io/hostname",
      ]);
      for (const { labelSelector } of constraints)
        expect(template.metadata.labels).toMatchObject(labelSelector.matchLabels);
    }
  });

  test("probe the ops port, and give a migration unlimited time", () => {
    for (const { template } of environments(rendered.least)) {
      const { startupProbe, livenessProbe, readinessProbe, ports } = template.spec.containers[0];
      const paths = [startupProbe, livenessProbe, readinessProbe].map(({ httpGet }) => httpGet);
      // A process that migrates is alive but not ready: nothing kills it, and the rollout doesn't count as failed.
      expect(paths).toEqual(["/livez", "/livez", "/readyz"].map((path) => ({ path, port: "ops" })));
      expect(ports).toContainEqual({ name: "ops", containerPort: 3001, protocol: "TCP" });
      expect(startupProbe.periodSeconds * startupProbe.failureThreshold).toBeGreaterThanOrEqual(120);
    }
  });

  test("have the variables of a role and of all, also false and 0", async () => {
    const objects = await renderChart("production", {
      env: { TRUST_PROXY: false, LINK_PREVIEWS: true, RETENTION_MAX_DAYS: 7 },
      workers: { side: { env: { LINK_PREVIEWS: false, RETENTION_MAX_DAYS: 0 } } },
    });
    const variables = Object.fromEntries(
      environments(objects).map(({ name, env }) => [
        name,
        [env["TRUST_PROXY"], env["LINK_PREVIEWS"], env["RETENTION_MAX_DAYS"]],
      ]),
    );
    expect(variables).toMatchObject({
      "chat-fanfare-core": ["false", "true", "7"],
      "chat-fanfare-side": ["false", "false", "0"],
    });
  });

  test("read secret variables from the Secret, and have as much temporary space as wanted", async () => {
    const objects = await renderChart("least", {
      secretEnv: { PLUGIN_GITHUB_TOKEN: "github-token" },
      tmp: { size: "100Gi", storageClassName: "fast" },
    });
    const pods = environments(objects);
    expect(pods.length).toBe(2);
    for (const { template } of pods) {
      expect(template.spec.containers[0].env).toContainEqual({
        name: "PLUGIN_GITHUB_TOKEN",
        valueFrom: { secretKeyRef: { name: "fanfare", key: "github-token" } },
      });
      const [tmp] = template.spec.volumes;
      expect(tmp.ephemeral.volumeClaimTemplate.spec).toMatchObject({
        storageClassName: "fast",
        resources: { requests: { storage: "100Gi" } },
      });
    }
  });

  test("preserve the addresses of clients that come through a load balancer", async () => {
    const values = { gateway: { service: { type: "LoadBalancer" } } };
    const [service] = Object.values(named(await renderChart("least", values), "Service"));
    expect(service).toMatchObject({ type: "LoadBalancer", externalTrafficPolicy: "Local" });
    expect(Object.values(named(rendered.least, "Service"))[0]).not.toHaveProperty("externalTrafficPolicy");
  });

  test("let only clients reach the gateways' port, and only monitoring the ops ports", () => {
    const policies = named(rendered.production, "NetworkPolicy");
    const gateways = policies["chat-fanfare-gateways"]!["ingress"] as KubernetesObject[];
    const workers = policies["chat-fanfare-workers"]!["ingress"] as KubernetesObject[];
    const space = (name: string) => [
      { namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": name } } },
    ];
    const ops = { ports: [{ port: "ops", protocol: "TCP" }], from: space("monitoring") };
    expect(gateways).toEqual([{ ports: [{ port: "http", protocol: "TCP" }], from: space("gateways") }, ops]);
    expect(workers).toEqual([ops]);
    for (const spec of Object.values(policies)) expect(spec["policyTypes"]).toEqual(["Ingress", "Egress"]);
  });

  test("let only workers reach the internet, and no private networks", () => {
    const policies = named(rendered.production, "NetworkPolicy");
    const blocks = (name: string) =>
      (policies[name]!["egress"] as KubernetesObject[])
        .flatMap(({ to = [] }) => to as KubernetesObject[])
        .flatMap(({ ipBlock }) => ipBlock ?? [])
        .filter(({ cidr }) => cidr === "0.0.0.0/0" || cidr === "::/0");
    expect(blocks("chat-fanfare-gateways")).toEqual([]);
    const [v4, v6] = blocks("chat-fanfare-workers");
    expect(v4.except).toEqual(expect.arrayContaining(["10.0.0.0/8", "192.168.0.0/16", "169.254.0.0/16"]));
    expect(v6.except).toEqual(["fc00::/7", "fe80::/10"]);
  });

  test("route an Ingress and an HTTPRoute to the gateways, without a timeout for open connections", () => {
    const service = named(rendered.everything, "Service")["chat-fanfare-gateway"]!;
    const { rules, tls } = named(rendered.everything, "Ingress")["chat-fanfare"]!;
    expect(tls).toEqual([{ hosts: ["chat.example.org"], secretName: "tls" }]);
    expect(rules[0]).toMatchObject({ host: "chat.example.org" });
    const backend = rules[0].http.paths.find(({ path }: KubernetesObject) => path === "/").backend.service;
    expect(backend.name).toBe("chat-fanfare-gateway");
    expect(service["ports"].map(({ name }: KubernetesObject) => name)).toContain(backend.port.name);
    const route = named(rendered.everything, "HTTPRoute")["chat-fanfare"]!;
    expect(route).toMatchObject({ hostnames: ["chat.example.org"], parentRefs: [{ name: "public" }] });
    expect(route["rules"].at(-1)).toMatchObject({
      matches: [{ path: { type: "PathPrefix", value: "/" } }],
      timeouts: { request: "0s", backendRequest: "0s" },
      backendRefs: [{ name: "chat-fanfare-gateway", port: service["ports"][0].port }],
    });
  });

  test("read secrets from a component's own Secret, or else from the shared one", () => {
    const from = (container: KubernetesObject) =>
      Object.fromEntries(
        (container["env"] as KubernetesObject[])
          .filter(({ valueFrom }) => valueFrom !== undefined)
          .map(({ name, valueFrom }) => [
            name,
            `${valueFrom.secretKeyRef.name}/${valueFrom.secretKeyRef.key}`,
          ]),
      );
    const worker = environments(rendered.everything).find(({ name }) => name.endsWith("-worker"))!;
    expect(from(worker.template.spec.containers[0])).toEqual({
      TOKEN_SECRET: "tokens/TOKEN_SECRET",
      TOKEN_SECRET_PREVIOUS: "tokens/OLD",
      REDIS_URL: "all/REDIS_URL",
      MONGO_URL: "all/MONGO_URL",
      S3_ACCESS_KEY_ID: "all/S3_ACCESS_KEY_ID",
      S3_SECRET_ACCESS_KEY: "all/S3_SECRET_ACCESS_KEY",
      SMTP_URL: "all/SMTP_URL",
      OIDC_CLIENT_SECRET: "all/OIDC_CLIENT_SECRET",
      OIDC_PROVIDERS: "all/PROVIDERS",
      LDAP_BIND_PASSWORD: "all/LDAP_BIND_PASSWORD",
      SCIM_TOKEN: "all/SCIM_TOKEN",
      FCM_SERVICE_ACCOUNT: "all/FIREBASE",
      APNS_KEY: "all/APPLE",
      LIVEKIT_KEY: "all/LIVEKIT_KEY",
      LIVEKIT_SECRET: "all/LIVEKIT_SECRET",
      OTEL_EXPORTER_OTLP_HEADERS: "all/COLLECTOR",
    });
    expect(worker.env["NATS_URL"]).toBe("nats://nats.data:4222");
  });

  test("run LiveKit with the key of Fanfare, behind the path that browsers use", () => {
    const { template } = podsOf(rendered.everything).find(({ name }) => name === "chat-fanfare-livekit")!;
    const [container] = template.spec.containers;
    const env = Object.fromEntries(container.env.map(({ name, value }: KubernetesObject) => [name, value]));
    expect(parse(env.LIVEKIT_KEYS)).toEqual({ "$(LIVEKIT_KEY)": "$(LIVEKIT_SECRET)" });
    const { port, rtc, turn, webhook } = parse(env.LIVEKIT_CONFIG);
    expect(rtc).toEqual({ udp_port: 7882, tcp_port: 7881, use_external_ip: true });
    expect(webhook.urls).toEqual(["https://chat.example.org/api/livekit/webhook"]);
    const portOf = (of: string) =>
      container.ports.find(({ name }: KubernetesObject) => name === of).containerPort as number;
    expect([port, rtc.udp_port, rtc.tcp_port, turn.udp_port, turn.tls_port]).toEqual(
      ["http", "media-udp", "media-tcp", "turn-udp", "turn-tls"].map(portOf),
    );
    expect(`${container.volumeMounts[0].mountPath}/tls.crt`).toBe(turn.cert_file);

    const { paths } = named(rendered.everything, "Ingress")["chat-fanfare"]!["rules"][0].http;
    const [route] = named(rendered.everything, "HTTPRoute")["chat-fanfare"]!["rules"];
    expect(paths[0]).toMatchObject({ path: "/rtc", backend: { service: { name: "chat-fanfare-livekit" } } });
    expect(route).toMatchObject({
      matches: [{ path: { type: "PathPrefix", value: "/rtc" } }],
      backendRefs: [{ name: "chat-fanfare-livekit", port }],
    });
    for (const { env: settings } of environments(rendered.everything))
      expect(settings).toMatchObject({
        LIVEKIT_URL: "wss://chat.example.org",
        LIVEKIT_SERVER_URL: `http://chat-fanfare-livekit:${port}`,
      });
  });

  test.skipIf(!hasLiveKit())("have a configuration that LiveKit accepts", async () => {
    // Without an address, LiveKit would look for its own.
    const objects = await renderChart("everything", { livekit: { nodeIp: "203.0.113.7" } });
    const { template } = podsOf(objects).find(({ name }) => name === "chat-fanfare-livekit")!;
    const variables = template.spec.containers[0].env as KubernetesObject[];
    const env = Object.fromEntries(variables.map(({ name, value }) => [name, value ?? "given"]));
    expect(livekitPorts(env)).toEqual([7880, 7881, 5349, 7882, 3478]);
  });

  test("use a LiveKit that runs elsewhere, or none", async () => {
    const url = "wss://calls.example.org";
    const objects = await renderChart("least", { livekit: { url, existingSecret: "calls" } });
    expect(podsOf(objects).length).toBe(podsOf(rendered.least).length);
    for (const { env } of environments(objects)) {
      expect(env["LIVEKIT_URL"]).toBe(url);
      expect(env["LIVEKIT_KEY"]).toBeDefined();
      expect(env["LIVEKIT_SERVER_URL"]).toBeUndefined();
    }
    for (const { env } of environments(rendered.least))
      expect(Object.keys(env).filter((name) => name.startsWith("LIVEKIT"))).toEqual([]);
  });

  test("configure tracing only if requested", () => {
    for (const { env, name } of environments(rendered.everything)) {
      const config = loadConfig(env);
      expect({ name, ...config.tracing }).toEqual({
        name,
        endpoint: "http://collector.monitoring:4318",
        headers: { key: "value" },
        sampleRatio: 0.05,
        serviceName: "chat-fanfare",
      });
    }
    for (const { env } of environments(rendered.production)) expect(loadConfig(env).tracing).toBeUndefined();
  });

  test("let Prometheus scrape every process", () => {
    const { selector, endpoints } = named(rendered.everything, "ServiceMonitor")["chat-fanfare"]!;
    const services = rendered.everything.filter(
      ({ kind, metadata }) => kind === "Service" && isSubset(selector.matchLabels, metadata.labels),
    );
    expect(services.map(({ metadata }) => metadata.name)).toEqual(["chat-fanfare-ops"]);
    const [{ spec }] = services as [KubernetesObject];
    expect(spec.ports.map(({ name }: KubernetesObject) => name)).toContain(endpoints[0].port);
    const pods = named(rendered.production, "PodMonitor")["chat-fanfare"]!;
    expect(pods["podMetricsEndpoints"][0].port).toBe("ops");
    for (const { template } of environments(rendered.everything))
      expect(isSubset(spec.selector, template.metadata.labels)).toBe(true);
    for (const { template } of environments(rendered.production))
      expect(isSubset(pods["selector"].matchLabels, template.metadata.labels)).toBe(true);
  });

  test("scale gateways by a metric that they expose, and workers by CPU", () => {
    const metrics = rendered.everything
      .filter(({ kind }) => kind === "HorizontalPodAutoscaler")
      .map(({ metadata, spec }) => [
        metadata.name,
        spec.metrics[0].pods?.metric.name ?? spec.metrics[0].resource.name,
      ]);
    expect(metrics).toEqual([
      ["chat-fanfare-gateway", "fanfare_connections"],
      ["chat-fanfare-worker", "cpu"],
    ]);
    const source = readFileSync(join(PROJECT_FOLDER, "services/gateway/src/metrics.ts"), "utf8");
    expect(source).toContain('name: "fanfare_connections"');
  });

  test("include every dashboard and every rule", () => {
    const files = (kind: string) =>
      globSync(`docker/monitoring/${kind}/*`, { cwd: PROJECT_FOLDER }).map((path) =>
        parse(readFileSync(join(PROJECT_FOLDER, path), "utf8")),
      );
    const maps = rendered.everything.filter(({ kind }) => kind === "ConfigMap");
    const dashboards = maps
      .flatMap(({ data }) => Object.values<string>(data))
      .map((text) => JSON.parse(text));
    expect(dashboards.length).toBeGreaterThan(3);
    expect(dashboards).toEqual(expect.arrayContaining(files("dashboards")));
    for (const { metadata } of maps) expect(metadata.labels).toMatchObject({ grafana_dashboard: "1" });
    const rules = Object.values(named(rendered.everything, "PrometheusRule"));
    expect(rules).toEqual(files("rules"));
    expect(maps.length).toBe(files("dashboards").length);
  });
});
