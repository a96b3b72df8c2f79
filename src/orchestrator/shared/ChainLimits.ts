/** Limits of one chain: its own from the chains file, or those of all chains from the environment. */
import type { Chain } from "../../domain/Chain.ts"
import type { Budgets } from "../../domain/Exposure.ts"
import { budgetsOf, inKnownNative, inNative } from "../../domain/ExposureBudget.ts"
import type { OrchestratorSettingsShape } from "./OrchestratorSettings.ts"

type Relayer = OrchestratorSettingsShape["relayer"]

/** Minimum balance of a lane on the chain, in wei. */
export const minLaneBalance = ({ minLaneBalance }: Pick<Relayer, "minLaneBalance">, chain: Chain): bigint =>
  chain.minLaneBalanceWei ?? minLaneBalance

/** Maximum gas cost of all lanes of the chain in 24 hours, in wei. Undefined: no limit. */
export const dailySpendCap = ({ dailySpendCap }: Pick<Relayer, "dailySpendCap">, chain: Chain): bigint | undefined =>
  chain.dailySpendCapWei ?? dailySpendCap

/** Losses that the operator accepts on the chain, in its smallest unit. */
export const lossBudgets = (
  relayer: Pick<Relayer, "dailySpendCap" | "firstSweepsLossBudget" | "lossBudget" | "unlistedLossBudget">,
  chain: Chain
): Budgets =>
  budgetsOf({
    unlistedHour: chain.unlistedLossBudgetWei ?? inNative(relayer.unlistedLossBudget, chain.nativeSymbol),
    firstHour: chain.firstSweepsLossBudgetWei ?? inKnownNative(relayer.firstSweepsLossBudget, chain.nativeSymbol),
    listedHour: chain.lossBudgetWei ?? inNative(relayer.lossBudget, chain.nativeSymbol),
    dailySpendCap: dailySpendCap(relayer, chain)
  })
