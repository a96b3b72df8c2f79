/**
 * Gets a lane going again whose transactions wait for nonces that no pending transaction has. An endpoint that names a transaction count
 * that is too high makes a lane leave out nonces, and one that shows a nonce as used makes its transaction end too early.
 */
import { Clock, Effect, Option } from "effect"
import { ageOf } from "../../domain/Age.ts"
import { isWorthwhile } from "../../domain/FeeBump.ts"
import { hasSlot } from "../../domain/LaneSlots.ts"
import { type Attempt, type RelayTransaction, RelayTransactions } from "../../ports/orchestrator/RelayTransactions.ts"
import type { ChainClient, ChainUnavailable } from "../../ports/shared/Chains.ts"
import type { StoreUnavailable } from "../../ports/shared/Store.ts"
import * as Envelope from "../relay/Envelope.ts"
import * as FeeCoverReplacement from "../relay/FeeCoverReplacement.ts"
import { KeptVersions } from "../shared/KeptVersions.ts"
import { OrchestratorSettings } from "../shared/OrchestratorSettings.ts"
import type { ChainPass } from "./Findings.ts"
import type { LaneSigning } from "./LaneSigning.ts"

/** Age at which a transaction is given up that has no slot behind the missed nonces, in milliseconds. */
const GIVE_UP_MILLIS = 60_000

/** Self-sends that are remembered, so that the next ones pay more. */
const REMEMBERED = 1_000

type Send = (
  client: ChainClient,
  transaction: RelayTransaction,
  attempt: Attempt
) => Effect.Effect<void, ChainUnavailable | StoreUnavailable>

const NO_FEES = { maxFeePerGas: 0n, maxPriorityFeePerGas: 0n }

/** Makes `fees(pass, transaction, previous)`, those of a self-send that the hourly loss budget pays. Undefined if it would cost more. */
const makeFees = Effect.map(
  FeeCoverReplacement.make,
  ({ cancelFees }) =>
    ({ market, view }: ChainPass, transaction: RelayTransaction, previous: typeof NO_FEES) =>
      cancelFees(view.client, { ...transaction, intentIds: [] }, previous, market)
)

/**
 * Makes `resend(pass, ended, front)`, which sends a self-send with the nonce of a transaction that ended without a block. It becomes a
 * version of that transaction, so that its receipt is looked for. Every `bumpMillis` another one pays more.
 */
const makeResend = Effect.fnUntraced(function* (send: Send, signing: LaneSigning) {
  const feesOf = yield* makeFees
  const { bumpMillis } = (yield* OrchestratorSettings).relayer
  const transactions = yield* RelayTransactions
  /** Newest self-sends, by transaction. */
  const newest = new Map<string, Attempt>()

  const signed = Effect.fnUntraced(function* (pass: ChainPass, cancel: RelayTransaction) {
    const before = newest.get(cancel.id)
    if (before !== undefined && ageOf(yield* Clock.currentTimeMillis, before.signedAtMs) < bumpMillis) return before
    const fees = yield* feesOf(pass, cancel, before ?? NO_FEES)
    if (fees === undefined || !isWorthwhile(fees, pass.market)) return before
    const content = Envelope.selfSend(cancel, fees)
    const attempt = Option.getOrUndefined(yield* signing.sign(pass.view.client, cancel.lane, content))
    if (attempt === undefined) return before
    yield* transactions.addAttempt(cancel.id, attempt, "cancel")
    if (newest.size >= REMEMBERED) newest.clear()
    newest.set(cancel.id, attempt)
    return attempt
  })

  return Effect.fnUntraced(function* (
    pass: ChainPass,
    { id, nonce }: Pick<RelayTransaction, "id" | "nonce">,
    front: RelayTransaction
  ) {
    const { chainId, createdAtMs, lane } = front
    const cancel = {
      id,
      chainId,
      lane,
      nonce,
      kind: "cancel",
      intentIds: [],
      status: "final",
      attempts: [],
      createdAtMs
    } as const
    const attempt = yield* signed(pass, cancel)
    if (attempt !== undefined) yield* send(pass.view.client, { ...cancel, attempts: [attempt] }, attempt)
  })
})

/**
 * Makes `use(pass, front, count)`, which sends a self-send with the lane's lowest nonce that no transaction has. The store finds the nonce.
 * Returns false if the lane takes no transaction any more.
 */
const makeUse = Effect.fnUntraced(function* (send: Send, signing: LaneSigning) {
  const feesOf = yield* makeFees
  const transactions = yield* RelayTransactions

  return Effect.fnUntraced(
    function* (pass: ChainPass, front: RelayTransaction, count: bigint) {
      const { client } = pass.view
      const { chainId, lane } = front
      const fees = yield* feesOf(pass, front, NO_FEES)
      if (fees === undefined) return true
      const contentOf = (nonce: bigint) => Envelope.selfSend({ chainId, lane, nonce }, fees)
      const transaction = yield* transactions.allocate({
        chainId,
        lane,
        chainNonce: count,
        slots: front.nonce - count,
        intentIds: [],
        reserve: contentOf(0n).gas * fees.maxFeePerGas,
        sign: (nonce) => Effect.flatMap(signing.sign(client, lane, contentOf(nonce)), Effect.fromOption)
      })
      for (const attempt of transaction.attempts) yield* send(client, transaction, attempt)
      return true
    },
    Effect.catchTags({
      LaneClosed: () => Effect.succeed(false),
      // Another process has used the nonce, or the endpoints' transaction count is out of date.
      LaneFull: () => Effect.succeed(true),
      IntentTaken: () => Effect.succeed(true),
      NoSuchElementError: () => Effect.succeed(true)
    })
  )
})

/**
 * Makes `fill(pass, transaction)`. If the lane's first pending transaction waits for nonces that no pending one has, self-sends use them.
 * If it has no slot behind them, or if the lane takes no transactions, it is given up: its sweeps are sent with other nonces, and its
 * receipt is still looked for.
 */
export const make = Effect.fnUntraced(function* (send: Send, signing: LaneSigning) {
  const keptVersions = yield* KeptVersions
  const resend = yield* makeResend(send, signing)
  const transactions = yield* RelayTransactions
  const use = yield* makeUse(send, signing)

  const giveUp = Effect.fnUntraced(function* ({ chain }: ChainClient, transaction: RelayTransaction) {
    const { createdAtMs, id, intentIds, reopened } = transaction
    // The sweeps of a reopened one were settled.
    if (reopened !== undefined || ageOf(yield* Clock.currentTimeMillis, createdAtMs) < GIVE_UP_MILLIS) return
    keptVersions.used(chain, transaction)
    yield* transactions.finalize([{ id }])
    yield* Effect.annotateLogs(Effect.logWarning("relay.released"), { sweeps: intentIds.length })
  })

  return Effect.fnUntraced(function* (pass: ChainPass, transaction: RelayTransaction) {
    const { client, head } = pass.view
    const { lane, nonce } = transaction
    if ((pass.laneNonces.get(lane) ?? nonce) >= nonce) return
    const fronts = yield* transactions.fronts(client.chain.id)
    const pending = fronts.find((front) => front.lane === lane)?.pending.map((each) => each.nonce) ?? []
    if (pending.some((each) => each < nonce)) return
    const count = yield* client.corroborated(client.transactionCount(lane, { hash: head.hash }), {
      blockOf: () => head.number,
      needsState: true
    })
    if (count >= nonce) return
    if (!hasSlot(nonce, count)) return yield* giveUp(client, transaction)
    const ended = (yield* transactions.displaced(client.chain.id, 0)).filter((each) => each.lane === lane)
    for (let missed = count; missed < nonce; missed++) {
      const before = ended.find((each) => each.nonce === missed)
      if (before !== undefined) yield* resend(pass, before, transaction)
      else if (!(yield* use(pass, transaction, count))) return yield* giveUp(client, transaction)
    }
  })
})
