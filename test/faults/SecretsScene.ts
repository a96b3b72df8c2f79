/** Both services as processes whose every secret is a canary, between services and nodes that repeat what they are asked. */
import * as BunServices from "@effect/platform-bun/BunServices"
import { Effect, FileSystem, Layer, Path } from "effect"
import { type Hex, numberToHex, pad, toFunctionSelector } from "viem"
import { documented } from "../../src/config/Settings.ts"
import * as DevChain from "../../src/devnet/DevChain.ts"
import * as Ports from "../../src/devnet/Ports.ts"
import { Script } from "../../src/devnet/Script.ts"
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

/** Returns the storage slot of the called function, whatever its arguments: `sload(selector)`. */
const STORED_ANSWERS: Hex = "0x60003560e01c5460005260206000f3"

/** Deploys it. */
const CREATION: Hex = `0x600f600c600039600f6000f3${STORED_ANSWERS.slice(2)}`

/** Contracts that the guard of a chain lists, for services that are asked for routes there. */
const withRouters = (): DevChain.Extras => {
  const before = new Script(FakeChain.address(0x5c))
  const targets = ["0x", "kyberswap", "lifi"].map((name) => ({
    address: before.deploy(name, CREATION),
    kind: "router" as const,
    name
  }))
  return { before, after: [], routers: targets.map(({ address }) => address), chain: { targets }, tokens: [] }
}

/** Gives `dev` a messenger of Circle, at the address of a contract that its guard lists. */
const withMessenger = (dev: DevChain.DevChain, other: DevChain.DevChain) =>
  dev.node.ask("install Circle's messenger", async (node) => {
    const address = dev.spokePoolPeriphery
    const answers: Readonly<Record<string, Hex>> = {
      "localMessageTransmitter()": address,
      "localMinter()": address,
      "localDomain()": numberToHex(dev.chain.id),
      "remoteTokenMessengers(uint32)": other.spokePoolPeriphery,
      "burnLimitsPerMessage(address)": numberToHex(10n ** 18n),
      "getLocalToken(uint32,bytes32)": dev.tokens.USDC
    }
    await node.setCode({ address, bytecode: STORED_ANSWERS })
    await Promise.all(
      Object.entries(answers).map(([signature, answer]) =>
        node.setStorageAt({ address, index: pad(toFunctionSelector(signature)), value: pad(answer) })
      )
    )
  })

/** The chain's entry of the chains file. `bridge` names the service whose bridge its SpokePool counts as. */
const entryOf = ({ chain, deployer, rpcUrl, spokePool, spokePoolPeriphery }: DevChain.DevChain, bridge: string) => {
  const { spokePoolPeriphery: _, ...rest } = chain
  const targets = [
    ...(chain.targets ?? []),
    { address: spokePool, kind: "bridge", name: bridge },
    { address: spokePoolPeriphery, kind: "bridge", name: "cctp" }
  ]
  return { ...rest, targets, guardOwner: deployer.address, rpcUrls: [rpcUrl] }
}

/** Two chains whose nodes answer, so that quotes reach every service. Their ids are those of chains that the services know. */
export const goodChains = Effect.gen(function* () {
  const [base, arbitrum] = yield* Effect.all(
    [
      DevChain.start({ id: 8453, name: "base", extras: withRouters() }),
      DevChain.start({ id: 42_161, name: "arbitrum", extras: withRouters() })
    ],
    { concurrency: "unbounded" }
  )
  yield* withMessenger(base, arbitrum)
  yield* withMessenger(arbitrum, base)
  return { arbitrum, base, entries: [entryOf(base, "relay"), entryOf(arbitrum, "lifi")] }
})

export type GoodChains = Effect.Success<typeof goodChains>

/** Settings without the lists that block every quote while their source fails. */
export const UNSCREENED = { OFAC_SNAPSHOT_URL: "", CHAINALYSIS_API_KEY: "" }

const pathOf = (setting: string) => `/${setting.toLowerCase()}`

const API_SETTINGS = settings.map(({ name }) => name).filter((name) => name.endsWith("_API_URL"))

/** Path of each service that a setting names. */
export const API_PATHS = API_SETTINGS.map(pathOf)

const chainsFile = Effect.fnUntraced(function* (rpcUrl: string, more: ReadonlyArray<object>) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const file = path.join(yield* fs.makeTempDirectoryScoped({ prefix: "sweep-secrets-" }), "chains.json")
  yield* fs.writeFileString(
    file,
    JSON.stringify([{ ...FakeChain.chain, guardOwner: FakeChain.address(0xf3), rpcUrls: [rpcUrl] }, ...more])
  )
  return file
})

/** The value of a setting with a canary in it: the canary, or a URL that contains it. Nothing listens where Redis should. */
const valueOf = ({ name, secret }: Canary, upstream: string): string => {
  if (name === "REDIS_URL") return `redis://user:${secret}@127.0.0.1:9`
  return name.endsWith("_URL") ? `${upstream}${pathOf(name)}/${secret}` : secret
}

/** The same database, as a role whose password is a canary. */
const withPassword = (url: string): string => {
  const parsed = new URL(url)
  parsed.password = DATABASE_PASSWORD.secret
  return parsed.href
}

/** `chains`: entries of the chains file beside the chain whose node repeats what it is asked. */
export const make = Effect.fnUntraced(function* (chains: ReadonlyArray<object> = []) {
  const upstream = yield* echo
  const { url } = yield* TestDatabase
  const databaseUrl = withPassword(url)
  const [port, builderPort, quotingPort] = yield* Effect.all([Ports.free, Ports.free, Ports.free])
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
  for (const name of API_SETTINGS) env[name] = `${upstream.url}${pathOf(name)}`
  const common = {
    chainsFile: yield* chainsFile(`${upstream.url}/rpc/${RPC_KEY.secret}`, chains),
    databaseUrl,
    relayerKeys: []
  }
  const start = (options: Partial<OrchestratorProcess.Options>, changes: Readonly<Record<string, string>> = {}) =>
    OrchestratorProcess.start({ ...common, port, ...options, env: { ...env, ...changes } })
  return { builderPort, dashboardUrl, quotingPort, start, upstream }
})

export const layer = Layer.mergeAll(testDatabaseUrl, BunServices.layer)
