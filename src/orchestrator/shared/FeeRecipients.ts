/** Fee recipients of delegates. Each delegate has one, which never changes. */
import { Effect, Option } from "effect"
import { decodeAbiParameters, encodeFunctionData, parseAbi } from "viem"
import * as Address from "../../domain/Address.ts"
import type { Hex } from "../../domain/Hex.ts"
import { type ChainClient, ChainUnavailable } from "../../ports/shared/Chains.ts"

const DATA = encodeFunctionData({
  abi: parseAbi(["function feeRecipient() view returns (address)"]),
  functionName: "feeRecipient"
})

/** Makes `recipientOf(client, delegate)`. None if the delegate has no fee recipient. Asks the node about each earlier delegate once. */
export const make = Effect.sync(() => {
  const known = new Map<string, Address.Address>()

  return Effect.fnUntraced(function* (
    { call, chain }: Pick<ChainClient, "call" | "chain">,
    delegate: Address.Address
  ): Effect.fn.Return<Option.Option<Address.Address>, ChainUnavailable> {
    if (delegate === chain.contracts.delegate) return Option.some(chain.feeRecipient)
    const key = `${chain.id} ${delegate}`
    const before = known.get(key)
    if (before !== undefined) return Option.some(before)
    const answer = yield* call({ to: delegate, data: DATA, block: "latest" }).pipe(
      Effect.asSome,
      Effect.catchTag("CallReverted", () => Effect.succeed(Option.none<Hex>()))
    )
    // A delegate that settled an order has code.
    if (Option.contains(answer, "0x")) {
      const detail = `the delegate ${delegate} is not deployed`
      return yield* new ChainUnavailable({ chainId: chain.id, method: "eth_call", detail })
    }
    const recipient = answer.pipe(
      Option.flatMap(Option.liftThrowable((word) => decodeAbiParameters([{ type: "address" }], word)[0])),
      Option.map((address) => Address.of(address))
    )
    if (Option.isSome(recipient)) known.set(key, recipient.value)
    return recipient
  })
})
