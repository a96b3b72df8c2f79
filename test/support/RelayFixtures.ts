/** Chains, sweeps and events of the relay scene. */
import {
  encodeAbiParameters,
  encodeErrorResult,
  encodeEventTopics,
  type Hex,
  numberToHex,
  pad,
  parseAbiParameters
} from "viem"
import { sweepDelegate, sweepGuard } from "../../src/adapters/evm/abi/contracts.generated.ts"
import type { Chain } from "../../src/domain/Chain.ts"
import type { FeeCover } from "../../src/domain/FeeCover.ts"
import { digest, type SweepOrder } from "../../src/domain/SweepOrder.ts"
import type { Log } from "../../src/ports/shared/Chains.ts"
import type { Intent, NewIntent } from "../../src/ports/orchestrator/Intents.ts"
import type { Submission } from "../../src/ports/orchestrator/Submission.ts"
import { address, chain as template } from "./FakeChain.ts"

/** Blocks have to be three deep. */
export const source: Chain = { ...template, id: 1, name: "source", confirmations: 3 }

export const destination: Chain = { ...template, id: 2, name: "destination", confirmations: 1 }

export const elsewhere: Chain = { ...template, id: 3, name: "elsewhere", confirmations: 1 }

export const TOKEN = address(0xb1)

export const TARGET = address(0x5a)

export const BUILDER = address(0xbb)

/** When the chains of the scene begin, in UNIX seconds, and the clock with them. */
export const START = 1_700_000_000n

export const DEADLINE = START + 600n

export interface Sweep {
  readonly id: string
  /** Byte of the owner's address. */
  readonly owner?: number
  readonly order?: Partial<SweepOrder>
  readonly quote?: Partial<NewIntent["quote"]>
  readonly submission?: Partial<Submission["authorization"]>
  readonly attributed?: NewIntent["attributed"]
  /** Network of the client that submits it. Default: unknown. */
  readonly network?: string
  /** Gas limit of its execution, and the gas of its data. Default: 220,000. */
  readonly gas?: bigint
  /** Default: none. */
  readonly dataGas?: bigint
  /** True if its quote met code of strangers. Default: false. */
  readonly runsOthersCode?: boolean
  /** Default: the cost at the scene's price, with a margin of 20 %. */
  readonly cover?: FeeCover | "none"
  /** Default: 0, of which the chain does not have the header. */
  readonly quotedAtBlock?: bigint
}

/** Network fee of 200,000 gas at the scene's price of 2 gwei, with a margin of 20 %. */
const COVER: FeeCover = { gas: 200_000n, gasPrice: 2_000_000_000n, value: 480_000_000_000_000n }

export const offer = ({
  attributed,
  cover = COVER,
  dataGas,
  gas = 220_000n,
  id,
  order: changes = {},
  owner = 0x01,
  quote = {},
  quotedAtBlock = 0n,
  runsOthersCode
}: Sweep): NewIntent => {
  const order: SweepOrder = {
    owner: address(owner),
    tokenIn: TOKEN,
    amountIn: 1_000_000n,
    feeAmount: 5_000n,
    builder: BUILDER,
    builderFee: 2_500n,
    tokenOut: address(0xd1),
    minAmountOut: 900n,
    destination: address(0xde),
    swapTarget: TARGET,
    swapCalldata: "0x1234",
    deadline: DEADLINE,
    nonce: 7n,
    destChainId: BigInt(source.id),
    ...changes
  }
  return {
    quote: {
      id,
      crossChain: order.destChainId !== BigInt(source.id),
      expiresAtMs: Number(START) * 1000 + 120_000,
      total: order.feeAmount + order.builderFee,
      settlementAddress: source.contracts.delegate,
      sourceChainId: source.id,
      estimatedAmountOut: 1_000n,
      minAmountOut: 900n,
      provider: "scene",
      estimatedSeconds: 12,
      ...quote
    },
    order,
    orderDigest: digest(order, { name: "Service", chainId: source.id }),
    quotedAtBlock,
    gas,
    ...(dataGas === undefined ? {} : { dataGas }),
    ...(runsOthersCode === undefined ? {} : { runsOthersCode }),
    ...(cover === "none" ? {} : { cover }),
    userId: "user",
    attributed: attributed ?? { builderId: "bld_1", payoutMode: "ledger" }
  }
}

const SWEPT = parseAbiParameters(
  "address, uint256, uint256, uint256, address, uint256, address, address, uint256, uint256"
)

/** The event that the guard logs for an order. */
export const sweptLog = (
  { order, orderDigest }: Pick<Intent, "order" | "orderDigest">,
  changes: { readonly guard?: Log["address"]; readonly amountIn?: bigint; readonly amountOut?: bigint } = {}
): Pick<Log, "address" | "topics" | "data"> => ({
  address: changes.guard ?? source.contracts.guard,
  topics: encodeEventTopics({
    abi: sweepGuard.abi,
    eventName: "Swept",
    args: { orderHash: orderDigest, owner: order.owner, builder: order.builder }
  }) as Array<Hex>,
  data: encodeAbiParameters(SWEPT, [
    order.tokenIn,
    changes.amountIn ?? order.amountIn,
    order.feeAmount,
    order.builderFee,
    order.tokenOut,
    changes.amountOut ?? 950n,
    order.destination,
    order.swapTarget,
    order.nonce,
    order.destChainId
  ])
})

/** The event that the guard logs for a nonce that its owner cancelled. */
export const cancelledLog = ({
  nonce,
  owner
}: Pick<SweepOrder, "nonce" | "owner">): Pick<Log, "address" | "topics" | "data"> => ({
  address: source.contracts.guard,
  topics: encodeEventTopics({ abi: sweepGuard.abi, eventName: "Cancelled", args: { owner } }) as Array<Hex>,
  data: numberToHex(nonce, { size: 32 })
})

/** Some other event, as a token's transfer logs it. */
export const otherLog: Pick<Log, "address" | "topics" | "data"> = {
  address: TOKEN,
  topics: [pad("0x01", { size: 32 })],
  data: "0x"
}

export type SweepErrorName = "NonceUsed" | "Expired" | "InsufficientOutput" | "TransferFailed"

export const reverting = (errorName: SweepErrorName): Hex => encodeErrorResult({ abi: sweepDelegate.abi, errorName })
