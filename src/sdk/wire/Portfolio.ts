/** JSON of `GET /portfolio/:owner` and `GET /portfolio/:owner/sweepable`. */
import type { Portfolio, PortfolioToken, SweepableToken } from "../model/Portfolio.ts"
import type { Tier } from "../model/Sweep.ts"
import { address, boolean, list, members, nullable, oneOf, type Read, safeInteger, text, uint256 } from "./Reader.ts"

const tier = oneOf(["tier1", "tier2", "tier3"] satisfies ReadonlyArray<Tier>)
const delegation = oneOf(["none", "ours", "other", "contract"] satisfies ReadonlyArray<SweepableToken["delegation"]>)

const readToken: Read<PortfolioToken> = (value, path) => {
  const { get } = members(value, path)
  return {
    chainId: get("chainId", safeInteger),
    address: get("address", address),
    symbol: get("symbol", text),
    name: get("name", text),
    decimals: get("decimals", safeInteger),
    balance: get("balance", uint256),
    priceUsd: get("priceUsd", nullable(text)),
    valueUsd: get("valueUsd", nullable(text)),
    tier: get("tier", tier)
  }
}

const readSweepableToken: Read<SweepableToken> = (value, path) => {
  const { get } = members(value, path)
  return {
    ...readToken(value, path),
    sweepable: get("sweepable", boolean),
    reason: get("reason", nullable(text)),
    delegation: get("delegation", delegation),
    estimatedNetAmount: get("estimatedNetAmount", uint256),
    estimatedNetUsd: get("estimatedNetUsd", nullable(text))
  }
}

const portfolioOf =
  <Token>(token: Read<Token>) =>
  (body: unknown): Portfolio<Token> => {
    const { get, optional } = members(body, "")
    return {
      owner: get("owner", address),
      tokens: get("tokens", list(token)),
      totalUsd: get("totalUsd", text),
      updatedAtMs: get("updatedAtMs", safeInteger),
      ...optional("unavailableChains", list(safeInteger))
    }
  }

/** Reads the response of `GET /portfolio/:owner`. */
export const readPortfolio = portfolioOf(readToken)

/** Reads the response of `GET /portfolio/:owner/sweepable`. */
export const readSweepable = portfolioOf(readSweepableToken)
