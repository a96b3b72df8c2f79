/**
 * Relayer's side of the attacks, read from the chain: what the lanes paid for whose sweeps, and what the fee recipient got for them.
 * The books of the service are not asked, except for the versions of a transaction that were not mined.
 */
import { Effect } from "effect"
import { decodeEventLog, decodeFunctionData, type Hex, type Log, parseAbi, parseTransaction } from "viem"
import { sweepEntry, sweepGuard } from "../../src/adapters/evm/abi/contracts.generated.ts"
import type { Place } from "../Holdings.ts"
import { PRICED, weiOf } from "./Money.ts"

/** A mined transaction of a lane. */
export interface Paid {
  readonly hash: Hex
  /** Owners whose sweeps it carries, in lower case. Empty for a self-send. */
  readonly owners: ReadonlyArray<string>
  readonly gas: bigint
  readonly wei: bigint
}

/** Reads all signed versions of a mined transaction. */
export type Versions = (hash: Hex) => Effect.Effect<ReadonlyArray<Hex>>

interface Fee {
  readonly owner: string
  readonly token: string
  readonly amount: bigint
}

const swapQuoterAbi = parseAbi([
  "struct Params { address tokenIn; address tokenOut; uint256 amountIn; uint24 fee; uint160 sqrtPriceLimitX96; }",
  "function quoteExactInputSingle(Params params) returns (uint256 amountOut, uint160, uint32, uint256)"
])

/** Blocks whose logs are read at once. */
const LOG_BLOCKS = 1_000n

const TIERS = [100, 500, 3000, 10_000]

/** Owners of a batch, or the account that a single sweep calls. */
const ownersOf = (entry: string, lanes: ReadonlyArray<Hex>, to: Hex | null, data: Hex): ReadonlyArray<string> => {
  if (to === null || lanes.some((lane) => to.toLowerCase() === lane.toLowerCase())) return []
  if (to.toLowerCase() !== entry.toLowerCase()) return [to.toLowerCase()]
  const { args } = decodeFunctionData({ abi: sweepEntry.abi, data })
  return args[0].map(({ account }) => account.toLowerCase())
}

const sum = (values: ReadonlyArray<bigint>): bigint => values.reduce((total, value) => total + value, 0n)

/** Gas of one sweep of `honest` owners, by the transactions that carry only such. */
const honestGas = (paid: ReadonlyArray<Paid>, honest: ReadonlySet<string>): bigint => {
  const pure = paid.filter(({ owners }) => owners.length > 0 && owners.every((owner) => honest.has(owner)))
  const sweeps = BigInt(pure.reduce((count, { owners }) => count + owners.length, 0))
  return sweeps === 0n ? 0n : sum(pure.map(({ gas }) => gas)) / sweeps
}

export interface Loss {
  /** Gas of the attack's sweeps, in wei. */
  readonly paid: bigint
  /** Realisable value of the fees of its sweeps, in wei. */
  readonly earned: bigint
  /** Transactions that carried a sweep of the attack, and its sweeps that settled. */
  readonly transactions: number
  readonly settled: number
  /** Sweeps of the attack in mined transactions. */
  readonly carried: number
}

/** The first and the last block of a span. */
export interface Span {
  readonly fromBlock: bigint
  readonly toBlock: bigint
}

/** Mined transactions of the lanes. */
const transactionsOf = ({ dev, info }: Place, lanes: ReadonlyArray<Hex>, { fromBlock, toBlock }: Span) =>
  dev.node.ask("read the lanes' transactions", async (node): Promise<ReadonlyArray<Paid>> => {
    const ours = new Set(lanes.map((lane) => lane.toLowerCase()))
    const numbers = Array.from({ length: Number(toBlock - fromBlock) + 1 }, (_, index) => fromBlock + BigInt(index))
    const blocks = await Promise.all(
      numbers.map((blockNumber) => node.getBlock({ blockNumber, includeTransactions: true }))
    )
    const sent = blocks.flatMap(({ transactions }) => transactions).filter(({ from }) => ours.has(from.toLowerCase()))
    return Promise.all(
      sent.map(async ({ hash, input, to }) => {
        const { effectiveGasPrice, gasUsed } = await node.getTransactionReceipt({ hash })
        return {
          hash,
          owners: ownersOf(info.entry, lanes, to, input),
          gas: gasUsed,
          wei: gasUsed * effectiveGasPrice
        }
      })
    )
  })

/** Fees of the sweeps that settled. */
const feesIn = ({ dev, info }: Place, { fromBlock, toBlock }: Span) =>
  dev.node.ask("read the fees", async (node): Promise<ReadonlyArray<Fee>> => {
    const logs: Array<Log> = []
    // One part after another: all logs of a long run are more than the client takes in one answer, and it asks for parallel parts in one.
    for (let start = fromBlock; start <= toBlock; start += LOG_BLOCKS) {
      const last = start + LOG_BLOCKS - 1n
      const part = { fromBlock: start, toBlock: last < toBlock ? last : toBlock }
      logs.push(...(await node.getLogs({ address: info.guard, ...part })))
    }
    return logs.flatMap(({ data, topics }) => {
      const event = decodeEventLog({ abi: sweepGuard.abi, data, topics, strict: true })
      return event.eventName === "Swept"
        ? [
            {
              owner: event.args.owner.toLowerCase(),
              token: event.args.tokenIn.toLowerCase(),
              amount: event.args.feeAmount
            }
          ]
        : []
    })
  })

/** Wei that an amount sells for at once: listed tokens at their price, others at what a pool pays now. */
const realised = Effect.fnUntraced(function* ({ dev }: Place, token: string, amount: bigint) {
  const symbol = PRICED.find((each) => dev.tokens[each].toLowerCase() === token)
  if (symbol !== undefined) return weiOf(symbol, amount)
  const offers = yield* Effect.forEach(TIERS, (fee) =>
    dev.node
      .ask("sell a fee", (node) =>
        node.simulateContract({
          address: dev.uniswap.quoter,
          abi: swapQuoterAbi,
          functionName: "quoteExactInputSingle",
          args: [
            {
              tokenIn: token as Hex,
              tokenOut: dev.tokens.USDC,
              amountIn: amount,
              fee,
              sqrtPriceLimitX96: 0n
            }
          ]
        })
      )
      .pipe(
        Effect.map(({ result: [amountOut] }) => weiOf("USDC", amountOut)),
        Effect.orElseSucceed(() => 0n)
      )
  )
  return offers.reduce((most, offer) => (offer > most ? offer : most), 0n)
})

/**
 * True unless every version of the self-send's transaction carried honest owners alone: then the price of gas rose over the fees of
 * honest sweeps, and the attack has no part in it.
 */
export const isOfAttack = (versions: ReadonlyArray<ReadonlyArray<string>>, honest: ReadonlySet<string>): boolean => {
  const owners = versions.flat()
  return owners.length === 0 || owners.some((owner) => !honest.has(owner))
}

/** Everything that the lanes and the fee recipient did in some blocks. */
export const read = Effect.fnUntraced(function* (
  place: Place,
  { lanes, versions }: { readonly lanes: ReadonlyArray<Hex>; readonly versions: Versions },
  span: Span,
  honest: ReadonlySet<string>
) {
  const paid = yield* transactionsOf(place, lanes, span)
  const fees = yield* feesIn(place, span)
  const typical = honestGas(paid, honest)

  /** The attack's part of a transaction: all of it, less an ordinary amount for each honest sweep beside. */
  const partOf = ({ gas, owners, wei }: Paid, attackers: ReadonlySet<string>): bigint => {
    const own = owners.filter((owner) => attackers.has(owner)).length
    if (own === 0) return 0n
    const others = owners.filter((owner) => honest.has(owner)).length
    const ordinary = typical * BigInt(others)
    const left = gas > ordinary ? gas - ordinary : 0n
    return (((left * BigInt(own)) / BigInt(owners.length - others)) * wei) / gas
  }

  /** Owners of each version of a transaction. */
  const carriedBy = ({ hash }: Paid) =>
    Effect.map(versions(hash), (raws) =>
      raws.map((raw) => {
        const { data = "0x", to } = parseTransaction(raw)
        return ownersOf(place.info.entry, lanes, to ?? null, data)
      })
    )

  /** Loss by the sweeps of the attackers, in lower case, and by the self-sends in the place of such sweeps. */
  const lossOf = Effect.fnUntraced(function* (attackers: ReadonlySet<string>) {
    const carrying = paid.filter(({ owners }) => owners.some((owner) => attackers.has(owner)))
    const selfSends = yield* Effect.filter(
      paid.filter(({ owners }) => owners.length === 0),
      (each) => Effect.map(carriedBy(each), (carried) => isOfAttack(carried, honest))
    )
    const own = fees.filter(({ owner }) => attackers.has(owner))
    const byToken = new Map<string, bigint>()
    for (const { amount, token } of own) byToken.set(token, (byToken.get(token) ?? 0n) + amount)
    const earned = yield* Effect.forEach([...byToken], ([token, amount]) => realised(place, token, amount))
    return {
      paid: sum([...carrying.map((each) => partOf(each, attackers)), ...selfSends.map(({ wei }) => wei)]),
      earned: sum(earned),
      transactions: carrying.length,
      settled: own.length,
      carried: carrying.flatMap(({ owners }) => owners.filter((owner) => attackers.has(owner))).length
    } satisfies Loss
  })

  return {
    lossOf,
    /** Wei that the lanes paid for all of their transactions. */
    paid: sum(paid.map(({ wei }) => wei))
  }
})

/** The newest height. */
export const height = ({ dev }: Place) =>
  dev.node.ask("read the height", (node) => node.getBlockNumber({ cacheTime: 0 }))

/**
 * The newest height whose balances stay as they are. While anvil mines a block, it may answer a read at the height before with the state
 * after the block.
 */
export const steadyHeight = (place: Place) => Effect.map(height(place), (newest) => newest - 1n)

/** Native currency of all lanes after a block, in wei. */
export const balances = ({ dev }: Place, lanes: ReadonlyArray<Hex>, blockNumber: bigint) =>
  dev.node.ask("read the lanes", async (node) =>
    sum(await Promise.all(lanes.map((address) => node.getBalance({ address, blockNumber }))))
  )
