/**
 * State of a deposit of Relay. The service names the transactions, and the chains' own logs prove what arrived in them. The service's
 * word alone ends nothing.
 */
import { Effect, Option, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import type { Chain } from "../../domain/Chain.ts"
import { Hash } from "../../domain/Hex.ts"
import type { Bridge, Delivery } from "../../ports/orchestrator/Bridge.ts"
import { type Chains, ChainUnavailable } from "../../ports/shared/Chains.ts"
import * as Answer from "../providers/Answer.ts"
import type { Provider } from "../providers/Provider.ts"
import type * as ProvedArrival from "./ProvedArrival.ts"
import * as RelayDeposit from "./RelayDeposit.ts"

/** Name of the bridge. */
export const NAME = "relay"

const Status = Schema.Struct({
  status: Schema.String,
  txHashes: Schema.optionalKey(Schema.Array(Hash))
})

const readStatus = Answer.json(Status)

const PENDING: Delivery = { _tag: "Pending" }

export interface Parts {
  readonly chains: Chains["Service"]
  /** Asked for the states of deposits. */
  readonly provider: Provider
  readonly prove: ReturnType<typeof ProvedArrival.make>
  /** The service keeps its costs of a refund. A transfer of less than this is not taken for one. */
  readonly leastRefund: (source: Chain, deposit: RelayDeposit.RelayDeposit) => Effect.Effect<bigint>
}

/** Makes the bridge's `delivery`. */
export const make = ({ chains, leastRefund, prove, provider }: Parts): Bridge["Service"]["delivery"] => {
  /** The service's word about a request. Undefined if it gives none, which a later look asks again. */
  const statusOf = (requestId: Hash) =>
    provider
      .ask(HttpClientRequest.get("/intents/status/v3", { urlParams: { requestId } }), (reply) =>
        reply.status >= 400 ? Effect.undefined : readStatus(reply)
      )
      .pipe(
        Effect.catchTag("ProviderUnavailable", ({ detail }) =>
          Effect.as(Effect.annotateLogs(Effect.logDebug("bridge.status_unknown"), { bridge: NAME, detail }), undefined)
        )
      )

  return Effect.fn("Relay.delivery")(function* ({ confirmations, order, receipt, sourceChainId, sourceConfirmations }) {
    const unprovable = (detail: string) =>
      new ChainUnavailable({ chainId: sourceChainId, method: "Relay.delivery", detail })
    const deposit = Option.getOrUndefined(RelayDeposit.decode(order.swapCalldata))
    if (deposit === undefined || !RelayDeposit.isDeposited(receipt.logs, order.swapTarget, deposit)) {
      return yield* unprovable(`no deposit of this order in transaction ${receipt.transactionHash}`)
    }
    const [source, destination] = yield* Effect.all([
      chains.get(sourceChainId),
      chains.get(Number(deposit.destChainId))
    ]).pipe(Effect.mapError(({ message }) => unprovable(message)))
    const status = yield* statusOf(deposit.requestId)
    const block = Option.getOrUndefined(yield* source.block(receipt.blockNumber))
    if (status === undefined || block === undefined) return PENDING
    const { txHashes = [] } = status
    const common = {
      depositedAt: block.timestamp,
      owner: order.owner,
      order: `${sourceChainId}:${order.owner}:${order.nonce}`
    }
    if (status.status === "success") {
      const { minAmountOut, recipient, tokenOut: token } = deposit
      const proof = yield* prove(destination, txHashes, { ...common, token, recipient, minAmountOut, confirmations })
      if (Option.isNone(proof)) return PENDING
      return { _tag: "Delivered" as const, txHash: proof.value.txHash, amountOut: proof.value.amount }
    }
    if (status.status !== "refund") return PENDING
    // The service's word about a refund is no proof either. Until the owner's account shows it, the sweep stays open.
    const { depositor: recipient, tokenIn: token } = deposit
    const refund = yield* prove(source, txHashes, {
      ...common,
      token,
      recipient,
      minAmountOut: yield* leastRefund(source.chain, deposit),
      confirmations: sourceConfirmations
    })
    if (Option.isSome(refund)) {
      return { _tag: "Refunded" as const, paid: { ...refund.value, entry: 0, token, account: recipient } }
    }
    yield* Effect.annotateLogs(Effect.logInfo("bridge.refund_unproved"), { bridge: NAME, owner: order.owner })
    return PENDING
  })
}
