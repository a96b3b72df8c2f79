/** A snapshot of a chain's tip, so that one pass decides everything by the same blocks. */
import { Clock, Effect, Equal, Option } from "effect"
import type { Hash } from "../../domain/Hex.ts"
import { type Block, type ChainClient, ChainUnavailable, type Receipt } from "../../ports/shared/Chains.ts"

export interface ChainView {
  readonly client: ChainClient
  readonly head: Block
  /** The newest confirmed block; none on a chain that is shorter than its `confirmations`. */
  readonly confirmed: Option.Option<Block>
}

/** The node's logs, receipts and blocks disagree, as during a reorganisation or behind a load balancer. Decide nothing now. */
export const inconsistent = (client: ChainClient) =>
  new ChainUnavailable({
    chainId: client.chain.id,
    method: "eth_getTransactionReceipt",
    detail: "the node's logs, receipts and blocks disagree"
  })

/** True for receipts that settle the same. Nodes tell gas and fees in different ways. */
const isSameReceipt = (a: Option.Option<Receipt>, b: Option.Option<Receipt>): boolean => {
  const [one, other] = [a, b].map(
    Option.map(({ blockHash, logs, status, transactionHash }) => ({ blockHash, logs, status, transactionHash }))
  )
  return Equal.equals(one, other)
}

/** Reads a receipt, with its comparison with that of a second endpoint. */
export const attestedReceipt = (client: ChainClient, hash: Hash, scope?: "everywhere") =>
  client.attested(client.receipt(hash, scope), { isSame: isSameReceipt, isUnknown: Option.isNone })

/** True for the same block at the same time. */
const isSameBlock = (a: Option.Option<Block>, b: Option.Option<Block>): boolean =>
  Option.isSome(a) && Option.isSome(b)
    ? a.value.number === b.value.number && a.value.hash === b.value.hash && a.value.timestamp === b.value.timestamp
    : Option.isNone(a) && Option.isNone(b)

/** Honest heads may differ by so many blocks and milliseconds. */
const LAG = { blocks: 2n, millis: 2_000 }

/** Reads a block that a second endpoint has too, unless that one hangs. `known`: the block as an endpoint gave it before. */
const agreedBlock = (client: ChainClient, number: bigint, lag: bigint, known?: Option.Option<Block>) => {
  let unread = known
  const read = Effect.suspend(() => {
    const before = unread
    unread = undefined
    return before === undefined ? client.block(number) : Effect.succeed(before)
  })
  return client.corroborated(read, {
    isSame: isSameBlock,
    isUnknown: Option.isNone,
    // An endpoint that follows the chain and lacks the block contradicts it, even if it lags only a little.
    blockOf: () => number + lag
  })
}

/**
 * Reads the newest block up to `deep` that two endpoints agree on. One that names a block which the chain does not have yet could choose
 * its time. So where the other endpoint lacks it, the block counts that the other one has if it lags.
 */
const confirmedBlock = (client: ChainClient, deep: bigint, known?: Option.Option<Block>) => {
  const lag = LAG.blocks + BigInt(Math.floor(LAG.millis / client.chain.blockTimeMillis))
  return Effect.catchTag(agreedBlock(client, deep, lag, known), "ChainUnavailable", (failure) =>
    failure.isContradiction === true && deep >= lag ? agreedBlock(client, deep - lag, lag) : Effect.fail(failure)
  )
}

const lookOnce = Effect.fnUntraced(function* (
  client: ChainClient,
  maxAgeMillis: number
): Effect.fn.Return<ChainView, ChainUnavailable> {
  const head = yield* maxAgeMillis === 0 ? client.block("latest") : client.recentHead(maxAgeMillis)
  if (Option.isNone(head)) {
    return yield* new ChainUnavailable({ chainId: client.chain.id, method: "eth_getBlockByNumber", detail: "no head" })
  }
  const deep = head.value.number - BigInt(client.chain.confirmations) + 1n
  if (deep < 0n) return { client, head: head.value, confirmed: Option.none() }
  const confirmed = yield* confirmedBlock(client, deep, deep === head.value.number ? head : undefined)
  // The endpoint that answered is behind the one that has the head. Without the block nothing would count as confirmed.
  if (Option.isNone(confirmed)) return yield* inconsistent(client)
  return { client, head: head.value, confirmed }
})

/** A contradiction that took so many milliseconds had to wait until it showed if an endpoint follows the chain. */
const WAITED_MILLIS = 1_000

/**
 * Reads again if two endpoints contradict each other after a wait: the head was read before anybody knew that the other one follows the
 * chain, which limits the head.
 */
const againAfterWait = <A>(
  first: Effect.Effect<A, ChainUnavailable>,
  again: Effect.Effect<A, ChainUnavailable>
): Effect.Effect<A, ChainUnavailable> =>
  Effect.flatMap(Clock.currentTimeMillis, (startedAt) =>
    Effect.catchTag(first, "ChainUnavailable", (failure) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        failure.isContradiction === true && now - startedAt >= WAITED_MILLIS ? again : Effect.fail(failure)
      )
    )
  )

/**
 * Reads the head, which may be `maxAgeMillis` old, and the newest confirmed block. Its time ends sweeps, so a second endpoint has to agree.
 * Fails with {@link ChainUnavailable} if it does not, and when the node lacks one of the blocks. Default: the head is asked for.
 */
export const look = (client: ChainClient, maxAgeMillis = 0): Effect.Effect<ChainView, ChainUnavailable> =>
  againAfterWait(lookOnce(client, maxAgeMillis), lookOnce(client, 0))

/** True when the block with this number is confirmed. */
export const isDeep = ({ confirmed }: ChainView, blockNumber: bigint): boolean =>
  Option.exists(confirmed, (block) => block.number >= blockNumber)

/** True when every future block is later than `deadline` (UNIX seconds), also after a reorganisation. */
export const isPast = ({ confirmed }: ChainView, deadline: bigint): boolean =>
  Option.exists(confirmed, (block) => block.timestamp > deadline)

/** Seconds that block times may vary by between the confirmed block and the head. */
const UNEVEN_SECONDS = 60n

/** Block times that each block after the confirmed one may take on average. */
const SLOW = 3

/** Time up to which the confirmed block bears out that of the head, in UNIX seconds. */
const plausibleTime = ({ client: { chain }, confirmed, head }: ChainView): bigint => {
  if (Option.isNone(confirmed)) return head.timestamp
  const { number, timestamp } = confirmed.value
  const millis = Number(head.number - number) * SLOW * chain.blockTimeMillis
  return timestamp + BigInt(Math.ceil(millis / 1_000)) + UNEVEN_SECONDS
}

/**
 * True when the head is later than `deadline` (UNIX seconds). A head is the word of one endpoint, and a time in the future would cancel
 * sweeps that can still settle. So one that is late for its height counts only if another endpoint has it, or none answers.
 */
export const isHeadPast = (view: ChainView, deadline: bigint): Effect.Effect<boolean> => {
  const { client, head } = view
  if (head.timestamp <= deadline) return Effect.succeed(false)
  if (plausibleTime(view) > deadline) return Effect.succeed(true)
  // An endpoint that does not have the head contradicts it, whatever its height.
  const same = client.corroborated(client.block(head.number), {
    isSame: isSameBlock,
    isUnknown: Option.isNone,
    blockOf: () => 0n
  })
  return Effect.match(same, {
    onFailure: () => false,
    onSuccess: Option.exists((block) => block.hash === head.hash && block.timestamp > deadline)
  })
}
