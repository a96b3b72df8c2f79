/** Checks that each guard lists the swap targets of the chains file. */
import { Clock, Effect } from "effect"
import * as SwapTargets from "../../../adapters/evm/contracts/SwapTargets.ts"
import * as Targets from "../../../domain/doctor/Targets.ts"
import { named } from "../../TargetsTables.ts"
import type { Check, Served } from "../Check.ts"
import { eachChain } from "../EachChain.ts"

const judged = Effect.fnUntraced(function* ({ client }: Served) {
  const targets = named(client.chain)
  const listings = yield* SwapTargets.read(
    client,
    targets.map(({ address }) => address)
  )
  return Targets.judge({ chain: client.chain.name, targets, listings, nowMillis: yield* Clock.currentTimeMillis })
})

export const targets: Check = {
  name: "swap targets",
  services: ["orchestrator"],
  findings: ({ served }) => Effect.flatMap(served, (all) => eachChain(all, judged))
}
