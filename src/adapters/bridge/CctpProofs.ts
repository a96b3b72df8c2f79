/** Proves the mints of attested messages by the destination's own logs: those that Circle names, and those that anybody else sent. */
import { Effect, Option } from "effect"
import type { Address } from "../../domain/Address.ts"
import type { Hash, Hex } from "../../domain/Hex.ts"
import * as LatestMap from "../../domain/LatestMap.ts"
import type { Delivery } from "../../ports/orchestrator/Bridge.ts"
import type { Block, ChainClient, ChainUnavailable, Log } from "../../ports/shared/Chains.ts"
import * as ConfirmedReceipt from "../../ports/shared/ConfirmedReceipt.ts"
import type { StoreUnavailable } from "../../ports/shared/Store.ts"
import type * as CctpContracts from "./CctpContracts.ts"
import type * as CctpDeposit from "./CctpDeposit.ts"
import * as CctpMessage from "./CctpMessage.ts"
import * as CctpMintSearch from "./CctpMintSearch.ts"

/** Difference between the clocks of two chains, in seconds. */
const SKEW_SECONDS = 15n

/** Receipts that are read at the same time. */
const CONCURRENCY = 8

/**
 * Messages without a mint that one look searches the logs for, since each takes several requests. Those of equal orders that are minted
 * already do not count.
 */
const MOST_UNPROVED = 4

/** Orders whose next message to search for is kept. The oldest is forgotten for a new one, and begins again. */
const MOST_KEPT = 10_000

/** A burn of an order. */
export interface Burn {
  readonly contracts: CctpContracts.Contracts
  readonly deposit: CctpDeposit.CctpDeposit
  /** The message, as it was sent. */
  readonly sent: Hex
  /** UNIX seconds of its block. */
  readonly sentAt: bigint
}

export interface Attested {
  readonly nonce: Hash
  readonly forwardTxHash: Hash | undefined
  /** True if Circle's own mint failed. */
  readonly isForwardFailed: boolean
}

/** The mint of an attested message, and its place on the destination. */
export interface Proof {
  readonly nonce: Hash
  readonly delivery: Delivery
  readonly blockNumber: bigint
  /** Index in the block of the log by which the message was received. */
  readonly logIndex: number
}

/** Chain order, in which equal orders claim mints. */
const byPlace = (a: Proof, b: Proof): number =>
  a.blockNumber === b.blockNumber ? a.logIndex - b.logIndex : a.blockNumber < b.blockNumber ? -1 : 1

const logIndexOf = (logs: ReadonlyArray<Log>, transmitter: Address, nonce: Hash): number =>
  logs.find(
    ({ address, topics }) =>
      address === transmitter &&
      CctpMessage.receivedTopics(nonce).every((topic, at) => topic === null || topics[at]?.toLowerCase() === topic)
  )?.logIndex ?? 0

/** The mint, if this transaction has it and counts. */
const mintIn = Effect.fnUntraced(function* (
  client: ChainClient,
  head: Block,
  { contracts, deposit, sent, sentAt }: Burn,
  nonce: Hash,
  txHash: Hash
) {
  const receipt = Option.getOrUndefined(yield* ConfirmedReceipt.find(client, txHash))
  if (receipt === undefined || receipt.status !== "success" || receipt.blockNumber > head.number) return Option.none()
  const block = Option.getOrUndefined(yield* client.block(receipt.blockNumber))
  if (block === undefined || block.hash !== receipt.blockHash) return Option.none()
  // That of an equal burn before, whose nonce the API tells for this one.
  if (block.timestamp + SKEW_SECONDS < sentAt) return Option.none()
  const amount = CctpMessage.mintOf(receipt.logs, contracts, deposit, sent, nonce)
  return Option.map(amount, (amountOut): Proof => ({
    nonce,
    delivery: { _tag: "Delivered", txHash, amountOut },
    blockNumber: receipt.blockNumber,
    logIndex: logIndexOf(receipt.logs, contracts.destinationTransmitter, nonce)
  }))
})

/** Result of `named`. */
export interface Named {
  /** Those that the destination has at the depth, in chain order. */
  readonly proofs: ReadonlyArray<Proof>
  /** Messages without such a mint. */
  readonly rest: ReadonlyArray<Attested>
  /** Set if a transaction could not be read. The messages of the others are not affected. */
  readonly failed: ChainUnavailable | undefined
}

/** Reads the mints in the transactions that the service names. */
export const named = Effect.fnUntraced(function* (
  client: ChainClient,
  head: Block,
  burn: Burn,
  forms: ReadonlyArray<Attested>
): Effect.fn.Return<Named> {
  let failed: ChainUnavailable | undefined
  const found = yield* Effect.forEach(
    forms,
    ({ forwardTxHash, nonce }) =>
      forwardTxHash === undefined
        ? Effect.succeedNone
        : Effect.catchTag(mintIn(client, head, burn, nonce, forwardTxHash), "ChainUnavailable", (error) => {
            failed ??= error
            return Effect.succeedNone
          }),
    { concurrency: CONCURRENCY }
  )
  const proofs = found.flatMap(Option.toArray).toSorted(byPlace)
  const proved = new Set(proofs.map(({ nonce }) => nonce))
  return { proofs, rest: forms.filter(({ nonce }) => !proved.has(nonce)), failed }
})

/**
 * Makes `searched`, which offers mints that anybody sent to `take`, as they are found in the logs. It ends with the delivery that `take`
 * returns, and begins behind the messages of the order's last look, so that each message has its turn.
 */
export const makeSearched = () => {
  const search = CctpMintSearch.make()
  /** Index of the message with which the next look begins, by order. */
  const starts = LatestMap.make<string, number>(MOST_KEPT)

  return Effect.fnUntraced(function* (
    order: string,
    client: ChainClient,
    head: Block,
    burn: Burn,
    forms: ReadonlyArray<Attested>,
    take: (proof: Proof) => Effect.Effect<Delivery | undefined, StoreUnavailable>
  ): Effect.fn.Return<Delivery | undefined, ChainUnavailable | StoreUnavailable> {
    const start = forms.length === 0 ? 0 : (starts.get(order) ?? 0) % forms.length
    let unproved = 0
    for (const [index, form] of [...forms.slice(start), ...forms.slice(0, start)].entries()) {
      // Also if this search fails: the next look begins with another message.
      starts.set(order, start + index + 1)
      const found = yield* search(client, head, {
        transmitter: burn.contracts.destinationTransmitter,
        nonce: form.nonce,
        notBefore: burn.sentAt - SKEW_SECONDS
      })
      const proof = found === undefined ? Option.none() : yield* mintIn(client, head, burn, form.nonce, found)
      if (Option.isSome(proof)) {
        const delivery = yield* take(proof.value)
        if (delivery !== undefined) return delivery
        continue
      }
      unproved += 1
      if (unproved === MOST_UNPROVED) break
    }
    return undefined
  })
}
