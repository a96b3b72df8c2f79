/** Checks that each guard lists the swap targets of the chains file, and that the first generation's guard lists none. */
import { Clock, Effect } from "effect"
import * as FirstGuard from "../../../adapters/evm/contracts/FirstGuard.ts"
import * as SwapTargets from "../../../adapters/evm/contracts/SwapTargets.ts"
import { KNOWN_CHAINS } from "../../../catalog/KnownChains.ts"
import * as Address from "../../../domain/Address.ts"
import { type Chain, spokePools } from "../../../domain/Chain.ts"
import * as Targets from "../../../domain/doctor/Targets.ts"
import type { ChainClient } from "../../../ports/shared/Chains.ts"
import { named } from "../../TargetsTables.ts"
import type { Check, Served } from "../Check.ts"
import { eachChain } from "../EachChain.ts"

/** Targets of the chain's entry and of the catalogue, also former ones. */
const knownTargets = (chain: Chain): ReadonlyArray<Address.Address> => {
  const { spokePool, spokePoolPeriphery, swapRouter, venues = [] } = KNOWN_CHAINS[chain.id] ?? {}
  const catalogued = [swapRouter, spokePool, spokePoolPeriphery, ...venues.map(({ router }) => router)]
  return [
    ...new Set([
      ...named(chain).map(({ address }) => address),
      ...spokePools(chain),
      ...catalogued.flatMap((target) => (target === undefined ? [] : [Address.of(target)]))
    ])
  ]
}

const firstListed = (client: ChainClient) =>
  Effect.forEach(FirstGuard.guardsOf(client.chain), (guard) =>
    Effect.map(FirstGuard.listed(client, guard, knownTargets(client.chain)), (targets) =>
      targets.map((target) => ({ guard, target }))
    )
  )

const judged = Effect.fnUntraced(function* ({ client }: Served) {
  const targets = named(client.chain)
  const listings = yield* SwapTargets.read(
    client,
    targets.map(({ address }) => address)
  )
  return Targets.judge({
    chain: client.chain.name,
    chainId: client.chain.id,
    targets,
    listings,
    firstListed: (yield* firstListed(client)).flat(),
    nowMillis: yield* Clock.currentTimeMillis
  })
})

export const targets: Check = {
  name: "swap targets",
  services: ["orchestrator"],
  findings: ({ served }) => Effect.flatMap(served, (all) => eachChain(all, judged))
}
