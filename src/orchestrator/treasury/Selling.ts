/**
 * Carries open sales on, one step at a time. Each step is safe to repeat: an intent is recorded before its order is signed, it is
 * replaced only after its deadline, and a sale ends only by the chain's evidence about its intent.
 */
import { Cause, Clock, Effect, Option, Result } from "effect"
import type { StoredSale } from "../../domain/Treasury.ts"
import { type Intent, Intents } from "../../ports/orchestrator/Intents.ts"
import { TreasurySales } from "../../ports/orchestrator/TreasurySales.ts"
import { Chains } from "../../ports/shared/Chains.ts"
import { OrchestratorSettings } from "../shared/OrchestratorSettings.ts"
import * as Offering from "./Offering.ts"
import * as SaleEndings from "./SaleEndings.ts"
import type * as TreasuryChains from "./TreasuryChains.ts"

/** Lease of a sale. Longer than a quote takes. */
const LEASE_MILLIS = 60_000

/** Sales that one look carries on. */
const LIMIT = 20

const CONCURRENCY = 4

/** Pause before a delayed step is repeated. */
const DELAY_MILLIS = 60_000

/** Time after an order's deadline in which it may still turn out to be submitted or settled: clocks differ. */
const MARGIN_MILLIS = 600_000

/** Age at which a sale that cannot be quoted fails. */
const PATIENCE_MILLIS = 86_400_000

/** Changes of a sale after which it fails instead of being quoted again. Each intent takes two. */
const MAX_CHANGES = 6

const fields = (sale: StoredSale) => ({
  saleId: sale.id,
  chainId: sale.chainId,
  token: sale.token,
  ...(sale.intentId === undefined ? {} : { intentId: sale.intentId })
})

type SignerOf = Effect.Success<typeof TreasuryChains.make>["signerOf"]
type Submit = Effect.Success<typeof Offering.make>["submit"]

const makePostpone = Effect.map(
  TreasurySales,
  (store) => (sale: StoredSale, millis: number) =>
    Effect.flatMap(Clock.currentTimeMillis, (nowMs) => store.postpone(sale, nowMs + millis))
)

/** Makes `trySubmit(sale, intent)`. */
const makeTrySubmit = Effect.fnUntraced(function* (signerOf: SignerOf, submit: Submit) {
  const chains = yield* Chains
  const postpone = yield* makePostpone
  const { treasury } = yield* OrchestratorSettings

  /** Reviews, signs and submits the intent of an offered sale. A failure is repeated until the quote expires. */
  return Effect.fnUntraced(function* (sale: StoredSale, intent: Intent) {
    const chain = chains.all.find((client) => client.chain.id === sale.chainId)?.chain
    const signer = chain === undefined ? Option.none() : signerOf(chain)
    if (Option.isNone(signer) || signer.value.address !== sale.seller) {
      return yield* postpone(sale, DELAY_MILLIS)
    }
    const refused = yield* submit(sale, intent, signer.value).pipe(
      Effect.as(undefined),
      Effect.catchTags({
        SaleRefused: (error) => Effect.succeed(error.message),
        SaleDelayed: (error) => Effect.succeed(error.message),
        SubmissionRefused: (error) => Effect.succeed(error.message),
        TooBusy: (error) => Effect.succeed(error.message),
        TreasurySigningFailed: (error) => Effect.succeed(error.message)
      })
    )
    yield* refused === undefined
      ? Effect.logInfo("treasury.sale_submitted")
      : Effect.annotateLogs(Effect.logWarning("treasury.sale_not_submitted"), { detail: refused })
    yield* postpone(sale, treasury.pollMillis)
  })
})

/** Makes `advance`, which carries all due sales on. */
export const make = Effect.fnUntraced(function* ({ signerOf }: { readonly signerOf: SignerOf }) {
  const { book, fail } = yield* SaleEndings.make
  const intents = yield* Intents
  const { offer, submit } = yield* Offering.make
  const postpone = yield* makePostpone
  const store = yield* TreasurySales
  const { treasury } = yield* OrchestratorSettings
  const trySubmit = yield* makeTrySubmit(signerOf, submit)

  const plan = Effect.fnUntraced(
    function* (sale: StoredSale) {
      const nowMs = yield* Clock.currentTimeMillis
      if (nowMs - sale.openedAtMs > PATIENCE_MILLIS) {
        return yield* fail(sale, { reason: "sale_failed", detail: "it could not be quoted for a day" })
      }
      const { order, quote } = yield* offer(sale)
      const offered = yield* store.offer(sale, { intentId: quote.id, feeAmount: order.feeAmount })
      // Another process chose an intent first. This one is never signed.
      if (Option.isNone(offered)) return
      const intent = yield* intents.find(quote.id)
      if (Option.isSome(intent)) yield* trySubmit(offered.value, intent.value)
    },
    (effect, sale) =>
      Effect.catchTags(effect, {
        SaleRefused: ({ detail, reason }) => fail(sale, { reason, detail }),
        SaleDelayed: ({ detail }) =>
          Effect.andThen(
            Effect.annotateLogs(Effect.logInfo("treasury.sale_delayed"), { detail }),
            postpone(sale, DELAY_MILLIS)
          )
      })
  )

  /** Chooses another intent, or gives the sale up after several. */
  const replace = (sale: StoredSale) =>
    sale.version >= MAX_CHANGES
      ? fail(sale, { reason: "sale_failed", detail: "none of its orders was submitted before its deadline" })
      : Effect.flatMap(Clock.currentTimeMillis, (nowMs) => store.replan(sale, nowMs))

  /** An intent that is quoted, and not known to be submitted. */
  const resume = Effect.fnUntraced(function* (sale: StoredSale, intent: Intent) {
    const nowMs = yield* Clock.currentTimeMillis
    if (nowMs < intent.quote.expiresAtMs) return yield* trySubmit(sale, intent)
    const overMs = Number(intent.order.deadline) * 1000 + MARGIN_MILLIS
    // Another process may have submitted it in the last moment. After its deadline it cannot settle.
    yield* nowMs < overMs ? postpone(sale, overMs - nowMs) : replace(sale)
  })

  const follow = Effect.fnUntraced(function* (sale: StoredSale) {
    const found = sale.intentId === undefined ? Option.none() : yield* intents.find(sale.intentId)
    // Old quotes are deleted, long after their orders' deadlines.
    if (Option.isNone(found)) return yield* replace(sale)
    const intent = found.value
    switch (intent.status) {
      case "quoted":
        return yield* resume(sale, intent)
      case "delivered":
        if (!(yield* book(sale, intent))) yield* postpone(sale, treasury.pollMillis)
        return
      case "failed":
        return yield* fail(sale, {
          reason: "sale_failed",
          detail: [intent.failureReason, intent.failureDetail].filter((part) => part !== undefined).join(": ")
        })
      default:
        return yield* postpone(sale, treasury.pollMillis)
    }
  })

  /** One step of a sale. A defect is reported, and the sale is due again later, so that it interrupts no other. */
  const step = (sale: StoredSale) =>
    Effect.suspend(() => (sale.state === "planned" ? plan(sale) : follow(sale))).pipe(
      Effect.catchDefect((defect) =>
        Effect.andThen(Effect.logError("treasury.step_failed", Cause.die(defect)), postpone(sale, DELAY_MILLIS))
      ),
      Effect.annotateLogs(fields(sale))
    )

  return {
    advance: Effect.gen(function* () {
      const due = yield* store.claim({ leaseMillis: LEASE_MILLIS, limit: LIMIT })
      const ended = yield* Effect.forEach(due, (sale) => Effect.result(step(sale)), { concurrency: CONCURRENCY })
      // A failure of the store is reported after every sale had its turn.
      yield* Effect.fromResult(Result.all(ended))
    }).pipe(Effect.withSpan("Treasury.advance"))
  }
})
