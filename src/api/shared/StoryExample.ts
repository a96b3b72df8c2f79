/** The story of a sweep in the examples of both services. */
const id = "6f1e5f6c-8f0e-4d3c-9a5b-2d7c1f0e9b4a"
const owner = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"
const delegate = "0x1111111111111111111111111111111111111111"
const txHash = `0x${"ab".repeat(32)}`

const quote = {
  id,
  crossChain: false,
  expiresAtMs: 1767225720000,
  total: "125000",
  settlementAddress: delegate,
  sourceChainId: 8453,
  estimatedAmountOut: "6925000000000000",
  minAmountOut: "6890000000000000",
  provider: "uniswap-v3",
  estimatedSeconds: 6
}

const order = {
  owner,
  tokenIn: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
  amountIn: "25000000",
  feeAmount: "125000",
  builder: "0x0000000000000000000000000000000000000000",
  builderFee: "0",
  tokenOut: "0x4200000000000000000000000000000000000006",
  minAmountOut: "6890000000000000",
  destination: owner,
  swapTarget: "0x2626664c2603336E57B271c5C0b26F421741e481",
  swapCalldata: "0x04e45aaf",
  deadline: "1767226320",
  nonce: "0",
  destChainId: "8453"
}

export const storyExample = {
  id,
  status: "delivered",
  createdAtMs: 1767225600000,
  submittedAtMs: 1767225612000,
  updatedAtMs: 1767225618000,
  quote,
  order,
  orderDigest: txHash,
  userId: "user-1",
  rehearsal: { atBlock: "34000000", gasLimit: "310000", coveredGas: "290000", coveredGasPrice: "12000000" },
  history: [
    { status: "submitted", atMs: 1767225612000 },
    { status: "settled_source", atMs: 1767225618000, txHash },
    { status: "delivered", atMs: 1767225618000, txHash }
  ],
  transactions: [
    {
      id: "41",
      chainId: 8453,
      lane: delegate,
      nonce: "41",
      kind: "sweep",
      status: "final",
      createdAtMs: 1767225613000,
      intents: 1,
      attempts: [
        {
          hash: txHash,
          maxFeePerGas: "24000000",
          maxPriorityFeePerGas: "1000000",
          signedAtMs: 1767225613000,
          broadcastAtMs: 1767225613000
        }
      ],
      inclusion: { hash: txHash, blockNumber: "34000002", blockHash: txHash },
      cost: "3100000000000"
    }
  ],
  txHash,
  deliveryTxHash: txHash,
  amountOut: "24850000",
  messages: [{ id: "7", key: `revenue:${txHash}_0`, state: "delivered", attempts: 0 }],
  retryable: false
}
