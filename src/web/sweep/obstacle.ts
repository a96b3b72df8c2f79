/** Reasons why a token cannot be swept to a place. */
import type { SweepableToken } from "../../sdk/index.ts"
import { canArrive, type Catalog, type Place, samePlace } from "./catalog.ts"
import { whyNot } from "./explain.ts"
import { contradiction } from "./knownToken.ts"

/** The reason as text. Undefined if the token can be swept. */
export const obstacle = (catalog: Catalog, token: SweepableToken, to: Place | undefined): string | undefined => {
  if (!token.sweepable) return whyNot(token.reason)
  const refused = contradiction(token)
  if (refused !== undefined) return refused
  if (to === undefined || canArrive(catalog, token, to)) return undefined
  if (samePlace(token, to)) return "Already what you want"
  const wanted = catalog.token(to.chainId, to.address)?.symbol ?? "this token"
  return `Cannot arrive as ${wanted} on ${catalog.chainName(to.chainId)}`
}
