/** Checks every endpoint of every chain, alone and beside the others of its chain. */
import { Clock, Effect } from "effect"
import * as EndpointFacts from "../../../adapters/evm/chains/EndpointFacts.ts"
import type { RpcEndpoint } from "../../../adapters/evm/chains/ChainSettings.ts"
import * as Endpoints from "../../../domain/doctor/Endpoints.ts"
import { staleAfterSeconds } from "../../../orchestrator/operate/ChainHealth.ts"
import { BOTH, type Check, type Served } from "../Check.ts"
import { eachChain } from "../EachChain.ts"

/** Blocks below the lowest head, since heads may still change. */
const DEPTH = 3n

const urlOf = (entry: string | RpcEndpoint): string => (typeof entry === "string" ? entry : entry.url)

const CONCURRENTLY = { concurrency: "unbounded" } as const

const askAll = ({ client, entry }: Served) => {
  const { guard } = client.chain.contracts
  return Effect.all(
    [
      ...entry.rpcUrls.map((each) => EndpointFacts.ask(urlOf(each), "rpcUrls", guard)),
      ...(entry.broadcastUrls ?? []).map((each) => EndpointFacts.ask(urlOf(each), "broadcastUrls", guard)),
      ...(entry.privateUrls ?? []).map((each) => EndpointFacts.ask(urlOf(each), "privateUrls", guard)),
      ...(entry.wsUrl === undefined ? [] : [EndpointFacts.askSocket(entry.wsUrl)])
    ],
    CONCURRENTLY
  )
}

const lowest = (heights: ReadonlyArray<bigint>): bigint | undefined =>
  heights.reduce<bigint | undefined>((low, height) => (low === undefined || height < low ? height : low), undefined)

const judged = Effect.fnUntraced(function* (served: Served) {
  const asked = yield* askAll(served)
  const low = lowest(asked.flatMap(({ facts: { head } }) => (head === undefined ? [] : [head.number])))
  const commonHeight = low === undefined || low < DEPTH ? undefined : low - DEPTH
  const endpoints = yield* Effect.forEach(
    asked,
    ({ facts, hashAt }) =>
      commonHeight === undefined
        ? Effect.succeed(facts)
        : Effect.map(hashAt(commonHeight), (commonHash) => ({ ...facts, commonHash })),
    CONCURRENTLY
  )
  const { chain } = served.client
  return Endpoints.judge({
    id: chain.id,
    name: chain.name,
    staleSeconds: staleAfterSeconds(chain),
    nowMillis: yield* Clock.currentTimeMillis,
    commonHeight,
    endpoints
  })
})

export const endpoints: Check = {
  name: "endpoints",
  services: BOTH,
  findings: ({ served }) => Effect.flatMap(served, (all) => eachChain(all, judged))
}
