/**
 * What a rollup charges for publishing a transaction on its base layer, beside what the execution costs. OP stack chains take
 * it from the sender's balance, in wei; Arbitrum charges it as more gas.
 */
import { Effect } from "effect"
import { concatHex, decodeFunctionResult, encodeFunctionData, keccak256, parseAbi } from "viem"
import * as Address from "../../../domain/Address.ts"
import { type Hex, size } from "../../../domain/Hex.ts"
import { type CallReverted, type ChainClient, ChainUnavailable } from "../../../ports/shared/Chains.ts"

export interface DataFee {
  /** Gas, beside that of the execution. */
  readonly dataGas: bigint
  /** Wei, beside what all gas costs. */
  readonly dataFee: bigint
}

const NONE: DataFee = { dataGas: 0n, dataFee: 0n }

/** The predeploy that knows the price of data, on every OP stack chain. */
const GAS_PRICE_ORACLE = Address.of("0x420000000000000000000000000000000000000F")
/** Answered by Arbitrum's nodes themselves; there is no code. */
const NODE_INTERFACE = Address.of("0x00000000000000000000000000000000000000C8")

const abi = parseAbi([
  "function getL1FeeUpperBound(uint256 unsignedTxSize) view returns (uint256)",
  "function gasEstimateL1Component(address to, bool contractCreation, bytes data) view returns (uint64 gasEstimateForL1, uint256 baseFee, uint256 l1BaseFeeEstimate)"
])

/** The fields of a type-4 transaction beside its calldata, one authorization among them, rounded up. */
const ENVELOPE_BYTES = 256

/** Random bytes of the envelope, such as the authorization's signature: no compression makes them less. */
const envelope = (data: Hex): Hex => {
  const first = keccak256(data)
  const second = keccak256(first)
  return concatHex([first, second, keccak256(second)])
}

/** Nitro's documentation asks for a tenth more than the estimate. */
const padded = (gas: bigint): bigint => gas + gas / 10n

const unusable = (client: ChainClient) => (error: CallReverted) =>
  Effect.fail(
    new ChainUnavailable({ chainId: client.chain.id, method: "eth_call", detail: `no price of data: ${error.detail}` })
  )

const read = Effect.fnUntraced(function* <A>(
  client: ChainClient,
  to: Address.Address,
  data: Hex,
  decode: (answer: Hex) => A
) {
  const answer = yield* client.call({ to, data }).pipe(Effect.catchTag("CallReverted", unusable(client)))
  return yield* Effect.try({
    try: () => decode(answer),
    catch: () =>
      new ChainUnavailable({
        chainId: client.chain.id,
        method: "eth_call",
        detail: `${to} does not tell the price of data: is the chain's \`dataFee\` right?`
      })
  })
})

/** Of a transaction that calls `to` with `data` and carries one authorization; nothing on a chain that charges nothing. */
export const estimate = Effect.fn("DataFee.estimate")(function* (
  client: ChainClient,
  to: Address.Address,
  data: Hex
): Effect.fn.Return<DataFee, ChainUnavailable> {
  switch (client.chain.dataFee) {
    case "op-stack": {
      const functionName = "getL1FeeUpperBound"
      const bytes = BigInt(size(data) + ENVELOPE_BYTES)
      const dataFee = yield* read(
        client,
        GAS_PRICE_ORACLE,
        encodeFunctionData({ abi, functionName, args: [bytes] }),
        (answer) => decodeFunctionResult({ abi, functionName, data: answer })
      )
      return { ...NONE, dataFee }
    }
    case "arbitrum": {
      const functionName = "gasEstimateL1Component"
      const [dataGas] = yield* read(
        client,
        NODE_INTERFACE,
        encodeFunctionData({ abi, functionName, args: [to, false, concatHex([data, envelope(data)])] }),
        (answer) => decodeFunctionResult({ abi, functionName, data: answer })
      )
      return { ...NONE, dataGas: padded(dataGas) }
    }
    default:
      return NONE
  }
})
