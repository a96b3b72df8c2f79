/** The builder backend is away while sweeps go on: nothing is refused, and nothing that was earned is lost. */
import * as BunServices from "@effect/platform-bun/BunServices"
import { assert, describe, it } from "@effect/vitest"
import { Array, Effect, FileSystem, Layer, Logger, Path, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import * as BuilderApp from "../../src/apps/BuilderApp.ts"
import * as OrchestratorApp from "../../src/apps/OrchestratorApp.ts"
import * as Accounts from "../../src/devnet/Accounts.ts"
import * as DevNetwork from "../../src/devnet/DevNetwork.ts"
import * as Ports from "../../src/devnet/Ports.ts"
import { builderDefaults } from "../../src/config/Builder.ts"
import { orchestratorDefaults as defaults } from "../../src/config/Orchestrator.ts"
import { unlimited } from "../support/RateLimits.ts"
import { balanceOf, freshOwner } from "../support/Services.ts"
import * as SweepClient from "../support/SweepClient.ts"

const TOKEN = "the-token-between-the-services"
const HOST = "127.0.0.1"

const silent = Logger.layer([])

/** The network, an orchestrator on it, and a backend that comes and goes. */
const scene = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const root = yield* fs.makeTempDirectoryScoped({ prefix: "sweep-test-" })
  yield* fs.chmod(root, 0o755)
  const network = yield* DevNetwork.start({ directory: path.join(root, ".sweep"), blockSeconds: 1 })
  const [port, builderPort] = yield* Effect.all([Ports.free, Ports.free])
  const shared = {
    chains: network.chains.map(({ chain, rpcUrl }) => ({ chain, rpcUrls: [rpcUrl] })),
    databaseUrl: Redacted.make(network.databaseUrl),
    databasePoolSize: 10,
    host: HOST
  }
  const builderUrl = `http://${HOST}:${builderPort}`
  const backend = BuilderApp.layer({
    ...shared,
    settings: builderDefaults,
    gateway: undefined,
    operations: { missing: [] },
    server: { adminToken: Redacted.make(TOKEN) },
    port: builderPort
  })
  yield* Layer.build(
    OrchestratorApp.layer({
      ...shared,
      relayerKeys: Array.map(Accounts.relayers(), ({ privateKey }) => ({
        kind: "raw",
        key: Redacted.make(privateKey)
      })),
      settings: {
        ...defaults,
        relayer: { ...defaults.relayer, pollMillis: 100 },
        watcher: { ...defaults.watcher, pollMillis: 100 },
        outbox: { ...defaults.outbox, pollMillis: 100 }
      },
      server: { rateLimits: unlimited },
      port,
      acrossFees: { fixedBps: 10 },
      prices: "onchain",
      builderBackend: { url: builderUrl, token: Redacted.make(TOKEN), attributionCacheMillis: 0 }
    })
  )
  const [dev] = network.chains
  if (dev === undefined) return assert.fail("the local network has no chain")
  return {
    backend,
    builderUrl,
    client: SweepClient.make(`http://${HOST}:${port}`),
    place: { dev, info: DevNetwork.describe(dev) }
  }
})

describe("while the builder backend is away", () => {
  it.live("quotes go without a builder, and what was earned is booked when it is back", () =>
    Effect.gen(function* () {
      const { backend, builderUrl, client, place } = yield* scene
      const admin = (request: string, body?: unknown) =>
        Effect.promise(async () => {
          const [method = "GET", path = "/"] = request.split(" ")
          const response = await fetch(`${builderUrl}${path}`, {
            method,
            headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" },
            ...(body === undefined ? {} : { body: JSON.stringify(body) })
          })
          return (await response.json()) as { apiKey?: string; balances?: ReadonlyArray<{ amount: string }> }
        })
      const quoteWith = Effect.fnUntraced(function* (apiKey: string) {
        const owner = yield* freshOwner(place, "DAI", "50")
        const request = { owner: owner.address, chain: place.info, tokenIn: "DAI", amountIn: "50", tokenOut: "USDC" }
        const quote = yield* Effect.promise(() => client.quote({ ...request, apiKey }))
        assert.strictEqual(quote.status, 200, quote.text)
        return { owner, quote, builderId: quote.at<{ builderId?: string }>("quote").builderId }
      })
      const sweep = Effect.fnUntraced(function* ({ owner, quote }: Effect.Success<ReturnType<typeof quoteWith>>) {
        const signed = yield* Effect.promise(() => SweepClient.sign(owner, quote))
        yield* Effect.promise(() => client.submitAccepted(signed))
        const ended = yield* Effect.promise(() => client.ended(signed.quoteId))
        assert.strictEqual(ended.string("status"), "delivered", ended.text)
        return BigInt(quote.string("order.builderFee"))
      })

      const { apiKey, before } = yield* Effect.scoped(
        Effect.gen(function* () {
          yield* Layer.build(backend)
          const registered = yield* admin("POST /builders", {
            id: "away",
            name: "Away",
            builderBps: 20,
            maxBuilderBps: 20,
            payoutAddress: Accounts.builder().address,
            payoutMode: "ledger"
          })
          const key = registered.apiKey ?? ""
          return { apiKey: key, before: yield* quoteWith(key) }
        })
      )
      // It is gone: what was quoted with the builder settles, what is quoted now goes without.
      assert.strictEqual(before.builderId, "away")
      const fee = yield* sweep(before)
      assert.strictEqual(fee, (50n * 10n ** 18n * 20n) / 10_000n)
      const during = yield* quoteWith(apiKey)
      assert.isUndefined(during.builderId)
      assert.strictEqual(yield* sweep(during), 0n)

      yield* Layer.build(backend)
      let owed: string | undefined
      while (owed === undefined) {
        yield* Effect.sleep("100 millis")
        owed = (yield* admin("GET /builders/away/accruals")).balances?.[0]?.amount
      }
      assert.strictEqual(owed, fee.toString())
      assert.strictEqual(yield* balanceOf(place, "DAI", Accounts.builderVault().address), fee)
      assert.strictEqual((yield* quoteWith(apiKey)).builderId, "away")
    }).pipe(Effect.scoped, Effect.provide([BunServices.layer, SecureRandom.layerWebCrypto, silent]))
  )
})
