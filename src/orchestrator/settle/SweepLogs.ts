/**
 * Logs of one sweep. A transaction may hold several sweeps of one owner, whose deposits into a bridge can be alike in every field
 * that the orders fix. The guard logs `Swept` at the end of each, so a sweep's logs stand between the owner's last event and its own.
 */
import { Effect, Option } from "effect"
import type { Chain } from "../../domain/Chain.ts"
import * as Generations from "../../domain/Generations.ts"
import { settles } from "../../domain/Swept.ts"
import type { Intent } from "../../ports/orchestrator/Intents.ts"
import { SweepContracts } from "../../ports/orchestrator/SweepContracts.ts"
import type { Log } from "../../ports/shared/Chains.ts"

type Logged = Pick<Log, "address" | "topics" | "data">

/** Makes `logsOf(chain, intent, logs)`: the logs of the intent's sweep among those of its transaction. None if it did not settle there. */
export const make = Effect.map(
  SweepContracts,
  ({ decodeSwept }) =>
    <L extends Logged>(
      chain: Chain,
      { order, orderDigest }: Pick<Intent, "order" | "orderDigest">,
      logs: ReadonlyArray<L>
    ): Option.Option<ReadonlyArray<L>> => {
      const events = logs.map((log) =>
        Option.firstSomeOf(Generations.all(chain).map(({ guard }) => decodeSwept(guard, log)))
      )
      const end = events.findIndex(Option.exists((event) => settles(event, order, orderDigest)))
      if (end < 0) return Option.none()
      const before = events.slice(0, end).findLastIndex(Option.exists(({ owner }) => owner === order.owner))
      return Option.some(logs.slice(before + 1, end))
    }
)
