/** Figures of a round of quotes, and the bars that they are held to. Pure. */
import { DARK } from "../../src/devnet/market/Market.ts"
import type { Sale } from "./Hindsight.ts"
import type { Quoted } from "./Quotes.ts"

/** A quote with the best that could have been done. */
export interface Judged {
  readonly quoted: Quoted
  /** Faults of the order. Empty without an order. */
  readonly faults: ReadonlyArray<string>
  /** Dollars that the order's swap delivers, less its gas. Undefined without an order that works. */
  readonly netUsd: number | undefined
  /** The best of all sales, and of those by exchanges of the chains file alone. */
  readonly best: { readonly known: Sale | undefined; readonly any: Sale | undefined }
}

/** Sales below it are not worth a sweep's gas on any chain. */
export const LEAST_USD = 1

export const BARS = { found: 0.97, shortfall: 0.005, within: 0.97, ownMillis: 15 } as const

/** The value below which the part of the sorted values is. NaN without values. */
export const quantile = (values: ReadonlyArray<number>, part: number): number => {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? Number.NaN
}

/**
 * True if the operator's rules allow the sale. A fee in an unlisted token counts for what an exchange of the chains file pays for it, so they
 * refuse unlisted tokens that only others trade.
 */
const isAllowed = ({ quoted: { token } }: Judged): boolean =>
  token.isListed || token.pools.some(({ venue }) => venue !== DARK)

export interface Figures {
  readonly quotes: number
  readonly sellable: number
  readonly found: number
  /** Sellable tokens by listing, found and all. */
  readonly listed: readonly [found: number, all: number]
  readonly unlisted: readonly [found: number, all: number]
  /** Sellable tokens that the operator's rules do not refuse. */
  readonly allowed: readonly [found: number, all: number]
  /** Parts of the best net output that quotes miss. Below 0: better than hindsight. */
  readonly shortfalls: ReadonlyArray<number>
  readonly honeypots: number
  readonly faults: ReadonlyMap<string, number>
  readonly missed: ReadonlyMap<string, number>
  readonly own: ReadonlyArray<number>
  readonly cpu: ReadonlyArray<number>
  readonly whole: ReadonlyArray<number>
}

const counted = (words: ReadonlyArray<string>): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  return new Map([...counts].toSorted(([, a], [, b]) => b - a))
}

/** Sales that count as possible: those of the exchanges of the chains file, or also those of services. */
export type Scope = "known" | "any"

export const figuresOf = (judged: ReadonlyArray<Judged>, scope: Scope): Figures => {
  const isFound = ({ faults, quoted }: Judged) => quoted.order !== undefined && faults.length === 0
  const sellable = judged.filter(({ best }) => (best[scope]?.netUsd ?? 0) >= LEAST_USD)
  const share = (isCounted: (judged: Judged) => boolean) => {
    const all = sellable.filter(isCounted)
    return [all.filter(isFound).length, all.length] as const
  }
  return {
    quotes: judged.length,
    sellable: sellable.length,
    found: sellable.filter(isFound).length,
    listed: share(({ quoted }) => quoted.token.isListed),
    unlisted: share(({ quoted }) => !quoted.token.isListed),
    allowed: share(isAllowed),
    shortfalls: sellable.filter(isFound).flatMap(({ best, netUsd }) => {
      const most = best[scope]?.netUsd ?? 0
      return netUsd === undefined ? [] : [(most - netUsd) / most]
    }),
    honeypots: judged.filter(({ faults }) => faults.includes("a honeypot")).length,
    faults: counted(judged.flatMap(({ faults }) => faults)),
    missed: counted(
      sellable.filter((each) => !isFound(each)).map(({ quoted }) => quoted.reason || String(quoted.status))
    ),
    own: judged.filter(isFound).map(({ quoted }) => quoted.ownMillis),
    cpu: judged.filter(isFound).map(({ quoted }) => quoted.cpuMillis),
    whole: judged.filter(isFound).map(({ quoted }) => quoted.millis)
  }
}

const percent = (part: number): string => `${(100 * part).toFixed(2)} %`
const list = (counts: ReadonlyMap<string, number>): string =>
  counts.size === 0 ? "none" : [...counts].map(([word, count]) => `${word} ${count}`).join(", ")
const ratio = ([part, all]: readonly [number, number]): string => `${part} of ${all}`

/** A bar with its figure. */
export interface Verdict {
  readonly name: string
  readonly figure: string
  readonly bar: string
  readonly isMet: boolean
}

/** The bars of a round. A round with faulty services is held to orders alone. */
export const verdictsOf = (figures: Figures, isHonest: boolean): ReadonlyArray<Verdict> => {
  const { allowed, faults, found, honeypots, own, sellable, shortfalls } = figures
  const share = allowed[0] / Math.max(1, allowed[1])
  const within = shortfalls.filter((part) => part <= BARS.shortfall).length / Math.max(1, shortfalls.length)
  const others = [...faults].filter(([fault]) => fault !== "a honeypot").reduce((sum, [, count]) => sum + count, 0)
  const orders: ReadonlyArray<Verdict> = [
    { name: "honeypots quoted", figure: String(honeypots), bar: "0", isMet: honeypots === 0 },
    { name: "other faults of orders", figure: String(others), bar: "0", isMet: others === 0 }
  ]
  if (!isHonest) return orders
  const millis = quantile(own, 0.95)
  return [
    {
      name: "allowed sales found",
      figure: `${percent(share)} (${ratio(allowed)}; of all sales ${found} of ${sellable})`,
      bar: `>= ${percent(BARS.found)}`,
      isMet: share >= BARS.found
    },
    {
      name: `within ${percent(BARS.shortfall)} of the best net of gas`,
      figure: percent(within),
      bar: `>= ${percent(BARS.within)}`,
      isMet: within >= BARS.within
    },
    ...orders,
    {
      name: "own time, p95",
      figure: `${millis.toFixed(1)} ms`,
      bar: `<= ${BARS.ownMillis} ms`,
      isMet: millis <= BARS.ownMillis
    }
  ]
}

export const linesOf = (title: string, figures: Figures, verdicts: ReadonlyArray<Verdict>): ReadonlyArray<string> => {
  const { cpu, faults, listed, missed, own, shortfalls, unlisted, whole } = figures
  const at = (values: ReadonlyArray<number>, part: number, digits: number) => quantile(values, part).toFixed(digits)
  return [
    "",
    title,
    `  tokens quoted                  ${figures.quotes}, of which ${figures.sellable} can be sold for at least $${LEAST_USD} net of gas`,
    `  found, listed tokens           ${ratio(listed)}`,
    `  found, unlisted tokens         ${ratio(unlisted)}`,
    `  not found, by reason           ${list(missed)}`,
    `  shortfall p50, p90, p99, most  ${[0.5, 0.9, 0.99, 1].map((part) => percent(quantile(shortfalls, part))).join(", ")}`,
    `  faults of orders               ${list(faults)}`,
    `  time of a quote p50, p95       ${at(whole, 0.5, 0)} ms, ${at(whole, 0.95, 0)} ms; own ${at(own, 0.5, 1)} ms, ${at(own, 0.95, 1)} ms`,
    `  CPU of a quote p50, p95        ${at(cpu, 0.5, 1)} ms, ${at(cpu, 0.95, 1)} ms`,
    ...verdicts.map(
      ({ bar, figure, isMet, name }) => `  ${isMet ? "met   " : "MISSED"} ${name}: ${figure}, the bar is ${bar}`
    )
  ]
}
