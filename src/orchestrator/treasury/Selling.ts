/**
 * Carries open sales on, one step at a time. Each step is safe to repeat: an intent is recorded before its order is signed, it is
 * replaced only after its deadline, and a sale ends only by the chain's evidence about its intent.
 */
import { Clock, Effect, Option } from "effect"
import type { StoredSale } from "../../domain/Treasury.ts"
import { nextLot } from "../../domain/TreasuryPlan.ts"
import { settles } from "../../domain/Swept.ts"
import { type Intent, Intents } from "../../ports/orchestrator/Intents.ts"
import { SweepContracts } from "../../ports/orchestrator/SweepContracts.ts"
import { type Refusal, TreasurySales } from "../../ports/orchestrator/TreasurySales.ts"
import { Chains } from "../../ports/shared/Chains.ts"
import { OrchestratorSettings } from "../shared/OrchestratorSettings.ts"
import { StandingAlerts } from "../shared/StandingAlerts.ts"
import * as Offering from "./Offering.ts"
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

/** Failures of a listed token after which an operator should look. */
const ALERT_FAILURES = 3

const fields = (sale: StoredSale) => ({
  saleId: sale.id,
  chainId: sale.chainId,
  token: sale.token,
  ...(sale.intentId === undefined ? {} : { intentId: sale.intentId })
})

/** Makes `advance`, which carries all due sales on. */
export const make = Effect.fnUntraced(function* ({
  signerOf
}: Pick<Effect.Success<typeof TreasuryChains.make>, "signerOf">) {
  const alerts = yield* StandingAlerts
  const chains = yield* Chains
  const contracts = yield* SweepContracts
  const intents = yield* Intents
  const { offer, submit } = yield* Offering.make
  const store = yield* TreasurySales
  const { treasury } = yield* OrchestratorSettings

  const postpone = (sale: StoredSale, millis: number) =>
    Effect.flatMap(Clock.currentTimeMillis, (nowMs) => store.postpone(sale, nowMs + millis))

  const alertOf = (sale: StoredSale) => `treasury_unsellable:${sale.chainId}:${sale.token}`

  /** Ends a sale without an output. Operators hear of listed tokens only: anyone can pay fees in a worthless token. */
  const fail = Effect.fnUntraced(function* (sale: StoredSale, why: Refusal) {
    if (!(yield* store.fail(sale, why))) return
    yield* Effect.logWarning("treasury.sale_failed").pipe(
      Effect.annotateLogs({ reason: why.reason, detail: why.detail })
    )
    const chain = chains.all.find((client) => client.chain.id === sale.chainId)?.chain
    const failure = (yield* store.failures).find((each) => each.chainId === sale.chainId && each.token === sale.token)
    const listed = chain?.tokens.find(({ address }) => address === sale.token)
    if (chain === undefined || listed === undefined || (failure?.failures ?? 0) < ALERT_FAILURES) return
    yield* alerts.raise({
      key: alertOf(sale),
      severity: "warning",
      kind: "treasury_unsellable",
      message: `Collected ${listed.symbol} on ${chain.name} could not be sold ${failure?.failures} times in a row: ${why.detail}. Check the liquidity of the token, and TREASURY_TOLERANCE_BPS.`,
      details: { chainId: chain.id, token: sale.token, reason: why.reason, failures: failure?.failures ?? 0 }
    })
  })

  /** Reviews, signs and submits the intent of an offered sale. A failure is repeated until the quote expires. */
  const trySubmit = Effect.fnUntraced(function* (sale: StoredSale, intent: Intent) {
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
        TreasurySigningFailed: (error) => Effect.succeed(error.message)
      })
    )
    yield* refused === undefined
      ? Effect.logInfo("treasury.sale_submitted")
      : Effect.annotateLogs(Effect.logWarning("treasury.sale_not_submitted"), { detail: refused })
    yield* postpone(sale, treasury.pollMillis)
  })

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

  /** Books a delivered sale by the event that proves it. */
  const book = Effect.fnUntraced(function* (sale: StoredSale, { order, orderDigest, txHash }: Intent) {
    const client = yield* Effect.option(chains.get(sale.chainId))
    const receipt =
      txHash === undefined || Option.isNone(client)
        ? Option.none()
        : Option.flatten(yield* Effect.option(client.value.receipt(txHash)))
    const event = Option.flatMap(receipt, ({ logs }) =>
      Option.firstSomeOf(
        logs.map((log) =>
          Option.filter(
            Option.isNone(client) ? Option.none() : contracts.decodeSwept(client.value.chain.contracts.guard, log),
            (swept) => settles(swept, order, orderDigest)
          )
        )
      )
    )
    if (txHash === undefined || Option.isNone(event)) {
      yield* Effect.logWarning("treasury.receipt_missing")
      return yield* postpone(sale, treasury.pollMillis)
    }
    const nowMs = yield* Clock.currentTimeMillis
    const next = nextLot(sale)
    const { amountOut } = event.value
    const settled = yield* store.settle(
      sale,
      { amountOut, txHash },
      next === undefined ? undefined : { ...next, dueAtMs: nowMs + treasury.lotPauseMillis }
    )
    if (!settled) return
    yield* alerts.clear(alertOf(sale))
    yield* Effect.logInfo("treasury.sale_settled").pipe(
      Effect.annotateLogs({ amount: sale.amount.toString(), amountOut: amountOut.toString(), transaction: txHash })
    )
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
        return yield* book(sale, intent)
      case "failed":
        return yield* fail(sale, {
          reason: "sale_failed",
          detail: [intent.failureReason, intent.failureDetail].filter((part) => part !== undefined).join(": ")
        })
      default:
        return yield* postpone(sale, treasury.pollMillis)
    }
  })

  const step = (sale: StoredSale) =>
    Effect.annotateLogs(sale.state === "planned" ? plan(sale) : follow(sale), fields(sale))

  return {
    advance: Effect.gen(function* () {
      const due = yield* store.claim({ leaseMillis: LEASE_MILLIS, limit: LIMIT })
      yield* Effect.forEach(due, step, { concurrency: CONCURRENCY, discard: true })
    }).pipe(Effect.withSpan("Treasury.advance"))
  }
})
