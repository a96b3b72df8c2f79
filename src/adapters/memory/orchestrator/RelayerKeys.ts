/**
 * Lanes without keys, for tests. The signed bytes are the transaction in readable form, so that tests and the in-memory
 * chain can decode them. No node accepts them.
 */
import { Effect, Layer, Option, Schema } from "effect"
import { hexToString, keccak256, stringToHex } from "viem"
import * as Address from "../../../domain/Address.ts"
import { Uint256 } from "../../../domain/Amount.ts"
import { ChainId } from "../../../domain/ChainId.ts"
import { Authorization } from "../../../domain/Delegation.ts"
import { Hex } from "../../../domain/Hex.ts"
import { RelayerKeys, SigningFailed } from "../../../ports/orchestrator/RelayerKeys.ts"

/** Content of the signed bytes. */
export const Signed = Schema.Struct({
  lane: Address.Address,
  transaction: Schema.Struct({
    chainId: ChainId,
    nonce: Uint256,
    to: Address.Address,
    data: Hex,
    gas: Uint256,
    maxFeePerGas: Uint256,
    maxPriorityFeePerGas: Uint256,
    authorizationList: Schema.Array(Authorization)
  })
})
export type Signed = typeof Signed.Type

const Text = Schema.fromJsonString(Signed)
const encodeText = Schema.encodeEffect(Text)
const decodeText = Schema.decodeUnknownOption(Text)

/** Decodes signed bytes of this adapter; none for other bytes. */
export const read = (raw: Hex): Option.Option<Signed> =>
  Option.flatMap(Option.liftThrowable(hexToString)(raw), (text) => decodeText(text))

export const layer = (lanes: ReadonlyArray<Address.Address>) =>
  Layer.succeed(RelayerKeys, {
    lanes: () => lanes,
    sign: Effect.fnUntraced(function* (lane, transaction) {
      if (!lanes.includes(lane)) return yield* new SigningFailed({ lane, detail: "no such lane" })
      const text = yield* Effect.orDie(encodeText({ lane, transaction }))
      const raw = stringToHex(text)
      return { raw, hash: keccak256(raw) }
    }),
    isAnswering: () => Effect.succeed(true),
    inTurn: (_lane, effect) => effect
  })
