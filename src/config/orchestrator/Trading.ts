/** Settings of swaps: the tolerance of their minimum, and the fees that tokens take from transfers. */
import { BPS, integer, optional, setting } from "../Setting.ts"

/** Highest fee on transfer that an operator may accept. Tokens above it count as traps. */
const HIGHEST_TRANSFER_FEE_BPS = 5_000

export const trading = {
  slippageBps: optional({
    name: "SLIPPAGE_BPS",
    check: integer(BPS),
    meaning:
      "Slippage tolerance of all swaps whose request names none, in basis points. If not set, it follows from the measured price impact of the route and the volatility of its tokens, between `SLIPPAGE_MIN_BPS` and `SLIPPAGE_MAX_BPS`."
  }),
  slippageMinBps: setting({
    name: "SLIPPAGE_MIN_BPS",
    default: 10,
    check: integer(BPS),
    meaning: "Least automatic slippage tolerance, in basis points."
  }),
  slippageMaxBps: setting({
    name: "SLIPPAGE_MAX_BPS",
    default: 100,
    check: integer(BPS),
    meaning:
      "Highest automatic slippage tolerance, in basis points. Clients refuse orders with more than 100 unless their review allows it."
  }),
  transferFeeMaxBps: setting({
    name: "TRANSFER_FEE_MAX_BPS",
    default: 1_000,
    check: integer({ from: 0, to: HIGHEST_TRANSFER_FEE_BPS }),
    meaning:
      "Highest part of a sweep that its tokens may take as fees on transfer, in basis points, as measured in a rehearsal. With 0, such tokens are declined."
  })
} as const
