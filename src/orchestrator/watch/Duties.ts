/**
 * The watcher's duties: receipts and refunds of each chain, and deliveries between each pair of chains. A chain that accepts requests and
 * never answers holds only its own duties.
 */
import { Effect, Semaphore } from "effect"
import type { ChainId } from "../../domain/ChainId.ts"
import { type ChainClient, Chains } from "../../ports/shared/Chains.ts"
import type { StoreUnavailable } from "../../ports/shared/Store.ts"
import { OrchestratorSettings } from "../shared/OrchestratorSettings.ts"
import * as Delivery from "./Delivery.ts"
import type { Looked } from "./Findings.ts"
import * as Pass from "./Pass.ts"
import * as Refunds from "./Refunds.ts"

/** Pause between two rounds that look for refunds, in milliseconds. Bridges pay them after an hour or more. */
const REFUNDS_MILLIS = 5_000

/** Longest pause of a duty whose chain does not answer, in milliseconds. A new head ends it early. */
const BACKOFF_MILLIS = 15_000

export interface Duty {
  /** Chain whose process does it. For deliveries, the source. */
  readonly chainId: ChainId
  /** Fields of its log events. */
  readonly fields: Readonly<Record<string, string>>
  /** Chain whose new heads start a round, while they are worth one. Undefined for a duty that looks by its own times. */
  readonly wokenBy?: { readonly client: ChainClient; readonly isPrompt: Effect.Effect<boolean> }
  /** One round. Rounds of one duty run one at a time. */
  readonly round: Effect.Effect<Looked, StoreUnavailable>
  /** A round of the duty's loop, which reads little while the chain is idle. */
  readonly scheduled: Effect.Effect<Looked, StoreUnavailable>
  /** Pause before the next round, in milliseconds. It doubles while the chain does not answer. */
  readonly pauseMillis: Effect.Effect<number>
}

const isSilent = ({ findings }: Looked): boolean =>
  findings.length > 0 && findings.every(({ unavailable }) => unavailable !== undefined)

/** Makes a duty out of its round. */
const makeDuty = Effect.fnUntraced(function* (
  {
    chainId,
    fields,
    round,
    scheduled = round,
    wokenBy
  }: Pick<Duty, "chainId" | "fields" | "wokenBy" | "round"> & Partial<Duty>,
  pollMillis: number
) {
  const oneAtATime = yield* Semaphore.make(1)
  let failures = 0
  const counted = (looking: Duty["round"]): Duty["round"] =>
    oneAtATime.withPermit(
      Effect.tap(looking, (looked) =>
        Effect.sync(() => {
          failures = isSilent(looked) ? failures + 1 : 0
        })
      )
    )
  return {
    chainId,
    fields,
    ...(wokenBy === undefined ? {} : { wokenBy }),
    round: counted(round),
    scheduled: counted(scheduled),
    pauseMillis: Effect.sync(() => Math.max(pollMillis, Math.min(BACKOFF_MILLIS, pollMillis * 2 ** failures)))
  } satisfies Duty
})

export const make = Effect.gen(function* () {
  const chains = yield* Chains
  const deliver = yield* Delivery.make
  const { isPrompt, pass, scheduled } = yield* Pass.make
  const findRefunds = yield* Refunds.make
  const { pollMillis } = (yield* OrchestratorSettings).watcher

  const receipts = chains.all.map((client) => ({
    chainId: client.chain.id,
    fields: { duty: "receipts", chain: client.chain.name },
    wokenBy: { client, isPrompt: isPrompt(client) },
    round: pass(client),
    scheduled: scheduled(client)
  }))
  const deliveries = chains.all.flatMap((source) =>
    chains.all
      .filter((destination) => destination !== source)
      .map((destination) => ({
        chainId: source.chain.id,
        fields: { duty: "deliveries", chain: source.chain.name, destination: destination.chain.name },
        round: Effect.map(deliver(source, destination), (findings): Looked => ({ transactions: 0, findings }))
      }))
  )
  const refunds = chains.all.map((client) => ({
    chainId: client.chain.id,
    fields: { duty: "refunds", chain: client.chain.name },
    round: Effect.map(findRefunds(client), (findings): Looked => ({ transactions: 0, findings }))
  }))
  return [
    ...(yield* Effect.forEach([...receipts, ...deliveries], (duty) => makeDuty(duty, pollMillis))),
    ...(yield* Effect.forEach(refunds, (duty) => makeDuty(duty, Math.max(pollMillis, REFUNDS_MILLIS))))
  ]
})
