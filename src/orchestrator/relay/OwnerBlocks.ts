/**
 * Owners because of whom nodes refuse a batch: they have transactions of their own in a pool, which then takes no authorization
 * of theirs (EIP-7702). Their sweeps wait with a backoff, and an alert names each owner until its sweep has ended.
 */
import { Clock, Context, Effect, Layer } from "effect"
import type * as Address from "../../domain/Address.ts"
import { Alerts } from "../../ports/shared/Alerts.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"
import type { StoreUnavailable } from "../../ports/shared/Store.ts"
import { type Intent, Intents } from "../../ports/orchestrator/Intents.ts"
import { intentFields } from "../shared/LogFields.ts"
import { StandingAlerts } from "../shared/StandingAlerts.ts"

/** Pause after the first refusal, in milliseconds. It doubles with each further one, up to the longest. */
const FIRST_PAUSE_MILLIS = 5_000
const LONGEST_PAUSE_MILLIS = 120_000

/** Interval of reviews, and so the longest time that an alert stands after the sweep has ended, in milliseconds. */
const REVIEW_MILLIS = 5_000

const KIND = "owner_blocks_batch"

export class OwnerBlocks extends Context.Service<
  OwnerBlocks,
  {
    /** True while this process knows that nodes refused the owner's authorization for a sweep that has not ended. */
    readonly isKnown: (client: ChainClient, owner: Address.Address) => boolean
    /** Raises the owner's alert, and postpones its sweep unless a transaction carries it. `detail` is the nodes' answer. */
    readonly note: (client: ChainClient, intent: Intent, detail: string) => Effect.Effect<void, StoreUnavailable>
    /** Clears the alerts of sweeps that have ended, also those of other processes. Asks the store every 5 seconds at most. */
    readonly review: (client: ChainClient) => Effect.Effect<void, StoreUnavailable>
  }
>()("sweep/orchestrator/OwnerBlocks") {
  static readonly layer = Layer.effect(
    OwnerBlocks,
    Effect.gen(function* () {
      const standing = yield* StandingAlerts
      const { clear, list } = yield* Alerts
      const intents = yield* Intents
      /** Number of refusals by alert key. A restart forgets them, which only shortens the next pause. */
      const refusals = new Map<string, number>()
      const reviewed = new Map<number, number>()

      const note: OwnerBlocks["Service"]["note"] = Effect.fnUntraced(function* (client, intent, detail) {
        const { chain } = client
        const { owner } = intent.order
        const key = keyOf(chain.id, owner)
        const times = (refusals.get(key) ?? 0) + 1
        refusals.set(key, times)
        yield* Effect.logWarning("relay.owner_blocks_batch").pipe(
          Effect.annotateLogs({ ...intentFields(client, intent), refusals: times, detail })
        )
        yield* standing.raise({
          key,
          severity: "warning",
          kind: KIND,
          message: `Nodes of ${chain.name} refuse every transaction with the authorization of owner ${owner}, who has transactions of its own in the pool. Sweep ${intent.id} is tried again until its deadline. All other sweeps are sent without it.`,
          details: { chainId: chain.id, owner, intentId: intent.id, refusals: times, reason: detail }
        })
        const pause = Math.min(LONGEST_PAUSE_MILLIS, FIRST_PAUSE_MILLIS * 2 ** (times - 1))
        yield* intents.release([intent.id], (yield* Clock.currentTimeMillis) + pause)
      })

      const review: OwnerBlocks["Service"]["review"] = Effect.fnUntraced(function* ({ chain }) {
        const now = yield* Clock.currentTimeMillis
        if (now - (reviewed.get(chain.id) ?? Number.NEGATIVE_INFINITY) < REVIEW_MILLIS) return
        reviewed.set(chain.id, now)
        const alerts = (yield* list).filter(({ details, kind }) => kind === KIND && details["chainId"] === chain.id)
        if (alerts.length === 0) return
        const found = yield* intents.findAll(alerts.map(({ details }) => String(details["intentId"])))
        const open = new Set(found.flatMap(({ id, status }) => (status === "submitted" ? [id] : [])))
        for (const { details, key } of alerts) {
          if (open.has(String(details["intentId"]))) continue
          refusals.delete(key)
          // Another process may have raised the alert after this one cleared it, so this clears it in the store.
          yield* clear(key)
        }
      })

      return { isKnown: ({ chain }, owner) => refusals.has(keyOf(chain.id, owner)), note, review }
    })
  ).pipe(Layer.provide(StandingAlerts.layer))
}

const keyOf = (chainId: number, owner: Address.Address): string => `${KIND}:${chainId}:${owner}`
