/** Books of a token as operators see them. Pure. */
import type { TreasuryEntry } from "../../domain/Treasury.ts"
import { expected } from "../../domain/TreasuryBooks.ts"
import * as Usd from "../../domain/Usd.ts"
import type { Surveyed } from "./Survey.ts"

const balanceOf = ({ book, held, open, plan }: Surveyed): Pick<TreasuryEntry, "held" | "lost" | "unexplained"> =>
  held === undefined
    ? { lost: 0n }
    : {
        held,
        lost: plan.state === "unsellable" ? held : 0n,
        // A sale under way has left the balance, or has arrived in it, before the books know.
        ...(open.length > 0 ? {} : { unexplained: held - expected(book) })
      }

const failureOf = ({ failure, plan }: Surveyed): Partial<TreasuryEntry> => {
  if (failure !== undefined) {
    const { detail, failures, reason } = failure
    return { failures, reason, detail, ...(plan.retryAtMs === undefined ? {} : { retryAtMs: plan.retryAtMs }) }
  }
  return plan.state === "unsellable" ? { reason: "no_price", detail: "no price is known" } : {}
}

export const entryOf = (surveyed: Surveyed): TreasuryEntry => {
  const { book, plan } = surveyed
  return {
    ...book,
    ...balanceOf(surveyed),
    state: plan.state,
    ...(plan.value === undefined ? {} : { valueUsd: Usd.format(plan.value) }),
    ...(plan.lot === undefined ? {} : { sell: plan.lot.amount, lots: plan.lot.lots }),
    ...failureOf(surveyed)
  }
}
