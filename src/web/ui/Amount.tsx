/** An amount of a token. Amounts of an unlisted token are shown in its smallest unit. */
import type { TokenInfo } from "../../domain/Token.ts"
import { exact, readable } from "../lib/amounts.ts"

export interface AmountProps {
  readonly value: bigint
  readonly token: TokenInfo | undefined
  readonly symbol?: boolean
}

export function Amount({ symbol = true, token, value }: AmountProps) {
  const decimals = token?.decimals ?? 0
  const unit = token?.symbol ?? "units"
  return (
    <span className="tabular-nums" title={`${exact(value, decimals)} ${unit}`}>
      {readable(value, decimals)}
      {symbol && <span className="text-muted"> {unit}</span>}
    </span>
  )
}
