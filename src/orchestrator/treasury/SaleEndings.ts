/** Ends sales: with the output that the chain proves, or without one. */
import { Clock, Effect, Option } from "effect"
import * as Generations from "../../domain/Generations.ts"
import { settles } from "../../domain/Swept.ts"
import type { StoredSale } from "../../domain/Treasury.ts"
import { nextLot } from "../../domain/TreasuryPlan.ts"
import type { Intent } from "../../ports/orchestrator/Intents.ts"
import { SweepContracts } from "../../ports/orchestrator/SweepContracts.ts"
import { type Refusal, TreasurySales } from "../../ports/orchestrator/TreasurySales.ts"
import { Chains } from "../../ports/shared/Chains.ts"
import * as ConfirmedReceipt from "../../ports/shared/ConfirmedReceipt.ts"
import { OrchestratorSettings } from "../shared/OrchestratorSettings.ts"
import { StandingAlerts } from "../shared/StandingAlerts.ts"

/** Failures of a listed token after which an operator should look. */
const ALERT_FAILURES = 3

/** Makes `fail(sale, why)` and `book(sale, intent)`. */
export const make = Effect.gen(function* () {
  const alerts = yield* StandingAlerts
  const chains = yield* Chains
  const contracts = yield* SweepContracts
  const store = yield* TreasurySales
  const { treasury } = yield* OrchestratorSettings

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

  /** Books a delivered sale by the event that proves it. False if there is no proof yet. */
  const book = Effect.fnUntraced(function* (sale: StoredSale, { order, orderDigest, txHash }: Intent) {
    const client = yield* Effect.option(chains.get(sale.chainId))
    const receipt =
      txHash === undefined || Option.isNone(client)
        ? Option.none()
        : Option.flatten(yield* Effect.option(ConfirmedReceipt.find(client.value, txHash)))
    const guards = Option.match(client, {
      onNone: () => [],
      onSome: ({ chain }) => Generations.guardsOf(chain, order.nonce)
    })
    const event = Option.flatMap(receipt, ({ logs }) =>
      Option.firstSomeOf(
        logs.flatMap((log) =>
          guards.map((guard) =>
            Option.filter(contracts.decodeSwept(guard, log), (swept) => settles(swept, order, orderDigest))
          )
        )
      )
    )
    if (txHash === undefined || Option.isNone(event)) {
      yield* Effect.logWarning("treasury.receipt_missing")
      return false
    }
    const nowMs = yield* Clock.currentTimeMillis
    const next = nextLot(sale)
    const { amountOut } = event.value
    const settled = yield* store.settle(
      sale,
      { amountOut, txHash },
      next === undefined ? undefined : { ...next, dueAtMs: nowMs + treasury.lotPauseMillis }
    )
    if (!settled) return true
    yield* alerts.clear(alertOf(sale))
    yield* Effect.logInfo("treasury.sale_settled").pipe(
      Effect.annotateLogs({ amount: sale.amount.toString(), amountOut: amountOut.toString(), transaction: txHash })
    )
    return true
  })

  return { book, fail }
})

/** Key of the alert about a token that cannot be sold. */
export const alertOf = ({ chainId, token }: Pick<StoredSale, "chainId" | "token">): string =>
  `treasury_unsellable:${chainId}:${token}`
