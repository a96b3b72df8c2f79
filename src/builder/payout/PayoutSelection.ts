/** Selects the builders of a batch, so that one builder who cannot be paid does not block the others. */
import { Clock, Effect, Option } from "effect"
import { isPayableOn } from "../../domain/Builder.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import type { LeftOut, LeftOutReason } from "../../domain/Payout.ts"
import type { Candidate } from "../../ports/builder/Payouts.ts"
import { Screening } from "../../ports/shared/Screening.ts"

/** Payout addresses that are screened concurrently: as many as the sanctions oracle takes in one call. */
const SCREENING_CONCURRENCY = 200

/** Lifetime of a clear verdict in milliseconds. A request that ran out of time is repeated sooner, and goes on with the others. */
const CLEARANCE_MILLIS = 60_000

/** Builders that a batch pays, with their screened addresses, and those that it leaves out. */
export interface Selection {
  readonly selected: ReadonlyArray<Candidate>
  readonly leftOut: ReadonlyArray<LeftOut>
}

const leftOut = ({ amount, builderId, payoutAddress }: Candidate, reason: LeftOutReason): LeftOut => ({
  builderId,
  payoutAddress,
  amount,
  reason
})

/**
 * Everybody who is not in a batch: those that were left out before, and selected builders that it has no line for. If the batch is
 * full, those without a line can be in the next one.
 */
export const missing = (
  selection: Selection,
  { lines, more = false }: { readonly lines: ReadonlyArray<{ readonly builderId: string }>; readonly more?: boolean }
): ReadonlyArray<LeftOut> => {
  if (more) return selection.leftOut
  const paid = new Set(lines.map(({ builderId }) => builderId))
  const late = selection.selected.filter(({ builderId }) => !paid.has(builderId))
  return [...selection.leftOut, ...late.map((candidate) => leftOut(candidate, "changed"))].sort((a, b) =>
    a.builderId < b.builderId ? -1 : 1
  )
}

const isKept = (nowMs: number, clearedAtMs: number | undefined): boolean =>
  clearedAtMs !== undefined && nowMs - clearedAtMs < CLEARANCE_MILLIS

/** Makes `select(chainId, candidates, exclude)`. Screening that gives no result leaves a builder out. */
export const make = Effect.gen(function* () {
  const screening = yield* Screening
  /** Times of clear verdicts, by chain and address. */
  const clearedAt = new Map<string, number>()

  const screened = (chainId: ChainId, { payoutAddress }: Candidate): Effect.Effect<Option.Option<LeftOutReason>> =>
    Effect.gen(function* () {
      const key = `${chainId}:${payoutAddress}`
      const askedAtMs = yield* Clock.currentTimeMillis
      if (isKept(askedAtMs, clearedAt.get(key))) return Option.none()
      yield* screening.clear(chainId, [payoutAddress])
      clearedAt.set(key, askedAtMs)
      return Option.none()
    }).pipe(
      Effect.catchTag("ScreeningBlocked", ({ cause }) =>
        Effect.succeedSome<LeftOutReason>(cause === "listed" ? "sanctions_listed" : "screening_unavailable")
      )
    )

  const forgetExpired = Effect.map(Clock.currentTimeMillis, (nowMs) => {
    for (const [key, atMs] of clearedAt) if (!isKept(nowMs, atMs)) clearedAt.delete(key)
  })

  return Effect.fnUntraced(function* (
    chainId: ChainId,
    candidates: ReadonlyArray<Candidate>,
    exclude: ReadonlyArray<string>
  ) {
    yield* forgetExpired
    const excluded = new Set(exclude)
    const reasonOf = (candidate: Candidate): Effect.Effect<Option.Option<LeftOutReason>> => {
      if (excluded.has(candidate.builderId)) return Effect.succeedSome("excluded")
      if (candidate.suspended) return Effect.succeedSome("suspended")
      return isPayableOn(candidate, chainId) ? screened(chainId, candidate) : Effect.succeedSome("wallet_chain")
    }
    const judged = yield* Effect.forEach(
      candidates,
      (candidate) =>
        Effect.map(reasonOf(candidate), (reason) => ({ candidate, reason: Option.getOrUndefined(reason) })),
      { concurrency: SCREENING_CONCURRENCY }
    )
    const selection: Selection = {
      selected: judged.flatMap(({ candidate, reason }) => (reason === undefined ? [candidate] : [])),
      leftOut: judged.flatMap(({ candidate, reason }) => (reason === undefined ? [] : [leftOut(candidate, reason)]))
    }
    return selection
  })
})
