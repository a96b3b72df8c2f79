/** Byte strings: `0x` followed by an even number of hex digits (spec, "Conventions"). */
import { Schema } from "effect"

export const Hex = Schema.TemplateLiteral(["0x", Schema.String])
  .pipe(
    Schema.check(Schema.isPattern(/^0x(?:[0-9a-fA-F]{2})*$/, { message: "expected bytes: 0x followed by hex digits" }))
  )
  .annotate({ identifier: "Hex", description: "0x-prefixed bytes" })

export type Hex = `0x${string}`

/** 32-byte hash, e.g. of a transaction, a block or an order. */
export const Hash = Schema.TemplateLiteral(["0x", Schema.String])
  .pipe(
    Schema.check(
      Schema.isPattern(/^0x[0-9a-fA-F]{64}$/, { message: "expected 32 bytes: 0x followed by 64 hex digits" })
    )
  )
  .annotate({ identifier: "Hash", description: "32 bytes as 0x-prefixed hex" })

export type Hash = `0x${string}`

/** Number of bytes. */
export const size = (bytes: Hex): number => (bytes.length - 2) / 2
