/** A stuck intent with the state of its chains, lanes and alerts, and the questions that its explanation asks about them. */
import type { AlertView, Health } from "../../domain/Health.ts"
import type { StuckIntent } from "../../domain/StuckIntent.ts"
import type { HeldIntent } from "../../ports/orchestrator/HeldIntents.ts"

export type Explanation = Pick<StuckIntent, "waitsFor" | "explanation" | "advice">

type StandingAlert = Pick<AlertView, "kind" | "message" | "details">

/** State of the service beside the intent. */
export interface Circumstances {
  readonly nowMs: number
  readonly health: Pick<Health, "chains" | "lanes">
  readonly alerts: ReadonlyArray<StandingAlert>
}

export interface Situation extends Circumstances {
  readonly intent: HeldIntent
}

/** Formats milliseconds in one unit: `72 s`, `15 min`, `3 h`. Negative durations are `0 s`. */
export const duration = (millis: number): string => {
  const seconds = Math.max(0, Math.round(millis / 1000))
  if (seconds < 120) return `${seconds} s`
  return seconds < 7_200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3_600)} h`
}

export const chainName = ({ health }: Circumstances, chainId: number): string =>
  health.chains.find(({ id }) => id === chainId)?.name ?? `chain ${chainId}`

/** The first standing alert of one of the kinds about a chain. */
export const alertOf = (
  { alerts }: Circumstances,
  chainId: number,
  ...kinds: ReadonlyArray<string>
): StandingAlert | undefined =>
  alerts.find(({ details, kind }) => kinds.includes(kind) && details["chainId"] === chainId)

/** The reason that a chain cannot be read; undefined when its health is `ok` or unknown. */
export const unreadable = ({ health }: Circumstances, chainId: number): Explanation | undefined => {
  const chain = health.chains.find(({ id }) => id === chainId)
  if (chain === undefined || chain.status === "ok") return undefined
  return {
    waitsFor: "chain",
    explanation: `Sweeps on ${chain.name} cannot be sent or followed: ${problemOf(chain)}.`,
    advice: `Check the nodes of ${chain.name} in the chains file. The sweep continues once one of them answers.`
  }
}

const problemOf = (chain: Health["chains"][number]): string => {
  if (chain.blockNumber === null) return "its node does not answer"
  if (chain.contractsDeployed === false) return "the service's contracts are not at the configured addresses"
  return chain.status === "degraded"
    ? `its node is behind: its newest block is ${duration((chain.blockAgeSeconds ?? 0) * 1000)} old`
    : "its node answers only in part"
}
