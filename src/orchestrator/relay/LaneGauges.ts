/** Shows lanes in the metrics, as the relayer has just read them. */
import { Effect } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { Chain } from "../../domain/Chain.ts"
import { inNativeUnits } from "../../domain/Amount.ts"
import { LANE_BALANCE, LANE_MINIMUM } from "../../telemetry/metrics/Relay.ts"

export const note = (
  chain: Chain,
  lanes: ReadonlyArray<{ readonly address: Address.Address; readonly balance: bigint }>,
  minimum: bigint
): Effect.Effect<void> =>
  Effect.andThen(
    LANE_MINIMUM.record(inNativeUnits(minimum), { chain_id: String(chain.id) }),
    Effect.forEach(
      lanes,
      ({ address, balance }) =>
        LANE_BALANCE.record(inNativeUnits(balance), { chain_id: String(chain.id), lane: address }),
      { discard: true }
    )
  )
