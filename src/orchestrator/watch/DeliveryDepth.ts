/** Depth at which a delivery counts, by its value. */
import { Effect } from "effect"
import { confirmationsFor } from "../../domain/ChainMoney.ts"
import type { NewIntent } from "../../ports/orchestrator/Intents.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"
import * as SweepValue from "../settle/SweepValue.ts"

/** Makes `depthOf(source, destination, intent)`, in confirmations of the destination. Without rules by value, nothing is priced. */
export const make = Effect.map(
  SweepValue.make,
  (worth) =>
    (source: ChainClient, { chain }: ChainClient, intent: Pick<NewIntent, "order" | "quote">): Effect.Effect<number> =>
      (chain.confirmationsByValue ?? []).length === 0
        ? Effect.succeed(chain.confirmations)
        : Effect.map(worth(source.chain.id, intent), (value) => confirmationsFor(chain, value))
)
