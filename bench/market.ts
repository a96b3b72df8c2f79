/**
 * Plays quotes of every token of the replayable market through the HTTP service, and judges them by hindsight: the best of all sales that
 * the market's exchanges and services could have made, each carried out on the node. Then it plays a part again while services lie, die
 * and lag.
 *
 * Quotes are made one after another. The own time of a quote is its time less the time in which the process waited for a node or a
 * service. It includes the service's own database, and the part of this program that asks. The nodes, the services that are played and the
 * database are other processes.
 *
 *     bun bench/market.ts [--tokens N] [--faulty N] [--seed N] [--rate N] [--shapes base,bnb] [--latency MS] [--details 1]
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import * as BunRuntime from "@effect/platform-bun/BunRuntime"
import * as BunServices from "@effect/platform-bun/BunServices"
import { Console, Effect, Logger } from "effect"
import { SecureRandom } from "effect/crypto"
import { FetchHttpClient } from "effect/http"
import * as DevApp from "../src/apps/DevApp.ts"
import * as DevMarket from "../src/apps/DevMarket.ts"
import { orchestratorDefaults } from "../src/config/Orchestrator.ts"
import { MOODS, type Mood } from "../src/devnet/market/Faults.ts"
import * as Market from "../src/devnet/market/Market.ts"
import type { Placed } from "../src/devnet/market/Plan.ts"
import type { ServedChain } from "../src/devnet/market/Services.ts"
import { TOKENS } from "../src/devnet/Tokens.ts"
import { unlimited } from "../test/support/RateLimits.ts"
import { threadMillis } from "./ProcessTime.ts"
import * as Hindsight from "./market/Hindsight.ts"
import * as Quotes from "./market/Quotes.ts"
import * as Report from "./market/Report.ts"
import * as Waiting from "./market/Waiting.ts"

const { values } = parseArgs({
  options: {
    tokens: { type: "string", default: String(Market.DEFAULTS.tokens) },
    /** Tokens of each round with faulty services. */
    faulty: { type: "string", default: "60" },
    seed: { type: "string", default: String(Market.DEFAULTS.seed) },
    /** Quotes per second at most. The services have budgets of requests. */
    rate: { type: "string", default: "3" },
    /** Catalogues that the two chains are shaped like. */
    shapes: { type: "string", default: Market.DEFAULTS.shapes.join(",") },
    /** Milliseconds that each answer of a node or a service takes longer, as if these were far away. */
    latency: { type: "string", default: "0" },
    /** 1: prints every token that is missed or falls short. */
    details: { type: "string", default: "0" }
  }
})

const { outbox, relayer, watcher } = orchestratorDefaults

const shapesOf = (text: string): Market.Options["shapes"] => {
  const [first, second = first, ...rest] = text.split(",")
  const known = (name: string | undefined) => Market.SHAPES.find((shape) => shape === name)
  const [a, b] = [known(first), known(second)]
  if (a === undefined || b === undefined || rest.length > 0) {
    throw new Error(`--shapes ${text} is not one or two of ${Market.SHAPES.join(", ")}`)
  }
  return [a, b]
}

interface Asked {
  readonly asking: Quotes.Asking
  readonly token: Placed
}

/** Blocks whose transactions show which tip is paid. */
const TIP_BLOCKS = 5

/**
 * Wei per gas that a sweep would pay in the next block: the base fee, and the tip that half of the recent transactions paid. A local node
 * advises a constant tip of 1 gwei, ten times the whole price of this market.
 */
const gasPriceOf = async ({ client }: ServedChain): Promise<bigint> => {
  const { baseFeePerGas, reward = [] } = await client.getFeeHistory({ blockCount: TIP_BLOCKS, rewardPercentiles: [50] })
  const tips = reward.flat().toSorted((a, b) => (a < b ? -1 : 1))
  return (baseFeePerGas.at(-1) ?? 0n) + (tips[Math.floor(tips.length / 2)] ?? 0n)
}

/** Part of the time that this thread uses for the network's own work. */
const idleShareOf = Effect.fnUntraced(function* (millis: number) {
  const [from, cpu] = [performance.now(), threadMillis()]
  yield* Effect.sleep(millis)
  return (threadMillis() - cpu) / (performance.now() - from)
})

const judge = async ({ asking, token }: Asked, listed: ReadonlySet<string>): Promise<Report.Judged> => {
  const { chain, owner } = asking
  const quoted = await Quotes.quote(asking, token)
  const { order } = quoted
  const swapped = order === undefined ? undefined : await Quotes.carriedOut(asking, order)
  const price = { wei: await gasPriceOf(chain), nativeUsd: Number(TOKENS.WETH.usd) }
  // Fees of a token that is not quoted are unknown: a tenth, as for a small sweep.
  const amount = order === undefined ? (token.amount * 9n) / 10n : Quotes.swapAmount(order)
  return {
    quoted,
    faults: order === undefined ? [] : Quotes.faultsOf(asking, token, order, swapped, listed),
    netUsd: swapped === undefined ? undefined : Hindsight.netUsd(token.into, swapped, price),
    best: await Hindsight.best(chain, owner, token, amount > 0n ? amount : 1n, price)
  }
}

const detailOf = ({ best, netUsd, quoted }: Report.Judged, scope: Report.Scope): string =>
  [
    `  ${quoted.token.symbol} ${quoted.token.kind}`,
    `${quoted.token.decimals} decimals, $${quoted.token.amountUsd.toFixed(0)} into ${quoted.token.into}`,
    quoted.token.isListed ? "listed" : "unlisted",
    quoted.token.pools.map(({ kind, money, usd, venue }) => `${venue} ${money} ${kind} $${usd}`).join("; "),
    `best ${best[scope]?.label ?? "none"} $${best[scope]?.netUsd.toFixed(4) ?? "0"}`,
    quoted.order === undefined
      ? `refused ${quoted.status} ${quoted.reason}`
      : `${quoted.provider ?? ""} $${netUsd?.toFixed(4) ?? "reverts"}`
  ].join(" | ")

/** True if hindsight did better. */
const isWorse = ({ best, netUsd }: Report.Judged, scope: Report.Scope): boolean => {
  const most = best[scope]?.netUsd ?? 0
  return most >= Report.LEAST_USD && (netUsd === undefined || netUsd < most * (1 - Report.BARS.shortfall))
}

const bench = Effect.gen(function* () {
  const waiting = Waiting.install(Number(values.latency))
  const directory = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "sweep-market-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  )
  const pauseMillis = 1_000 / Number(values.rate)
  const shapes = shapesOf(values.shapes)
  const started = performance.now()
  const app = yield* DevApp.start({
    directory,
    market: { tokens: Number(values.tokens), seed: Number(values.seed), shapes },
    server: { rateLimits: unlimited },
    // The local network polls more often, which costs time that is not the quotes'.
    settings: { relayer, watcher, outbox }
  })
  const { market } = app
  if (market === undefined) throw new Error("the network has no market")
  yield* Console.log(
    `market of ${values.tokens} tokens, shaped like ${shapes.join(" and ")}, seed ${values.seed}: started in ${((performance.now() - started) / 1_000).toFixed(1)} s`
  )
  const listed = DevMarket.routersOf(market, app.network)
  const holders = app.info.accounts.slice(0, 4).map(({ address }) => address)
  const idleShare = yield* idleShareOf(2_000)
  const asked = (count: number): ReadonlyArray<Asked> =>
    market.served.flatMap((chain) =>
      chain.plan.tokens.slice(0, Math.ceil(count / market.served.length)).map((token, index) => {
        const owner = holders[index % holders.length] ?? holders[0]
        if (owner === undefined) throw new Error("the network has accounts")
        return { token, asking: { waiting, orchestratorUrl: app.info.orchestratorUrl, chain, owner, idleShare } }
      })
    )

  const verdicts: Array<Report.Verdict & { readonly round: string }> = []
  const round = Effect.fnUntraced(function* (mood: Mood, count: number) {
    yield* market.services.setMood(mood)
    const judged: Array<Report.Judged> = []
    for (const each of asked(count)) {
      const from = performance.now()
      judged.push(yield* Effect.promise(() => judge(each, listed)))
      const rest = pauseMillis - (performance.now() - from)
      if (rest > 0) yield* Effect.sleep(rest)
    }
    const scope: Report.Scope = mood === "honest" ? "any" : "known"
    const figures = Report.figuresOf(judged, scope)
    const found = Report.verdictsOf(figures, mood === "honest")
    verdicts.push(...found.map((verdict) => ({ ...verdict, round: mood })))
    for (const line of Report.linesOf(`services: ${mood}`, figures, found)) yield* Console.log(line)
    if (values.details === "1") {
      for (const each of judged.filter((one) => isWorse(one, scope))) yield* Console.log(detailOf(each, scope))
    }
  })

  // The first quotes compile code and fill caches.
  yield* Effect.promise(async () => {
    for (const each of asked(20)) await Quotes.quote(each.asking, each.token)
  })
  yield* round("honest", Number(values.tokens))
  if (Number(values.faulty) > 0) {
    for (const mood of MOODS.filter((each) => each !== "honest")) yield* round(mood, Number(values.faulty))
    const faults = [...(yield* market.services.faults)].map(([name, count]) => `${name} ${count}`)
    yield* Console.log(`\nfaulty answers given: ${faults.join(", ")}`)
  }
  yield* Console.log(`\n${JSON.stringify({ bench: "market", tokens: Number(values.tokens), shapes, verdicts })}`)
  if (verdicts.some(({ isMet }) => !isMet)) process.exitCode = 1
})

bench.pipe(
  Effect.scoped,
  Effect.provide([BunServices.layer, SecureRandom.layerWebCrypto, FetchHttpClient.layer, Logger.layer([])]),
  BunRuntime.runMain
)
