/** Costs of a quote and of a sweep to the service: CPU, and calls of the nodes. */
import type { PrivateKeyAccount } from "viem"
import * as SweepClient from "../../test/support/SweepClient.ts"
import { cpuMillis } from "../ProcessTime.ts"
import type { SlowNode } from "./SlowNode.ts"

/** Quotes over which their CPU is averaged: the clock of a process ticks every 10 ms. */
const QUOTES = 200

/** Time in which nothing is requested, so that the cost of the loops is known. */
const IDLE_MILLIS = 5_000

export interface Costs {
  /** CPU milliseconds of the orchestrator in a second without requests, and calls of the nodes. */
  readonly idle: { readonly cpuMillis: number; readonly calls: number }
  /** Of a quote, without what the loops cost meanwhile. */
  readonly quote: { readonly cpuMillis: number; readonly calls: number }
  /** Calls for a sweep from its submission to its delivery, the loops included: alone, and in one transaction with others. */
  readonly sweep: { readonly aloneCalls: number; readonly togetherCalls: number }
}

interface Service {
  readonly client: SweepClient.SweepClient
  readonly pid: number
  readonly nodes: ReadonlyArray<SlowNode>
}

const accepted = (answer: SweepClient.Answer, status: number): SweepClient.Answer => {
  if (answer.status !== status) throw new Error(`HTTP ${answer.status}: ${answer.text}`)
  return answer
}

/** CPU milliseconds, calls and seconds of some work. */
const spent = async ({ nodes, pid }: Service, work: () => Promise<void>) => {
  const calls = () => nodes.reduce((sum, node) => sum + node.calls(), 0)
  const [cpu, asked, from] = [cpuMillis(pid), calls(), performance.now()]
  await work()
  return { cpuMillis: cpuMillis(pid) - cpu, calls: calls() - asked, seconds: (performance.now() - from) / 1_000 }
}

/** Quotes with the body of the first account, which keeps its tokens. Sweeps those of a half of the others one by one, then the rest at once. */
export const measure = async (
  service: Service,
  bodyOf: (account: PrivateKeyAccount) => unknown,
  [first, ...others]: readonly [PrivateKeyAccount, ...ReadonlyArray<PrivateKeyAccount>]
): Promise<Costs> => {
  const { client } = service
  const idle = await spent(service, () => Bun.sleep(IDLE_MILLIS))
  const quotes = await spent(service, async () => {
    for (let quoted = 0; quoted < QUOTES; quoted++) accepted(await client.post("/quote", bodyOf(first)), 200)
  })
  const signed: Array<SweepClient.Signed> = []
  for (const account of others)
    signed.push(await SweepClient.sign(account, accepted(await client.post("/quote", bodyOf(account)), 200)))
  const half = Math.ceil(signed.length / 2)
  const sweep = async (each: SweepClient.Signed) => {
    await client.submitAccepted(each)
    await client.ended(each.quoteId)
  }
  const alone = await spent(service, async () => {
    for (const each of signed.slice(0, half)) await sweep(each)
  })
  const together = await spent(service, async () => {
    await Promise.all(signed.slice(half).map(sweep))
  })
  const perSecond = (total: number) => total / idle.seconds
  return {
    idle: { cpuMillis: perSecond(idle.cpuMillis), calls: perSecond(idle.calls) },
    quote: {
      cpuMillis: (quotes.cpuMillis - quotes.seconds * perSecond(idle.cpuMillis)) / QUOTES,
      calls: (quotes.calls - quotes.seconds * perSecond(idle.calls)) / QUOTES
    },
    sweep: { aloneCalls: alone.calls / half, togetherCalls: together.calls / (signed.length - half) }
  }
}
