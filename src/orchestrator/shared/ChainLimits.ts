/** Limits of one chain: its own from the chains file, or those of all chains from the environment. */
import type { Chain } from "../../domain/Chain.ts"
import type { Budgets } from "../../domain/Exposure.ts"
import { budgetsOf, dayOf, inKnownNative, inNative } from "../../domain/ExposureBudget.ts"
import type { OrchestratorSettingsShape } from "./OrchestratorSettings.ts"

type Relayer = OrchestratorSettingsShape["relayer"]

/** Minimum balance of a lane on the chain, in wei. */
export const minLaneBalance = ({ minLaneBalance }: Pick<Relayer, "minLaneBalance">, chain: Chain): bigint =>
  chain.minLaneBalanceWei ?? minLaneBalance

/** Maximum gas cost of all lanes of the chain in 24 hours, in wei. Undefined: no limit. */
export const dailySpendCap = ({ dailySpendCap }: Pick<Relayer, "dailySpendCap">, chain: Chain): bigint | undefined =>
  chain.dailySpendCapWei ?? dailySpendCap

/** Loss of sweeps with unlisted tokens in one hour by the settings, in wei. The daily spend cap may cut it. */
const unlistedHour = ({ unlistedLossBudget }: Pick<Relayer, "unlistedLossBudget">, chain: Chain): bigint =>
  chain.unlistedLossBudgetWei ?? inNative(unlistedLossBudget, chain.nativeSymbol)

/** Losses that the operator accepts on the chain, in its smallest unit. */
export const lossBudgets = (
  relayer: Pick<Relayer, "dailySpendCap" | "firstSweepsLossBudget" | "lossBudget" | "unlistedLossBudget">,
  chain: Chain
): Budgets =>
  budgetsOf({
    unlistedHour: unlistedHour(relayer, chain),
    firstHour: chain.firstSweepsLossBudgetWei ?? inKnownNative(relayer.firstSweepsLossBudget, chain.nativeSymbol),
    listedHour: chain.lossBudgetWei ?? inNative(relayer.lossBudget, chain.nativeSymbol),
    dailySpendCap: dailySpendCap(relayer, chain)
  })

/** The loss budget of unlisted tokens that is set for one hour, and what holds in 24. Undefined if the daily spend cap does not cut it. */
export const cutUnlistedBudget = (
  relayer: Parameters<typeof lossBudgets>[0],
  chain: Chain
): { readonly hour: bigint; readonly day: bigint } | undefined => {
  const hour = unlistedHour(relayer, chain)
  const { day } = lossBudgets(relayer, chain).unlisted
  return day < dayOf(hour) ? { hour, day } : undefined
}
