/** The real backend with the built web app, on a database with a month of earnings, and a browser in front of it. */
import * as BunServices from "@effect/platform-bun/BunServices"
import { Clock, Context, Effect, Layer, Option, Schema } from "effect"
import type { Browser, BrowserContext, Page } from "playwright-core"
import { encodeAbiParameters, keccak256, stringToHex } from "viem"
import type { Chain } from "../../src/domain/Chain.ts"
import * as Address from "../../src/domain/Address.ts"
import type { Hash, Hex } from "../../src/domain/Hex.ts"
import * as Ports from "../../src/devnet/Ports.ts"
import { eventId, SweepEvent, type SweepStatus } from "../../src/domain/SweepEvent.ts"
import { Chains, type ChainClient, UnsupportedChain } from "../../src/ports/shared/Chains.ts"
import { Ledger } from "../../src/ports/builder/Ledger.ts"
import { RevenueBook } from "../../src/ports/builder/RevenueBook.ts"
import * as WebAssets from "../../src/server/web/WebAssets.ts"
import { closeContext, newContext, open } from "./Browser.ts"
import * as Harness from "../server/builder/Harness.ts"
import * as FakeChain from "../support/FakeChain.ts"
import { migratedDatabase } from "../support/Postgres.ts"
import * as WebApp from "../support/WebApp.ts"

/** Also at this address on each other chain. */
export const usdc = FakeChain.address(0xd1)
const weth = FakeChain.address(0xd3)

/** The wrapped currency is the real one, with which the sweep page compares it. */
const chainOf = (id: number, name: string, explorerUrl: string, wrappedNative: Hex): Chain => ({
  ...FakeChain.chain,
  wrappedNative: Address.of(wrappedNative),
  id,
  name,
  explorerUrl,
  tokens: [
    { chainId: id, address: usdc, symbol: "USDC", name: "USD Coin", decimals: 6 },
    { chainId: id, address: weth, symbol: "WETH", name: "Wrapped Ether", decimals: 18 }
  ]
})

/** Every token balance of the vault: 2,500 USDC, or less of anything finer. */
const holds = () => Effect.succeed(encodeAbiParameters([{ type: "uint256" }], [2_500_000_000n]))

const clientOf = (chain: Chain): ChainClient => ({ ...FakeChain.client({ call: holds }), chain })

const clients: ReadonlyArray<ChainClient> = [
  chainOf(8453, "base", "https://basescan.org", "0x4200000000000000000000000000000000000006"),
  chainOf(42161, "arbitrum", "https://arbiscan.io", "0x82aF49447D8a07e3bd95BD0d56f35241523fBab1")
].map(clientOf)

const chains = Layer.succeed(Chains, {
  all: clients,
  get: (chainId) =>
    Effect.mapError(
      Effect.fromOption(Option.fromUndefinedOr(clients.find(({ chain }) => chain.id === chainId))),
      () => new UnsupportedChain({ chainId })
    )
})

/** Shared by the tests of the app. */
export class Site extends Context.Service<Site, { readonly url: string; readonly browser: Browser }>()(
  "sweep/test/Site"
) {}

const assets = Layer.unwrap(Effect.map(WebApp.directory, (directory) => WebAssets.layer(directory))).pipe(
  Layer.provide(BunServices.layer),
  Layer.orDie
)

/** The app, its backend on a database, and a browser. */
export const layerOn = <A, E, R>(database: Layer.Layer<A, E, R>, options: Harness.Options = {}) =>
  Layer.unwrap(
    Effect.map(Ports.free, (port) => {
      const url = `http://127.0.0.1:${port}`
      const server = Harness.layerOn(database, {
        ...options,
        chains,
        port,
        settings: {
          dashboardOrigins: [url, Harness.DASHBOARD],
          orchestratorUrl: "https://api.example.com",
          siweChainIds: [8453, 42161, Harness.CHAIN_ID],
          ...options.settings
        }
      })
      const site = Layer.effect(
        Site,
        Effect.map(open, (browser) => ({ url, browser }))
      )
      return Layer.mergeAll(server, site).pipe(Layer.provide(assets))
    })
  )

/** The same on a fresh database of the test run. */
export const layer = (options: Harness.Options = {}) => layerOn(migratedDatabase, options)

/** A browser profile of its own, closed with the scope. Errors of its pages are collected in `complaints`. */
export const visitor = Effect.fnUntraced(function* (options: Parameters<Browser["newContext"]>[0] = {}) {
  const { browser, url } = yield* Site
  const context: BrowserContext = yield* Effect.acquireRelease(
    newContext(browser, { baseURL: url, permissions: ["clipboard-read", "clipboard-write"], ...options }),
    (opened) => Effect.promise(() => closeContext(opened))
  )
  const page: Page = yield* Effect.promise(() => context.newPage())
  const complaints: Array<string> = []
  page.on("pageerror", (error) => complaints.push(error.message))
  page.on("console", (message) => {
    // Answers such as 401 to a visitor who is not signed in are part of the protocol.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
      complaints.push(message.text())
  })
  return { context, page, complaints }
})

/** A {@link visitor} who is signed in already. */
export const visitorOf = Effect.fnUntraced(function* (cookie: string, options: Parameters<typeof visitor>[0] = {}) {
  const { url } = yield* Site
  const opened = yield* visitor(options)
  const [name = "", value = ""] = cookie.split("=")
  yield* Effect.promise(() => opened.context.addCookies([{ name, value, url, httpOnly: true, secure: true }]))
  return opened
})

const DAY = 86_400_000

/** Sets the time at which something is done. */
const at =
  (ms: number) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.flatMap(Clock.Clock, (clock) => {
      const past: Clock.Clock = Object.create(clock, {
        currentTimeMillisUnsafe: { value: () => ms },
        currentTimeMillis: { value: Effect.succeed(ms) }
      })
      return Effect.provideService(effect, Clock.Clock, past)
    })

/** The orchestrator of the deployment, which the pages may ask; nothing answers there but what a test makes answer. */
export const orchestratorUrl = "https://api.example.com/"

/** Has the orchestrator price USDC on base at a dollar, and nothing else. */
export const priceUsdc = (page: Page) =>
  Effect.promise(() =>
    page.route(`${orchestratorUrl}prices`, (route) =>
      route.fulfill({
        json: { prices: [{ chainId: 8453, address: usdc, priceUsd: "1" }], updatedAtMs: 0 },
        headers: { "access-control-allow-origin": "*" }
      })
    )
  )

const hashOf = (name: string): Hash => keccak256(stringToHex(name))

/** A month of sweeps: more on some days than on others, two tokens, the older ones paid by their own sweeps. */
export const earnForAMonth = Effect.fnUntraced(function* (builderId: string) {
  const ledger = yield* Ledger
  const book = yield* RevenueBook
  const now = yield* Clock.currentTimeMillis
  for (let day = 29; day >= 0; day--) {
    const sweeps = 1 + ((day * 7) % 5)
    for (let index = 0; index < sweeps; index++) {
      const txHash = hashOf(`${builderId} ${day} ${index}`)
      const settledAtMs = now - day * DAY - (sweeps - index) * 900_000
      const isNative = (day + index) % 4 === 0
      const token = isNative ? weth : usdc
      const chainId = index % 3 === 2 ? 42161 : 8453
      const unit = isNative ? 410_000_000_000_017n : 1_234_567n
      const amount = unit * BigInt(3 + ((day * 13 + index * 5) % 17) + (30 - day))
      yield* ledger
        .accrue({
          builderId,
          sweepId: `${txHash}_${index}`,
          token,
          amount,
          chainId,
          ...(day > 12 ? { paidTxHash: txHash } : {}),
          // A dollar each. Before, and for other tokens, the price at the settlement is not known.
          ...(!isNative && day <= 20
            ? { usd: `${amount / 1_000_000n}.${String(amount % 1_000_000n).padStart(6, "0")}` }
            : {})
        })
        .pipe(at(settledAtMs))
      yield* book.book({ sweepId: `${txHash}_${index}`, chainId, token, amount: amount * 2n, txHash, settledAtMs })
    }
  }
})

/** The markup of a sweep that {@link reportSweep} reported, as the orchestrator books it. */
export const earnFrom = Effect.fnUntraced(function* (builderId: string, id: string) {
  const ledger = yield* Ledger
  const txHash = hashOf(`tx ${id}`)
  yield* Effect.orDie(
    ledger.accrue({ builderId, sweepId: `${txHash}_0`, token: usdc, amount: 75_000n, chainId: 8453, usd: "0.075" })
  )
  return { txHash }
})

const encodeEvent = Schema.encodeSync(SweepEvent)

const WAYS: ReadonlyArray<ReadonlyArray<SweepStatus>> = [
  ["submitted", "settled_source", "delivered"],
  ["submitted", "settled_source", "delivered"],
  ["submitted", "settled_source", "delivered"],
  ["submitted", "failed"],
  ["submitted", "settled_source", "delivered"]
]

/** When a sweep reaches a status, after it was submitted. */
const AFTER_MILLIS = { submitted: 0, settled_source: 4_200, delivered: 9_700, failed: 61_000 } as const

export interface ReportedSweep {
  readonly id: string
  readonly statuses: ReadonlyArray<SweepStatus>
  readonly atMs: number
  readonly crossChain?: boolean
}

/** Reports a sweep of 25 USDC to WETH as the orchestrator would. */
export const reportSweep = Effect.fnUntraced(function* (
  builderId: string,
  { atMs, crossChain = false, id, statuses }: ReportedSweep
) {
  for (const status of statuses) {
    const event: SweepEvent = {
      id: eventId(id, status),
      builderId,
      intentId: id,
      status,
      ...(status === "failed" ? { failureReason: "expired" } : {}),
      occurredAtMs: atMs + AFTER_MILLIS[status],
      owner: FakeChain.address(0x0a),
      sourceChainId: 8453,
      destChainId: crossChain ? 42161 : 8453,
      crossChain,
      tokenIn: usdc,
      amountIn: 25_000_000n,
      tokenOut: weth,
      minAmountOut: 9_850_000_000_000_000n,
      builderFee: 75_000n,
      ...(status === "submitted" ? {} : { txHash: hashOf(`tx ${id}`) }),
      ...(status === "delivered" ? { deliveryTxHash: hashOf(`${crossChain ? "delivery" : "tx"} ${id}`) } : {})
    }
    yield* Harness.asAdmin("POST /sweep-events", { body: encodeEvent(event) })
  }
})

/** Sweeps of the last month, every third over the bridge, every fifth failed, the newest still on its way. Default: 60. */
export const sweepForAMonth = Effect.fnUntraced(function* (builderId: string, count = 60) {
  const now = yield* Clock.currentTimeMillis
  const ids = Array.from({ length: count }, (_, index) => `${builderId}-sweep-${index}`)
  yield* Effect.forEach(
    ids,
    (id, index) =>
      reportSweep(builderId, {
        id,
        statuses: index === 0 ? ["submitted", "settled_source"] : (WAYS[index % WAYS.length] ?? []),
        atMs: now - index * 11 * 3_600_000 - 90_000,
        crossChain: index % 3 === 0
      }),
    { concurrency: 8, discard: true }
  )
  return ids
})
