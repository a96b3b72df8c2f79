/**
 * A small Across relayer. It watches the SpokePools and fills every deposit that does not lose it money from its own
 * inventory. Filling is idempotent, because the destination pool accepts each deposit once.
 */
import { Clock, Effect, FiberMap, Schedule, Semaphore } from "effect"
import {
  encodeAbiParameters,
  encodeFunctionData,
  erc20Abi,
  type GetEventArgs,
  getAbiItem,
  keccak256,
  maxUint256,
  pad,
  zeroHash
} from "viem"
import { privateKeyToAccount } from "viem/accounts"
import * as Address from "../domain/Address.ts"
import type { ChainId } from "../domain/ChainId.ts"
import type { Hash } from "../domain/Hex.ts"
import * as Accounts from "./Accounts.ts"
import { spokePoolAbi } from "./Across.ts"
import { DevChainFailed, type LocalNode } from "./LocalNode.ts"
import type { Script } from "./Script.ts"
import { SYMBOLS, TOKENS, type Tokens } from "./Tokens.ts"

/** A chain on which the filler watches deposits and fills. */
export interface FillerChain {
  readonly node: LocalNode
  readonly spokePool: Address.Address
  readonly tokens: Tokens
}

const DEPOSITED = getAbiItem({ abi: spokePoolAbi, name: "FundsDeposited" })
type Deposit = GetEventArgs<
  typeof spokePoolAbi,
  "FundsDeposited",
  { EnableUnion: false; IndexedOnly: false; Required: true }
>

const POLL_INTERVAL = "200 millis"

/** Time after which a filled or rejected deposit is checked again, because a reorg can undo a fill. */
const RECHECK_MILLIS = 3_000

/** Time after which a fill without a receipt counts as lost, and the pool is asked again. */
const FILL_TIMEOUT_MILLIS = 15_000

/** Number of recent blocks that are read again on each pass, because a reorg can add a deposit to a block already seen. */
const LOOKBACK_BLOCKS = 64n

const account = privateKeyToAccount(Accounts.filler().privateKey)

/** Script of the filler's account that approves its tokens to the pool. */
export const approve = (script: Script, spokePool: Address.Address, tokens: Tokens): void => {
  for (const symbol of SYMBOLS) {
    script.call(
      `approve the filler's ${symbol}`,
      tokens[symbol],
      encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [spokePool, maxUint256] })
    )
  }
}

const addressOf = (word: Hash): Address.Address => Address.of(`0x${word.slice(-40)}`)

/** US dollar value with 18 decimals. Undefined for a token that the filler does not support. */
const value = (chain: FillerChain, word: Hash, amount: bigint): bigint | undefined => {
  const address = addressOf(word)
  const symbol = SYMBOLS.find((candidate) => chain.tokens[candidate] === address)
  const token = symbol === undefined ? undefined : TOKENS[symbol]
  return token?.usd === undefined ? undefined : (amount * token.usd * 10n ** 18n) / 10n ** BigInt(token.decimals)
}

/** True if the tokens are known, no other relayer has exclusivity, and the deposit is worth at least what filling it costs. */
const isWelcome = (origin: FillerChain, destination: FillerChain, deposit: Deposit): boolean => {
  const income = value(origin, deposit.inputToken, deposit.inputAmount)
  const cost = value(destination, deposit.outputToken, deposit.outputAmount)
  return income !== undefined && cost !== undefined && cost <= income && deposit.exclusiveRelayer === zeroHash
}

const relayDataOf = (originChainId: ChainId, deposit: Deposit) => ({
  depositor: deposit.depositor,
  recipient: deposit.recipient,
  exclusiveRelayer: deposit.exclusiveRelayer,
  inputToken: deposit.inputToken,
  outputToken: deposit.outputToken,
  inputAmount: deposit.inputAmount,
  outputAmount: deposit.outputAmount,
  originChainId: BigInt(originChainId),
  depositId: deposit.depositId,
  fillDeadline: deposit.fillDeadline,
  exclusivityDeadline: deposit.exclusivityDeadline,
  message: deposit.message
})
type RelayData = ReturnType<typeof relayDataOf>

const [RELAY_DATA] = getAbiItem({ abi: spokePoolAbi, name: "fillRelay" }).inputs

/** The key of `fillStatuses`: keccak256 of the relay data and the destination chain id (SpokePool.getV3RelayHash). */
const relayHash = (relayData: RelayData, destinationChainId: ChainId): Hash =>
  keccak256(encodeAbiParameters([RELAY_DATA, { type: "uint256" }], [relayData, BigInt(destinationChainId)]))

const FILLED = 2n

/** Runs until the scope closes. It retries requests that a node rejects and fills that a reorg undoes. */
export const start = Effect.fn("Filler.start")(function* (chains: ReadonlyArray<FillerChain>) {
  const destinations = new Map(
    chains.map((chain) => [BigInt(chain.node.chainId), { chain, sending: Semaphore.makeUnsafe(1) }])
  )
  const fills = yield* FiberMap.make<Hash>()
  const settledAt = new Map<Hash, number>()
  /** Deposits by the hash of their relay data. A destination may be silent until they are older than the blocks that are read. */
  const unsettled = new Map<FillerChain, Map<Hash, Deposit>>(chains.map((chain) => [chain, new Map()]))

  const look = Effect.fnUntraced(function* (origin: FillerChain) {
    const now = yield* Clock.currentTimeMillis
    const waiting = unsettled.get(origin) ?? new Map<Hash, Deposit>()
    for (const deposit of [...waiting.values(), ...(yield* recentDeposits(origin))]) {
      const destination = destinations.get(deposit.destinationChainId)
      if (destination === undefined) continue
      const { chain, sending } = destination
      const relayData = relayDataOf(origin.node.chainId, deposit)
      const hash = relayHash(relayData, chain.node.chainId)
      if (now - (settledAt.get(hash) ?? 0) < RECHECK_MILLIS) continue
      waiting.set(hash, deposit)
      const settle = isWanted(origin, chain, deposit, hash).pipe(
        Effect.flatMap((wanted) => (wanted ? fill(chain, sending, relayData) : Effect.void)),
        Effect.andThen(Clock.currentTimeMillis),
        Effect.map((time) => {
          settledAt.set(hash, time)
          waiting.delete(hash)
        }),
        Effect.catch((error) => Effect.logDebug("a fill failed and will be retried", error))
      )
      yield* FiberMap.run(fills, hash, settle, { onlyIfMissing: true })
    }
  })

  yield* Effect.forEach(
    chains,
    (origin) =>
      look(origin).pipe(
        Effect.catch((error) => Effect.logDebug("reading the deposits of a chain failed and will be retried", error)),
        Effect.repeat(Schedule.spaced(POLL_INTERVAL)),
        Effect.forkScoped
      ),
    { discard: true }
  )
})

const recentDeposits = ({ node, spokePool }: FillerChain): Effect.Effect<ReadonlyArray<Deposit>, DevChainFailed> =>
  node.ask("deposits", async (client) => {
    const latest = await client.getBlockNumber()
    const logs = await client.getLogs({
      address: spokePool,
      event: DEPOSITED,
      strict: true,
      fromBlock: latest > LOOKBACK_BLOCKS ? latest - LOOKBACK_BLOCKS : 0n,
      toBlock: latest
    })
    return logs.map((log) => log.args)
  })

const fill = Effect.fnUntraced(function* (
  { node, spokePool }: FillerChain,
  sending: Semaphore.Semaphore,
  relayData: RelayData
) {
  const data = encodeFunctionData({
    abi: spokePoolAbi,
    functionName: "fillRelay",
    args: [relayData, BigInt(node.chainId), pad(account.address, { size: 32 })]
  })
  // Fills are sent one at a time, so that each gets the next nonce. They may be mined in one block.
  const hash = yield* sending.withPermits(1)(
    node.ask("send a fill", async (client) => {
      const nonce = await client.getTransactionCount({ address: account.address, blockTag: "pending" })
      return client.sendTransaction({ account, chain: client.chain, to: spokePool, data, nonce })
    })
  )
  const receipt = yield* node.ask("fill", (client) =>
    client.waitForTransactionReceipt({ hash, timeout: FILL_TIMEOUT_MILLIS })
  )
  if (receipt.status === "reverted") {
    return yield* new DevChainFailed({ chainId: node.chainId, step: "fill", detail: `${hash} reverted` })
  }
})

/** True if the deposit is worth a fill and has none yet. Fails if a node does not answer, and is then retried. */
const isWanted = Effect.fnUntraced(function* (
  origin: FillerChain,
  destination: FillerChain,
  deposit: Deposit,
  hash: Hash
) {
  if (!isWelcome(origin, destination, deposit)) return false
  const { node, spokePool } = destination
  const [status, block] = yield* node.ask("fill status", (client) =>
    Promise.all([
      client.readContract({ address: spokePool, abi: spokePoolAbi, functionName: "fillStatuses", args: [hash] }),
      client.getBlock()
    ])
  )
  return status !== FILLED && BigInt(deposit.fillDeadline) >= block.timestamp
})
