/** Checks that each chain's sanctions oracle answers, and lists the address of `--listed`. */
import { Effect, Option } from "effect"
import * as Sanctions from "../../../domain/doctor/Sanctions.ts"
import { BOTH, type Check, type Deployment, type Served } from "../Check.ts"
import { eachChain } from "../EachChain.ts"
import { isSanctioned } from "../Oracle.ts"

const judged = Effect.fnUntraced(function* ({ client }: Served, asked: Deployment["listed"]) {
  const [clean, listed] = yield* Effect.all(
    [
      isSanctioned(client, client.chain.contracts.guard),
      Option.isNone(asked) ? Effect.succeedNone : isSanctioned(client, asked.value)
    ],
    { concurrency: 2 }
  )
  return [
    Sanctions.judgeOracle({
      chain: client.chain.name,
      clean: Option.getOrUndefined(clean),
      listed: Option.isNone(asked) ? undefined : Option.getOrElse(listed, () => false)
    })
  ]
})

export const oracle: Check = {
  name: "sanctions oracle",
  services: BOTH,
  findings: ({ listed, served }) => Effect.flatMap(served, (all) => eachChain(all, (one) => judged(one, listed)))
}
