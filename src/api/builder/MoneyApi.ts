/** A builder's earnings in dollars. Separate from the account to keep the dashboard's first page small. */
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { EarningsView } from "../../domain/Earnings.ts"
import { InternalError, Unavailable } from "../shared/Errors.ts"
import { RateLimited, Validated } from "../shared/Middleware.ts"
import { moneyQuery } from "../shared/MoneyQuery.ts"
import * as Docs from "./EarningsDocs.ts"
import { SessionOnly } from "./Middleware.ts"

export const money = HttpApiEndpoint.get("money", "/me/money", {
  query: moneyQuery,
  success: EarningsView,
  error: [Unavailable, InternalError]
}).annotateMerge(Docs.money)

/** The endpoint alone, for clients that use nothing else of the account. */
export const MyMoney = HttpApiGroup.make("me")
  .add(money)
  .middleware(Validated)
  .middleware(SessionOnly)
  .middleware(RateLimited)
