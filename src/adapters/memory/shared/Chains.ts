/** Chains that tests script: blocks, results of calls, failures of methods. There is no EVM; use the local network to run contracts. */
import { Context, Effect, Layer, Option, PubSub, Stream } from "effect"
import { concatHex, keccak256, numberToHex, zeroHash } from "viem"
import type * as Address from "../../../domain/Address.ts"
import type { Chain } from "../../../domain/Chain.ts"
import type { ChainId } from "../../../domain/ChainId.ts"
import type { Hash, Hex } from "../../../domain/Hex.ts"
import {
  type AccountState,
  type Block,
  type BlockHash,
  type ChainClient,
  Chains,
  ChainUnavailable,
  type FeesPerGas,
  type Log,
  type Receipt,
  UnsupportedChain
} from "../../../ports/shared/Chains.ts"
import { alone } from "../../../ports/shared/Corroborating.ts"

/** A transaction to mine. */
export interface MinedTransaction {
  readonly hash: Hash
  readonly status?: Receipt["status"]
  readonly gasUsed?: bigint
  /** Wei beside the gas. Default: none. */
  readonly dataFee?: bigint
  readonly logs?: ReadonlyArray<Pick<Log, "address" | "topics" | "data">>
}

type Unscripted = "chain" | "heads" | "recentHead" | "isAnswering" | "elsewhere" | "canSimulate" | keyof typeof alone

export type Method = Exclude<keyof ChainClient, Unscripted>

/** The test's handle on one chain. The state is synchronous: a change is visible as soon as its effect has run. */
export interface MemoryChain {
  readonly setCode: (address: Address.Address, code: Hex) => Effect.Effect<void>
  readonly setBalance: (address: Address.Address, wei: bigint) => Effect.Effect<void>
  /** Applies from the newest block on. */
  readonly setTransactionCount: (address: Address.Address, latest: bigint, pending?: bigint) => Effect.Effect<void>
  readonly setFees: (fees: FeesPerGas) => Effect.Effect<void>
  /** Handles calls. Default: every call returns no bytes, as an account without code does. */
  readonly onCall: (handler: ChainClient["call"]) => Effect.Effect<void>
  /** Handles simulations. Default: every call succeeds with no bytes. */
  readonly onSimulate: (handler: ChainClient["simulate"]) => Effect.Effect<void>
  /** Handles sends. Default: every send succeeds. Bytes are recorded even when it fails. */
  readonly onSend: (handler: ChainClient["send"]) => Effect.Effect<void>
  /** Mines a block, `seconds` after the last one. */
  readonly mine: (transactions?: ReadonlyArray<MinedTransaction>, seconds?: bigint) => Effect.Effect<Block>
  /** Drops the newest blocks with their transactions, as a reorg does. Mine blocks to replace them. */
  readonly reorg: (blocks: number) => Effect.Effect<void>
  /** Makes exactly these methods fail with {@link ChainUnavailable} from now on. */
  readonly fail: (...methods: ReadonlyArray<Method>) => Effect.Effect<void>
  /** Every raw transaction that was sent, oldest first. */
  readonly sent: Effect.Effect<ReadonlyArray<Hex>>
}

export class MemoryChains extends Context.Service<
  MemoryChains,
  { readonly get: (chainId: ChainId) => Effect.Effect<MemoryChain, UnsupportedChain> }
>()("sweep/adapters/memory/MemoryChains") {}

/** UNIX seconds of the first block. */
const GENESIS_TIME = 1_700_000_000n
const GWEI = 1_000_000_000n

/** Number of new heads that a slow subscriber can still read. */
const HEADS = 16

const silent: ChainClient["call"] = () => Effect.succeed("0x")
const taken: ChainClient["send"] = (raw) => Effect.sync(() => keccak256(raw))
const succeeding: ChainClient["simulate"] = (calls) =>
  Effect.succeed(calls.map(() => ({ success: true, returnData: "0x", gasUsed: 21_000n, logs: [] })))

/** A transaction count, and the first block in which it applies. */
interface Count {
  readonly since: bigint
  readonly latest: bigint
  readonly pending: bigint
}

interface Mined {
  readonly block: Block
  readonly receipts: ReadonlyArray<Receipt>
}

/** Mutable state of one chain. */
interface State {
  readonly chain: Chain
  readonly heads: PubSub.PubSub<Block>
  readonly codes: Map<Address.Address, Hex>
  readonly balances: Map<Address.Address, bigint>
  readonly counts: Map<Address.Address, ReadonlyArray<Count>>
  readonly sent: Array<Hex>
  /** Oldest first, without those that a reorg dropped. */
  readonly mined: Array<Mined>
  failing: ReadonlyArray<Method>
  fees: FeesPerGas
  /** Number of reorgs. It makes a new block differ from the one that it replaces. */
  forks: bigint
  onCall: ChainClient["call"]
  onSend: ChainClient["send"]
  onSimulate: ChainClient["simulate"]
}

const nextBlock = ({ fees, forks }: State, parent: Block | undefined, seconds: bigint): Block => {
  const number = parent === undefined ? 0n : parent.number + 1n
  const parentHash = parent?.hash ?? zeroHash
  return {
    number,
    parentHash,
    hash: keccak256(concatHex([parentHash, numberToHex(number, { size: 32 }), numberToHex(forks, { size: 32 })])),
    timestamp: parent === undefined ? GENESIS_TIME : parent.timestamp + seconds,
    baseFeePerGas: fees.baseFeePerGas,
    gasLimit: 30_000_000n
  }
}

const head = (state: State): Block => state.mined.at(-1)?.block ?? nextBlock(state, undefined, 0n)

const publishHead = (state: State) => Effect.suspend(() => PubSub.publish(state.heads, head(state)))

const asking = <A, E>(
  state: State,
  method: Method,
  answer: () => Effect.Effect<A, E>
): Effect.Effect<A, E | ChainUnavailable> =>
  Effect.suspend((): Effect.Effect<A, E | ChainUnavailable> =>
    state.failing.includes(method)
      ? Effect.fail(new ChainUnavailable({ chainId: state.chain.id, method, detail: "made to fail" }))
      : answer()
  )

const numberOf = (state: State, method: Method, { hash }: BlockHash): Effect.Effect<bigint, ChainUnavailable> => {
  const found = state.mined.find(({ block }) => block.hash === hash)
  return found === undefined
    ? Effect.fail(
        new ChainUnavailable({ chainId: state.chain.id, method, detail: "unknown block", isBlockUnknown: true })
      )
    : Effect.succeed(found.block.number)
}

const accountOf = ({ codes, counts }: State, address: Address.Address): AccountState => ({
  code: codes.get(address) ?? "0x",
  pendingCount: counts.get(address)?.at(-1)?.pending ?? 0n
})

const clientOf = (state: State): ChainClient => ({
  chain: state.chain,
  heads: Stream.fromPubSub(state.heads),
  recentHead: () => asking(state, "block", () => Effect.succeedSome(head(state))),
  block: (which) =>
    asking(state, "block", () => {
      if (which === "latest") return Effect.succeedSome(head(state))
      return Effect.succeed(Option.fromUndefinedOr(state.mined.find(({ block }) => block.number === which)?.block))
    }),
  code: (address) => asking(state, "code", () => Effect.succeed(state.codes.get(address) ?? "0x")),
  balance: (address) => asking(state, "balance", () => Effect.succeed(state.balances.get(address) ?? 0n)),
  transactionCount: (address, block) =>
    asking(state, "transactionCount", () => {
      const history = state.counts.get(address) ?? []
      if (typeof block === "string") return Effect.succeed(history.at(-1)?.[block] ?? 0n)
      const at = typeof block === "bigint" ? Effect.succeed(block) : numberOf(state, "transactionCount", block)
      return Effect.map(at, (number) => history.findLast(({ since }) => since <= number)?.latest ?? 0n)
    }),
  // The account that sent a transaction is not scripted, so only the one transaction of a block can be told.
  transactionOf: (address, nonce, lastBlock) =>
    asking(state, "transactionOf", () => {
      const used = (state.counts.get(address) ?? []).find(({ latest }) => latest > nonce)
      const block = state.mined.find(({ block: { number } }) => number === used?.since && number <= lastBlock)
      const [only, ...others] = block?.receipts ?? []
      return Effect.succeed(only === undefined || others.length > 0 ? Option.none() : Option.some(only.transactionHash))
    }),
  accounts: (addresses) =>
    asking(state, "accounts", () => Effect.succeed(addresses.map((address) => accountOf(state, address)))),
  call: (request) =>
    asking(state, "call", () =>
      typeof request.block === "object"
        ? Effect.andThen(numberOf(state, "call", request.block), state.onCall(request))
        : state.onCall(request)
    ),
  estimateGas: (transaction) =>
    asking(state, "estimateGas", () => Effect.map(state.onCall(transaction), () => 21_000n)),
  isAnswering: Effect.succeed(true),
  elsewhere: Effect.succeed([]),
  ...alone,
  canSimulate: Effect.succeed(true),
  simulate: (calls, options) => asking(state, "simulate", () => state.onSimulate(calls, options)),
  feesPerGas: asking(state, "feesPerGas", () => Effect.succeed(state.fees)),
  send: (raw) =>
    asking(state, "send", () => {
      state.sent.push(raw)
      return state.onSend(raw)
    }),
  receipt: (hash) =>
    asking(state, "receipt", () => {
      const receipts = state.mined.flatMap((each) => each.receipts)
      return Effect.succeed(Option.fromUndefinedOr(receipts.find((each) => each.transactionHash === hash)))
    }),
  logs: ({ address, fromBlock, toBlock, topics }) =>
    asking(state, "logs", () =>
      Effect.succeed({
        logs: state.mined
          .flatMap((each) => each.receipts.flatMap((receipt) => receipt.logs))
          .filter((log) => [address].flat().includes(log.address))
          .filter(({ blockNumber }) => blockNumber >= fromBlock && blockNumber <= toBlock)
          .filter((log) =>
            topics.every((wanted, index) => {
              const topic = log.topics[index]
              if (wanted === null) return true
              return topic !== undefined && (Array.isArray(wanted) ? wanted.includes(topic) : wanted === topic)
            })
          )
      })
    )
})

const mineBlock = (state: State, transactions: ReadonlyArray<MinedTransaction>, seconds: bigint): Block => {
  const block = nextBlock(state, head(state), seconds)
  let logIndex = 0
  const receipts = transactions.map(({ dataFee, gasUsed = 21_000n, hash, logs = [], status = "success" }): Receipt => {
    const position = { blockNumber: block.number, blockHash: block.hash, transactionHash: hash }
    return {
      ...position,
      status,
      gasUsed,
      effectiveGasPrice: block.baseFeePerGas,
      ...(dataFee === undefined ? {} : { dataFee }),
      logs: logs.map((log) => ({ ...log, ...position, logIndex: logIndex++ }))
    }
  })
  state.mined.push({ block, receipts })
  return block
}

const handleOf = (state: State): MemoryChain => ({
  setCode: (address, code) => Effect.sync(() => void state.codes.set(address, code)),
  setBalance: (address, wei) => Effect.sync(() => void state.balances.set(address, wei)),
  setTransactionCount: (address, latest, pending = latest) =>
    Effect.sync(() => {
      state.counts.set(address, [...(state.counts.get(address) ?? []), { since: head(state).number, latest, pending }])
    }),
  setFees: (next) => Effect.sync(() => void (state.fees = next)),
  onCall: (handler) => Effect.sync(() => void (state.onCall = handler)),
  onSimulate: (handler) => Effect.sync(() => void (state.onSimulate = handler)),
  onSend: (handler) => Effect.sync(() => void (state.onSend = handler)),
  mine: (transactions = [], seconds = 1n) =>
    Effect.tap(
      Effect.sync(() => mineBlock(state, transactions, seconds)),
      () => publishHead(state)
    ),
  reorg: (blocks) =>
    Effect.sync(() => {
      state.forks += 1n
      state.mined.length = Math.max(1, state.mined.length - blocks)
    }).pipe(Effect.andThen(publishHead(state))),
  fail: (...methods) => Effect.sync(() => void (state.failing = methods)),
  sent: Effect.sync(() => [...state.sent])
})

const make = Effect.fnUntraced(function* (chain: Chain) {
  const state: State = {
    chain,
    heads: yield* PubSub.sliding<Block>({ capacity: HEADS, replay: 1 }),
    codes: new Map(),
    balances: new Map(),
    counts: new Map(),
    sent: [],
    mined: [],
    failing: [],
    fees: { baseFeePerGas: GWEI, maxPriorityFeePerGas: GWEI, maxFeePerGas: 3n * GWEI },
    forks: 0n,
    onCall: silent,
    onSend: taken,
    onSimulate: succeeding
  }
  state.mined.push({ block: nextBlock(state, undefined, 0n), receipts: [] })
  yield* publishHead(state)
  return { client: clientOf(state), memory: handleOf(state) }
})

export const layer = (chains: ReadonlyArray<Chain>): Layer.Layer<Chains | MemoryChains> =>
  Layer.effectContext(
    Effect.gen(function* () {
      const made = yield* Effect.forEach(chains, make)
      const find = (chainId: ChainId) =>
        Effect.suspend(() => {
          const one = made.find(({ client }) => client.chain.id === chainId)
          return one === undefined ? Effect.fail(new UnsupportedChain({ chainId })) : Effect.succeed(one)
        })
      const service = Chains.of({
        all: made.map(({ client }) => client),
        get: (chainId) => Effect.map(find(chainId), ({ client }) => client)
      })
      const control = MemoryChains.of({ get: (chainId) => Effect.map(find(chainId), ({ memory }) => memory) })
      return Context.make(Chains, service).pipe(Context.add(MemoryChains, control))
    })
  )
