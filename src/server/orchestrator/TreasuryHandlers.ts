/** The operator's routes about collected fees. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { OrchestratorApi } from "../../api/orchestrator/OrchestratorApi.ts"
import { TreasuryNotConfigured } from "../../api/orchestrator/TreasuryApi.ts"
import { ChainNotAnswering, NotFound, Unavailable } from "../../api/shared/Errors.ts"
import { periodOf } from "../../api/shared/MoneyQuery.ts"
import type { NoPlan } from "../../orchestrator/treasury/SafePlan.ts"
import { Treasury } from "../../orchestrator/treasury/Treasury.ts"
import { mask } from "../shared/Masked.ts"

const unavailable = mask(() => new Unavailable())

const noPlan = ({ reason }: NoPlan) => {
  switch (reason) {
    case "unknown_chain":
      return Effect.fail(new NotFound())
    case "no_asset":
      return Effect.fail(new TreasuryNotConfigured({ missing: ["TREASURY_ASSETS"] }))
    case "shared_vault":
      return Effect.fail(new TreasuryNotConfigured({ missing: ["builderVault"] }))
    case "unavailable":
      return Effect.fail(new ChainNotAnswering())
  }
}

export const treasury = HttpApiBuilder.group(
  OrchestratorApi,
  "treasury",
  Effect.fnUntraced(function* (handlers) {
    const { money, safePlan, sell, view } = yield* Treasury
    return handlers
      .handle(
        "treasury",
        Effect.fn("GET /admin/treasury")(() => view, Effect.catchTag("StoreUnavailable", unavailable))
      )
      .handle(
        "plan",
        Effect.fn("GET /admin/treasury/plan")(
          ({ query: { chainId } }) => safePlan(chainId),
          Effect.catchTags({ NoPlan: noPlan, StoreUnavailable: unavailable })
        )
      )
      .handle(
        "money",
        Effect.fn("GET /admin/money")(
          ({ query }) => money(periodOf(query)),
          Effect.catchTag("StoreUnavailable", unavailable)
        )
      )
      .handle(
        "sell",
        Effect.fn("POST /admin/treasury/sales")(
          () => sell,
          Effect.catchTags({
            CannotSell: ({ missing }) => Effect.fail(new TreasuryNotConfigured({ missing })),
            StoreUnavailable: unavailable
          })
        )
      )
  })
)
