/** Depth at which a delivery or a refund counts, by the value of the sweep. */
import { Effect } from "effect"
import { confirmationsFor } from "../../domain/ChainMoney.ts"
import type { NewIntent } from "../../ports/orchestrator/Intents.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"
import * as SweepValue from "../settle/SweepValue.ts"

/** Makes `depthOf(source, on, intent)`, in confirmations of the chain `on`. Without rules by value, nothing is priced. */
export const make = Effect.map(
  SweepValue.make,
  (worth) =>
    (source: ChainClient, { chain }: ChainClient, intent: Pick<NewIntent, "order" | "quote">): Effect.Effect<number> =>
      (chain.confirmationsByValue ?? []).length === 0
        ? Effect.succeed(chain.confirmations)
        : Effect.map(worth(source.chain.id, intent), (value) => confirmationsFor(chain, value))
)
