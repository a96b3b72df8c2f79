/** Prices as columns: US dollars scaled by 10^18, for each smallest unit. `numeric` holds them exactly. */
import type { PricedUnits } from "../../../domain/QuoteDetails.ts"

/** Text of a rate that PostgreSQL reads as a `numeric`. */
export const ofUnit = ({ decimals, usd }: PricedUnits): string => `${usd}e-${decimals}`
