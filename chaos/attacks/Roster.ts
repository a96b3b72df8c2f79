/** All attacks, by name. */
import { burnedBatch, burnedBatchOfKnown, burnedFirst } from "./BatchAttacks.ts"
import { CLIENT_ATTACKS } from "./ClientAttacks.ts"
import type { Attack } from "./Fight.ts"
import { GAS_ATTACKS } from "./GasAttacks.ts"
import { MEMPOOL_ATTACKS } from "./MempoolAttacks.ts"
import { NEWCOMERS_ATTACK, OWNER_ATTACKS } from "./OwnerAttacks.ts"
import { paidBurner } from "./PayoutAttacks.ts"
import { PRICE_ATTACKS } from "./PriceAttacks.ts"
import { TOKEN_ATTACKS } from "./TokenAttacks.ts"

export const ATTACKS: ReadonlyArray<Attack> = [
  ...TOKEN_ATTACKS,
  ...MEMPOOL_ATTACKS,
  ...OWNER_ATTACKS,
  burnedFirst,
  burnedBatch,
  burnedBatchOfKnown,
  paidBurner,
  ...GAS_ATTACKS,
  ...CLIENT_ATTACKS,
  ...PRICE_ATTACKS,
  // Last, since what it leaves behind would count as another attack.
  NEWCOMERS_ATTACK
]
