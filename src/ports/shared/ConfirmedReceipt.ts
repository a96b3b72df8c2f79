/** Receipts of transactions that are, or should be, in a confirmed block. */
import { Effect, Option } from "effect"
import type { Hash } from "../../domain/Hex.ts"
import type { ChainClient, ChainUnavailable, Receipt } from "./Chains.ts"

/**
 * Reads a receipt. Nodes delete old ones, so if the endpoint that is asked first has none, all are asked. None if no endpoint that answers
 * has it.
 */
export const find = (
  client: Pick<ChainClient, "receipt">,
  hash: Hash
): Effect.Effect<Option.Option<Receipt>, ChainUnavailable> =>
  Effect.flatMap(client.receipt(hash), (receipt) =>
    Option.isSome(receipt)
      ? Effect.succeed(receipt)
      : Effect.orElseSucceed(client.receipt(hash, "everywhere"), () => Option.none<Receipt>())
  )
