/** Hours that lanes can pay for gas. */
import type { Health } from "../../domain/Health.ts"

const HOURS = 24n

/**
 * Hours until a lane's balance is spent, if the lanes of its chain go on sharing what the chain spent in the last 24 hours. Undefined if
 * balance or spending is not known, or if nothing was spent.
 */
export const runwayHours = (
  { lanes, relaying }: Pick<Health, "lanes" | "relaying">,
  { balance, chainId }: Pick<Health["lanes"][number], "balance" | "chainId">
): number | undefined => {
  const spent = relaying.find((chain) => chain.chainId === chainId)?.spent ?? 0n
  const sharing = BigInt(lanes.filter((lane) => lane.chainId === chainId).length)
  return balance === null || spent === 0n ? undefined : Number((balance * HOURS * sharing) / spent)
}
