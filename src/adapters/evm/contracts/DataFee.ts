/**
 * Fee of a rollup for publishing a transaction on its base layer, in addition to the fee for its execution. OP stack chains take
 * it in wei from the sender's balance, and since the Isthmus upgrade a fee of their operator, too. Arbitrum charges it as additional gas.
 */
import { Effect, Option } from "effect"
import { concatHex, decodeFunctionResult, encodeFunctionData, keccak256, parseAbi } from "viem"
import * as Address from "../../../domain/Address.ts"
import { type Hex, size } from "../../../domain/Hex.ts"
import * as RollupFee from "../../../domain/RollupFee.ts"
import { type CallReverted, type ChainClient, ChainUnavailable } from "../../../ports/shared/Chains.ts"
import * as Multicall3 from "../codec/Multicall3.ts"

export interface DataFee {
  /** Additional gas. */
  readonly dataGas: bigint
  /** Additional wei. */
  readonly fee: RollupFee.RollupFee
}

const NONE: DataFee = { dataGas: 0n, fee: RollupFee.NONE }

/** Predeploy with the prices of data and of the operator, on every OP stack chain. */
const GAS_PRICE_ORACLE = Address.of("0x420000000000000000000000000000000000000F")
/** Precompile of Arbitrum's nodes. It has no code. */
const NODE_INTERFACE = Address.of("0x00000000000000000000000000000000000000C8")

const abi = parseAbi([
  "function getL1FeeUpperBound(uint256 unsignedTxSize) view returns (uint256)",
  "function getOperatorFee(uint256 gasUsed) view returns (uint256)",
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

/** The contract's answer is no price. */
const noPrice = (client: ChainClient, to: Address.Address) =>
  new ChainUnavailable({
    chainId: client.chain.id,
    method: "eth_call",
    detail: `${to} does not return a price of data; check the chain's \`dataFee\``
  })

const operatorFeeAt = (gas: bigint): Multicall3.Read => ({
  to: GAS_PRICE_ORACLE,
  data: encodeFunctionData({ abi, functionName: "getOperatorFee", args: [gas] })
})

/**
 * Fee of an OP stack chain for a transaction with this many bytes of calldata and one authorization. The operator's fee is linear in the
 * gas, by formulas that differ between upgrades, so it is read at two points. Oracles before Isthmus have none.
 */
const opStackFee = Effect.fnUntraced(function* (client: ChainClient, bytes: number) {
  const data = encodeFunctionData({ abi, functionName: "getL1FeeUpperBound", args: [BigInt(bytes + ENVELOPE_BYTES)] })
  const answers = yield* Multicall3.read(client, [
    { to: GAS_PRICE_ORACLE, data },
    operatorFeeAt(0n),
    operatorFeeAt(RollupFee.RATE_GAS)
  ])
  const [bound, base, above] = answers.map((answer) => Option.getOrUndefined(Multicall3.word(answer)))
  if (bound === undefined) return yield* noPrice(client, GAS_PRICE_ORACLE)
  if (base === undefined || above === undefined || above < base) return { ...RollupFee.NONE, data: bound }
  return { data: bound, operatorBase: base, operatorRate: above - base } satisfies RollupFee.RollupFee
})

/** Fee of a rollup in addition to all gas for a transaction with this many bytes of calldata. Zero on other chains. */
export const feeFor = (client: ChainClient, bytes: number): Effect.Effect<RollupFee.RollupFee, ChainUnavailable> =>
  client.chain.dataFee === "op-stack" ? opStackFee(client, bytes) : Effect.succeed(RollupFee.NONE)

/** Fee of a transaction that calls `to` with `data` and carries one authorization. Zero on chains without such a fee. */
export const estimate = Effect.fn("DataFee.estimate")(function* (
  client: ChainClient,
  to: Address.Address,
  data: Hex
): Effect.fn.Return<DataFee, ChainUnavailable> {
  switch (client.chain.dataFee) {
    case "op-stack":
      return { ...NONE, fee: yield* opStackFee(client, size(data)) }
    case "arbitrum": {
      const functionName = "gasEstimateL1Component"
      const asked = encodeFunctionData({ abi, functionName, args: [to, false, concatHex([data, envelope(data)])] })
      const answer = yield* client
        .call({ to: NODE_INTERFACE, data: asked })
        .pipe(Effect.catchTag("CallReverted", unusable(client)))
      const [dataGas] = yield* Effect.try({
        try: () => decodeFunctionResult({ abi, functionName, data: answer }),
        catch: () => noPrice(client, NODE_INTERFACE)
      })
      return { ...NONE, dataGas: padded(dataGas) }
    }
    default:
      return NONE
  }
})
