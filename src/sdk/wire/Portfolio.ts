/** JSON of `GET /portfolio/:owner` and `GET /portfolio/:owner/sweepable`. */
import type { Portfolio, PortfolioToken, Standing, SweepableToken } from "../model/Portfolio.ts"
import type { Tier } from "../model/Sweep.ts"
import { address, boolean, list, nullable, oneOf, type Read, safeInteger, struct, text, uint256 } from "./Reader.ts"

const tier = oneOf(["tier1", "tier2", "tier3"] satisfies ReadonlyArray<Tier>)
const delegation = oneOf(["none", "ours", "other", "contract"] satisfies ReadonlyArray<SweepableToken["delegation"]>)

const token = {
  chainId: safeInteger,
  address,
  symbol: text,
  name: text,
  decimals: safeInteger,
  balance: uint256,
  priceUsd: nullable(text),
  valueUsd: nullable(text),
  tier
}

const warnings = {
  // Warnings of newer services are read, too.
  standing: text as Read<Standing>,
  doubtful: boolean,
  worthSweeping: boolean
}

const readToken: Read<PortfolioToken> = struct(token, { ...warnings, reason: nullable(text) })

const readSweepableToken: Read<SweepableToken> = struct(
  {
    ...token,
    sweepable: boolean,
    reason: nullable(text),
    delegation,
    estimatedNetAmount: uint256,
    estimatedNetUsd: nullable(text)
  },
  warnings
)

const portfolioOf = <Token>(token: Read<Token>): Read<Portfolio<Token>> =>
  struct(
    { owner: address, tokens: list(token), totalUsd: text, updatedAtMs: safeInteger },
    { unavailableChains: list(safeInteger) }
  )

/** Reads the response of `GET /portfolio/:owner`. */
export const readPortfolio = portfolioOf(readToken)

/** Reads the response of `GET /portfolio/:owner/sweepable`. */
export const readSweepable = portfolioOf(readSweepableToken)
