/** Signed sweeps of accounts that nobody has seen before, so that each needs its authorization. */
import { encodeFunctionData, erc20Abi, type Hex, parseAbi } from "viem"
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts"
import * as Address from "../../src/domain/Address.ts"
import { type Authorization } from "../../src/domain/Delegation.ts"
import { bound } from "../../src/domain/OrderNonce.ts"
import { digest, type SweepOrder, typedData } from "../../src/domain/SweepOrder.ts"
import type { DevChain } from "../../src/devnet/DevChain.ts"
import * as Tokens from "../../src/devnet/Tokens.ts"
import type { NewIntent } from "../../src/ports/orchestrator/Intents.ts"

const routerAbi = parseAbi([
  "struct ExactInputSingleParams { address tokenIn; address tokenOut; uint24 fee; address recipient; uint256 amountIn; uint256 amountOutMinimum; uint160 sqrtPriceLimitX96; }",
  "function exactInputSingle(ExactInputSingleParams params) payable returns (uint256 amountOut)"
])

/** Fee tier of the DAI/USDC pool, in hundredths of a basis point. */
const POOL_FEE = 100

/** Each account sweeps 50 DAI into USDC, and pays 0.25 %. */
export const AMOUNT = Tokens.units("DAI", 50n)
const FEE = AMOUNT / 400n
const MIN_OUT = Tokens.units("USDC", 49n)

/** Long enough for any run. */
const LIFETIME_SECONDS = 3_600

/** Gas that such a sweep uses with a fresh delegation. */
const GAS = 190_000n

/** Gas limit that a quote gives it. */
const GAS_LIMIT = 270_000n

/** Wei per gas that the network fee covers. Full blocks raise the base fee all the time, and no sweep is to wait for it. */
const GAS_PRICE = 1_000_000_000_000n

export interface Sweep {
  readonly owner: Address.Address
  readonly intent: NewIntent
  readonly signature: Hex
  readonly authorization: Authorization
}

const orderOf = ({ chain, tokens, uniswap }: DevChain, owner: Address.Address, deadline: bigint): SweepOrder => ({
  owner,
  tokenIn: tokens.DAI,
  amountIn: AMOUNT,
  feeAmount: FEE,
  builder: Address.zero,
  builderFee: 0n,
  tokenOut: tokens.USDC,
  minAmountOut: MIN_OUT,
  destination: owner,
  swapTarget: uniswap.swapRouter,
  swapCalldata: encodeFunctionData({
    abi: routerAbi,
    functionName: "exactInputSingle",
    args: [
      {
        tokenIn: tokens.DAI,
        tokenOut: tokens.USDC,
        fee: POOL_FEE,
        recipient: owner,
        amountIn: AMOUNT - FEE,
        amountOutMinimum: MIN_OUT,
        sqrtPriceLimitX96: 0n
      }
    ]
  }),
  deadline,
  nonce: bound(chain.contracts.guard, 0n),
  destChainId: BigInt(chain.id)
})

const sign = async (dev: DevChain, account: PrivateKeyAccount, nowMs: number, block: bigint): Promise<Sweep> => {
  const { chain } = dev
  const owner = Address.of(account.address)
  const order = orderOf(dev, owner, BigInt(Math.floor(nowMs / 1_000) + LIFETIME_SECONDS))
  const domain = { name: "Service", chainId: chain.id }
  const [signature, authorization] = await Promise.all([
    account.signTypedData(typedData(order, domain)),
    account.signAuthorization({ address: chain.contracts.delegate, chainId: chain.id, nonce: 0 })
  ])
  return {
    owner,
    signature,
    authorization: {
      address: chain.contracts.delegate,
      chainId: chain.id,
      nonce: 0n,
      r: authorization.r,
      s: authorization.s,
      yParity: authorization.yParity === 1 ? 1 : 0
    },
    intent: {
      quote: {
        id: crypto.randomUUID(),
        crossChain: false,
        expiresAtMs: nowMs + LIFETIME_SECONDS * 1_000,
        total: FEE,
        settlementAddress: chain.contracts.delegate,
        sourceChainId: chain.id,
        estimatedAmountOut: MIN_OUT,
        minAmountOut: MIN_OUT,
        provider: "bench",
        estimatedSeconds: 2
      },
      order,
      orderDigest: digest(order, domain),
      quotedAtBlock: block,
      gas: GAS_LIMIT,
      cover: { gas: GAS, gasPrice: GAS_PRICE, value: GAS * GAS_PRICE },
      userId: "bench"
    }
  }
}

/** Gifts in one transaction. */
const GIFTS = 200

const multicallAbi = parseAbi([
  "struct Call { address target; bytes callData; }",
  "function aggregate(Call[] calls) payable returns (uint256 blockNumber, bytes[] returnData)"
])

/** Mints every owner what it sweeps, and leaves it without native currency. */
const endow = async ({ node, chain, deployer, tokens }: DevChain, owners: ReadonlyArray<Address.Address>) => {
  const { client } = node
  const account = privateKeyToAccount(deployer.privateKey)
  for (let start = 0; start < owners.length; start += GIFTS) {
    const calls = owners
      .slice(start, start + GIFTS)
      .map((owner) => ({ target: tokens.DAI, callData: Tokens.mint(owner, AMOUNT) }))
    const data = encodeFunctionData({ abi: multicallAbi, functionName: "aggregate", args: [calls] })
    const hash = await client.sendTransaction({ account, chain: client.chain, to: chain.multicall3, data })
    await client.mine({ blocks: 1 })
    const { status } = await client.waitForTransactionReceipt({ hash })
    if (status !== "success") throw new Error("the owners could not be given their tokens")
  }
}

/** Makes `count` accounts that hold what they sweep, and what they sign. */
export const make = async (dev: DevChain, count: number): Promise<ReadonlyArray<Sweep>> => {
  const accounts = Array.from({ length: count }, () => privateKeyToAccount(generatePrivateKey()))
  await endow(
    dev,
    accounts.map(({ address }) => Address.of(address))
  )
  const block = await dev.node.client.getBlockNumber()
  const nowMs = Date.now()
  const sweeps: Array<Sweep> = []
  for (const account of accounts) sweeps.push(await sign(dev, account, nowMs, block))
  return sweeps
}

/** Number of sweeps that arrived on chain, from the owners' balances. */
export const arrived = async ({ node, tokens }: DevChain, sweeps: ReadonlyArray<Sweep>): Promise<number> => {
  const balances = await Promise.all(
    sweeps.map(({ owner }) =>
      node.client.readContract({ address: tokens.USDC, abi: erc20Abi, functionName: "balanceOf", args: [owner] })
    )
  )
  return balances.filter((balance) => balance >= MIN_OUT).length
}
