/** {@link MoneyBook} in memory, computed from the intents and transactions of the shared in-memory state. */
import { Effect, HashMap, Layer, Ref } from "effect"
import * as Money from "../../../domain/Money.ts"
import type { Quote } from "../../../domain/Quote.ts"
import type { Tier } from "../../../domain/Tier.ts"
import * as Usd from "../../../domain/Usd.ts"
import { BUILDERS, MoneyBook } from "../../../ports/orchestrator/MoneyBook.ts"
import { lookup, OrchestratorState, type State, type StoredIntent } from "./OrchestratorState.ts"

const DAY_MILLIS = 86_400_000

const WEI_DECIMALS = 18

interface Line extends Money.Sums {
  readonly atMs: number
  readonly chainId: number
  readonly builderId?: string | undefined
  readonly tier?: Tier | undefined
}

/** Fee at the prices of the quote. Those of unlisted tokens do not count. */
const quoted = ({ appliedTier, feeBreakdown }: Quote): bigint | undefined => {
  if (appliedTier === "tier3" || appliedTier === undefined || feeBreakdown === undefined) return undefined
  const [protocol, network] = [feeBreakdown.protocol, feeBreakdown.network].map(({ usd }) => Usd.parse(usd))
  return protocol === undefined || network === undefined ? undefined : protocol + network
}

const feeOf = ({ feePrice, history = [], intent }: StoredIntent): ReadonlyArray<Line> => {
  const settled = history.find(({ status }) => status === "settled_source")
  if (settled === undefined) return []
  const { feeAmount } = intent.order
  const value = feePrice === undefined ? quoted(intent.quote) : Usd.valueOf(feeAmount, feePrice.usd, feePrice.decimals)
  const sums = { ...Money.NONE, sweeps: 1, unpricedSweeps: value === undefined ? 1 : 0, fees: value ?? 0n }
  return [{ ...sums, ...classOf(intent), atMs: settled.atMs, chainId: intent.quote.sourceChainId }]
}

const classOf = ({ attributed, quote }: StoredIntent["intent"]) => ({
  builderId: attributed?.builderId,
  tier: quote.appliedTier
})

type Spent = State["spending"][number]

const costsOf =
  (state: State) =>
  ({ chainId, endedAtMs: atMs, id, nativeUsd, parts = [], wei }: Spent): ReadonlyArray<Line> => {
    const line = (cost: bigint, earned: boolean, sign: bigint): Line => {
      const value = nativeUsd === undefined ? 0n : sign * Usd.valueOf(cost, nativeUsd, WEI_DECIMALS)
      const unpricedWei = nativeUsd === undefined ? sign * cost : 0n
      return { ...Money.NONE, ...(earned ? { gas: value } : { failures: value }), unpricedWei, atMs, chainId }
    }
    const isSweep = lookup(state.transactions, id)?.kind === "sweep"
    return [
      line(wei, isSweep, 1n),
      ...parts.flatMap(({ cost, intentId, isSettled }) => {
        const stored = lookup(state.intents, intentId)
        if (stored === undefined) return []
        const borne = { ...line(cost, isSettled, 1n), ...classOf(stored.intent), failed: isSettled ? 0 : 1 }
        return [borne, line(cost, isSweep, -1n)]
      })
    ]
  }

const summed = <K>(lines: ReadonlyArray<Line>, keyOf: (line: Line) => K) =>
  Array.from(Map.groupBy(lines, keyOf).values(), (group) => ({
    ...group[0],
    ...group.reduce<Money.Sums>(Money.added, Money.NONE)
  }))

const linesOf = (state: State, fromMs: number): Money.Lines => {
  const since = Math.floor(fromMs / DAY_MILLIS) * DAY_MILLIS
  const intents = Array.from(HashMap.values(state.intents))
  const lines = [...intents.flatMap(feeOf), ...state.spending.filter(({ wei }) => wei > 0n).flatMap(costsOf(state))]
  const recent = lines.filter(({ atMs }) => atMs >= since)
  return {
    chains: summed(recent, ({ chainId, tier = "" }) => `${chainId} ${tier}`)
      .map(({ atMs: _at, builderId: _builder, chainId = 0, tier, ...sums }) => ({
        chainId,
        ...(tier === undefined ? {} : { tier }),
        ...sums
      }))
      .toSorted((a, b) => a.chainId - b.chainId || ((a.tier ?? "") < (b.tier ?? "") ? -1 : 1)),
    builders: summed(recent, ({ builderId }) => builderId)
      .map(({ atMs: _at, builderId, chainId: _chain, tier: _tier, ...sums }) => ({
        ...(builderId === undefined ? {} : { builderId }),
        ...sums
      }))
      .toSorted((a, b) => Number(b.fees > a.fees) - Number(a.fees > b.fees) || byId(a, b))
      .slice(0, BUILDERS)
  }
}

const byId = ({ builderId: a = "" }: Money.BuilderLine, { builderId: b = "" }: Money.BuilderLine) => (a < b ? -1 : 1)

/** Shares its state with the other in-memory stores that are built together with it. */
export const layer = Layer.effect(
  MoneyBook,
  Effect.map(OrchestratorState, ({ state }) =>
    MoneyBook.of({ since: (fromMs) => Effect.map(Ref.get(state), (current) => linesOf(current, fromMs)) })
  )
).pipe(Layer.provide(OrchestratorState.layer))
