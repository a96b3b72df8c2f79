/** Keys of alerts about lanes. */
import type { Address } from "../../domain/Address.ts"
import type { ChainId } from "../../domain/ChainId.ts"

/** A lane that holds its minimum, and less than a sweep may cost. Apart from that of its minimum, which a look at the lane clears. */
export const shortKey = (chainId: ChainId, lane: Address): string => `lane_low:${chainId}:${lane}:short`
