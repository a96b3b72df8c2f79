/**
 * State of a burn by CCTP. Circle's API tells the attested message and the transaction of its mint. Only the destination's own logs prove
 * the mint: its transmitter received this very message, once, and its messenger minted for the recipient. The API's word alone ends nothing.
 */
import { Effect, Option, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import type { Address } from "../../domain/Address.ts"
import { Hash, Hex } from "../../domain/Hex.ts"
import type { Bridge, Delivery } from "../../ports/orchestrator/Bridge.ts"
import { type Block, type ChainClient, type Chains, ChainUnavailable, type Log } from "../../ports/shared/Chains.ts"
import * as Answer from "../providers/Answer.ts"
import type { Provider } from "../providers/Provider.ts"
import { settledBlock } from "./Blocks.ts"
import type * as CctpContracts from "./CctpContracts.ts"
import * as CctpDeposit from "./CctpDeposit.ts"
import * as CctpMessage from "./CctpMessage.ts"
import * as CctpMintSearch from "./CctpMintSearch.ts"
import type * as ProofClaims from "./ProofClaims.ts"

/** `GET /v2/messages/{sourceDomain}?transactionHash={hash}`. */
const Messages = Schema.Struct({
  messages: Schema.Array(
    Schema.Struct({
      /** Empty until Circle attests. */
      message: Schema.optionalKey(Schema.NullOr(Hex)),
      /** Transaction of the mint that Circle sent. */
      forwardTxHash: Schema.optionalKey(Schema.NullOr(Hash)),
      forwardState: Schema.optionalKey(Schema.NullOr(Schema.String))
    })
  )
})

const readMessages = Answer.json(Messages)

const PENDING: Delivery = { _tag: "Pending" }

/** Difference between the clocks of two chains, in seconds. */
const SKEW_SECONDS = 15n

export interface Parts {
  readonly chains: Chains["Service"]
  /** Asked for attested messages. */
  readonly provider: Provider
  readonly contractsOf: ReturnType<typeof CctpContracts.make>
  readonly claim: ReturnType<typeof ProofClaims.make>
}

/** A burn of an order. */
interface Burn {
  readonly contracts: CctpContracts.Contracts
  readonly deposit: CctpDeposit.CctpDeposit
  /** The message, as it was sent. */
  readonly sent: Hex
  /** UNIX seconds of its block. */
  readonly sentAt: bigint
}

interface Attested {
  readonly nonce: Hash
  readonly forwardTxHash: Hash | undefined
  /** True if Circle's own mint failed. */
  readonly isForwardFailed: boolean
}

/** Attested forms of a message in one look, since the API may list any number. Each takes two requests to a node. */
const MOST_FORMS = 128

/** Receipts that are read at the same time. */
const CONCURRENCY = 8

/**
 * Messages without a mint that one look searches the logs for, since each takes several requests. Those of equal orders that are minted
 * already do not count.
 */
const MOST_UNPROVED = 4

/** The mint of an attested message, and its place on the destination. */
interface Proof {
  readonly nonce: Hash
  readonly delivery: Delivery
  readonly blockNumber: bigint
  /** Index in the block of the log by which the message was received. */
  readonly logIndex: number
}

/** Chain order. Mints that follow later come last, so that an order claims the same mint at each look. */
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
  const receipt = Option.getOrUndefined(yield* client.receipt(txHash))
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

/** Mints of attested messages that the destination has at the depth, in chain order. */
const proofsOf = Effect.fnUntraced(function* (
  client: ChainClient,
  head: Block,
  burn: Burn,
  forms: ReadonlyArray<Attested>,
  search: ReturnType<typeof CctpMintSearch.make>
) {
  const named = yield* Effect.forEach(
    forms,
    ({ forwardTxHash, nonce }) =>
      forwardTxHash === undefined ? Effect.succeedNone : mintIn(client, head, burn, nonce, forwardTxHash),
    { concurrency: CONCURRENCY }
  )
  const proofs = named.flatMap(Option.toArray)
  const isNamed = new Set(proofs.map(({ nonce }) => nonce))
  let unproved = 0
  let isForwardFailed = false
  // Anybody can send the mint with Circle's attestation.
  for (const form of forms.filter(({ nonce }) => !isNamed.has(nonce))) {
    const found = yield* search(client, head, {
      transmitter: burn.contracts.destinationTransmitter,
      nonce: form.nonce,
      notBefore: burn.sentAt - SKEW_SECONDS
    })
    const proof = found === undefined ? Option.none() : yield* mintIn(client, head, burn, form.nonce, found)
    if (Option.isSome(proof)) {
      proofs.push(proof.value)
      continue
    }
    isForwardFailed ||= form.isForwardFailed
    unproved += 1
    if (unproved === MOST_UNPROVED) break
  }
  return { proofs: proofs.toSorted(byPlace), isForwardFailed }
})

/** Makes the bridge's `delivery`. */
export const make = ({ chains, claim, contractsOf, provider }: Parts): Bridge["Service"]["delivery"] => {
  const search = CctpMintSearch.make()

  /** The messages of a transaction with Circle's attestations. None until Circle has seen the transaction, or if it does not answer. */
  const messagesOf = (sourceDomain: number, transactionHash: Hash) =>
    provider
      .ask(HttpClientRequest.get(`/v2/messages/${sourceDomain}`, { urlParams: { transactionHash } }), (reply) =>
        reply.status >= 400 ? Effect.succeed({ messages: [] }) : readMessages(reply)
      )
      .pipe(
        Effect.map(({ messages }) => messages),
        Effect.catchTag("ProviderUnavailable", ({ detail }) =>
          Effect.as(Effect.annotateLogs(Effect.logDebug("bridge.status_unknown"), { bridge: "cctp", detail }), [])
        )
      )

  /**
   * The attested forms of a burn's message. Equal orders of one owner, in one transaction, have several, and the receipt has the logs of
   * this order alone.
   */
  const attestedOf = Effect.fnUntraced(function* ({ contracts, sent }: Burn, transactionHash: Hash) {
    const found = new Map<Hash, Attested>()
    for (const { forwardState, forwardTxHash, message } of yield* messagesOf(contracts.sourceDomain, transactionHash)) {
      const nonce = Option.getOrUndefined(CctpMessage.attestedAs(message ?? "0x", sent))
      if (nonce === undefined || found.has(nonce)) continue
      const isForwardFailed = forwardState === "FAILED"
      found.set(nonce, { nonce, forwardTxHash: forwardTxHash ?? undefined, isForwardFailed })
      if (found.size === MOST_FORMS) break
    }
    return [...found.values()]
  })

  return Effect.fn("Cctp.delivery")(
    function* ({ confirmations, order, receipt, sourceChainId }) {
      const unprovable = (detail: string) =>
        new ChainUnavailable({ chainId: sourceChainId, method: "Cctp.delivery", detail })
      const deposit = Option.getOrUndefined(CctpDeposit.decode(order.swapCalldata))
      if (deposit === undefined) return yield* unprovable("the order's call is not a burn with its terms")
      const [source, destination] = yield* Effect.all([
        chains.get(sourceChainId),
        chains.get(Number(deposit.destChainId))
      ]).pipe(Effect.mapError(({ message }) => unprovable(message)))
      const contracts = yield* contractsOf(source, order.swapTarget, deposit.tokenIn, destination).pipe(
        Effect.catchTag("NoRoute", ({ detail }) => Effect.fail(unprovable(detail)))
      )
      const sent = CctpMessage.of(contracts, { ...deposit, depositor: order.owner })
      if (!CctpMessage.isSent(receipt.logs, contracts.transmitter, sent)) {
        return yield* unprovable(`no burn of this order in transaction ${receipt.transactionHash}`)
      }
      const block = Option.getOrUndefined(yield* source.block(receipt.blockNumber))
      const head = Option.getOrUndefined(yield* settledBlock(destination, confirmations))
      if (block === undefined || head === undefined) return PENDING
      const burn: Burn = { contracts, deposit, sent, sentAt: block.timestamp }
      const { transactionHash } = receipt
      const forms = yield* attestedOf(burn, transactionHash)
      const { isForwardFailed, proofs } = yield* proofsOf(destination, head, burn, forms, search)
      if (isForwardFailed) {
        // Anybody can send the mint instead: the how-to guide of bridges tells how.
        yield* Effect.annotateLogs(Effect.logWarning("bridge.forward_failed"), { bridge: "cctp", transactionHash })
      }
      for (const { delivery, nonce } of proofs) {
        const id = `cctp:${destination.chain.id}:${nonce}`
        const claimed = yield* claim(id, `${sourceChainId}:${order.owner}:${order.nonce}`)
        if (claimed === "own") return delivery
        // Otherwise the order would take a second mint, which may be the only proof of another order.
        if (claimed === "later") return PENDING
      }
      return PENDING
    },
    (effect, { sourceChainId }) =>
      Effect.catchTag(effect, "StoreUnavailable", ({ message }) =>
        Effect.fail(new ChainUnavailable({ chainId: sourceChainId, method: "Cctp.delivery", detail: message }))
      )
  )
}
