/**
 * State of a burn by CCTP. Circle's API tells the attested message and the transaction of its mint. Only the destination's own logs prove
 * the mint: its transmitter received this very message, once, and its messenger minted for the recipient. The API's word alone ends nothing.
 */
import { Effect, Exit, Option, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import { Hash, Hex } from "../../domain/Hex.ts"
import type { Bridge, Delivery } from "../../ports/orchestrator/Bridge.ts"
import { type Block, type ChainClient, type Chains, ChainUnavailable } from "../../ports/shared/Chains.ts"
import type { StoreUnavailable } from "../../ports/shared/Store.ts"
import * as Answer from "../providers/Answer.ts"
import type { Provider } from "../providers/Provider.ts"
import { settledBlock } from "./Blocks.ts"
import type * as CctpContracts from "./CctpContracts.ts"
import * as CctpDeposit from "./CctpDeposit.ts"
import * as CctpMessage from "./CctpMessage.ts"
import * as CctpProofs from "./CctpProofs.ts"
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

export interface Parts {
  readonly chains: Chains["Service"]
  /** Asked for attested messages. */
  readonly provider: Provider
  readonly contractsOf: ReturnType<typeof CctpContracts.make>
  readonly claims: ReturnType<typeof ProofClaims.makeOne>
}

/** Attested forms of a message in one look, since the API may list any number. Each takes two requests to a node. */
const MOST_FORMS = 128

/** Tells that Circle's own mint failed. Anybody can send the mint instead: the how-to guide of bridges tells how. */
const warnOfForward = (transactionHash: Hash) =>
  Effect.annotateLogs(Effect.logWarning("bridge.forward_failed"), { bridge: "cctp", transactionHash })

/** Makes `deliveredAs`, which proves an order by one of the attested forms of its message. */
const makeDeliveredAs = (claims: Parts["claims"]) => {
  const searched = CctpProofs.makeSearched()

  /**
   * Equal orders have the same forms, so that any mint may be this order's. It claims the first one that it finds and keeps it, since
   * another one may be the only proof of an equal order.
   */
  return Effect.fnUntraced(function* (
    client: ChainClient,
    head: Block,
    burn: CctpProofs.Burn,
    forms: ReadonlyArray<CctpProofs.Attested>,
    order: { readonly name: string; readonly transactionHash: Hash }
  ): Effect.fn.Return<Delivery, ChainUnavailable | StoreUnavailable> {
    const idOf = ({ nonce }: { readonly nonce: Hash }) => `cctp:${client.chain.id}:${nonce}`
    const all = forms.map(idOf)
    const holders = yield* claims.holders(all)
    const own = forms.filter((form) => holders.get(idOf(form)) === order.name)
    const open = own.length > 0 ? own : forms.filter((form) => !holders.has(idOf(form)))
    const take = (proofs: ReadonlyArray<CctpProofs.Proof>) =>
      Effect.map(claims.take(proofs.map(idOf), all, order.name), (taken): Delivery | undefined => {
        if (taken._tag === "Later") return PENDING
        return taken._tag === "None" ? undefined : proofs.find((proof) => idOf(proof) === taken.id)?.delivery
      })
    const { failed, proofs, rest } = yield* CctpProofs.named(client, head, burn, open)
    const delivery = yield* take(proofs)
    if (delivery !== undefined) return delivery
    const isForwardFailed = rest.some((form) => form.isForwardFailed)
    const found = yield* Effect.onExit(
      searched(order.name, client, head, burn, rest, (proof) => take([proof])),
      (exit) =>
        // A mint that is found may be pending, while another replica claims one for the order.
        isForwardFailed && !(Exit.isSuccess(exit) && exit.value !== undefined)
          ? warnOfForward(order.transactionHash)
          : Effect.void
    )
    if (found === undefined && failed !== undefined) return yield* failed
    return found ?? PENDING
  })
}

/** Makes the bridge's `delivery`. */
export const make = ({ chains, claims, contractsOf, provider }: Parts): Bridge["Service"]["delivery"] => {
  const deliveredAs = makeDeliveredAs(claims)

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
  const attestedOf = Effect.fnUntraced(function* ({ contracts, sent }: CctpProofs.Burn, transactionHash: Hash) {
    const found = new Map<Hash, CctpProofs.Attested>()
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
      const burn: CctpProofs.Burn = { contracts, deposit, sent, sentAt: block.timestamp }
      const { transactionHash } = receipt
      const forms = yield* attestedOf(burn, transactionHash)
      const name = `${sourceChainId}:${order.owner}:${order.nonce}`
      return yield* deliveredAs(destination, head, burn, forms, { name, transactionHash })
    },
    (effect, { sourceChainId }) =>
      Effect.catchTag(effect, "StoreUnavailable", ({ message }) =>
        Effect.fail(new ChainUnavailable({ chainId: sourceChainId, method: "Cctp.delivery", detail: message }))
      )
  )
}
