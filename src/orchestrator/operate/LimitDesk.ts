/** Limits for the operator: shows them, and changes them on all replicas. Every change is recorded. */
import { Context, Effect, Layer } from "effect"
import type { Chain } from "../../domain/Chain.ts"
import { limited, type LimitName, type LimitSubject, type LimitView, NAMES, nameOf } from "../../domain/Limit.ts"
import { Overrides } from "../../ports/orchestrator/Overrides.ts"
import { Chains, type UnsupportedChain } from "../../ports/shared/Chains.ts"
import type { StoreUnavailable } from "../../ports/shared/Store.ts"
import * as ChainLimits from "../shared/ChainLimits.ts"
import { KeptOverrides } from "../shared/KeptOverrides.ts"
import * as Limits from "../shared/Limits.ts"
import { OrchestratorSettings, type OrchestratorSettingsShape } from "../shared/OrchestratorSettings.ts"
import type { Change } from "./LaneDesk.ts"

export class LimitDesk extends Context.Service<
  LimitDesk,
  {
    /** Every limit of every chain. */
    readonly list: Effect.Effect<ReadonlyArray<LimitView>, StoreUnavailable>
    /** Sets a limit in wei, or drops the choice for it (null). Repeating a change does nothing. */
    readonly change: (
      subject: LimitSubject,
      wei: bigint | null,
      change: Change
    ) => Effect.Effect<LimitView, UnsupportedChain | StoreUnavailable>
  }
>()("sweep/orchestrator/LimitDesk") {
  static readonly layer = Layer.effect(
    LimitDesk,
    // The methods are defined below.
    Effect.suspend(() => make)
  )
}

/** The limit of a chain in wei. Undefined: no limit. */
const valueOf = (relayer: OrchestratorSettingsShape["relayer"], chain: Chain, limit: LimitName): bigint | undefined => {
  switch (limit) {
    case "dailySpendCapWei":
      return ChainLimits.dailySpendCap(relayer, chain)
    case "unlistedLossBudgetWei":
      return ChainLimits.lossBudgets(relayer, chain).unlisted.hour
    case "lossBudgetWei":
      return ChainLimits.lossBudgets(relayer, chain).listedHour
    case "firstSweepsLossBudgetWei":
      return ChainLimits.lossBudgets(relayer, chain).firstHour
    case "maxFeePerGasWei":
      return chain.maxFeePerGasWei
  }
}

const make = Effect.gen(function* () {
  const chains = yield* Chains
  const { current, refresh } = yield* KeptOverrides
  const overrides = yield* Overrides
  const { relayer } = yield* OrchestratorSettings

  const viewOf = Effect.fnUntraced(function* (chain: Chain, limit: LimitName) {
    const choices = Limits.choicesOf(yield* current)
    const chosen = choices.find((choice) => choice.chainId === chain.id && choice.limit === limit)
    return {
      subject: { chainId: chain.id, limit },
      wei: valueOf(relayer, limited(chain, choices), limit) ?? null,
      configured: valueOf(relayer, chain, limit) ?? null,
      chosen:
        chosen === undefined
          ? null
          : { wei: chosen.wei, actor: chosen.actor, reason: chosen.reason, sinceMs: chosen.sinceMs }
    } satisfies LimitView
  })

  const list = Effect.gen(function* () {
    yield* refresh
    const views = yield* Effect.forEach(chains.all, ({ chain }) => Effect.forEach(NAMES, (name) => viewOf(chain, name)))
    return views.flat()
  })

  const change: LimitDesk["Service"]["change"] = Effect.fn("LimitDesk.change")(function* (
    subject,
    wei,
    { actor, reason }
  ) {
    const { chain } = yield* chains.get(subject.chainId)
    const value = wei === null ? undefined : String(wei)
    const name = nameOf(subject)
    const record = {
      actor,
      action: wei === null ? "limit.cleared" : "limit.set",
      subject: name,
      details: { reason, ...(value === undefined ? {} : { wei: value }) }
    }
    const isChanged = yield* overrides.set({ name: Limits.overrideName(subject), value, reason }, record)
    yield* refresh
    if (isChanged)
      yield* Effect.annotateLogs(Effect.logInfo("limit.changed"), { subject: name, to: value ?? "default" })
    return yield* viewOf(chain, subject.limit)
  })

  return LimitDesk.of({ list, change })
})
