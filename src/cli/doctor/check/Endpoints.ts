/** Checks every endpoint of every chain, alone and beside the others of its chain. */
import { Clock, Effect } from "effect"
import * as EndpointFacts from "../../../adapters/evm/chains/EndpointFacts.ts"
import * as Endpoints from "../../../domain/doctor/Endpoints.ts"
import { endpointOf } from "../../../domain/RpcEndpoint.ts"
import { staleAfterSeconds } from "../../../domain/HeadLag.ts"
import { BOTH, type Check, type Served } from "../Check.ts"
import { eachChain } from "../EachChain.ts"

const CONCURRENTLY = { concurrency: "unbounded" } as const

const askAll = ({ client, entry }: Served) => {
  const { guard } = client.chain.contracts
  return Effect.all(
    [
      ...entry.rpcUrls.map((each) => EndpointFacts.ask(endpointOf(each).url, "rpcUrls", guard)),
      ...(entry.broadcastUrls ?? []).map((each) => EndpointFacts.ask(endpointOf(each).url, "broadcastUrls", guard)),
      ...(entry.privateUrls ?? []).map((each) => EndpointFacts.ask(endpointOf(each).url, "privateUrls", guard)),
      ...(entry.wsUrl === undefined ? [] : [EndpointFacts.askSocket(entry.wsUrl)])
    ],
    CONCURRENTLY
  )
}

const judged = Effect.fnUntraced(function* (served: Served) {
  const asked = yield* askAll(served)
  const together = yield* EndpointFacts.together(asked)
  const { chain } = served.client
  return Endpoints.judge({
    id: chain.id,
    name: chain.name,
    staleSeconds: staleAfterSeconds(chain),
    nowMillis: yield* Clock.currentTimeMillis,
    hasFeeLimit: chain.maxFeePerGasWei !== undefined,
    ...together
  })
})

export const endpoints: Check = {
  name: "endpoints",
  services: BOTH,
  findings: ({ served }) => Effect.flatMap(served, (all) => eachChain(all, judged))
}
