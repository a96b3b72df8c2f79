/** Alerts about budgets of exposure that are spent. One stands for each chain, scope and kind of class, and names one class. */
import { Clock, Effect } from "effect"
import { ageOf } from "../../domain/Age.ts"
import type { Chain } from "../../domain/Chain.ts"
import {
  type Budgets,
  classOf,
  type Denied,
  EMPTY,
  type ExposureClass,
  firstClass,
  holding,
  isReserved,
  isSpent,
  limitOf,
  parse,
  type Sums
} from "../../domain/Exposure.ts"
import { Exposures } from "../../ports/orchestrator/Exposures.ts"
import * as LimitChoices from "../../ports/shared/LimitChoices.ts"
import { Alerts } from "../../ports/shared/Alerts.ts"
import * as ChainLimits from "./ChainLimits.ts"
import { OrchestratorSettings } from "./OrchestratorSettings.ts"
import { StandingAlerts } from "./StandingAlerts.ts"

export const KIND = "exposure_spent"

/** Interval of reviews, and so the longest time for which an alert is late, in milliseconds. */
const REVIEW_MILLIS = 10_000

/** Age at which a reservation that no transaction carries ends, in milliseconds. Longer than an order waits by default. */
const ABANDONED_MILLIS = 900_000

/** Interval between deletions of old sums, in milliseconds. */
const PRUNE_MILLIS = 60_000

const NEVER = Number.NEGATIVE_INFINITY

/** True while losses keep a sweep of `wei` of the class waiting. A class without losses is never spent. */
const isLost = (
  key: ExposureClass,
  budgets: Budgets,
  known: ReadonlyMap<ExposureClass, Sums>,
  wei: bigint
): boolean => {
  const parts = parse(key)
  const sums = known.get(key) ?? EMPTY
  if (parts === undefined || sums.day.lost === 0n) return false
  if (parts.scope === "unlisted" || isReserved(key)) return isSpent(key, budgets, sums, wei)
  return parts.kind === "all"
    ? sums.hour.lost >= budgets.listedHour
    : holding([key], budgets, (each) => known.get(each) ?? EMPTY) !== undefined
}

const keyOf = (key: ExposureClass): string => {
  const parts = parse(key)
  const kind = `${KIND}:${parts?.chainId}:${parts?.scope}:${parts?.kind}`
  return parts?.kind === "first" ? `${kind}:${parts.value}` : kind
}

const messageOf = (chain: Chain, key: ExposureClass): string => {
  const parts = parse(key)
  if (parts?.scope === "unlisted") {
    return parts.kind === "all"
      ? `Sweeps with unlisted tokens lost their budget on ${chain.name}. They wait, and new ones are refused, until losses are older than the window, or unlistedLossBudgetWei of the chain or UNLISTED_LOSS_BUDGET_WEI is raised. Sweeps of listed tokens go on.`
      : `Sweeps of ${key} lost their share of the budget for unlisted tokens on ${chain.name}. They wait, and new ones are refused, until losses are older than the window. All others go on.`
  }
  if (parts?.kind === "first") {
    return `First sweeps of owners lost their budget on ${chain.name}. They wait until losses are older than an hour, or until first sweeps earn it back. Raise firstSweepsLossBudgetWei of the chain or FIRST_SWEEPS_LOSS_BUDGET_WEI if the losses are worth it. Sweeps of owners who swept before go on.`
  }
  if (parts?.kind === "funder") {
    return `First sweeps of owners that ${parts.value} funded lost their share of the budget of first sweeps on ${chain.name}. They wait until losses are older than an hour, or until they earn it back. All others go on.`
  }
  if (parts?.kind === "batch") {
    return `Sweeps of listed tokens that cover more than their owners have paid so far lost their budget on ${chain.name}. Such sweeps wait until losses are older than an hour. Raise lossBudgetWei of the chain or LOSS_BUDGET_WEI if the losses are worth it.`
  }
  return parts?.kind === "all"
    ? `Sweeps of listed tokens lost the budget of an hour on ${chain.name}. Sweeps of owners and networks with losses wait, and all others go on. See GET /admin/exposure for the largest losses.`
    : `Sweeps of ${key} lost their share of the hourly loss budget on ${chain.name}. They wait until losses are older than the window. All others go on.`
}

/**
 * Makes `note(chain, denied, sums)`, which raises the alert of a class whose losses make a sweep wait, and `review(chain)`, which
 * raises those of the chain's budgets, clears those whose window is free again, and ends abandoned reservations.
 */
export const make = Effect.gen(function* () {
  const { list } = yield* Alerts
  const standing = yield* StandingAlerts
  const exposures = yield* Exposures
  const { relayer } = yield* OrchestratorSettings
  const withLimits = yield* LimitChoices.make
  const reviewed = new Map<number, number>()
  let pruned = NEVER

  const raise = Effect.fnUntraced(function* (chain: Chain, key: ExposureClass, wei: bigint, sums: Sums) {
    const budgets = ChainLimits.lossBudgets(relayer, yield* withLimits(chain))
    yield* standing.raise({
      key: keyOf(key),
      severity: parse(key)?.kind === "all" ? "critical" : "warning",
      kind: KIND,
      message: messageOf(chain, key),
      details: {
        chainId: chain.id,
        class: key,
        wei: String(wei),
        lostHourWei: String(sums.hour.lost),
        lostDayWei: String(sums.day.lost),
        budgetHourWei: String(limitOf(key, budgets, sums).hour)
      }
    })
  })

  const note = Effect.fnUntraced(function* (
    chain: Chain,
    { isBusy, spent, wei }: Pick<Denied, "isBusy" | "spent"> & { readonly wei: bigint },
    sums: Sums = EMPTY
  ) {
    if (!isBusy && sums.day.lost > 0n) yield* raise(chain, spent, wei, sums)
  })

  const review = Effect.fnUntraced(function* (chain: Chain) {
    const now = yield* Clock.currentTimeMillis
    if (ageOf(now, reviewed.get(chain.id) ?? NEVER) < REVIEW_MILLIS) return
    reviewed.set(chain.id, now)
    const noted = (yield* list).flatMap(({ details, kind }) =>
      kind === KIND && details["chainId"] === chain.id
        ? [{ key: String(details["class"]), wei: BigInt(String(details["wei"])) }]
        : []
    )
    const always = [
      ...(["listed", "unlisted"] as const).map((scope) => classOf(scope, "all", chain.id)),
      ...[false, true].map((isUnfunded) => firstClass(chain.id, isUnfunded))
    ].map((key) => ({ key, wei: 1n }))
    const looked = [...noted, ...always.filter(({ key }) => noted.every((each) => each.key !== key))]
    const known = yield* exposures.sums([...new Set([...looked, ...always].map(({ key }) => key))])
    const budgets = ChainLimits.lossBudgets(relayer, yield* withLimits(chain))
    for (const { key, wei } of looked) {
      if (isLost(key, budgets, known, wei)) yield* raise(chain, key, wei, known.get(key) ?? EMPTY)
      else yield* standing.clear(keyOf(key))
    }
    if (ageOf(now, pruned) < PRUNE_MILLIS) return
    pruned = now
    yield* exposures.prune(now - ABANDONED_MILLIS)
  })

  return { note, review }
})
