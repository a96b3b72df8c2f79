/** Refuses quotes of sweeps that a budget of exposure has no room for, so that their owners need not sign. */
import { Effect } from "effect"
import { worstCase } from "../../domain/Exposure.ts"
import { quotedGas } from "../../domain/RelayGas.ts"
import * as ExposureDesk from "../shared/ExposureDesk.ts"
import type { Priced, Terms } from "./Terms.ts"
import { QuoteFailed } from "./QuoteFailed.ts"

/** Makes `afford(terms, priced)`. Sweeps of listed tokens always pass, without a read. */
export const make = Effect.map(ExposureDesk.make, (desk) =>
  Effect.fnUntraced(function* (
    { attributed, client, gasFees }: Pick<Terms, "attributed" | "client" | "gasFees">,
    { order, simulated }: Pick<Priced, "order" | "simulated">
  ) {
    const { dataFee } = simulated
    const wei = worstCase({ gas: quotedGas(simulated), maxFeePerGas: gasFees.maxFeePerGas, dataFee })
    const sweep =
      attributed === undefined
        ? { order }
        : { order, attributed: { builderId: attributed.attribution.builderId, payoutMode: attributed.payoutMode } }
    const lack = yield* desk.lack(client.chain, sweep, wei)
    if (lack === undefined) return
    return yield* new QuoteFailed({
      reason: "budget_spent",
      detail: `the budget of ${lack.spent} has no room for ${wei} wei`,
      retryAfterMillis: ExposureDesk.pauseOf(lack)
    })
  })
)
