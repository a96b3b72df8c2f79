import type { Address } from "../model/Address.ts"

/** Price of a token from a source that does not depend on the service. */
export interface IndependentPrice {
  readonly chainId: number
  readonly token: Address
  readonly decimals: number
  /** Price of one whole token in US dollars. */
  readonly usd: number
}
