/**
 * Measures the balances of one owner over long token lists on six chains, and the estimates of what they sell for, behind nodes that
 * answer late. The bars hold with 5,000 tokens on each chain and 50 ms for a request: 60 requests and 2 seconds.
 *
 *     bun bench/portfolio.ts [--tokens N] [--delay MILLIS] [--count N]
 */
import * as BunRuntime from "@effect/platform-bun/BunRuntime"
import { Console, Effect, Layer, Logger } from "effect"
import { FetchHttpClient } from "effect/http"
import { encodeFunctionResult, type Hex, multicall3Abi, pad, toHex } from "viem"
import * as JsonRpcChains from "../src/adapters/evm/chains/Chains.ts"
import * as MulticallBalances from "../src/adapters/portfolio/MulticallBalances.ts"
import * as ListedRouters from "../src/adapters/swap/ListedRouters.ts"
import { KnownPools } from "../src/adapters/swap/KnownPools.ts"
import * as PoolEstimates from "../src/adapters/swap/PoolEstimates.ts"
import * as Venues from "../src/adapters/swap/Venues.ts"
import * as Address from "../src/domain/Address.ts"
import type { TokenInfo } from "../src/domain/Token.ts"
import * as FakeChain from "../test/support/FakeChain.ts"
import { numbers } from "./Numbers.ts"

/** Listed tokens of each chain, milliseconds of each request, and portfolios one after another. */
const { count, delay, tokens } = numbers({ tokens: 5_000, delay: 50, count: 5 })

const CHAINS = [1, 10, 56, 137, 8453, 42161]
const BARS = { requests: 60, millis: 2_000 }
const OWNER = FakeChain.address(0x51)

const answers = new Map<number, Hex>()

/** The answer to `aggregate3` of so many reads: every fiftieth token is held. */
const answerTo = (reads: number): Hex => {
  const known = answers.get(reads)
  if (known !== undefined) return known
  const result = Array.from({ length: reads }, (_, index) => ({
    success: true,
    returnData: pad(toHex(index % 50 === 0 ? 7n : 0n), { size: 32 })
  }))
  const encoded = encodeFunctionResult({ abi: multicall3Abi, functionName: "aggregate3", result })
  answers.set(reads, encoded)
  return encoded
}

interface Call {
  readonly id: number
  readonly method: string
  readonly params: ReadonlyArray<{ readonly data?: string; readonly input?: string } | string>
}

/** The number of reads is the second word of the calldata. */
const readsIn = (data: string): number => Number.parseInt(data.slice(10 + 64, 10 + 128), 16)

const resultOf = (chainId: number, { method, params: [first] }: Call): unknown => {
  if (method === "eth_chainId") return toHex(chainId)
  if (method !== "eth_call" || typeof first !== "object") return null
  return answerTo(readsIn(first.data ?? first.input ?? ""))
}

let requests = 0

const serve = (chainId: number) =>
  Effect.acquireRelease(
    Effect.sync(() =>
      Bun.serve({
        hostname: "127.0.0.1",
        port: 0,
        fetch: async (request) => {
          const body = (await request.json()) as Call | ReadonlyArray<Call>
          requests += 1
          await Bun.sleep(delay)
          const answer = (call: Call) => ({ jsonrpc: "2.0", id: call.id, result: resultOf(chainId, call) })
          return Response.json(Array.isArray(body) ? body.map(answer) : answer(body as Call))
        }
      })
    ),
    (server) => Effect.promise(() => server.stop(true))
  )

const list = (chainId: number): ReadonlyArray<TokenInfo> =>
  Array.from({ length: tokens - FakeChain.chain.tokens.length - 1 }, (_, index) => ({
    chainId,
    address: Address.of(pad(toHex(index + 1), { size: 20 })),
    symbol: `T${index}`,
    name: `Token ${index}`,
    decimals: 18
  }))

const program = Effect.gen(function* () {
  const endpoints = yield* Effect.forEach(CHAINS, (id) =>
    Effect.map(serve(id), ({ port }) => ({
      chain: { ...FakeChain.chain, id, name: `chain ${id}`, swapRouter: FakeChain.address(0x52) },
      rpcUrls: [`http://127.0.0.1:${port}`]
    }))
  )
  const lists = new Map(CHAINS.map((id) => [id, list(id)]))
  const { estimates, on } = yield* Effect.gen(function* () {
    const { on } = yield* MulticallBalances.make({ listed: (id) => Effect.succeed(lists.get(id) ?? []) })
    const options = {
      sources: yield* Effect.provide(Venues.make, KnownPools.layer),
      listed: ListedRouters.make(),
      hasServices: false
    }
    return { on, estimates: yield* PoolEstimates.make(options) }
  }).pipe(Effect.provide(JsonRpcChains.layer(endpoints)))
  const portfolioOn = Effect.fnUntraced(function* (id: number) {
    const held = yield* on(id, OWNER)
    return yield* estimates.of(
      id,
      held.map(({ balance, token }) => ({ token: token.address, amount: balance, isListed: true }))
    )
  })
  const portfolio = Effect.forEach(CHAINS, portfolioOn, { concurrency: "unbounded" })
  const runs: Array<{ readonly millis: number; readonly cpuMillis: number; readonly requests: number }> = []
  for (let run = 0; run < count; run++) {
    requests = 0
    const [started, before] = [performance.now(), process.cpuUsage()]
    yield* portfolio
    const { system, user } = process.cpuUsage(before)
    runs.push({
      millis: Math.round(performance.now() - started),
      cpuMillis: Math.round((system + user) / 1_000),
      requests
    })
  }
  const worst = {
    millis: Math.max(...runs.map(({ millis }) => millis)),
    requests: Math.max(...runs.map((run) => run.requests))
  }
  yield* Console.log(`${tokens} tokens on each of ${CHAINS.length} chains, ${delay} ms a request, ${count} portfolios`)
  yield* Console.log(
    `longest   ${worst.millis} ms, ${(worst.millis / delay).toFixed(1)} round trips (bar: ${BARS.millis} ms)`
  )
  yield* Console.log(
    `CPU       ${Math.min(...runs.map(({ cpuMillis }) => cpuMillis))} ms at least, with the nodes of the benchmark`
  )
  yield* Console.log(`requests  ${worst.requests} (bar: ${BARS.requests})`)
  yield* Console.log(JSON.stringify({ bench: "portfolio", tokens, delay, bars: BARS, runs }))
  if (worst.millis > BARS.millis || worst.requests > BARS.requests) yield* Effect.sync(() => (process.exitCode = 1))
})

program.pipe(
  Effect.scoped,
  Effect.provide(Layer.merge(FetchHttpClient.layer, Logger.layer([]))),
  BunRuntime.runMain({ disableErrorReporting: false })
)
