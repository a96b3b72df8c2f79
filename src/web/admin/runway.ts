/** Hours that lanes can pay for gas. */
import type { Health } from "../../domain/Health.ts"

const HOURS = 24n

type Lane = Health["lanes"][number]

const isUsed = ({ state = "active" }: Pick<Lane, "state">): boolean => state === "active"

/**
 * Hours until a lane's balance is spent, if the lanes in use of its chain go on sharing what the chain spent in the last 24 hours. Undefined
 * for a lane out of use, if balance or spending is not known, or if nothing was spent.
 */
export const runwayHours = (
  { lanes, relaying }: Pick<Health, "lanes" | "relaying">,
  lane: Pick<Lane, "balance" | "chainId" | "state">
): number | undefined => {
  const { balance, chainId } = lane
  const spent = relaying.find((chain) => chain.chainId === chainId)?.spent ?? 0n
  const sharing = BigInt(lanes.filter((each) => each.chainId === chainId && isUsed(each)).length)
  return !isUsed(lane) || balance === null || spent === 0n ? undefined : Number((balance * HOURS * sharing) / spent)
}
