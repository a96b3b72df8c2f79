/** Sweeps, receipts and rows as a flood has them: batches of 64 delegating sweeps with a swap of one hop. */
import { encodeAbiParameters, encodeFunctionData, numberToHex, pad, parseAbi, toEventSelector } from "viem"
import { sweepDelegate, sweepEntry, sweepGuard } from "../../src/adapters/evm/abi/contracts.generated.ts"
import * as IntentRow from "../../src/adapters/sql/orchestrator/IntentRow.ts"
import * as Address from "../../src/domain/Address.ts"
import type { Authorization } from "../../src/domain/Delegation.ts"
import type { Hash, Hex } from "../../src/domain/Hex.ts"
import type { SweepOrder } from "../../src/domain/SweepOrder.ts"
import type { UnsignedTransaction } from "../../src/ports/shared/Transaction.ts"

/** Sweeps in a transaction: the default of `RELAYER_BATCH`. */
export const BATCH = 64

export const CHAIN_ID = 8453

export const accountAt = (index: number): Address.Address =>
  Address.of(pad(numberToHex(0x7fffffffffffn * BigInt(index + 1)), { size: 20, dir: "left" }))

const word = (value: number): Hash => pad(numberToHex(BigInt(value + 1) << 200n), { size: 32 })

const signature: Hex = `0x${"5a".repeat(64)}1b`

const routerAbi = parseAbi([
  "struct ExactInputSingleParams { address tokenIn; address tokenOut; uint24 fee; address recipient; uint256 amountIn; uint256 amountOutMinimum; uint160 sqrtPriceLimitX96; }",
  "function exactInputSingle(ExactInputSingleParams params) payable returns (uint256 amountOut)"
])

export const orderAt = (index: number): SweepOrder => {
  const owner = accountAt(index)
  const [tokenIn, tokenOut] = [accountAt(1_001), accountAt(1_002)]
  return {
    owner,
    tokenIn,
    amountIn: 50n * 10n ** 18n + BigInt(index),
    feeAmount: 125n * 10n ** 15n,
    builder: Address.zero,
    builderFee: 0n,
    tokenOut,
    minAmountOut: 49_000_000n,
    destination: owner,
    swapTarget: accountAt(1_003),
    swapCalldata: encodeFunctionData({
      abi: routerAbi,
      functionName: "exactInputSingle",
      args: [
        {
          tokenIn,
          tokenOut,
          fee: 100,
          recipient: owner,
          amountIn: 49n * 10n ** 18n,
          amountOutMinimum: 49_000_000n,
          sqrtPriceLimitX96: 0n
        }
      ]
    }),
    deadline: 1_800_000_000n,
    nonce: BigInt(index),
    destChainId: BigInt(CHAIN_ID)
  }
}

export const authorizationAt = (index: number): Authorization => ({
  address: accountAt(1_004),
  chainId: CHAIN_ID,
  nonce: 0n,
  r: word(index),
  s: word(index + 1),
  yParity: index % 2 === 0 ? 0 : 1
})

export const orders = Array.from({ length: BATCH }, (_, index) => orderAt(index))
const calldata = orders.map((order) =>
  encodeFunctionData({ abi: sweepDelegate.abi, functionName: "execute", args: [order, signature] })
)
const items = orders.map(({ owner }, index) => ({
  account: owner,
  gasLimit: 300_000n,
  data: calldata[index] ?? "0x"
}))

export const transaction: UnsignedTransaction = {
  chainId: CHAIN_ID,
  nonce: 7n,
  to: accountAt(1_005),
  data: encodeFunctionData({ abi: sweepEntry.abi, functionName: "run", args: [items] }),
  gas: 14_000_000n,
  maxFeePerGas: 2_000_000_000n,
  maxPriorityFeePerGas: 1_000_000n,
  authorizationList: orders.map((_, index) => authorizationAt(index))
}
export const transactionSignature = { r: word(3), s: word(4), yParity: 1 }

export const GUARD = accountAt(1_006)

const SWEPT = toEventSelector(sweepGuard.abi.find((item) => item.type === "event" && item.name === "Swept") as never)

const TRANSFER = toEventSelector("Transfer(address,address,uint256)")

const topic = (address: Address.Address): Hash => pad(address.toLowerCase() as Hex, { size: 32 })

/** Events of a sweep with one fee: approval, three transfers, the pool's swap, and the guard's. */
const eventsOf = (order: SweepOrder) => {
  const transfer = {
    address: order.tokenIn.toLowerCase(),
    topics: [TRANSFER, topic(order.owner), topic(order.swapTarget)],
    data: word(9)
  }
  return [
    ...Array.from({ length: 4 }, () => transfer),
    { ...transfer, data: `0x${"01".repeat(160)}` as const },
    {
      address: GUARD.toLowerCase(),
      topics: [SWEPT, word(Number(order.nonce)), topic(order.owner), topic(order.builder)],
      data: encodeAbiParameters(
        (
          [
            "address",
            "uint256",
            "uint256",
            "uint256",
            "address",
            "uint256",
            "address",
            "address",
            "uint256",
            "uint256"
          ] as const
        ).map((type) => ({ type })),
        [
          order.tokenIn,
          order.amountIn,
          order.feeAmount,
          order.builderFee,
          order.tokenOut,
          order.minAmountOut,
          order.destination,
          order.swapTarget,
          order.nonce,
          order.destChainId
        ]
      )
    }
  ]
}

const mined = { blockNumber: "0x1234567", blockHash: word(11), transactionHash: word(12) }

/** Answer of `eth_getTransactionReceipt`. */
export const receipt = {
  ...mined,
  status: "0x1",
  gasUsed: "0x7a1200",
  effectiveGasPrice: "0x3b9aca00",
  logs: orders
    .flatMap(eventsOf)
    .map((event, index) => ({ ...event, ...mined, logIndex: numberToHex(index), removed: false })),
  type: "0x4"
}

const at = new Date(1_790_000_000_000)

const signed = (index: number) => {
  const { address, chainId, nonce, r, s, yParity } = authorizationAt(index)
  return {
    authorization_chain_id: BigInt(chainId),
    authorization_nonce: String(nonce),
    y_parity: yParity,
    delegate: address.toLowerCase() as `0x${string}`,
    r,
    s,
    signature
  }
}

/** Rows of intents, as the driver returns them. */
export const intentRows: ReadonlyArray<IntentRow.IntentRow> = orders.map((order, index) => ({
  id: `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`,
  source_chain_id: BigInt(CHAIN_ID),
  quote: IntentRow.encodeQuote({
    id: `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`,
    crossChain: false,
    expiresAtMs: at.getTime(),
    total: order.feeAmount,
    settlementAddress: accountAt(1_004),
    sourceChainId: CHAIN_ID,
    estimatedAmountOut: 49_500_000n,
    minAmountOut: order.minAmountOut,
    provider: "uniswap-v3",
    estimatedSeconds: 4
  }),
  owner: order.owner,
  order_nonce: String(order.nonce),
  dest_chain_id: String(order.destChainId),
  deadline: String(order.deadline),
  token_in: order.tokenIn,
  amount_in: String(order.amountIn),
  fee_amount: String(order.feeAmount),
  builder: null,
  builder_fee: String(order.builderFee),
  token_out: order.tokenOut,
  min_amount_out: String(order.minAmountOut),
  destination: order.destination,
  swap_target: order.swapTarget,
  swap_calldata: order.swapCalldata,
  order_digest: word(index),
  quoted_at_block: 1_000n,
  gas: 190_000n,
  data_gas: null,
  cover_gas: 180_000n,
  cover_gas_price: "1000000000",
  cover_value: "216000000000000",
  user_id: "user",
  builder_id: null,
  payout_mode: null,
  status: "submitted",
  ...signed(index),
  submitted_at: at,
  tx_hash: word(index),
  delivery_tx_hash: null,
  amount_out: null,
  failure_reason: null,
  failure_detail: null,
  searches: null,
  trace: null,
  created_at: at,
  updated_at: at
}))
