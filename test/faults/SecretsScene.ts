/** Both services as processes whose every secret is a canary, between services and nodes that repeat what they are asked. */
import * as BunServices from "@effect/platform-bun/BunServices"
import { Effect, FileSystem, Layer, Path } from "effect"
import { documented } from "../../src/config/Settings.ts"
import * as Ports from "../../src/devnet/Ports.ts"
import * as FakeChain from "../support/FakeChain.ts"
import type { Canary } from "../support/Canaries.ts"
import * as OrchestratorProcess from "../support/OrchestratorProcess.ts"
import { TestDatabase, testDatabaseUrl } from "../support/Postgres.ts"

const random = (bytes: number): string => Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString("hex")

/** A secret that looks like nothing else. */
export const made = (name: string): Canary => ({ name, secret: `canary-${random(12)}` })

/** Settings whose secrets are keys. */
const KEYS = new Set(["RELAYER_KEYS", "FEE_RECIPIENT_KEY", "SECRETS_KEY", "SECRETS_FORMER_KEY"])

const settings = documented
  .filter(({ group }) => ["All services", "Orchestrator", "Builder backend"].includes(group))
  .flatMap((group) => group.settings)

/** Setting whose secret has the form of Standard Webhooks. */
const SIGNING = "ALERT_WEBHOOK_SECRET"

const canaryOf = (name: string): Canary => {
  if (KEYS.has(name)) return { name, secret: `0x${random(32)}` }
  return name === SIGNING ? { name, secret: `whsec_${btoa(random(16))}` } : made(name)
}

/** A canary in each secret setting, so that a new one is watched too. The scene has the URLs of its own database. */
const secrets: ReadonlyArray<Canary> = settings
  .filter(({ name, secret }) => secret && !/^DATABASE_(?:LISTEN_)?URL$/.test(name))
  .map(({ name }) => canaryOf(name))

const RPC_KEY = made("key in the URL of a node")
const DATABASE_PASSWORD = made("password of the database")
const OFAC_KEY = made("key in the URL of a list")

export const canaries = [...secrets, RPC_KEY, DATABASE_PASSWORD, OFAC_KEY]

export const secretOf = (name: string): string => canaries.find((each) => each.name === name)?.secret ?? ""

/** Everything that the collector was sent, by path. */
export interface Collected {
  readonly path: string
  readonly body: string
}

/** Answers every request with an error that repeats it: its URL, its headers and its body. Takes what is exported. */
const echo = Effect.acquireRelease(
  Effect.sync(() => {
    const collected: Array<Collected> = []
    const asked: Array<string> = []
    const server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: async (request) => {
        const body = await request.text()
        const { pathname } = new URL(request.url)
        if (pathname.startsWith("/v1/")) {
          collected.push({ path: pathname, body })
          return Response.json({})
        }
        asked.push(pathname)
        const said = `${request.url} ${JSON.stringify([...request.headers])} ${body}`
        if (!pathname.startsWith("/rpc/")) return Response.json({ error: said, message: said }, { status: 401 })
        const calls: unknown = JSON.parse(body)
        const refused = (id: unknown) => ({
          jsonrpc: "2.0",
          id,
          error: { code: -32_000, message: `no access: ${said}` }
        })
        const idOf = (call: unknown) => (typeof call === "object" && call !== null && "id" in call ? call.id : null)
        return Response.json(Array.isArray(calls) ? calls.map((call) => refused(idOf(call))) : refused(idOf(calls)))
      }
    })
    return { asked, collected, server, url: `http://127.0.0.1:${server.port}` }
  }),
  ({ server }) => Effect.promise(() => server.stop(true))
)

const chainsFile = Effect.fnUntraced(function* (rpcUrl: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const file = path.join(yield* fs.makeTempDirectoryScoped({ prefix: "sweep-secrets-" }), "chains.json")
  yield* fs.writeFileString(
    file,
    JSON.stringify([{ ...FakeChain.chain, guardOwner: FakeChain.address(0xf3), rpcUrls: [rpcUrl] }])
  )
  return file
})

/** The value of a setting with a canary in it: the canary, or a URL that contains it. Nothing listens where Redis should. */
const valueOf = ({ name, secret }: Canary, upstream: string): string => {
  if (name === "REDIS_URL") return `redis://user:${secret}@127.0.0.1:9`
  return name.endsWith("_URL") ? `${upstream}/${name.toLowerCase()}/${secret}` : secret
}

/** The same database, as a role whose password is a canary. */
const withPassword = (url: string): string => {
  const parsed = new URL(url)
  parsed.password = DATABASE_PASSWORD.secret
  return parsed.href
}

export const make = Effect.gen(function* () {
  const upstream = yield* echo
  const { url } = yield* TestDatabase
  const databaseUrl = withPassword(url)
  const [port, builderPort] = yield* Effect.all([Ports.free, Ports.free])
  const dashboardUrl = "http://dashboard.test"
  const env: Record<string, string> = {
    ...Object.fromEntries(secrets.map((canary) => [canary.name, valueOf(canary, upstream.url)])),
    ALERT_PAGERDUTY_URL: `${upstream.url}/pagerduty`,
    BUILDER_ADMIN_TOKEN: secretOf("ADMIN_TOKEN"),
    ORCHESTRATOR_ADMIN_TOKEN: secretOf("ORCH_ADMIN_TOKEN"),
    OTLP_HEADERS: `x-key=${secretOf("OTLP_HEADERS")}`,
    OTLP_ENDPOINT: upstream.url,
    TRACES_SAMPLED_PERCENT: "100",
    LOG_LEVEL: "All",
    OFAC_SNAPSHOT_URL: `${upstream.url}/sdn.xml?key=${OFAC_KEY.secret}`,
    SUBSCRIPTIONS_URL: `${upstream.url}/subscriptions`,
    ROUTE_PROVIDERS: "0x,kyberswap,lifi",
    BRIDGE_PROVIDERS: "relay,lifi,cctp",
    SELF_SIGNUP_ENABLED: "true",
    DASHBOARD_URL: dashboardUrl,
    WEBHOOKS_ALLOW_PRIVATE: "true",
    SERVE_WEB: "false",
    BUILDER_URL: `http://127.0.0.1:${builderPort}`,
    ORCHESTRATOR_URL: `http://127.0.0.1:${port}`,
    ACROSS_FIXED_FEE_BPS: ""
  }
  for (const { name } of settings) if (name.endsWith("_API_URL")) env[name] = `${upstream.url}/${name.toLowerCase()}`
  const common = {
    chainsFile: yield* chainsFile(`${upstream.url}/rpc/${RPC_KEY.secret}`),
    databaseUrl,
    relayerKeys: []
  }
  const start = (options: Partial<OrchestratorProcess.Options>, changes: Readonly<Record<string, string>> = {}) =>
    OrchestratorProcess.start({ ...common, port, ...options, env: { ...env, ...changes } })
  return { builderPort, dashboardUrl, start, upstream }
})

export const layer = Layer.mergeAll(testDatabaseUrl, BunServices.layer)
