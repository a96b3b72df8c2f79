/**
 * Sweeps that pay native currency to an account whose code appeared after their quote. Their budgets were judged as those of listed ones
 * before, so they are judged again before a node simulates them.
 */
import { Effect } from "effect"
import { admit, type Denied, isSpent, parse } from "../../domain/Exposure.ts"
import type { ChainClient, FeesPerGas } from "../../ports/shared/Chains.ts"
import * as ExposureDesk from "../shared/ExposureDesk.ts"
import { type Candidate, type Later, later } from "./Prepared.ts"
import * as Reserving from "./Reserving.ts"

/** Makes `postponed(client, fees, found)`, which returns those of the sweeps that a budget has no room for, by intent id. */
export const make = Effect.gen(function* () {
  const desk = yield* ExposureDesk.make

  return Effect.fnUntraced(function* ({ chain }: ChainClient, fees: FeesPerGas, found: ReadonlyArray<Candidate>) {
    const waiting = new Map<string, Later>()
    if (found.length === 0) return waiting
    const needed = found.map((each) => ({
      intent: each.intent,
      intentId: each.intent.id,
      classes: desk.classes(chain, each.intent),
      wei: Reserving.weiOf(fees, each)
    }))
    const [budgets, reserved, sums] = yield* Effect.all(
      [
        desk.budgetsOn(chain),
        desk.reserved(needed.map(({ intentId }) => intentId)),
        desk.sums([...new Set(needed.flatMap(({ classes }) => classes))])
      ],
      { concurrency: "unbounded" }
    )
    const sumsOf = ExposureDesk.sumsIn(sums)
    // An earlier claim has reserved some as unlisted. Their own reservation is among the sums.
    const isReserved = ({ intentId }: (typeof needed)[number]) =>
      (reserved.get(intentId) ?? []).some((key) => parse(key)?.scope === "unlisted")
    const { denied } = admit(
      needed.filter((each) => !isReserved(each)),
      budgets,
      sums
    )
    const spent = needed.filter(isReserved).flatMap(({ classes, intentId }): ReadonlyArray<Denied> => {
      const key = classes.find((each) => isSpent(each, budgets, sumsOf(each)))
      return key === undefined ? [] : [{ intentId, spent: key, isBusy: false }]
    })
    for (const lack of [...denied, ...spent]) {
      const each = needed.find(({ intentId }) => intentId === lack.intentId)
      if (each === undefined) continue
      yield* desk.alerts.note(chain, { ...lack, wei: each.wei }, sums.get(lack.spent))
      const text = `the budget of ${lack.spent} has no room for it`
      waiting.set(lack.intentId, later(each.intent, text, ExposureDesk.pauseOf(lack)))
    }
    return waiting
  })
})
