/**
 * The verdict on a token, from what risk services say of it and what a trial trade proves.
 *
 * A service alone never declines a token: services are wrong about new and unusual tokens, and one of them must not be able to close the
 * service for a token. It raises the tier. Proof declines, and so do two services that agree. Silence is no evidence: it neither lowers
 * a tier nor declines, and the token keeps the tier of the operator's list, which is the highest for a token that is not listed.
 */
import type { Tier } from "./Tier.ts"

/** `trap`: holders cannot sell. `suspicious`: they may lose part of it, or the ability to sell. `unknown`: no statement. */
export type Danger = "none" | "suspicious" | "trap" | "unknown"

/** The statement of one service. */
export interface Opinion {
  readonly source: string
  readonly danger: Danger
  /** Words of a closed list, for logs. */
  readonly reasons: ReadonlyArray<string>
}

/** Taxes that a trial trade measured, in basis points. */
export interface Taxes {
  readonly buyBps: number
  readonly transferBps: number
  readonly sellBps: number
}

/** The result of a trial trade: a purchase, a transfer to a fresh account, and a sale by that account. */
export type Trial =
  | { readonly _tag: "Sold"; readonly taxes: Taxes }
  | { readonly _tag: "Trapped"; readonly at: "buy" | "transfer" | "sell" }
  /** There was no market or no answer, or no trial was made. */
  | { readonly _tag: "Unproven" }

export type Verdict =
  /** `leastTier`: the tier is raised to it. */
  | { readonly _tag: "Accepted"; readonly leastTier: Tier; readonly reasons: ReadonlyArray<string> }
  | { readonly _tag: "Declined"; readonly reasons: ReadonlyArray<string> }

/** Tax from which on a token counts as a trap, in basis points. */
const TRAP_TAX_BPS = 5_000

/** Differences below it are the market's. */
const NOTABLE_TAX_BPS = 200

/** Services that must agree. */
const AGREEING = 2

const ofTrial = (trial: Trial): { readonly danger: Danger; readonly reasons: ReadonlyArray<string> } => {
  switch (trial._tag) {
    case "Unproven":
      return { danger: "unknown", reasons: [] }
    case "Trapped":
      return { danger: "trap", reasons: [`trial:${trial.at}_fails`] }
    case "Sold": {
      const { buyBps, sellBps, transferBps } = trial.taxes
      const taxes = { buy: buyBps, transfer: transferBps, sell: sellBps }
      const above = (limit: number) =>
        Object.entries(taxes).flatMap(([name, bps]) => (bps >= limit ? [`trial:${name}_tax`] : []))
      const [traps, notable] = [above(TRAP_TAX_BPS), above(NOTABLE_TAX_BPS)]
      if (traps.length > 0) return { danger: "trap", reasons: traps }
      return { danger: notable.length > 0 ? "suspicious" : "none", reasons: notable }
    }
  }
}

export const verdictOf = (opinions: ReadonlyArray<Opinion>, trial: Trial): Verdict => {
  const proof = ofTrial(trial)
  const said = opinions.flatMap(({ reasons, source }) => reasons.map((reason) => `${source}:${reason}`))
  const reasons = [...proof.reasons, ...said]
  const accusers = new Set(opinions.filter(({ danger }) => danger === "trap").map(({ source }) => source))
  if (proof.danger === "trap" || accusers.size >= AGREEING) return { _tag: "Declined", reasons }
  const dangers = [proof.danger, ...opinions.map(({ danger }) => danger)]
  const leastTier = dangers.some((danger) => danger === "suspicious" || danger === "trap") ? "tier3" : "tier1"
  return { _tag: "Accepted", leastTier, reasons }
}
