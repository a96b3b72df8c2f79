/**
 * Chains that tests write by hand: blocks appear when a test mines them, calls answer what it says, and any method can be made to
 * fail. There is no EVM; use the local network for what contracts really do.
 */
import { Context, Effect, Layer, Option, PubSub, Stream } from "effect"
import { concatHex, keccak256, numberToHex, zeroHash } from "viem"
import type * as Address from "../../../domain/Address.ts"
import type { Chain } from "../../../domain/Chain.ts"
import type { ChainId } from "../../../domain/ChainId.ts"
import type { Hash, Hex } from "../../../domain/Hex.ts"
import {
  type Block,
  type ChainClient,
  Chains,
  ChainUnavailable,
  type FeesPerGas,
  type Log,
  type Receipt,
  UnsupportedChain
} from "../../../ports/shared/Chains.ts"

/** A transaction to mine. */
export interface MinedTransaction {
  readonly hash: Hash
  readonly status?: Receipt["status"]
  readonly gasUsed?: bigint
  /** Wei beside the gas; none unless told. */
  readonly dataFee?: bigint
  readonly logs?: ReadonlyArray<Pick<Log, "address" | "topics" | "data">>
}

export type Method = Exclude<keyof ChainClient, "chain" | "heads">

/** The handle of one chain. All of it is synchronous state: an effect of it takes effect at once. */
export interface MemoryChain {
  readonly setCode: (address: Address.Address, code: Hex) => Effect.Effect<void>
  readonly setBalance: (address: Address.Address, wei: bigint) => Effect.Effect<void>
  /** From the newest block on. */
  readonly setTransactionCount: (address: Address.Address, latest: bigint, pending?: bigint) => Effect.Effect<void>
  readonly setFees: (fees: FeesPerGas) => Effect.Effect<void>
  /** How calls are answered; with no bytes until then, as by an account without code. */
  readonly onCall: (handler: ChainClient["call"]) => Effect.Effect<void>
  /** How simulations are answered; every call succeeds with no bytes until then. */
  readonly onSimulate: (handler: ChainClient["simulate"]) => Effect.Effect<void>
  /** What becomes of a send; taken until then. Bytes are recorded whatever the outcome. */
  readonly onSend: (handler: ChainClient["send"]) => Effect.Effect<void>
  /** Mines a block, `seconds` after the last one. */
  readonly mine: (transactions?: ReadonlyArray<MinedTransaction>, seconds?: bigint) => Effect.Effect<Block>
  /** Drops the newest blocks and what they held, as a reorg does. Mine to give them successors. */
  readonly reorg: (blocks: number) => Effect.Effect<void>
  /** Makes methods fail with {@link ChainUnavailable}, until called with none. */
  readonly fail: (...methods: ReadonlyArray<Method>) => Effect.Effect<void>
  /** Every byte string that was handed over, oldest first. */
  readonly sent: Effect.Effect<ReadonlyArray<Hex>>
}

export class MemoryChains extends Context.Service<
  MemoryChains,
  { readonly get: (chainId: ChainId) => Effect.Effect<MemoryChain, UnsupportedChain> }
>()("sweep/adapters/memory/MemoryChains") {}

/** UNIX seconds of the first block. */
const GENESIS_TIME = 1_700_000_000n
const GWEI = 1_000_000_000n

/** New heads that a slow subscriber may still read. */
const HEADS = 16

const silent: ChainClient["call"] = () => Effect.succeed("0x")
const taken: ChainClient["send"] = (raw) => Effect.sync(() => keccak256(raw))
const succeeding: ChainClient["simulate"] = (calls) =>
  Effect.succeed(calls.map(() => ({ success: true, returnData: "0x", gasUsed: 21_000n, logs: [] })))

/** A transaction count, and the block from which on it holds. */
interface Count {
  readonly since: bigint
  readonly latest: bigint
  readonly pending: bigint
}

interface Mined {
  readonly block: Block
  readonly receipts: ReadonlyArray<Receipt>
}

const make = Effect.fnUntraced(function* (chain: Chain) {
  const heads = yield* PubSub.sliding<Block>({ capacity: HEADS, replay: 1 })
  const codes = new Map<Address.Address, Hex>()
  const balances = new Map<Address.Address, bigint>()
  const counts = new Map<Address.Address, ReadonlyArray<Count>>()
  const sent: Array<Hex> = []
  let failing: ReadonlyArray<Method> = []
  let fees: FeesPerGas = { baseFeePerGas: GWEI, maxPriorityFeePerGas: GWEI, maxFeePerGas: 3n * GWEI }
  /** Makes successors of a reorganised block differ from it. */
  let forks = 0n

  const nextBlock = (parent: Block | undefined, seconds: bigint): Block => {
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
  const mined: [Mined, ...Array<Mined>] = [{ block: nextBlock(undefined, 0n), receipts: [] }]
  const head = () => (mined.at(-1) ?? mined[0]).block
  const publishHead = Effect.suspend(() => PubSub.publish(heads, head()))
  yield* publishHead

  let onCall = silent
  let onSend = taken
  let onSimulate = succeeding

  const asking = <A, E>(method: Method, answer: () => Effect.Effect<A, E>): Effect.Effect<A, E | ChainUnavailable> =>
    Effect.suspend((): Effect.Effect<A, E | ChainUnavailable> =>
      failing.includes(method)
        ? Effect.fail(new ChainUnavailable({ chainId: chain.id, method, detail: "made to fail" }))
        : answer()
    )

  const pendingCount = (address: Address.Address): bigint => counts.get(address)?.at(-1)?.pending ?? 0n

  const client: ChainClient = {
    chain,
    heads: Stream.fromPubSub(heads),
    block: (which) =>
      asking("block", () => {
        if (which === "latest") return Effect.succeedSome(head())
        if (which === "pending") return Effect.succeedSome({ ...nextBlock(head(), 1n), hash: zeroHash })
        return Effect.succeed(Option.fromUndefinedOr(mined.find(({ block }) => block.number === which)?.block))
      }),
    code: (address) => asking("code", () => Effect.succeed(codes.get(address) ?? "0x")),
    balance: (address) => asking("balance", () => Effect.succeed(balances.get(address) ?? 0n)),
    transactionCount: (address, block) =>
      asking("transactionCount", () => {
        const history = counts.get(address) ?? []
        if (typeof block !== "bigint") return Effect.succeed(history.at(-1)?.[block] ?? 0n)
        return Effect.succeed(history.findLast(({ since }) => since <= block)?.latest ?? 0n)
      }),
    accounts: (addresses) =>
      asking("accounts", () =>
        Effect.succeed(
          addresses.map((address) => ({ code: codes.get(address) ?? "0x", pendingCount: pendingCount(address) }))
        )
      ),
    call: (request) => asking("call", () => onCall(request)),
    simulate: (calls, overrides) => asking("simulate", () => onSimulate(calls, overrides)),
    feesPerGas: asking("feesPerGas", () => Effect.succeed(fees)),
    send: (raw) =>
      asking("send", () => {
        sent.push(raw)
        return onSend(raw)
      }),
    receipt: (hash) =>
      asking("receipt", () => {
        const receipts = mined.flatMap((each) => each.receipts)
        return Effect.succeed(Option.fromUndefinedOr(receipts.find((each) => each.transactionHash === hash)))
      }),
    logs: ({ address, fromBlock, toBlock, topics }) =>
      asking("logs", () =>
        Effect.succeed(
          mined
            .flatMap((each) => each.receipts.flatMap((receipt) => receipt.logs))
            .filter((log) => log.blockNumber >= fromBlock && log.blockNumber <= toBlock && log.address === address)
            .filter((log) =>
              topics.every((wanted, index) => {
                const topic = log.topics[index]
                if (wanted === null) return true
                return topic !== undefined && (Array.isArray(wanted) ? wanted.includes(topic) : wanted === topic)
              })
            )
        )
      )
  }

  const mine = (transactions: ReadonlyArray<MinedTransaction>, seconds: bigint): Block => {
    const block = nextBlock(head(), seconds)
    let logIndex = 0
    const receipts = transactions.map(
      ({ dataFee, gasUsed = 21_000n, hash, logs = [], status = "success" }): Receipt => {
        const position = { blockNumber: block.number, blockHash: block.hash, transactionHash: hash }
        return {
          ...position,
          status,
          gasUsed,
          effectiveGasPrice: block.baseFeePerGas,
          ...(dataFee === undefined ? {} : { dataFee }),
          logs: logs.map((log) => ({ ...log, ...position, logIndex: logIndex++ }))
        }
      }
    )
    mined.push({ block, receipts })
    return block
  }

  const memory: MemoryChain = {
    setCode: (address, code) => Effect.sync(() => void codes.set(address, code)),
    setBalance: (address, wei) => Effect.sync(() => void balances.set(address, wei)),
    setTransactionCount: (address, latest, pending = latest) =>
      Effect.sync(() => {
        counts.set(address, [...(counts.get(address) ?? []), { since: head().number, latest, pending }])
      }),
    setFees: (next) => Effect.sync(() => void (fees = next)),
    onCall: (handler) => Effect.sync(() => void (onCall = handler)),
    onSimulate: (handler) => Effect.sync(() => void (onSimulate = handler)),
    onSend: (handler) => Effect.sync(() => void (onSend = handler)),
    mine: (transactions = [], seconds = 1n) =>
      Effect.tap(
        Effect.sync(() => mine(transactions, seconds)),
        () => publishHead
      ),
    reorg: (blocks) =>
      Effect.sync(() => {
        forks += 1n
        mined.length = Math.max(1, mined.length - blocks)
      }).pipe(Effect.andThen(publishHead)),
    fail: (...methods) => Effect.sync(() => void (failing = methods)),
    sent: Effect.sync(() => [...sent])
  }
  return { client, memory }
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
