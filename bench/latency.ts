/**
 * Measures quotes and submissions behind nodes that answer late: a proxy before each chain adds a delay to every answer. Requests
 * are made one after another, each by a new owner, so the figures are those of an idle service.
 *
 *     bun bench/latency.ts [--count N] [--wallets N] [--delay MILLIS] [--profile DIR]
 */
import { parseArgs } from "node:util"
import * as BunRuntime from "@effect/platform-bun/BunRuntime"
import * as BunServices from "@effect/platform-bun/BunServices"
import { Console, Effect, Logger } from "effect"
import { parseUnits } from "viem"
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts"
import * as DevChain from "../src/devnet/DevChain.ts"
import * as Postgres from "../src/devnet/Postgres.ts"
import { NATIVE } from "../src/domain/Token.ts"
import * as Address from "../src/domain/Address.ts"
import * as SweepClient from "../test/support/SweepClient.ts"
import * as Costs from "./latency/Costs.ts"
import * as SlowNode from "./latency/SlowNode.ts"
import * as Wallets from "./latency/Wallets.ts"
import * as Service from "./relay/Service.ts"

const { values } = parseArgs({
  options: {
    /** Quotes of each kind. */
    count: { type: "string", default: "20" },
    /** Wallets of 50 tokens. */
    wallets: { type: "string", default: "10" },
    /** Milliseconds. */
    delay: { type: "string", default: "50" },
    /** Directory of the orchestrator's CPU profile. Default: none is taken. */
    profile: { type: "string" }
  }
})

/** Medians that are aimed at with a delay of 50 ms, in milliseconds. */
const AIM = { quote: 200, submission: 120 }

interface Kind {
  readonly name: string
  readonly tokenIn: "DAI" | "USDC" | "ETH"
  readonly tokenOut: "DAI" | "USDC" | "ETH"
  readonly amount: string
  readonly crossChain?: boolean
  readonly unhinted?: boolean
}

const FIRST: Kind = { name: "a token", tokenIn: "DAI", tokenOut: "USDC", amount: "50" }

const KINDS: ReadonlyArray<Kind> = [
  FIRST,
  { name: "a token, without a hint", tokenIn: "DAI", tokenOut: "USDC", amount: "50", unhinted: true },
  { name: "native currency", tokenIn: "ETH", tokenOut: "USDC", amount: "0.05" },
  { name: "a token to native currency", tokenIn: "DAI", tokenOut: "ETH", amount: "50" },
  { name: "a token across chains", tokenIn: "USDC", tokenOut: "USDC", amount: "50", crossChain: true },
  { name: "another token across chains", tokenIn: "DAI", tokenOut: "USDC", amount: "50", crossChain: true }
]

const DECIMALS = { DAI: 18, USDC: 6, ETH: 18 } as const

const tokenOf = (dev: DevChain.DevChain, symbol: Kind["tokenIn"]): Address.Address =>
  symbol === "ETH" ? NATIVE : dev.tokens[symbol]

const quoteBody = (source: DevChain.DevChain, target: DevChain.DevChain, owner: string, kind: Kind) => ({
  owner,
  tokenIn: tokenOf(source, kind.tokenIn),
  amountIn: parseUnits(kind.amount, DECIMALS[kind.tokenIn]).toString(),
  tokenOut: tokenOf(target, kind.tokenOut),
  destination: owner,
  destChainId: target.chain.id,
  tier: "tier1",
  ...(kind.unhinted === true ? {} : { route: `${source.chain.name}->${target.chain.name}` }),
  subscriptionActive: false,
  userId: "bench"
})

/** Sweeps whose calls of the nodes are counted. */
const SWEPT = 40

const median = (samples: ReadonlyArray<number>): number =>
  samples.toSorted((a, b) => a - b)[Math.floor(samples.length / 2)] ?? Number.NaN

/** Milliseconds. The least is that of a sample which nothing else on the machine disturbed. */
interface Row {
  readonly name: string
  readonly minMs: number
  readonly medianMs: number
  readonly maxMs: number
}

const rowOf = (name: string, samples: ReadonlyArray<number>): Row => ({
  name,
  minMs: Math.min(...samples),
  medianMs: median(samples),
  maxMs: Math.max(...samples)
})

const timed = async <A>(samples: Array<number>, run: () => Promise<A>): Promise<A> => {
  const from = performance.now()
  const result = await run()
  samples.push(performance.now() - from)
  return result
}

const accepted = (answer: SweepClient.Answer, status: number): SweepClient.Answer => {
  if (answer.status !== status) throw new Error(`HTTP ${answer.status}: ${answer.text}`)
  return answer
}

const bench = Effect.gen(function* () {
  const [count, delayMillis] = [Number(values.count), Number(values.delay)]
  const server = yield* Postgres.start({ durable: true })
  const databaseUrl = yield* server.createDatabase("bench")
  const [source, target] = yield* Effect.all(
    [DevChain.start({ id: 31_337, name: "alpha" }), DevChain.start({ id: 31_338, name: "beta" })],
    { concurrency: 2 }
  )
  const owner = Effect.fnUntraced(function* ({ amount, tokenIn }: Kind) {
    const account = privateKeyToAccount(generatePrivateKey())
    yield* source.fund(Address.of(account.address), { token: tokenIn, amount: parseUnits(amount, DECIMALS[tokenIn]) })
    return account
  })
  const owners = yield* Effect.forEach(KINDS, (kind) => Effect.replicateEffect(owner(kind), count))
  const spare = [yield* owner(FIRST), ...(yield* Effect.replicateEffect(owner(FIRST), SWEPT))] as const
  const relayerKey = generatePrivateKey()
  for (const { node } of [source, target]) {
    yield* node.ask("prepare the lane and the blocks", async (client) => {
      await client.setBalance({ address: privateKeyToAccount(relayerKey).address, value: 10n ** 24n })
      await client.setIntervalMining({ interval: 1 })
    })
  }
  const wallets = yield* Wallets.make([source, target], Number(values.wallets))
  const slow = new Map<string, SlowNode.SlowNode>()
  for (const { rpcUrl } of [source, target]) slow.set(rpcUrl, yield* SlowNode.start(rpcUrl, delayMillis))
  const service = yield* Service.start({
    dev: wallets.chains[0],
    others: [wallets.chains[1]],
    rpcUrlOf: ({ rpcUrl }) => slow.get(rpcUrl)?.url ?? rpcUrl,
    databaseUrl,
    builderUrl: "http://127.0.0.1:9",
    relayerKeys: [relayerKey],
    profile: values.profile
  })
  const client = SweepClient.make(service.url)

  const submissions: Array<number> = []
  const sweep = async (kind: Kind, account: PrivateKeyAccount, quotes: Array<number>) => {
    const body = quoteBody(source, kind.crossChain === true ? target : source, account.address, kind)
    const quote = accepted(await timed(quotes, () => client.post("/quote", body)), 200)
    const signed = await SweepClient.sign(account, quote)
    accepted(await timed(submissions, () => client.submit(signed)), 201)
  }
  const rows: Array<Row> = []
  for (const [index, kind] of KINDS.entries()) {
    const quotes: Array<number> = []
    for (const account of owners[index] ?? []) yield* Effect.promise(() => sweep(kind, account, quotes))
    rows.push(rowOf(`quote of ${kind.name}`, quotes))
  }
  rows.push(rowOf("submission", submissions))
  const costs = yield* Effect.promise(() =>
    Costs.measure(
      { client, pid: service.pid, nodes: [...slow.values()] },
      (account) => quoteBody(source, source, account.address, FIRST),
      spare
    )
  )
  const { cpu, fifty, one } = yield* Effect.promise(() => Wallets.measure(client, service.pid, wallets))
  rows.push(rowOf("wallet of one token", one))
  rows.push(rowOf("wallet of 50 tokens on 2 chains", fifty))
  const ratio = median(fifty) / median(one)

  yield* Console.log(
    `\n${`ms, ${delayMillis} ms added to answers`.padEnd(42)}${["min", "median", "max"].map((each) => each.padStart(8)).join("")}`
  )
  for (const { maxMs, medianMs, minMs, name } of rows) {
    const times = [minMs, medianMs, maxMs].map((each) => each.toFixed(0).padStart(8))
    yield* Console.log(`${name.padEnd(42)}${times.join("")}`)
  }
  yield* Console.log(`aims at 50 ms: quotes ${AIM.quote}, submissions ${AIM.submission}`)
  yield* Console.log(
    `50 tokens took ${ratio.toFixed(1)} times as long as one, and ${cpu.toFixed(0)} ms of CPU; the bar is ${Wallets.LIMIT} times`
  )
  yield* Console.log(
    `a quote took ${costs.quote.cpuMillis.toFixed(1)} ms of CPU and ${costs.quote.calls.toFixed(0)} calls, ` +
      `a sweep alone ${costs.sweep.aloneCalls.toFixed(0)} calls, one of many ${costs.sweep.togetherCalls.toFixed(0)}`
  )
  yield* Console.log(`\n${JSON.stringify({ bench: "latency", count, delayMillis, rows, ratio, cpu, costs })}`)
})

bench.pipe(Effect.scoped, Effect.provide([BunServices.layer, Logger.layer([])]), BunRuntime.runMain)
