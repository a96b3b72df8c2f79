/**
 * Fee of a rollup for publishing a transaction on its base layer, in addition to the fee for its execution. OP stack chains take
 * it in wei from the sender's balance. Arbitrum charges it as additional gas.
 */
import { Effect } from "effect"
import { concatHex, decodeFunctionResult, encodeFunctionData, keccak256, parseAbi } from "viem"
import * as Address from "../../../domain/Address.ts"
import { type Hex, size } from "../../../domain/Hex.ts"
import { type CallReverted, type ChainClient, ChainUnavailable } from "../../../ports/shared/Chains.ts"

export interface DataFee {
  /** Additional gas. */
  readonly dataGas: bigint
  /** Additional wei. */
  readonly dataFee: bigint
}

const NONE: DataFee = { dataGas: 0n, dataFee: 0n }

/** Predeploy with the price of data, on every OP stack chain. */
const GAS_PRICE_ORACLE = Address.of("0x420000000000000000000000000000000000000F")
/** Precompile of Arbitrum's nodes. It has no code. */
const NODE_INTERFACE = Address.of("0x00000000000000000000000000000000000000C8")

const abi = parseAbi([
  "function getL1FeeUpperBound(uint256 unsignedTxSize) view returns (uint256)",
  "function gasEstimateL1Component(address to, bool contractCreation, bytes data) view returns (uint64 gasEstimateForL1, uint256 baseFee, uint256 l1BaseFeeEstimate)"
])

/** Bytes of a type-4 transaction without its calldata, with one authorization, rounded up. */
const ENVELOPE_BYTES = 256

/** Incompressible bytes of the envelope, such as the authorization's signature. */
const envelope = (data: Hex): Hex => {
  const first = keccak256(data)
  const second = keccak256(first)
  return concatHex([first, second, keccak256(second)])
}

/** Nitro's documentation recommends 10 % above the estimate. */
const padded = (gas: bigint): bigint => gas + gas / 10n

const unusable = (client: ChainClient) => (error: CallReverted) =>
  Effect.fail(
    new ChainUnavailable({
      chainId: client.chain.id,
      method: "eth_call",
      detail: `the price of data could not be read: ${error.detail}`
    })
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
        detail: `${to} does not return a price of data; check the chain's \`dataFee\``
      })
  })
})

/** Wei that an OP stack chain charges for a transaction with this many bytes of calldata and one authorization. */
const opStackFee = (client: ChainClient, bytes: number) => {
  const functionName = "getL1FeeUpperBound"
  return read(
    client,
    GAS_PRICE_ORACLE,
    encodeFunctionData({ abi, functionName, args: [BigInt(bytes + ENVELOPE_BYTES)] }),
    (answer) => decodeFunctionResult({ abi, functionName, data: answer })
  )
}

/** Wei that a rollup charges in addition to all gas for a transaction with this many bytes of calldata. 0 on other chains. */
export const weiFor = (client: ChainClient, bytes: number): Effect.Effect<bigint, ChainUnavailable> =>
  client.chain.dataFee === "op-stack" ? opStackFee(client, bytes) : Effect.succeed(0n)

/** Fee of a transaction that calls `to` with `data` and carries one authorization. Zero on chains without such a fee. */
export const estimate = Effect.fn("DataFee.estimate")(function* (
  client: ChainClient,
  to: Address.Address,
  data: Hex
): Effect.fn.Return<DataFee, ChainUnavailable> {
  switch (client.chain.dataFee) {
    case "op-stack":
      return { ...NONE, dataFee: yield* opStackFee(client, size(data)) }
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
