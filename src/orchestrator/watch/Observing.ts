/** Reads what the chain shows of a relay transaction: its receipt, its block, and its lane's nonces. */
import { Clock, Effect, Option } from "effect"
import { ageOf, CAREFUL_MILLIS } from "../../domain/Age.ts"
import type { Attempt, Inclusion, RelayTransaction } from "../../ports/orchestrator/RelayTransactions.ts"
import type { Block, ChainUnavailable } from "../../ports/shared/Chains.ts"
import * as LimitChoices from "../../ports/shared/LimitChoices.ts"
import { about, attestedReceipt, type ChainView, inconsistent, isHeadPast } from "../shared/ChainView.ts"
import { OrchestratorSettings } from "../shared/OrchestratorSettings.ts"
import { type ChainPass, type Displaced, type Included, inclusionOf, type Observation } from "./Findings.ts"
import * as PerTransaction from "./PerTransaction.ts"
import { depth, isForGood, newestOf } from "./Plan.ts"
import * as Stakes from "./Stakes.ts"

/** A mined transaction, with the comparison of its receipt with that of a second endpoint. */
interface Found {
  readonly included: Included
  readonly corroborate: Effect.Effect<unknown, ChainUnavailable>
}

/** Finds the receipt of whichever attempt was mined, with its block. */
const findReceipt = Effect.fnUntraced(function* (
  pass: ChainPass,
  attempts: ReadonlyArray<Attempt>,
  scope?: "everywhere"
) {
  const { client } = pass.view
  let isOrphaned = false
  for (const { hash } of attempts.toReversed()) {
    const { answer: receipt, corroborate } = yield* attestedReceipt(client, hash, scope)
    if (Option.isNone(receipt)) continue
    const block = yield* pass.block(receipt.value.blockNumber)
    if (Option.exists(block, (canonical) => canonical.hash === receipt.value.blockHash)) {
      return Option.map(block, (including): Found => ({
        included: { receipt: receipt.value, block: including },
        corroborate
      }))
    }
    isOrphaned = true
  }
  // A receipt from a block that is not canonical proves neither that the transaction is mined nor that it is not.
  if (isOrphaned) return yield* inconsistent(client)
  return Option.none<Found>()
})

/** True if the block of the receipt has so many confirmations. */
const isDeepEnough = ({ head }: ChainView, { included }: Found, confirmations: number): boolean =>
  depth(head.number, included.block.number) >= BigInt(confirmations)

/** True when the block that used the nonce has one of the attempts, whose receipt is late. Nodes lose the state of old blocks. */
const isOwn = Effect.fnUntraced(function* ({ view }: ChainPass, { attempts, lane, nonce }: RelayTransaction) {
  if (Option.isNone(view.confirmed)) return false
  const user = yield* view.client
    .transactionOf(lane, nonce, view.confirmed.value.number)
    .pipe(Effect.catchTag("ChainUnavailable", () => Effect.succeedNone))
  return Option.exists(user, (used) => attempts.some(({ hash }) => hash === used))
})

const inclusionStands = Effect.fnUntraced(function* (pass: ChainPass, inclusion: Inclusion | undefined) {
  if (inclusion === undefined) return undefined
  const block = yield* pass.block(inclusion.blockNumber)
  return Option.getOrUndefined(Option.map(block, (canonical) => canonical.hash === inclusion.blockHash))
})

/** Nonces of a lane that confirmed blocks use. A transaction ends by them, so a second endpoint has to agree. */
const confirmedNonce = ({ client, confirmed }: ChainView, lane: RelayTransaction["lane"]) =>
  Option.match(confirmed, {
    onNone: () => Effect.succeed(0n),
    onSome: ({ hash, number }) =>
      about(`the transaction count of ${lane} in block ${number}`)(
        client.corroborated(client.transactionCount(lane, { hash }), { blockOf: () => number, needsState: true })
      )
  })

/** Makes `find`, which finds a transaction on its chain, `displacedOf`, which tells for how long it has been missing, and `retain`. */
const makeFinding = () => {
  /** By transaction. A restart forgets it, which only prolongs the wait. */
  const displaced = PerTransaction.make<Displaced>()

  /** Finds the transaction, and notes for how long its nonce has been used without it. */
  const find = Effect.fnUntraced(function* (pass: ChainPass, transaction: RelayTransaction, nowMs: number) {
    const { view } = pass
    const { attempts, id, lane, nonce } = transaction
    const soon = yield* findReceipt(pass, attempts)
    const latest = pass.laneNonces.get(lane) ?? 0n
    const confirmed = Option.isNone(soon) && latest > nonce ? yield* confirmedNonce(view, lane) : 0n
    if (confirmed > nonce) {
      const { passes, sinceMs } = displaced.get(id) ?? { passes: 0, sinceMs: nowMs }
      displaced.set(transaction, { passes: passes + 1, sinceMs: Math.min(nowMs, sinceMs) })
    } else displaced.delete(id)
    const isLost = isForGood(displaced.get(id), nowMs)
    // The endpoint that was asked may lack the receipt. While too few others answer, the transaction waits, and a stranger is not suspected.
    const everywhere = findReceipt(pass, attempts, "everywhere")
    const used = isLost ? everywhere : Effect.catchTag(everywhere, "ChainUnavailable", () => Effect.succeedNone)
    const found = confirmed > nonce ? yield* used : soon
    if (Option.isSome(found)) displaced.delete(id)
    const isLate = isLost && Option.isNone(found) && (yield* isOwn(pass, transaction))
    if (isLate) displaced.delete(id)
    return { found, laneNonce: { latest, confirmed } }
  })

  return { displacedOf: displaced.get, find, retain: displaced.retain }
}

/** Makes `isQuiet`, which tells cheaply that nothing can have changed, `observe`, which reads everything, and `retain`. */
export const make = Effect.gen(function* () {
  const confirmationsOf = yield* Stakes.make
  const withLimits = yield* LimitChoices.make
  const settings = yield* OrchestratorSettings
  const { displacedOf, find, retain } = makeFinding()

  /** False while the nonce is unused and no deadline or timer is due: the receipt then cannot change anything. */
  const isDue = (transaction: RelayTransaction, head: Block, nowMs: number) => {
    const { wantedUntil } = transaction
    const newest = newestOf(transaction)
    if (newest?.broadcastAtMs === undefined || wantedUntil === undefined || wantedUntil < head.timestamp) return true
    const { bumpMillis, rebroadcastMillis } = settings.relayer
    const isOld = ageOf(nowMs, newest.signedAtMs, CAREFUL_MILLIS) >= bumpMillis
    return isOld || ageOf(nowMs, newest.broadcastAtMs) >= rebroadcastMillis
  }

  const isQuiet = Effect.fnUntraced(function* (
    pass: ChainPass,
    transaction: RelayTransaction
  ): Effect.fn.Return<boolean, ChainUnavailable> {
    const { inclusion, lane, nonce } = transaction
    const { client, head } = pass.view
    if (inclusion !== undefined) {
      const isShallow = depth(head.number, inclusion.blockNumber) < BigInt(client.chain.confirmations)
      return isShallow && (yield* inclusionStands(pass, inclusion)) === true
    }
    if ((pass.laneNonces.get(lane) ?? 0n) > nonce) return false
    return !isDue(transaction, head, yield* Clock.currentTimeMillis)
  })

  const observe = Effect.fnUntraced(function* (pass: ChainPass, transaction: RelayTransaction, newest: Attempt) {
    const { view } = pass
    const { kind, nonce, wantedUntil } = transaction
    const nowMs = yield* Clock.currentTimeMillis
    const { found: shown, laneNonce } = yield* find(pass, transaction, nowMs)
    const found = Option.map(shown, ({ included }) => included)
    const confirmations = Option.isSome(found)
      ? yield* confirmationsOf(view.client, transaction)
      : view.client.chain.confirmations
    // Its settlements are money that is owed, so one endpoint could make up a debt.
    if (Option.isSome(shown) && isDeepEnough(view, shown.value, confirmations)) yield* shown.value.corroborate
    const seen: Omit<Observation, "isOverdue" | "outageMillis"> = {
      transaction: {
        kind,
        nonce,
        newest,
        ...(transaction.inclusion === undefined ? {} : { inclusion: transaction.inclusion })
      },
      mined: Option.getOrUndefined(Option.map(found, inclusionOf)),
      inclusionStands: Option.isNone(found) ? yield* inclusionStands(pass, transaction.inclusion) : undefined,
      head: view.head.number,
      confirmations,
      laneNonce,
      displaced: displacedOf(transaction.id),
      wanted: wantedUntil !== undefined && !(yield* isHeadPast(view, wantedUntil)),
      nowMs,
      market: pass.market,
      feeLimit: (yield* withLimits(view.client.chain)).maxFeePerGasWei
    }
    return { seen, found }
  })

  return { isQuiet, observe, retain }
})
