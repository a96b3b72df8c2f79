/** Two real chains with real SpokePools and no filler. Tests deposit as a user and fill as a relayer. */
import { Context, Effect, Layer, Option } from "effect"
import { FetchHttpClient } from "effect/http"
import {
  encodeAbiParameters,
  encodeFunctionData,
  getAbiItem,
  keccak256,
  numberToHex,
  padHex,
  parseAbi,
  zeroHash
} from "viem"
import * as AcrossCall from "../../../src/adapters/bridge/AcrossCall.ts"
import * as AcrossDeposit from "../../../src/adapters/bridge/AcrossDeposit.ts"
import * as EvmChains from "../../../src/adapters/evm/chains/Chains.ts"
import * as Path from "../../../src/adapters/swap/UniswapV3Path.ts"
import { swapRouter02Abi } from "../../../src/adapters/swap/uniswapV3Abi.ts"
import * as Accounts from "../../../src/devnet/Accounts.ts"
import { spokePoolAbi } from "../../../src/devnet/Across.ts"
import type { DevChain } from "../../../src/devnet/DevChain.ts"
import type { Symbol } from "../../../src/devnet/Tokens.ts"
import type * as Address from "../../../src/domain/Address.ts"
import type { Chain } from "../../../src/domain/Chain.ts"
import type { Hex } from "../../../src/domain/Hex.ts"
import { NATIVE } from "../../../src/domain/Token.ts"
import type { BridgeRequest, BridgeRoute } from "../../../src/ports/orchestrator/Bridge.ts"
import { Chains } from "../../../src/ports/shared/Chains.ts"
import { orderOf, type Settlement } from "../../ports/orchestrator/Bridge.suite.ts"
import { TestNetwork } from "../../support/Network.ts"
import { asUser } from "../evm/contracts/asUser.ts"

export const [owner, attacker] = (([first, second]) => {
  if (first === undefined || second === undefined) throw new Error("the local network has users")
  return [first, second] as const
})(Accounts.users())

export const RECIPIENT = Accounts.feeRecipient().address

/** The chains of the network as configured in the service, after `change`, with their nodes behind `through`. */
export const chainsOf = (
  change: (chain: Chain) => Chain = (chain) => chain,
  through: (chain: DevChain) => string = ({ rpcUrl }) => rpcUrl
) =>
  Layer.unwrap(
    Effect.map(TestNetwork, ({ chains }) =>
      EvmChains.layer(chains.map((dev) => ({ chain: change(dev.chain), rpcUrls: [through(dev)] })))
    )
  ).pipe(Layer.provide(FetchHttpClient.layer))

/** The relay of a deposit, as a relayer reads it. */
const relayOf = (source: DevChain, { order, receipt }: Settlement) => {
  const call = Option.getOrThrow(AcrossCall.decode(source.chain, order.swapTarget, order.swapCalldata))
  return Option.getOrThrow(
    AcrossDeposit.findDeposited(receipt.logs, source.spokePool, source.chain.id, (inputAmount) =>
      AcrossCall.depositMade(call, inputAmount)
    )
  )
}

/** A leaf of refunds, as the pool's owner publishes it and anybody executes it. */
const refundAbi = parseAbi([
  "struct RelayerRefundLeaf { uint256 amountToReturn; uint256 chainId; uint256[] refundAmounts; uint32 leafId; address l2TokenAddress; address[] refundAddresses; }",
  "function relayRootBundle(bytes32 relayerRefundRoot, bytes32 slowRelayRoot)",
  "function executeRelayerRefundLeaf(uint32 rootBundleId, RelayerRefundLeaf relayerRefundLeaf, bytes32[] proof) payable",
  "event RelayedRootBundle(uint32 indexed rootBundleId, bytes32 indexed relayerRefundRoot, bytes32 indexed slowRelayRoot)"
])
const REFUND_LEAF = getAbiItem({ abi: refundAbi, name: "executeRelayerRefundLeaf" }).inputs[1]

const word = (address: Address.Address): Hex => padHex(address, { size: 32 })

/** Makes `trade`, which swaps on each direct pool of a chain. */
const trading = (chain: DevChain) =>
  Effect.fnUntraced(function* (tokenIn: Symbol, tokenOut: Symbol, amountIn: bigint) {
    const trader = asUser(chain, attacker)
    yield* Effect.orDie(chain.fund(attacker.address, { token: tokenIn, amount: amountIn * 4n }))
    yield* trader.approve(chain.tokens[tokenIn], chain.uniswap.swapRouter)
    for (const fee of Path.FEES) {
      const data = encodeFunctionData({
        abi: swapRouter02Abi,
        functionName: "exactInputSingle",
        args: [
          {
            tokenIn: chain.tokens[tokenIn],
            tokenOut: chain.tokens[tokenOut],
            fee,
            recipient: attacker.address,
            amountIn,
            amountOutMinimum: 0n,
            sqrtPriceLimitX96: 0n
          }
        ]
      })
      // A pool that does not exist reverts.
      yield* trader.send(chain.uniswap.swapRouter, data)
    }
  })

/** Makes `refund`, which pays accounts on a chain as Across refunds deposits. */
const refunding = (source: DevChain) => {
  let leaves = 0
  return Effect.fnUntraced(function* (
    token: Address.Address,
    payments: ReadonlyArray<readonly [Address.Address, bigint]>
  ) {
    leaves += 1
    const leaf = {
      amountToReturn: 0n,
      chainId: BigInt(source.chain.id),
      refundAmounts: payments.map(([, amount]) => amount),
      leafId: leaves,
      l2TokenAddress: token,
      refundAddresses: payments.map(([account]) => account)
    }
    // The leaf is the whole tree, so its hash is the root and its proof is empty.
    const root = keccak256(encodeAbiParameters([REFUND_LEAF], [leaf]))
    const admin = asUser(source, Accounts.deployer(source.chain.name))
    const published = yield* admin.send(
      source.spokePool,
      encodeFunctionData({ abi: refundAbi, functionName: "relayRootBundle", args: [root, zeroHash] })
    )
    const rootBundleId = Number(published.logs[0]?.topics[1] ?? 0)
    const executed = yield* admin.send(
      source.spokePool,
      encodeFunctionData({
        abi: refundAbi,
        functionName: "executeRelayerRefundLeaf",
        args: [rootBundleId, leaf, []]
      })
    )
    if (executed.status !== "success") return yield* Effect.die("the refund reverted")
    return executed.transactionHash
  })
}

export class AcrossNetwork extends Context.Service<
  AcrossNetwork,
  {
    readonly source: DevChain
    readonly destination: DevChain
    readonly requestOf: (
      tokenIn: Symbol,
      tokenOut: Symbol | "ETH",
      amountIn: bigint,
      recipient?: Address.Address
    ) => BridgeRequest
    /** Makes the deposit as the owner. */
    readonly deposit: (request: BridgeRequest, route: BridgeRoute) => Effect.Effect<Settlement>
    readonly relayOf: (settlement: Settlement) => AcrossDeposit.Relay
    /** Fills as a relayer. With an amount other than the deposit's, it fills a forged relay. */
    readonly fill: (settlement: Settlement, outputAmount?: bigint) => Effect.Effect<Hex>
    /** Pays accounts on the source chain, in the way in which Across refunds deposits. Returns the transaction. */
    readonly refund: (
      token: Address.Address,
      payments: ReadonlyArray<readonly [Address.Address, bigint]>
    ) => Effect.Effect<Hex>
    /** Swaps on the destination chain without a minimum, which moves the price. */
    readonly trade: (tokenIn: Symbol, tokenOut: Symbol, amountIn: bigint) => Effect.Effect<void>
    readonly mine: (blocks: number) => Effect.Effect<void>
  }
>()("sweep/test/AcrossNetwork") {
  static readonly layer = Layer.effect(
    AcrossNetwork,
    Effect.gen(function* () {
      const network = yield* TestNetwork
      const [source, destination] = network.chains
      if (source === undefined || destination === undefined) return yield* Effect.die("the network has two chains")
      const chains = yield* Chains
      const sourceClient = yield* Effect.orDie(chains.get(source.chain.id))
      const depositor = asUser(source, owner)
      const relayer = asUser(destination, attacker)

      const deposit = Effect.fnUntraced(function* (request: BridgeRequest, route: BridgeRoute) {
        yield* depositor.approve(request.tokenIn, route.target)
        const { transactionHash } = yield* depositor.send(route.target, route.calldata)
        const receipt = Option.getOrThrow(yield* Effect.orDie(sourceClient.receipt(transactionHash)))
        return { order: orderOf(request, route), receipt }
      })

      const fill = Effect.fnUntraced(function* (settlement: Settlement, outputAmount?: bigint) {
        const relay = relayOf(source, settlement)
        const expected = relay.deposit
        const data = encodeFunctionData({
          abi: spokePoolAbi,
          functionName: "fillRelay",
          args: [
            {
              depositor: word(expected.depositor),
              recipient: word(expected.recipient),
              exclusiveRelayer: word(expected.exclusiveRelayer),
              inputToken: word(expected.inputToken),
              outputToken: word(expected.outputToken),
              inputAmount: expected.inputAmount,
              outputAmount: outputAmount ?? expected.outputAmount,
              originChainId: BigInt(source.chain.id),
              depositId: relay.depositId,
              fillDeadline: expected.fillDeadline,
              exclusivityDeadline: relay.exclusivityDeadline,
              message: expected.message ?? "0x"
            },
            BigInt(destination.chain.id),
            numberToHex(BigInt(attacker.address), { size: 32 })
          ]
        })
        yield* relayer.approve(expected.outputToken, destination.spokePool)
        const filled = yield* relayer.send(destination.spokePool, data)
        if (filled.status !== "success") return yield* Effect.die("the fill reverted")
        return filled.transactionHash
      })

      return {
        source,
        destination,
        requestOf: (tokenIn, tokenOut, amountIn, recipient = RECIPIENT) => ({
          sourceChainId: source.chain.id,
          destChainId: destination.chain.id,
          tokenIn: source.tokens[tokenIn],
          tokenOut: tokenOut === "ETH" ? NATIVE : destination.tokens[tokenOut],
          amountIn,
          depositor: owner.address,
          recipient,
          slippageBps: 50,
          deadline: 2n ** 40n
        }),
        deposit,
        relayOf: (settlement) => relayOf(source, settlement),
        fill,
        refund: refunding(source),
        trade: trading(destination),
        mine: (blocks) =>
          Effect.orDie(Effect.asVoid(destination.node.ask("mine", (client) => client.mine({ blocks, interval: 0 }))))
      }
    })
  )
}

export const network = AcrossNetwork.layer.pipe(
  Layer.provideMerge(chainsOf()),
  Layer.provideMerge(TestNetwork.layer({ filler: false }))
)
