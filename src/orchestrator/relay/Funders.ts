/**
 * Accounts that fund owners: the sender of the newest transfer from which an owner has at least half of what it sweeps. Smaller
 * transfers do not count, since anybody can send them to hide the source. Only tokens on the operator's lists are looked at: the
 * logs of any other token say what its maker wants.
 */
import { Clock, Effect, Option } from "effect"
import { encodeEventTopics, erc20Abi } from "viem"
import * as Address from "../../domain/Address.ts"
import * as Chain from "../../domain/Chain.ts"
import type { Hash } from "../../domain/Hex.ts"
import * as LatestMap from "../../domain/LatestMap.ts"
import type { SweepOrder } from "../../domain/SweepOrder.ts"
import { NATIVE } from "../../domain/Token.ts"
import type { BlockRange, ChainClient, Log } from "../../ports/shared/Chains.ts"
import * as Priority from "../../ports/shared/Priority.ts"

/** Blocks that are looked at in all, or fewer if the endpoint limits them. */
const BLOCKS = 5_000n

/** The newest of them are looked at first: new owners of a crowd were funded lately, and a node reads few blocks faster than many. */
const NEWEST_BLOCKS = 500n

/** Age up to which a known head is new enough, in milliseconds. */
const HEAD_MILLIS = 15_000

/** Time after which the funder of an owner counts as unknown, in milliseconds. */
const PATIENCE_MILLIS = 300

/** Time for which an answer is kept, in milliseconds. */
const LIFETIME_MILLIS = 600_000

/** Answers that are kept. */
const REMEMBERED = 10_000

/** Part of the swept amount that a transfer must have: 1 / divisor. */
const PART = 2n

export type Funded = Pick<SweepOrder, "amountIn" | "owner" | "tokenIn">

interface Known {
  readonly funder: Option.Option<Address.Address>
  readonly untilMs: number
}

/** Contracts that tokens of many owners come from. */
const crowdsOf = (chain: Chain.Chain): ReadonlyArray<Address.Address | undefined> => {
  const { builderVault, contracts, feeRecipient, permit2, spokePoolPeriphery, swapRouter, wrappedNative } = chain
  return [
    Address.zero,
    contracts.delegate,
    contracts.entry,
    contracts.guard,
    builderVault,
    feeRecipient,
    permit2,
    ...Chain.spokePools(chain),
    spokePoolPeriphery,
    swapRouter,
    wrappedNative
  ]
}

/** Sender of a `Transfer`, whose first indexed parameter it is. */
const senderOf = ({ topics }: Log): Address.Address | undefined => {
  const topic = topics[1]
  return topic === undefined ? undefined : Address.of(`0x${topic.slice(-40)}`)
}

const valueOf = ({ data }: Log): bigint => (/^0x[0-9a-f]{64}$/i.test(data) ? BigInt(data) : 0n)

/** Ranges that are read one after another, the newest first. */
const rangesOf = (head: bigint): ReadonlyArray<BlockRange> => {
  const [newest = 0n, oldest = 0n] = [NEWEST_BLOCKS, BLOCKS].map((blocks) => (head < blocks ? 0n : head - blocks + 1n))
  const first = { fromBlock: newest, toBlock: head }
  return newest === 0n ? [first] : [first, { fromBlock: oldest, toBlock: newest - 1n }]
}

/** The account that funded the owner by this log, if it is one that funds few. */
const funderIn = (chain: Chain.Chain, { owner, tokenIn }: Funded, log: Log) => {
  const sender = senderOf(log)
  const isKnown = sender === undefined || sender === owner || sender === tokenIn || crowdsOf(chain).includes(sender)
  return isKnown ? Option.none() : Option.some(sender)
}

/** Makes `funderOf(client, order)`. None if it is unknown. Never fails, and asks for logs twice at most. */
export const make = () => {
  const kept = LatestMap.make<string, Known>(REMEMBERED)

  const read = Effect.fnUntraced(function* (client: ChainClient, funded: Funded) {
    const head = yield* client.recentHead(HEAD_MILLIS)
    if (Option.isNone(head)) return Option.none()
    const topics = encodeEventTopics({ abi: erc20Abi, eventName: "Transfer", args: { to: funded.owner } })
    for (const range of rangesOf(head.value.number)) {
      const { logs, unread } = yield* client.logs({
        ...range,
        address: funded.tokenIn,
        // A filter of one recipient, so that no topic is a list.
        topics: topics as ReadonlyArray<Hash | null>,
        order: "newest",
        requests: 1
      })
      const log = logs.findLast((each) => valueOf(each) * PART >= funded.amountIn)
      if (log !== undefined) return funderIn(client.chain, funded, log)
      // The endpoint takes so few blocks at once that the older ones would leave a gap.
      if (unread !== undefined) break
    }
    return Option.none()
  }, Priority.at("portfolio"))

  return Effect.fnUntraced(function* (client: ChainClient, funded: Funded) {
    if (funded.tokenIn === NATIVE) return Option.none()
    const key = `${client.chain.id}:${funded.owner}:${funded.tokenIn}`
    const nowMs = yield* Clock.currentTimeMillis
    const known = kept.get(key)
    if (known !== undefined && nowMs < known.untilMs) return known.funder
    const found = yield* Effect.option(Effect.timeout(read(client, funded), PATIENCE_MILLIS))
    if (Option.isSome(found)) kept.set(key, { funder: found.value, untilMs: nowMs + LIFETIME_MILLIS })
    return Option.flatten(found)
  })
}
