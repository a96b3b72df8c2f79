/**
 * Moves the rest of a lane to another account. The signed bytes of the first version are stored before they are sent, and hold the nonce. A
 * version that no block can include is replaced by one to the same recipient. That one is recorded, and signed again when it is asked for again.
 */
import { Effect, Option, Schema } from "effect"
import * as Address from "../../domain/Address.ts"
import { LaneRefusal } from "../../domain/LaneState.ts"
import * as RestTransfer from "../../domain/RestTransfer.ts"
import { LaneBook, type Withdrawal } from "../../ports/orchestrator/LaneBook.ts"
import type { NewOperatorRecord } from "../../ports/shared/Overrides.ts"
import { RelayerKeys } from "../../ports/orchestrator/RelayerKeys.ts"
import { type ChainClient, ChainUnavailable, type SendRefusal } from "../../ports/shared/Chains.ts"
import * as RestConditions from "./RestConditions.ts"

/** Refusals of a transfer that the same bytes meet again at these fees and this balance. */
const REPLACEABLE: ReadonlySet<SendRefusal> = new Set(["FeeCapTooLow", "Underpriced", "InsufficientFunds"])

/** The lane is no longer retired. Nothing was sent. */
export class LaneInUse extends Schema.TaggedError<LaneInUse>()("LaneInUse", {}) {}

/** A transfer to another account was signed before, and is not mined. Only that one can be sent. */
export class OtherRecipient extends Schema.TaggedError<OtherRecipient>()("OtherRecipient", {
  /** Recipient of the stored transfer. */
  stored: Address.Address
}) {}

/** No transfer to the recipient is stored, and none may be signed. */
export class RecipientNotAllowed extends Schema.TaggedError<RecipientNotAllowed>()("RecipientNotAllowed", {}) {}

/** No transfer can be signed now, or the stored one cannot be sent or replaced. */
export class TransferWaits extends Schema.TaggedError<TransferWaits>()("TransferWaits", {
  reason: LaneRefusal,
  /** Text for the operator: the cause, and what to do. */
  detail: Schema.String
}) {}

/** Account that receives the rest. */
export interface Recipient {
  readonly address: Address.Address
  /** False if no new transfer to it may be signed. A stored one was allowed when it was signed, and is sent again. */
  readonly isAllowed: boolean
}

/** Values of a record that one version of a transfer has. */
export interface Recorded {
  readonly amountWei: string
  readonly txHash: string
  /** Transaction of the stored version that it replaces. */
  readonly replaces?: string
}

type RecordOf = (version: Recorded) => NewOperatorRecord

/** Makes `signed(client, wanted, terms)`. */
const makeSigned = Effect.map(
  RelayerKeys,
  (keys) =>
    (
      client: ChainClient,
      { lane, nonce, recipient }: Pick<Withdrawal, "lane" | "nonce" | "recipient">,
      { amount, gas, maxFeePerGas, maxPriorityFeePerGas }: RestTransfer.Terms
    ): Effect.Effect<Withdrawal, ChainUnavailable> => {
      const chainId = client.chain.id
      const unsigned = {
        chainId,
        nonce,
        to: recipient,
        data: "0x",
        value: amount,
        gas,
        maxFeePerGas,
        maxPriorityFeePerGas,
        authorizationList: []
      } as const
      return keys.sign(lane, unsigned).pipe(
        Effect.mapError(({ message }) => refusedBy(client, message)),
        Effect.map((bytes) => ({ ...bytes, chainId, lane, nonce, recipient, amount }))
      )
    }
)

const waits = (detail: string) => Effect.fail(new TransferWaits({ reason: "in_flight", detail }))

const other = ({ nonce }: Pick<Withdrawal, "nonce">): string => `another transaction of the lane with nonce ${nonce}`

const waitsMined = (version: Pick<Withdrawal, "nonce">) =>
  waits(`the transfer or ${other(version)} is mined. Wait for a block, then repeat the request to move what is left`)

/** Sends a version. None if the nodes refuse it for a reason that a version at present fees does not have. */
const sent = (client: ChainClient, version: Withdrawal) =>
  client.send(version.raw).pipe(
    Effect.as(Option.some(version)),
    Effect.catchTag(
      "SendRejected",
      ({ detail, reason }): Effect.Effect<Option.Option<Withdrawal>, ChainUnavailable | TransferWaits> => {
        if (REPLACEABLE.has(reason)) return Effect.succeedNone
        switch (reason) {
          case "ReplacementUnderpriced":
            return waits(`${other(version)} is in the pool. Wait for a block, then repeat the request`)
          case "NonceTooLow":
            return waitsMined(version)
          default:
            return Effect.fail(refusedBy(client, detail))
        }
      }
    )
  )

/** Makes `again(client, stored, isAllowed, recordOf)`, which sends a stored transfer, or a version that replaces it. */
const makeAgain = Effect.gen(function* () {
  const book = yield* LaneBook
  const isMined = yield* RestConditions.makeIsMined
  const look = yield* RestConditions.make
  const signed = yield* makeSigned

  return Effect.fnUntraced(function* (client: ChainClient, stored: Withdrawal, isAllowed: boolean, recordOf: RecordOf) {
    const terms = RestConditions.termsOf(stored)
    const { conditions } = yield* look(client, stored.lane, stored.recipient)
    const found = Option.flatMap(terms, (each) => Option.fromUndefinedOr(RestTransfer.obstacle(each, conditions)))
    if (Option.isNone(found)) {
      const accepted = yield* sent(client, stored)
      if (Option.isSome(accepted)) return accepted.value
    }
    // The conditions may be those after the block which has the transfer. A node that knows the transfer accepts it again in any case, so
    // its answer proves nothing.
    if (yield* isMined(client, stored)) return yield* waitsMined(stored)
    const cause = Option.match(found, { onNone: () => "The nodes refuse it.", onSome: RestTransfer.causeOf })
    if (Option.isNone(terms)) return yield* refusedBy(client, cause)
    if (!isAllowed) {
      return yield* new TransferWaits({
        reason: "recipient_not_allowed",
        detail: `the transfer ${stored.hash} cannot be mined. ${cause} No new one to ${stored.recipient} may be signed. Activate that lane or add it to LANE_REST_RECIPIENTS, then repeat the request`
      })
    }
    const next = RestTransfer.replacement(terms.value, conditions)
    if ("allowed" in next) {
      const advice = RestTransfer.adviceOf(next, Option.getOrUndefined(found))
      return yield* waits(`the transfer ${stored.hash} cannot be mined. ${cause} ${advice} Then repeat the request`)
    }
    if ("missing" in next) {
      return yield* new TransferWaits({
        reason: "nothing_to_move",
        detail: `the transfer ${stored.hash} cannot be mined. ${cause} Send at least ${next.missing} wei to the lane, then repeat the request`
      })
    }
    const version = yield* signed(client, stored, next.terms)
    yield* book.note(recordOf({ amountWei: String(version.amount), txHash: version.hash, replaces: stored.hash }))
    const accepted = yield* sent(client, version)
    return yield* Effect.mapError(Effect.fromOption(accepted), () =>
      refusedBy(client, `the nodes refuse the transfer ${version.hash}, which replaces ${stored.hash}`)
    )
  })
})

/** Makes `moveRest(client, lane, recipient, recordOf)`. None if the balance does not cover the cost of a transfer. */
export const make = Effect.gen(function* () {
  const again = yield* makeAgain
  const book = yield* LaneBook
  const look = yield* RestConditions.make
  const signed = yield* makeSigned

  /** Signs and stores the first version. None if the balance does not cover its cost. */
  const stored = Effect.fnUntraced(function* (
    client: ChainClient,
    wanted: Pick<Withdrawal, "lane" | "nonce" | "recipient">,
    recordOf: RecordOf
  ) {
    const { conditions, reverted } = yield* look(client, wanted.lane, wanted.recipient)
    if (reverted !== undefined) return yield* refusedBy(client, reverted)
    const version = RestTransfer.first(conditions)
    if ("allowed" in version) {
      return yield* waits(`no transfer can be signed. ${RestTransfer.firstAdvice(version)} Then repeat the request`)
    }
    if ("missing" in version) return Option.none()
    const withdrawal = yield* signed(client, wanted, version.terms)
    const record = recordOf({ amountWei: String(withdrawal.amount), txHash: withdrawal.hash })
    const kept = yield* book.withdraw(withdrawal, record)
    // Another replica has taken the lane into use again.
    return Option.isSome(kept) ? kept : yield* new LaneInUse()
  })

  return Effect.fn("LaneRest.move")(function* (
    client: ChainClient,
    lane: Address.Address,
    { address: recipient, isAllowed }: Recipient,
    recordOf: RecordOf
  ) {
    // A transfer with a nonce that is too high would never be mined. Nothing is in flight, so endpoints differ for a moment at most.
    const nonce = yield* client.corroborated(client.transactionCount(lane, "latest"))
    const before = yield* book.withdrawal(client.chain.id, lane, nonce)
    if (Option.isNone(before) && !isAllowed) return yield* new RecipientNotAllowed()
    const kept = Option.isSome(before) ? before : yield* stored(client, { lane, nonce, recipient }, recordOf)
    if (Option.isNone(kept)) return Option.none()
    if (kept.value.recipient !== recipient) return yield* new OtherRecipient({ stored: kept.value.recipient })
    const { amount, chainId, hash: txHash } = yield* again(client, kept.value, isAllowed, recordOf)
    return Option.some({ lane, chainId, recipient, amount, txHash })
  })
})

const refusedBy = ({ chain }: ChainClient, detail: string) =>
  new ChainUnavailable({ chainId: chain.id, method: "the transfer of the lane's rest", detail })
