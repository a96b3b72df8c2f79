/** One chain of the local network, with every contract that the service uses on a public chain. */
import { Effect, type Scope } from "effect"
import type { ChildProcessSpawner } from "effect/process"
import { encodeFunctionData, erc20Abi, parseEther } from "viem"
import * as Deployment from "../adapters/evm/contracts/Deployment.ts"
import type * as Address from "../domain/Address.ts"
import type { Chain } from "../domain/Chain.ts"
import type { ChainId } from "../domain/ChainId.ts"
import { DEFAULT_DOMAIN_NAME } from "../domain/SweepOrder.ts"
import * as Accounts from "./Accounts.ts"
import * as Across from "./Across.ts"
import * as Anvil from "./Anvil.ts"
import * as Artifacts from "./Artifacts.ts"
import * as Edr from "./Edr.ts"
import * as Essentials from "./Essentials.ts"
import * as Faucet from "./Faucet.ts"
import * as Filler from "./Filler.ts"
import * as LocalNode from "./LocalNode.ts"
import { Script, run } from "./Script.ts"
import type * as Subprocess from "./Subprocess.ts"
import * as Tokens from "./Tokens.ts"
import * as Uniswap from "./Uniswap.ts"

/** Programs that a chain can run on. They differ where public nodes do: in errors, fees, refunds, and what they take in a call. */
export const NODE_KINDS = ["anvil", "edr"] as const

export type NodeKind = (typeof NODE_KINDS)[number]

const NODES = { anvil: Anvil.start, edr: Edr.start } as const satisfies Readonly<Record<NodeKind, typeof Anvil.start>>

export interface DevChainOptions {
  readonly id: ChainId
  /** Lower case, as in route hints. */
  readonly name: string
  /** Default: a free port. */
  readonly port?: number
  /** Default: anvil. */
  readonly node?: NodeKind
  /** Seconds between blocks. If absent, each transaction is mined immediately. */
  readonly blockSeconds?: number
  /** Number of recent blocks whose state anvil keeps. EDR keeps all. Default: 512. */
  readonly statesKept?: number
  /** Blocks after which the service treats a transaction as final. Default: 1. */
  readonly confirmations?: number
  /** EIP-712 domain name of orders. */
  readonly domainName?: string
  /** Contracts beside those of every local chain. Default: none. */
  readonly extras?: Extras
}

/** More contracts of a chain, and what the service must know of them. */
export interface Extras {
  /** Runs first. It may deploy the routers. */
  readonly before: Script
  /** Run last, one block each, in order. */
  readonly after: ReadonlyArray<Script>
  /** Routers that the guard lists from the start. */
  readonly routers: ReadonlyArray<Address.Address>
  readonly chain: Pick<Chain, "venues" | "targets" | "priceSlug">
  /** More tokens of the chain's list. */
  readonly tokens: Chain["tokens"]
}

export interface DevChain {
  readonly chain: Chain
  readonly rpcUrl: string
  /** The chain's node, of either kind. */
  readonly node: LocalNode.LocalNode
  readonly tokens: Tokens.Tokens
  readonly uniswap: Uniswap.Uniswap
  readonly spokePool: Address.Address
  readonly spokePoolPeriphery: Address.Address
  /** Owns the sanctions list, the blocklisting token and the guard's allow-list. */
  readonly deployer: Accounts.DevAccount
  /** Gives an account tokens or, for `ETH`, native currency, in the smallest unit. Returns once the gift is mined. */
  readonly fund: Faucet.Fund
}

/** Whole tokens that each user account gets on each chain. */
const USER_TOKENS: Readonly<Record<Tokens.Symbol, bigint>> = {
  WETH: 50n,
  USDC: 100_000n,
  USDT: 100_000n,
  DAI: 100_000n,
  WBTC: 2n,
  BLK: 10_000n,
  FOT: 10_000n
}
const USER_NATIVE = parseEther("100")

/** Whole tokens of the filler's inventory, and of the faucet for the token that cannot be minted. */
const FILLER_WHOLE = 1_000_000n
const FAUCET_WETH = Tokens.units("WETH", 1_000_000n)

const SERVICE_NATIVE = parseEther("1000")
const DEPLOYER_NATIVE = parseEther("100000000")

/** Seconds between listing a target and the first sweep that may call it. Short, so that it can be tried out. */
const TIMELOCK_SECONDS = 60

/** Block time in milliseconds that the service is configured with if each transaction is mined immediately. */
const AUTOMINE_BLOCK_MILLIS = 250

/** Starts a chain and sets it up. The node stops when the scope closes. */
export const start = Effect.fn("DevChain.start")(function* (
  options: DevChainOptions
): Effect.fn.Return<
  DevChain,
  Subprocess.SubprocessFailed | LocalNode.DevChainFailed,
  Scope.Scope | ChildProcessSpawner.ChildProcessSpawner
> {
  const node = yield* NODES[options.node ?? "anvil"]({
    chainId: options.id,
    ...(options.port === undefined ? {} : { port: options.port }),
    ...(options.statesKept === undefined ? {} : { statesKept: options.statesKept })
  })
  const artifacts = yield* Artifacts.load
  const deployer = Accounts.deployer(options.name)

  const script = new Script(deployer.address)
  const tokens = Tokens.deploy(script, artifacts)
  const uniswap = Uniswap.deploy(script, artifacts, tokens)
  const sanctionsOracle = Essentials.deploySanctionsOracle(script, [Accounts.sanctioned()])
  Essentials.deployPermit2(script)
  const spokePool = Across.deploySpokePool(script, artifacts, tokens)
  const spokePoolPeriphery = Across.deployPeriphery(script, artifacts)
  const contracts = deploySweepContracts(script, options, {
    wrappedNative: tokens.WETH,
    routers: [uniswap.swapRouter, ...(options.extras?.routers ?? [])],
    bridges: [spokePool, spokePoolPeriphery]
  })
  distribute(script, tokens)
  Uniswap.openPools(script, uniswap, tokens)
  const multicallHandler = Across.deployMulticallHandler(script, artifacts)

  yield* Effect.all([Essentials.installMulticall3(node, artifacts), endow(node, deployer.address)], {
    concurrency: "unbounded"
  })
  yield* runExtra(node, options.extras === undefined ? [] : [options.extras.before])
  yield* run(node, script)
  yield* runExtra(node, options.extras?.after ?? [])
  const approvals = new Script(Accounts.filler().address)
  Filler.approve(approvals, spokePool, tokens)
  yield* run(node, approvals)
  if (options.blockSeconds !== undefined) yield* LocalNode.mineEvery(node, options.blockSeconds)

  const chain: Chain = {
    id: options.id,
    name: options.name,
    nativeSymbol: "ETH",
    feeRecipient: Accounts.feeRecipient().address,
    builderVault: Accounts.builderVault().address,
    wrappedNative: tokens.WETH,
    stables: [tokens.USDC, tokens.USDT, tokens.DAI],
    swapRouter: uniswap.swapRouter,
    quoter: uniswap.quoter,
    spokePool,
    spokePoolPeriphery,
    multicallHandler,
    permit2: Essentials.PERMIT2,
    multicall3: Essentials.MULTICALL3,
    sanctionsOracle,
    confirmations: options.confirmations ?? 1,
    // The network is younger than a day.
    minPoolAgeSeconds: 0,
    blockTimeMillis: options.blockSeconds === undefined ? AUTOMINE_BLOCK_MILLIS : options.blockSeconds * 1_000,
    // Each token has the same name on all local chains.
    assets: tokens,
    tokens: [...Tokens.list(options.id, tokens), ...(options.extras?.tokens ?? [])],
    contracts,
    ...options.extras?.chain
  }
  const fund = Faucet.make(node, tokens, deployer)
  return { chain, rpcUrl: node.rpcUrl, node, tokens, uniswap, spokePool, spokePoolPeriphery, deployer, fund }
})

/** Runs scripts one after another, each with native currency of its sender. */
const runExtra = (node: LocalNode.LocalNode, scripts: ReadonlyArray<Script>) =>
  Effect.forEach(
    scripts,
    (script) =>
      Effect.andThen(
        node.ask("endow", (client) => client.setBalance({ address: script.sender, value: DEPLOYER_NATIVE })),
        run(node, script)
      ),
    { discard: true }
  )

const deploySweepContracts = (
  script: Script,
  options: DevChainOptions,
  settings: Pick<Deployment.Deployment, "wrappedNative" | "routers" | "bridges">
): Chain["contracts"] => {
  const { contracts, transactions } = Deployment.plan({
    ...settings,
    chainId: options.id,
    guardOwner: script.sender,
    timelockSeconds: TIMELOCK_SECONDS,
    feeRecipient: Accounts.feeRecipient().address,
    domainName: options.domainName ?? DEFAULT_DOMAIN_NAME
  })
  for (const { contract, data, to } of transactions) script.call(`deploy the ${contract}`, to, data)
  return {
    delegate: contracts.delegate.address,
    guard: contracts.guard.address,
    entry: contracts.entry.address
  }
}

/** Mints the tokens of the users, of the filler, and of the deployer, who funds pools and faucet. */
const distribute = (script: Script, tokens: Tokens.Tokens): void => {
  const filler = Accounts.filler().address
  const shares = (symbol: Tokens.Symbol): ReadonlyArray<readonly [Address.Address, bigint]> => [
    ...Accounts.users().map(({ address }) => [address, Tokens.units(symbol, USER_TOKENS[symbol])] as const),
    [filler, Tokens.units(symbol, FILLER_WHOLE)],
    [script.sender, Uniswap.liquidity(symbol) + (symbol === "WETH" ? FAUCET_WETH : 0n)]
  ]
  const { WETH, ...minted } = tokens
  const wrapped = shares("WETH")
  const deposit = encodeFunctionData({ abi: Tokens.wethAbi, functionName: "deposit" })
  Essentials.callAll(script, "distribute tokens", [
    ...Tokens.SYMBOLS.filter((symbol) => symbol !== "WETH").flatMap((symbol) =>
      shares(symbol).map(([to, amount]) => ({
        target: minted[symbol],
        callData: Tokens.mint(to, amount),
        value: 0n
      }))
    ),
    { target: WETH, callData: deposit, value: wrapped.reduce((sum, [, amount]) => sum + amount, 0n) },
    ...wrapped.map(([to, amount]) => ({
      target: WETH,
      callData: encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [to, amount] }),
      value: 0n
    }))
  ])
}

/** Sets balances of native currency, like the allocations of a genesis block. */
const endow = (node: LocalNode.LocalNode, deployer: Address.Address) => {
  const shares: ReadonlyArray<readonly [Address.Address, bigint]> = [
    [deployer, DEPLOYER_NATIVE],
    [Accounts.filler().address, SERVICE_NATIVE],
    [Accounts.builderVault().address, SERVICE_NATIVE],
    ...Accounts.relayers().map(({ address }) => [address, SERVICE_NATIVE] as const),
    ...Accounts.users().map(({ address }) => [address, USER_NATIVE] as const)
  ]
  return node.ask("endow", (client) =>
    Promise.all(shares.map(([address, value]) => client.setBalance({ address, value })))
  )
}
