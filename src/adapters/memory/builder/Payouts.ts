/** Payout batches in memory, for tests. Nothing is rolled back, since nothing fails after its first change. */
import { Clock, Effect, Layer, Option } from "effect"
import { MAX_UINT256 } from "../../../domain/Amount.ts"
import { isPayableOn } from "../../../domain/Builder.ts"
import { MAX_BATCH_ENTRIES, MAX_BATCH_LINES, type PayoutBatch, total } from "../../../domain/Payout.ts"
import { lowerCase } from "../../../domain/Hex.ts"
import * as PayoutClaims from "../../../domain/PayoutClaims.ts"
import { Builders } from "../../../ports/builder/Builders.ts"
import {
  type Candidate,
  type Claimable,
  NothingOwed,
  type Payee,
  PaymentInFlight,
  PaymentTaken,
  PayoutClosed,
  PayoutNotFound,
  Payouts
} from "../../../ports/builder/Payouts.ts"
import { add, type Batch, Books, entriesOf, owing, standingClaims } from "./Books.ts"

type Shared = Books["Service"]

const view = (batch: Batch): PayoutBatch => {
  const { claims: _, ...shown } = batch
  return shown
}

const required = ({ batches }: Shared, id: string) => {
  const batch = batches.get(id)
  return batch === undefined ? Effect.fail(new PayoutNotFound({ id })) : Effect.succeed(batch)
}

const close = ({ batches }: Shared, batch: Batch, change: Partial<Batch>) =>
  Effect.map(Clock.currentTimeMillis, (closedAtMs) => {
    const after = { ...batch, ...change, closedAtMs }
    batches.set(batch.id, after)
    return view(after)
  })

/** Entries that no standing batch claims. */
const claimable = (books: Shared, { chainId, token }: Claimable) => {
  const claimed = standingClaims(books)
  return entriesOf(books).filter(
    (entry) =>
      entry.token === token &&
      entry.kind !== "payment" &&
      owing(entry) !== 0n &&
      entry.chainId === chainId &&
      !claimed.has(entry.id)
  )
}

/** Entries of a builder in the order in which a batch claims them. */
const inOrder = (books: Shared, request: Claimable, builderId: string, limit: number) => {
  const own = claimable(books, request).filter((entry) => entry.builderId === builderId)
  return PayoutClaims.inOrder(
    own.map((entry) => ({ ...entry, amount: owing(entry) })),
    limit
  )
}

const candidates = (books: Shared, builders: Builders["Service"]): Payouts["Service"]["candidates"] =>
  Effect.fnUntraced(function* (request) {
    const owed = claimable(books, request)
    const least = request.minAmount > 1n ? request.minAmount : 1n
    const found: Array<Candidate> = []
    for (const builderId of [...new Set(owed.map((entry) => entry.builderId))].sort()) {
      const own = owed.filter((entry) => entry.builderId === builderId)
      const amount = own.reduce((sum, entry) => sum + owing(entry), 0n)
      const builder = yield* builders.byId(builderId)
      if (amount < least || amount > MAX_UINT256 || Option.isNone(builder)) continue
      const { payoutAddress, suspendedAtMs, walletChainId } = builder.value
      const chain = walletChainId === undefined ? {} : { walletChainId }
      found.push({ builderId, payoutAddress, amount, suspended: suspendedAtMs !== undefined, ...chain })
    }
    return found
  })

const open = (books: Shared, builders: Builders["Service"]): Payouts["Service"]["open"] =>
  Effect.fnUntraced(function* ({ id, maxEntries = MAX_BATCH_ENTRIES, maxLines = MAX_BATCH_LINES, payees, ...request }) {
    const { chainId, minAmount, token } = request
    const isPayee = ({ builderId, payoutAddress }: Payee) =>
      payees?.some((payee) => payee.builderId === builderId && payee.payoutAddress === payoutAddress) !== false
    const chosen = (yield* candidates(books, builders)(request)).filter(
      (candidate) => !candidate.suspended && isPayableOn(candidate, chainId) && isPayee(candidate)
    )
    const owed = chosen.flatMap(({ builderId }) => inOrder(books, request, builderId, maxEntries))
    const payable = new Set([...new Set(owed.map(({ builderId }) => builderId))].slice(0, maxLines))
    const taken = owed.slice(0, maxEntries).filter(({ builderId }) => payable.has(builderId))
    const lines = chosen.flatMap(({ builderId, payoutAddress }) => {
      const own = taken.filter((entry) => entry.builderId === builderId)
      const amount = own.reduce((sum, entry) => sum + entry.amount, 0n)
      return amount > 0n ? [{ builderId, payoutAddress, amount, entries: own.length }] : []
    })
    if (lines.length === 0) return yield* new NothingOwed({ leftOut: [] })
    const batch: Batch = {
      id,
      chainId,
      token,
      status: "open",
      minAmount,
      total: total(lines),
      lines,
      createdAtMs: yield* Clock.currentTimeMillis,
      claims: taken.filter((entry) => lines.some((line) => line.builderId === entry.builderId))
    }
    books.batches.set(id, batch)
    const isPart = lines.some(({ amount, builderId }) =>
      chosen.some((candidate) => candidate.builderId === builderId && candidate.amount > amount)
    )
    return { ...view(batch), ...(owed.length > taken.length || isPart ? { more: true as const } : {}) }
  })

const find =
  (books: Shared): Payouts["Service"]["find"] =>
  (id) =>
    Effect.sync(() => Option.map(Option.fromUndefinedOr(books.batches.get(id)), view))

const openOf =
  (books: Shared): Payouts["Service"]["openOf"] =>
  ({ chainId, token }) =>
    Effect.sync(() =>
      [...books.batches.values()]
        .filter((batch) => batch.status === "open" && batch.chainId === chainId && batch.token === token)
        .map(view)
    )

const list =
  (books: Shared): Payouts["Service"]["list"] =>
  ({ before, limit }) =>
    Effect.sync(() => {
      const newest = [...books.batches.values()].map(view).toReversed()
      const start = before === undefined ? 0 : newest.findIndex(({ id }) => id === before) + 1
      return newest.slice(start, start + limit)
    })

const record = (books: Shared): Payouts["Service"]["record"] =>
  Effect.fnUntraced(function* (id, signed, known) {
    const payment = { ...signed, txHash: lowerCase(signed.txHash) }
    const batch = yield* required(books, id)
    const { payments = [] } = batch
    if (payments.some(({ txHash }) => txHash === payment.txHash)) return view(batch)
    if (batch.status !== "open") return yield* new PayoutClosed({ id, status: batch.status })
    if (payments.length !== known) return yield* new PaymentInFlight({ id })
    const recordedAtMs = yield* Clock.currentTimeMillis
    const after = { ...batch, payments: [...payments, { ...payment, recordedAtMs }] }
    books.batches.set(id, after)
    return view(after)
  })

const markPaid = (books: Shared): Payouts["Service"]["markPaid"] =>
  Effect.fnUntraced(function* (id, hash, known = 0) {
    const txHash = lowerCase(hash)
    const batch = yield* required(books, id)
    if (batch.status === "paid" && batch.txHash === txHash) return view(batch)
    if (batch.status !== "open") return yield* new PayoutClosed({ id, status: batch.status })
    const { payments = [] } = batch
    if (payments.every((payment) => payment.txHash !== txHash) && payments.length !== known) {
      return yield* new PaymentInFlight({ id })
    }
    for (const other of books.batches.values()) {
      const isBooked = other.txHash === txHash && other.chainId === batch.chainId && other.token === batch.token
      const isRecorded = other.id !== id && other.payments?.some((payment) => payment.txHash === txHash) === true
      if (isBooked || isRecorded) return yield* new PaymentTaken({ txHash: hash })
    }
    for (const { amount, builderId } of batch.lines) {
      const { chainId, token } = batch
      yield* add(books, { kind: "payment", builderId, chainId, token, earned: 0n, paid: amount, txHash })
    }
    return yield* close(books, batch, { status: "paid", txHash })
  })

const fail = (books: Shared): Payouts["Service"]["fail"] =>
  Effect.fnUntraced(function* (id, failureReason, known = 0) {
    const batch = yield* required(books, id)
    if (batch.status === "failed") return view(batch)
    if (batch.status !== "open") return yield* new PayoutClosed({ id, status: batch.status })
    if ((batch.payments?.length ?? 0) !== known) return yield* new PaymentInFlight({ id })
    return yield* close(books, batch, { status: "failed", failureReason })
  })

/** Shares its state with a `Ledger` that is built together with it. */
export const layer = Layer.effect(
  Payouts,
  Effect.gen(function* () {
    const books = yield* Books
    const builders = yield* Builders
    return Payouts.of({
      // Nothing restores this store.
      requireReconciled: Effect.void,
      candidates: candidates(books, builders),
      open: open(books, builders),
      find: find(books),
      openOf: openOf(books),
      list: list(books),
      record: record(books),
      markPaid: markPaid(books),
      fail: fail(books)
    })
  })
).pipe(Layer.provide(Books.layer))
