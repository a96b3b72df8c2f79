/** Gas of simulated orders, beside the receipts of the same sweeps on the local network. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { FetchHttpClient } from "effect/http"
import { createWalletClient, http, parseUnits } from "viem"
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts"
import * as EvmChains from "../../../../src/adapters/evm/chains/Chains.ts"
import * as Contracts from "../../../../src/adapters/evm/contracts/SweepContracts.ts"
import * as EvmSweepSimulation from "../../../../src/adapters/evm/contracts/SweepSimulation.ts"
import * as UniswapV3 from "../../../../src/adapters/swap/UniswapV3.ts"
import * as Accounts from "../../../../src/devnet/Accounts.ts"
import type { DevChain } from "../../../../src/devnet/DevChain.ts"
import * as Address from "../../../../src/domain/Address.ts"
import * as Chain from "../../../../src/domain/Chain.ts"
import { designator } from "../../../../src/domain/Delegation.ts"
import { DEFAULT_DOMAIN_NAME, type SweepOrder, typedData } from "../../../../src/domain/SweepOrder.ts"
import { NATIVE } from "../../../../src/domain/Token.ts"
import { SwapVenue } from "../../../../src/ports/orchestrator/SwapVenue.ts"
import { SweepContracts } from "../../../../src/ports/orchestrator/SweepContracts.ts"
import { SweepSimulation } from "../../../../src/ports/orchestrator/SweepSimulation.ts"
import { TestNetwork } from "../../../support/Network.ts"

const chains = Layer.unwrap(
  Effect.map(TestNetwork, (network) =>
    EvmChains.layer(network.chains.map(({ chain, rpcUrl }) => ({ chain, rpcUrls: [rpcUrl] })))
  )
).pipe(Layer.provide(FetchHttpClient.layer))

const services = Layer.mergeAll(EvmSweepSimulation.layer, UniswapV3.layer).pipe(
  Layer.provideMerge(Layer.mergeAll(chains, Contracts.layer)),
  Layer.provideMerge(TestNetwork.layer({ filler: false }))
)

type Symbol = keyof DevChain["tokens"] | "ETH"

interface Case {
  readonly name: string
  readonly tokenIn: Symbol
  readonly tokenOut: Symbol
  readonly amount: string
  /** Balance of the owner beyond the amount. */
  readonly rest?: string
  /** The owner has sent transactions before. */
  readonly exists?: boolean
  readonly builderFee?: bigint
  /** The owner sweeps the token a second time, delegated by the first. */
  readonly again?: boolean
}

const CASES: ReadonlyArray<Case> = [
  { name: "all of a token, of an account that is new", tokenIn: "DAI", tokenOut: "USDC", amount: "50" },
  { name: "a part of a token", tokenIn: "DAI", tokenOut: "USDC", amount: "50", rest: "50" },
  { name: "a token, of an account with a history", tokenIn: "DAI", tokenOut: "USDC", amount: "50", exists: true },
  {
    name: "a token, again, of a delegated account",
    tokenIn: "DAI",
    tokenOut: "USDC",
    amount: "50",
    rest: "50",
    again: true
  },
  { name: "a token that returns nothing", tokenIn: "USDT", tokenOut: "USDC", amount: "50" },
  { name: "a token with a builder's fee", tokenIn: "DAI", tokenOut: "USDC", amount: "50", builderFee: 10n ** 16n },
  { name: "a token to native currency", tokenIn: "DAI", tokenOut: "ETH", amount: "50" },
  { name: "native currency to a token", tokenIn: "ETH", tokenOut: "USDC", amount: "0.05", rest: "0.01", exists: true },
  { name: "a token over two pools", tokenIn: "USDT", tokenOut: "DAI", amount: "50" }
]

const local = Effect.map(TestNetwork, ({ chains: [first] }) => {
  if (first === undefined) throw new Error("the local network is empty")
  return first
})

const tokenOf = (dev: DevChain, symbol: Symbol): Address.Address => (symbol === "ETH" ? NATIVE : dev.tokens[symbol])

const decimalsOf = (symbol: Symbol): number => (symbol === "USDC" || symbol === "USDT" ? 6 : 18)

const orderOf = Effect.fnUntraced(function* (dev: DevChain, owner: Address.Address, each: Case, nonce: bigint) {
  const { chain } = dev
  const [tokenIn, tokenOut] = [tokenOf(dev, each.tokenIn), tokenOf(dev, each.tokenOut)]
  const amountIn = parseUnits(each.amount, decimalsOf(each.tokenIn))
  const feeAmount = amountIn / 100n
  const builderFee = each.builderFee ?? 0n
  const { timestamp } = yield* dev.anvil.ask("read the time", (node) => node.getBlock())
  const destination = Address.of(privateKeyToAccount(generatePrivateKey()).address)
  const route = yield* (yield* SwapVenue).route({
    chainId: chain.id,
    tokenIn: Chain.erc20(chain, tokenIn),
    tokenOut,
    amountIn: amountIn - feeAmount - builderFee,
    sender: owner,
    recipient: destination,
    slippageBps: 50,
    deadline: timestamp + 600n
  })
  const order = {
    owner,
    tokenIn,
    amountIn,
    feeAmount,
    builder: builderFee === 0n ? Address.zero : Address.of(Accounts.builder().address),
    builderFee,
    tokenOut,
    minAmountOut: route.minAmountOut,
    destination,
    swapTarget: route.target,
    swapCalldata: route.calldata,
    deadline: timestamp + 600n,
    nonce,
    destChainId: BigInt(chain.id)
  } satisfies SweepOrder
  return { order, passing: route.passing }
})

/** Sends a sweep as the relayer sends a single one. Returns the gas that it was charged. */
const charged = Effect.fnUntraced(function* (dev: DevChain, account: PrivateKeyAccount, order: SweepOrder) {
  const contracts = yield* SweepContracts
  const { chain } = dev
  const [lane] = Accounts.relayers()
  return yield* dev.anvil.ask("sweep", async (node) => {
    const signature = await account.signTypedData(typedData(order, { name: DEFAULT_DOMAIN_NAME, chainId: chain.id }))
    const isDelegated = (await node.getCode({ address: account.address })) === designator(chain.contracts.delegate)
    const authorization = await account.signAuthorization({
      address: chain.contracts.delegate,
      chainId: chain.id,
      nonce: await node.getTransactionCount({ address: account.address })
    })
    const wallet = createWalletClient({
      account: privateKeyToAccount(lane.privateKey),
      chain: node.chain,
      transport: http(dev.rpcUrl)
    })
    const hash = await wallet.sendTransaction({
      to: account.address,
      data: contracts.encodeExecute(order, signature),
      gas: 1_000_000n,
      ...(isDelegated ? {} : { authorizationList: [authorization] })
    })
    const receipt = await node.waitForTransactionReceipt({ hash })
    assert.strictEqual(receipt.status, "success")
    assert.isAbove(receipt.logs.length, 0)
    return receipt.gasUsed
  })
})

layer(services, { excludeTestServices: true, timeout: "60 seconds" })("simulated gas", (it) => {
  it.effect.each(CASES)("is between that of the receipt and 8 % more: $name", (each) =>
    Effect.gen(function* () {
      const dev = yield* local
      const simulation = yield* SweepSimulation
      const account = privateKeyToAccount(generatePrivateKey())
      const owner = Address.of(account.address)
      const held =
        parseUnits(each.amount, decimalsOf(each.tokenIn)) + parseUnits(each.rest ?? "0", decimalsOf(each.tokenIn))
      yield* dev.fund(owner, { token: each.tokenIn, amount: held })
      if (each.exists === true) yield* dev.anvil.ask("age", (node) => node.setNonce({ address: owner, nonce: 7 }))
      let { order, passing } = yield* orderOf(dev, owner, each, 0n)
      if (each.again === true) {
        yield* charged(dev, account, order)
        ;({ order, passing } = yield* orderOf(dev, owner, each, 1n))
      }
      const { gas } = yield* simulation.run(dev.chain.id, order, passing)
      const used = yield* charged(dev, account, order)
      const percent = (Number(gas - used) * 100) / Number(used)

      assert.isTrue(percent >= 0 && percent <= 8, `${gas} simulated, ${used} charged: ${percent.toFixed(2)} %`)
    })
  )
})
