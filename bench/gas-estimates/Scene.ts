/** Owners, orders and transactions of the measured sweeps, made by the service's own adapters on a local network. */
import { Effect, Layer } from "effect"
import { FetchHttpClient } from "effect/http"
import { createWalletClient, http } from "viem"
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts"
import * as Across from "../../src/adapters/bridge/Across.ts"
import * as AcrossFees from "../../src/adapters/bridge/AcrossFees.ts"
import * as EvmChains from "../../src/adapters/evm/chains/Chains.ts"
import * as EvmSweepContracts from "../../src/adapters/evm/contracts/SweepContracts.ts"
import * as EvmSweepSimulation from "../../src/adapters/evm/contracts/SweepSimulation.ts"
import * as MemoryRelayerKeys from "../../src/adapters/memory/orchestrator/RelayerKeys.ts"
import * as UniswapV3 from "../../src/adapters/swap/UniswapV3.ts"
import * as Accounts from "../../src/devnet/Accounts.ts"
import type { DevChain, NodeKind } from "../../src/devnet/DevChain.ts"
import type { Network } from "../../src/devnet/Network.ts"
import * as Address from "../../src/domain/Address.ts"
import * as Chain from "../../src/domain/Chain.ts"
import { designator } from "../../src/domain/Delegation.ts"
import * as RelayGas from "../../src/domain/RelayGas.ts"
import { bound } from "../../src/domain/OrderNonce.ts"
import { compact } from "../../src/domain/Signature.ts"
import { DEFAULT_DOMAIN_NAME, type SweepOrder, typedData } from "../../src/domain/SweepOrder.ts"
import { NATIVE } from "../../src/domain/Token.ts"
import { Bridge } from "../../src/ports/orchestrator/Bridge.ts"
import { SwapVenue } from "../../src/ports/orchestrator/SwapVenue.ts"
import { type RunItem, SweepContracts } from "../../src/ports/orchestrator/SweepContracts.ts"
import { SweepSimulation } from "../../src/ports/orchestrator/SweepSimulation.ts"
import type { Asset, Case } from "./Cases.ts"

const ORDER_SECONDS = 600
const BRIDGE_FEE_BPS = 10
const SLIPPAGE_BPS = 50

/** Fees as shares of the amount. Neither is round, so that calldata has ordinary bytes. */
const FEE_SHARE = 97n
const BUILDER_SHARE = 331n

/** The service's adapters on the network. */
export const adapters = ({ chains }: Network) => {
  const client = EvmChains.layer(chains.map(({ chain, rpcUrl }) => ({ chain, rpcUrls: [rpcUrl] }))).pipe(
    Layer.provide(FetchHttpClient.layer)
  )
  const fees = AcrossFees.layerFixed({ relayFeeBps: BRIDGE_FEE_BPS, fillDeadlineSeconds: 3 * 3_600 })
  const venue = UniswapV3.layer.pipe(Layer.provide(client))
  const bridge = Across.layer({ orderLifetimeSeconds: ORDER_SECONDS }).pipe(Layer.provide([fees, venue, client]))
  return Layer.mergeAll(EvmSweepSimulation.layer, bridge, venue).pipe(
    Layer.provideMerge(
      Layer.mergeAll(client, EvmSweepContracts.layer, MemoryRelayerKeys.layer([Accounts.relayers()[0].address]))
    )
  )
}

/** A sweep that its owner has signed, and the gas that its quote counts. */
export interface Quoted {
  readonly case: Case
  readonly account: PrivateKeyAccount
  readonly data: `0x${string}`
  readonly isDelegated: boolean
  readonly estimated: bigint
  /** Gas limit of its execution. */
  readonly gasLimit: bigint
}

const stranger = () => Address.of(privateKeyToAccount(generatePrivateKey()).address)

const tokenOf = ({ tokens }: DevChain, asset: Asset): Address.Address => (asset === "ETH" ? NATIVE : tokens[asset])

/** Source and destination of the sweeps, an account that has received before, and the service's routes. */
interface Routes {
  readonly first: DevChain
  readonly second: DevChain
  readonly known: Address.Address
  readonly bridge: Bridge["Service"]
  readonly venue: SwapVenue["Service"]
}

const makeOrder = Effect.fnUntraced(function* (routes: Routes, owner: Address.Address, each: Case) {
  const { bridge, first, known, second, venue } = routes
  const { chain, node } = first
  const { timestamp } = yield* node.ask("read the time", (client) => client.getBlock())
  const isLocal = each.kind === "swap"
  const tokenIn = tokenOf(first, each.tokenIn)
  const tokenOut = tokenOf(isLocal ? first : second, each.tokenOut)
  const destination = { owner, known, new: stranger() }[each.destination]
  const builder = { none: Address.zero, known, new: stranger() }[each.builder]
  const feeAmount = each.amount / FEE_SHARE
  const builderFee = each.builder === "none" ? 0n : each.amount / BUILDER_SHARE
  const deadline = timestamp + BigInt(ORDER_SECONDS)
  const part = {
    tokenIn: Chain.erc20(chain, tokenIn),
    tokenOut,
    amountIn: each.amount - feeAmount - builderFee,
    recipient: destination,
    slippageBps: SLIPPAGE_BPS,
    deadline
  }
  const route = isLocal
    ? yield* venue.route({ ...part, chainId: chain.id, sender: owner })
    : yield* bridge.route({ ...part, sourceChainId: chain.id, destChainId: second.chain.id, depositor: owner })
  const order: SweepOrder = {
    owner,
    tokenIn,
    amountIn: each.amount,
    feeAmount,
    builder,
    builderFee,
    tokenOut,
    minAmountOut: isLocal ? route.minAmountOut : 0n,
    destination,
    swapTarget: route.target,
    swapCalldata: route.calldata,
    deadline,
    nonce: bound(chain.contracts.guard, each.nonce),
    destChainId: BigInt(isLocal ? chain.id : second.chain.id)
  }
  return { order, passing: route.passing }
})

/** Target, data and gas limit of the transaction that the relayer sends for these sweeps. New delegations are checked by the entry. */
const contentOf = (
  contracts: SweepContracts["Service"],
  chain: Chain.Chain,
  items: ReadonlyArray<RunItem & RelayGas.Carried>
) => {
  const [only] = items
  return only !== undefined && items.length === 1 && only.authorizations === 0
    ? { to: only.account, data: only.data, gas: RelayGas.sweepGasLimit(only) }
    : {
        to: chain.contracts.entry,
        data: contracts.encodeRun(items),
        gas: RelayGas.batchGasLimit(items.map(RelayGas.itemGas))
      }
}

const authorization = async ({ chain, node: { client } }: DevChain, account: PrivateKeyAccount) =>
  account.signAuthorization({
    address: chain.contracts.delegate,
    chainId: chain.id,
    nonce: await client.getTransactionCount({ address: account.address })
  })

/** An earlier sweep of an owner, which leaves the balance of `tokenIn` alone. */
const sweepBefore = (tokenIn: Asset): Case => ({
  kind: "swap",
  tokenIn: tokenIn === "DAI" ? "USDC" : "DAI",
  tokenOut: "WETH",
  amount: tokenIn === "DAI" ? 50_000_000n : 50n * 10n ** 18n,
  rest: 0n,
  history: "none",
  nonce: 0n,
  builder: "none",
  destination: "new"
})

/** Leaves the account as its history would have. */
const age = ({ chain, node }: DevChain, program: NodeKind, address: Address.Address, history: Case["history"]) =>
  node.ask("age", async (client) => {
    const give = async (wei: bigint) =>
      client.setBalance({ address, value: (await client.getBalance({ address })) + wei })
    switch (history) {
      case "none":
        // anvil refunds the authorization of an account that does not exist, against EIP-7702. There it exists.
        if (program === "anvil") await give(1n)
        break
      case "funded":
        await give(10n ** 15n)
        break
      case "transactions":
        await client.setNonce({ address, nonce: 7 })
        break
      case "undelegated":
        await client.setCode({ address, bytecode: "0x" })
        break
      case "delegated elsewhere":
        await client.setNonce({ address, nonce: 1 })
        await client.setCode({ address, bytecode: designator(chain.contracts.entry) })
        break
      default:
    }
  })

/** Makes `quote(case)` and `send(quoted)` on the first chain of a network. */
export const make = Effect.fnUntraced(function* (
  { chains: [first, second], users: [user] }: Network,
  program: NodeKind
) {
  const contracts = yield* SweepContracts
  const simulation = yield* SweepSimulation
  if (first === undefined || second === undefined || user === undefined) throw new Error("two chains are needed")
  const { node, chain } = first
  const routes = { first, second, known: user.address, bridge: yield* Bridge, venue: yield* SwapVenue }
  const [lane] = Accounts.relayers()
  const wallet = createWalletClient({
    account: privateKeyToAccount(lane.privateKey),
    chain: node.client.chain,
    transport: http(first.rpcUrl)
  })

  const signed = (account: PrivateKeyAccount, order: SweepOrder) =>
    Effect.map(
      Effect.promise(() => account.signTypedData(typedData(order, { name: DEFAULT_DOMAIN_NAME, chainId: chain.id }))),
      (signature) => contracts.encodeExecute(order, compact(signature))
    )

  const codeOf = (owner: Address.Address) => node.ask("read the code", (client) => client.getCode({ address: owner }))

  /** Sends the sweeps of one transaction as the relayer does. Returns the charged gas and the number that settled. */
  const send = Effect.fn("send")(function* (sweeps: ReadonlyArray<Omit<Quoted, "case">>) {
    const undelegated = sweeps.filter(({ isDelegated }) => !isDelegated)
    const items = sweeps.map(({ account, data, gasLimit, isDelegated }) => ({
      account: Address.of(account.address),
      data,
      gasLimit,
      authorizations: isDelegated ? 0 : 1
    }))
    return yield* node.ask("sweep", async (client) => {
      const authorizationList = await Promise.all(undelegated.map(({ account }) => authorization(first, account)))
      const hash = await wallet.sendTransaction({
        ...contentOf(contracts, chain, items),
        ...(authorizationList.length === 0 ? {} : { authorizationList })
      })
      const receipt = await client.waitForTransactionReceipt({ hash })
      const settled = receipt.logs.filter((log) => Address.of(log.address) === chain.contracts.guard).length
      return { charged: receipt.gasUsed, settled }
    })
  })

  /** Gives the account its history. */
  const lived = Effect.fnUntraced(function* (account: PrivateKeyAccount, { history, tokenIn }: Case) {
    const owner = Address.of(account.address)
    if (history === "delegated" || history === "undelegated") {
      yield* send([yield* quote(sweepBefore(tokenIn), account)])
    }
    yield* age(first, program, owner, history)
  })

  const quote: (each: Case, account?: PrivateKeyAccount) => Effect.Effect<Quoted, unknown> = Effect.fnUntraced(
    function* (each: Case, account = privateKeyToAccount(generatePrivateKey())) {
      const owner = Address.of(account.address)
      yield* first.fund(owner, { token: each.tokenIn, amount: each.amount + each.rest })
      yield* lived(account, each)
      const { order, passing } = yield* makeOrder(routes, owner, each)
      const { gas, limits } = yield* simulation.run(chain.id, order, { passing })
      const isDelegated = (yield* codeOf(owner)) === designator(chain.contracts.delegate)
      return {
        case: each,
        account,
        data: yield* signed(account, order),
        isDelegated,
        estimated: gas,
        gasLimit: limits.execution
      }
    }
  )

  return { quote, send }
})
