/** The image's labels, and the settings and limits that `docker-compose.yml` gives each container. */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import packageJson from "../../package.json" with { type: "json" }
import serverJson from "../../server.json" with { type: "json" }
import { documented } from "../../src/config/Settings.ts"

const read = (file: string): string => readFileSync(new URL(`../../${file}`, import.meta.url), "utf8")

const Text = Schema.Union([Schema.String, Schema.Number, Schema.Boolean])

const Compose = Schema.Struct({
  services: Schema.Record(
    Schema.String,
    Schema.Struct({
      environment: Schema.optionalKey(Schema.Record(Schema.String, Text)),
      ports: Schema.optionalKey(Schema.Array(Schema.String)),
      read_only: Schema.Boolean,
      restart: Schema.String,
      security_opt: Schema.Array(Schema.String),
      volumes: Schema.optionalKey(Schema.Array(Schema.String))
    })
  )
})

const { services } = Schema.decodeUnknownSync(Compose)(Bun.YAML.parse(read("docker-compose.yml")))

const namesOf = (...groups: ReadonlyArray<string>): ReadonlyArray<string> =>
  documented.flatMap(({ group, settings }) => (groups.includes(group) ? settings.map(({ name }) => name) : []))

const SHARED = ["All services", "Chains, for all services"]

/** Settings of the client libraries of keys in AWS KMS. */
const OTHERS = new Set(["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"])

/** Settings that the parts of the file have of each other, and those that each service has from a variable of its own. */
const CHOSEN = new Set([
  "HOST",
  "DATABASE_URL",
  "DATABASE_LISTEN_URL",
  "REDIS_URL",
  "CHAINS_FILE",
  "HEARTBEAT_URL",
  "ORCHESTRATOR_PORT",
  "BUILDER_PORT",
  "BUILDER_URL",
  "ADMIN_TOKEN",
  "ORCHESTRATOR_URL",
  "ORCHESTRATOR_ADMIN_TOKEN",
  "OFAC_LAST_LIST_FILE"
])

describe.each([
  ["orchestrator", namesOf(...SHARED, "Orchestrator")],
  ["builder", namesOf(...SHARED, "Builder backend")]
] as const)("the %s of docker-compose.yml", (service, names) => {
  const environment = services[service]?.environment ?? {}
  const volumes = services[service]?.volumes ?? []

  it("gets every setting, and no unknown one", () => {
    assert.deepStrictEqual(
      names.filter((name) => !(name in environment)),
      [],
      "add these settings to docker-compose.yml"
    )
    assert.deepStrictEqual(
      Object.keys(environment).filter((name) => !names.includes(name) && !OTHERS.has(name)),
      []
    )
  })

  it("gets each from the variable of its name, or chosen by the file", () => {
    for (const [name, value] of Object.entries(environment)) {
      if (!CHOSEN.has(name)) assert.match(String(value), new RegExp(`^\\$\\{${name}:[-?+]`), name)
    }
  })

  it("gets each file at the path that it is told", () => {
    for (const [name, value] of Object.entries(environment)) {
      const path = /:\+([^}]+)\}$/.exec(String(value))?.[1]
      if (path !== undefined) assert.include(volumes, `\${${name}:-/dev/null}:${path}:ro`)
    }
  })
})

describe("the file of OFAC_SNAPSHOT", () => {
  it("reaches the orchestrator with its directory, so that a file that is renamed to it is read", () => {
    const service = services["orchestrator"]
    const volumes = service?.volumes ?? []
    assert.strictEqual(service?.environment?.["OFAC_SNAPSHOT"], "${OFAC_SNAPSHOT:-}")
    assert.include(
      volumes,
      "${OFAC_SNAPSHOT_DIRECTORY:-${OFAC_SNAPSHOT:-/dev/null}}:${OFAC_SNAPSHOT_DIRECTORY:-${OFAC_SNAPSHOT:-/config/ofac}}:ro",
      "at the same path as on the host, and without a directory at least the file"
    )
  })
})

describe("the database of docker-compose.yml", () => {
  it("is its own, at once and for notifications", () => {
    for (const name of ["orchestrator", "builder"]) {
      const environment = services[name]?.environment ?? {}
      assert.match(String(environment["DATABASE_URL"]), /^postgres:\/\/sweep:.*@postgres:5432\/sweep$/)
      assert.strictEqual(environment["DATABASE_LISTEN_URL"], "")
    }
  })
})

describe("browsers", () => {
  it("are told the name of the proxy's site for the orchestrator, which they can reach, and not that of its container", () => {
    const { builder, proxy } = services
    assert.strictEqual(builder?.environment?.["ORCHESTRATOR_URL"], "http://orchestrator:8787")
    const site = String(proxy?.environment?.["API_DOMAIN"])
    assert.strictEqual(site, "${API_DOMAIN:-api.localhost}")
    assert.strictEqual(
      builder?.environment?.["PUBLIC_ORCHESTRATOR_URL"],
      `\${PUBLIC_ORCHESTRATOR_URL:-https://${site}}`
    )
    assert.include(read("Caddyfile"), "{$API_DOMAIN:api.localhost} {")
  })

  it("are told a URL that the operator sets on Kubernetes, where the manifest fixes only that of the backend's calls", () => {
    const manifest = read("deploy/kubernetes/builder-backend.yaml")
    assert.include(manifest, `{ name: ORCHESTRATOR_URL, value: "http://orchestrator:8787" }`)
    assert.match(
      manifest,
      /name: PUBLIC_ORCHESTRATOR_URL\n +valueFrom:\n +configMapKeyRef: \{ name: builder-backend-settings, key: PUBLIC_ORCHESTRATOR_URL \}/
    )
  })
})

describe("every container of docker-compose.yml", () => {
  it.each(Object.entries(services))("%s has a read-only root and gains no privileges", (_name, service) => {
    assert.isTrue(service.read_only)
    assert.deepStrictEqual(service.security_opt, ["no-new-privileges:true"])
    assert.strictEqual(service.restart, "unless-stopped")
  })

  it("is out of reach from outside, except for the proxy", () => {
    const open = Object.entries(services).filter(([, { ports = [] }]) =>
      ports.some((port) => !port.startsWith("127.0.0.1:"))
    )
    assert.deepStrictEqual(
      open.map(([name]) => name),
      ["proxy"]
    )
  })
})

describe("the image", () => {
  const dockerfile = read("Dockerfile")

  it("has the labels of this version and of the registry of MCP servers", () => {
    assert.include(dockerfile, `org.opencontainers.image.version="${packageJson.version}"`)
    assert.include(dockerfile, `io.modelcontextprotocol.server.name="${serverJson.name}"`)
    assert.include(dockerfile, `org.opencontainers.image.licenses="${packageJson.license}"`)
  })

  it("runs on the pinned Bun, and not as root", () => {
    const bases = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, base]) => base)
    assert.deepStrictEqual(new Set(bases), new Set([`oven/bun:${packageJson.packageManager.replace("bun@", "")}`]))
    assert.match(dockerfile, /^USER 1000:1000$/m)
  })
})
