/** Amounts with their value, and facts with their labels. */
import type { ReactNode } from "react"
import { exact, readable } from "../lib/amounts.ts"
import { worth } from "../lib/usd.ts"
import type { Unit } from "./catalog.ts"

export interface PricedUnit extends Unit {
  readonly priceUsd?: string | null
}

export function Value({
  strong = false,
  unit,
  value
}: {
  readonly value: bigint
  readonly unit: PricedUnit
  readonly strong?: boolean
}) {
  const { decimals, priceUsd = null, symbol } = unit
  return (
    <span className="tabular-nums" title={`${exact(value, decimals)} ${symbol}`}>
      <span className={strong ? "font-semibold" : undefined}>
        {readable(value, decimals)} {symbol}
      </span>
      {priceUsd !== null && <span className="text-muted"> · {worth(value, decimals, priceUsd)}</span>}
    </span>
  )
}

export interface FactProps {
  readonly label: string
  readonly children: ReactNode
  readonly note?: ReactNode
  /** Label above the value, for a narrow column. */
  readonly stacked?: boolean
}

export function Fact({ children, label, note, stacked = false }: FactProps) {
  return (
    <div className={`grid grid-cols-1 gap-x-6 gap-y-0.5 py-2.5 ${stacked ? "" : "sm:grid-cols-[9.5rem_1fr]"}`}>
      <dt className="text-muted">{label}</dt>
      <dd className="min-w-0">
        {children}
        {note !== undefined && <div className="text-sm text-muted">{note}</div>}
      </dd>
    </div>
  )
}
