/** Finds the transaction by which an account used a nonce, by blocks and state alone. */
import { Effect, Option, Schema } from "effect"
import { numberToHex } from "viem"
import { Hash } from "../../../domain/Hex.ts"
import type { ChainClient } from "../../../ports/shared/Chains.ts"
import * as Rpc from "../rpc/Schemas.ts"
import type { Node } from "./Node.ts"

/** Blocks in which the nonce's use is looked for. Nodes keep the state of recent blocks only. */
const SEARCHED_BLOCKS = 4_096n

const RpcFullBlock = Schema.NullOr(Schema.Struct({ transactions: Schema.Array(Schema.Unknown) }))

/** Transactions of other types, as some rollups have, may lack a field. */
const decodeTransaction = Schema.decodeUnknownOption(
  Schema.Struct({ hash: Hash, from: Schema.String, nonce: Rpc.Quantity })
)

export const make = (
  { decoded, read }: Node,
  transactionCount: ChainClient["transactionCount"]
): ChainClient["transactionOf"] => {
  const asBlock = decoded(RpcFullBlock)

  return Effect.fnUntraced(function* (address, nonce, lastBlock) {
    const isUsedIn = (block: bigint) => Effect.map(transactionCount(address, block), (count) => count > nonce)
    if (!(yield* isUsedIn(lastBlock))) return Option.none()

    let used = lastBlock
    let unused = lastBlock
    for (let step = 1n; ; step *= 2n) {
      if (step > SEARCHED_BLOCKS) return Option.none()
      unused = lastBlock > step ? lastBlock - step : -1n
      if (unused < 0n || !(yield* isUsedIn(unused))) break
      used = unused
    }
    while (used - unused > 1n) {
      const middle = (used + unused) / 2n
      if (yield* isUsedIn(middle)) used = middle
      else unused = middle
    }

    const method = "eth_getBlockByNumber"
    const block = yield* asBlock(method, yield* read(method, [numberToHex(used), true]))
    const found = (block?.transactions ?? [])
      .flatMap((each) => Option.toArray(decodeTransaction(each)))
      .find((each) => each.nonce === nonce && each.from.toLowerCase() === address.toLowerCase())
    return Option.map(Option.fromUndefinedOr(found), ({ hash }) => hash)
  })
}
