/** Every mutant: the rules of money, by subject. */
import type { Mutant } from "./Mutant.ts"
import { contracts } from "./rules/Contracts.ts"
import { fees } from "./rules/Fees.ts"
import { guard } from "./rules/Guard.ts"
import { ledger } from "./rules/Ledger.ts"
import { nonces } from "./rules/Nonces.ts"
import { prices } from "./rules/Prices.ts"
import { screening } from "./rules/Screening.ts"
import { sweeps } from "./rules/Sweeps.ts"
import { transitions } from "./rules/Transitions.ts"

export const MUTANTS: ReadonlyArray<Mutant> = [
  ...fees,
  ...transitions,
  ...sweeps,
  ...nonces,
  ...ledger,
  ...screening,
  ...prices,
  ...contracts,
  ...guard
]
