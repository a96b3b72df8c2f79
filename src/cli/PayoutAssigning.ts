/** Assigns all accruals of a token to a chain. One request assigns what it can in its time. */
import { Console, Effect } from "effect"
import type { Assignment } from "../api/builder/Schemas.ts"

type Assigned = typeof Assignment.Type

/**
 * Repeats `request` until no accrual is left, and tells what it has done so far. Ends with `more` if a request assigned none although some
 * are left, which happens while another process assigns them.
 */
export const assignAll = Effect.fnUntraced(function* <E, R>(request: Effect.Effect<Assigned, E, R>) {
  let all: Assigned = { sweeps: 0, amount: 0n }
  for (;;) {
    const { amount, sweeps, ...rest } = yield* request
    all = { sweeps: all.sweeps + sweeps, amount: all.amount + amount, ...rest }
    if (all.more === undefined || sweeps === 0) return all
    yield* Console.error(`assigned ${all.sweeps} accruals, and more are left`)
  }
})

/** The result for people. */
export const asAssigned = ({ amount, more, sweeps }: Assigned, chainId: number): string => {
  const left = more === undefined ? [] : ["accruals of the token are left without a chain: run the command again"]
  const done =
    sweeps > 0
      ? [`assigned ${sweeps} ${sweeps === 1 ? "accrual" : "accruals"} to chain ${chainId}, of which ${amount} is owed`]
      : []
  return done.length + left.length === 0 ? "no accrual of the token is without a chain" : [...done, ...left].join("\n")
}
