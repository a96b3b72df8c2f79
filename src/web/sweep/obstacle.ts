/** Why a token cannot be swept to a place. Pure. */
import type { SweepableToken } from "../../sdk/index.ts"
import { canArrive, type Catalog, chainName, type Place, samePlace } from "./catalog.ts"
import { whyNot } from "./explain.ts"

/** In words; undefined where nothing stands in the way. */
export const obstacle = (catalog: Catalog, token: SweepableToken, to: Place | undefined): string | undefined => {
  if (!token.sweepable) return whyNot(token.reason)
  if (to === undefined || canArrive(catalog, token, to)) return undefined
  if (samePlace(token, to)) return "Already what you want"
  const wanted = catalog.token(to.chainId, to.address)?.symbol ?? "this token"
  return `Cannot arrive as ${wanted} on ${chainName(catalog.chain(to.chainId), to.chainId)}`
}
