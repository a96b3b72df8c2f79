/** EIP-155 chain ids. */
import { Schema } from "effect"

export const ChainId = Schema.Int.check(
  Schema.isBetween(
    { minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
    { message: "expected a positive integer chain id" }
  )
).annotate({ identifier: "ChainId", description: "EIP-155 chain id" })

export type ChainId = number
