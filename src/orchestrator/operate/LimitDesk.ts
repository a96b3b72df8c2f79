/** Limits for the operator: shows them, and changes them on all replicas. Every change is recorded. */
import { Context, Effect, Layer } from "effect"
import type { Chain } from "../../domain/Chain.ts"
import { limited, type LimitName, type LimitSubject, type LimitView, NAMES, nameOf } from "../../domain/Limit.ts"
import { Overrides } from "../../ports/shared/Overrides.ts"
import { Chains, type UnsupportedChain } from "../../ports/shared/Chains.ts"
import type { StoreUnavailable } from "../../ports/shared/Store.ts"
import * as ChainLimits from "../shared/ChainLimits.ts"
import { KeptOverrides } from "../../runtime/KeptOverrides.ts"
import * as Limits from "../shared/Limits.ts"
import { OrchestratorSettings, type OrchestratorSettingsShape } from "../shared/OrchestratorSettings.ts"
import type { Change } from "./LaneDesk.ts"

export class LimitDesk extends Context.Service<
  LimitDesk,
  {
    /** Every limit of every chain, and the operator's choices for chains that are no longer served. */
    readonly list: Effect.Effect<ReadonlyArray<LimitView>, StoreUnavailable>
    /**
     * Sets a limit in wei, or drops the choice for it (null), also that for a chain which is no longer served. Repeating a change does
     * nothing.
     */
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

type Choice = ReturnType<typeof Limits.choicesOf>[number]

const make = Effect.gen(function* () {
  const chains = yield* Chains
  const { current, refresh } = yield* KeptOverrides
  const overrides = yield* Overrides
  const { relayer } = yield* OrchestratorSettings

  /** `chain` is undefined if it is not served. Its choice holds again if it is. */
  const viewOf = (choices: ReadonlyArray<Choice>, { chainId, limit }: LimitSubject, chain: Chain | undefined) => {
    const chosen = choices.find((choice) => choice.chainId === chainId && choice.limit === limit)
    return {
      subject: { chainId, limit },
      wei: (chain === undefined ? chosen?.wei : valueOf(relayer, limited(chain, choices), limit)) ?? null,
      configured: (chain === undefined ? undefined : valueOf(relayer, chain, limit)) ?? null,
      chosen:
        chosen === undefined
          ? null
          : { wei: chosen.wei, actor: chosen.actor, reason: chosen.reason, sinceMs: chosen.sinceMs }
    } satisfies LimitView
  }

  const choices = Effect.map(current, Limits.choicesOf)

  const list = Effect.gen(function* () {
    yield* refresh
    const chosen = yield* choices
    const served = chains.all.map(({ chain }) => chain)
    const former = chosen.filter(({ chainId }) => !served.some(({ id }) => id === chainId))
    return [
      ...served.flatMap((chain) => NAMES.map((limit) => viewOf(chosen, { chainId: chain.id, limit }, chain))),
      ...former.map((choice) => viewOf(chosen, choice, undefined))
    ]
  })

  /** The chain of a limit. A limit of a chain that is not served can be cleared alone. */
  const chainOf = Effect.fnUntraced(function* ({ chainId }: LimitSubject, wei: bigint | null) {
    const known = yield* choices
    const isFormer = !chains.all.some(({ chain }) => chain.id === chainId)
    if (isFormer && wei === null && known.some((choice) => choice.chainId === chainId)) return undefined
    return (yield* chains.get(chainId)).chain
  })

  const change: LimitDesk["Service"]["change"] = Effect.fn("LimitDesk.change")(function* (
    subject,
    wei,
    { actor, reason }
  ) {
    const chain = yield* chainOf(subject, wei)
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
    return viewOf(yield* choices, subject, chain)
  })

  return LimitDesk.of({ list, change })
})
