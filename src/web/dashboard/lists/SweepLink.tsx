/** Link from an earning to its sweep, or to the sweeps of its transaction if several of them have the same markup. */
import { Link } from "@tanstack/react-router"
import type { Activity } from "../../../domain/LedgerEntry.ts"
import { hashOfSweep } from "../../lib/explorer.ts"

const CLASSES = "text-accent hover:underline"

export function SweepLink({ earning: { intentId, sweepId } }: { readonly earning: Activity }) {
  const hash = hashOfSweep(sweepId)
  if (intentId !== undefined) {
    return (
      <Link className={CLASSES} params={{ id: intentId }} to="/sweeps/$id">
        Open the sweep
      </Link>
    )
  }
  if (hash === undefined) return null
  return (
    <Link className={CLASSES} search={{ q: hash }} to="/sweeps">
      Find the sweep
    </Link>
  )
}
