/**
 * Owners because of whom nodes refuse a batch: they have transactions of their own in a pool, which then takes no authorization
 * of theirs (EIP-7702). Their sweeps wait with a backoff, and an alert names each owner until its sweep has ended.
 */
import { Clock, Context, Effect, Layer } from "effect"
import { ageOf } from "../../domain/Age.ts"
import type * as Address from "../../domain/Address.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import type { Group } from "../../domain/SweepGroups.ts"
import { Alerts } from "../../ports/shared/Alerts.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"
import type { StoreUnavailable } from "../../ports/shared/Store.ts"
import { type Intent, Intents } from "../../ports/orchestrator/Intents.ts"
import * as Interval from "../shared/Interval.ts"
import { intentFields } from "../shared/LogFields.ts"
import { StandingAlerts } from "../shared/StandingAlerts.ts"
import { Claimer } from "../shared/Claimer.ts"
import { authorizationOf, type Candidate, ownerOf } from "./Prepared.ts"

/** Pause after the first refusal, in milliseconds. It doubles with each further one, up to the longest. */
const FIRST_PAUSE_MILLIS = 5_000
const LONGEST_PAUSE_MILLIS = 120_000

/**
 * Pause after a refusal that left a self-send in the place of the owner's sweep, in milliseconds. It doubles with each further
 * one. The sweep is tried without cost meanwhile, together with sweeps of others.
 */
const FIRST_LONE_PAUSE_MILLIS = 60_000

/** Interval of reviews, and so the longest time that an alert stands after the sweep has ended, in milliseconds. */
const REVIEW_MILLIS = 5_000

const KIND = "owner_blocks_batch"

/** A sweep of which nodes may refuse the account's authorization. */
type Suspect = Pick<Candidate, "authorization"> & { readonly intent: Pick<Intent, "order"> }

export class OwnerBlocks extends Context.Service<
  OwnerBlocks,
  {
    /** True while this process knows that nodes refused the owner's authorization for a sweep that has not ended. */
    readonly isKnown: (client: ChainClient, owner: Address.Address) => boolean
    /**
     * Order in which the accounts of a refused batch are tried, lowest first: 0 without an authorization, 1 with one, and 2 for owners
     * whom nodes refused before.
     */
    readonly suspicion: (client: ChainClient, group: Group<Suspect>) => number
    /** False if a transaction without sweeps of other owners would probably end as a self-send, which costs 21,000 gas. */
    readonly mayGoAlone: (client: ChainClient, owner: Address.Address) => Effect.Effect<boolean>
    /**
     * Raises the alert about the owner of these sweeps, and postpones those that no transaction carries. `detail` is the nodes'
     * answer. `wasAlone`: a self-send had to use the nonce.
     */
    readonly note: (
      client: ChainClient,
      sweeps: Group<Intent>,
      detail: string,
      wasAlone: boolean
    ) => Effect.Effect<void, StoreUnavailable>
    /**
     * Clears the alerts of sweeps that have ended, also those of other processes, and forgets owners whose alerts are cleared. Asks the
     * store every 5 seconds at most.
     */
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
      /** Self-sends by alert key, with the UNIX milliseconds of the newest one, and the pause until the next one. */
      const lone = new Map<string, { readonly times: number; readonly atMs: number; readonly pauseMillis: number }>()
      const isDue = Interval.make<ChainId>(REVIEW_MILLIS)

      const forget = (key: string) => {
        refusals.delete(key)
        lone.delete(key)
      }

      const note: OwnerBlocks["Service"]["note"] = Effect.fnUntraced(function* (client, sweeps, detail, wasAlone) {
        const { chain } = client
        const [intent] = sweeps
        const { owner } = intent.order
        const key = keyOf(chain.id, owner)
        const times = (refusals.get(key) ?? 0) + 1
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
        // After the alert stands, since a review forgets owners without one.
        refusals.set(key, times)
        const now = yield* Clock.currentTimeMillis
        if (wasAlone) {
          const before = lone.get(key)?.times ?? 0
          lone.set(key, { times: before + 1, atMs: now, pauseMillis: FIRST_LONE_PAUSE_MILLIS * 2 ** before })
        }
        const pause = Math.min(LONGEST_PAUSE_MILLIS, FIRST_PAUSE_MILLIS * 2 ** (times - 1))
        yield* intents.release(
          sweeps.map(({ id }) => id),
          { notBeforeMs: now + pause, worker: yield* Claimer }
        )
      })

      const mayGoAlone: OwnerBlocks["Service"]["mayGoAlone"] = ({ chain }, owner) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          const last = lone.get(keyOf(chain.id, owner))
          return last === undefined || ageOf(now, last.atMs) >= last.pauseMillis
        })

      const review: OwnerBlocks["Service"]["review"] = Effect.fnUntraced(function* ({ chain }) {
        if (!(yield* isDue(chain.id))) return
        const known = [...refusals.keys(), ...lone.keys()].filter((key) => key.startsWith(keysOf(chain.id)))
        const alerts = (yield* list).filter(({ details, kind }) => kind === KIND && details["chainId"] === chain.id)
        // Another process may have cleared the alerts of some.
        const listed = new Set(alerts.map(({ key }) => key))
        for (const key of known) if (!listed.has(key)) forget(key)
        if (alerts.length === 0) return
        const found = yield* intents.findAll(alerts.map(({ details }) => String(details["intentId"])))
        const open = new Set(found.flatMap(({ id, status }) => (status === "submitted" ? [id] : [])))
        for (const { details, key } of alerts) {
          if (open.has(String(details["intentId"]))) continue
          forget(key)
          // Another process may have raised the alert after this one cleared it, so this clears it in the store.
          yield* clear(key)
        }
      })

      const isKnown: OwnerBlocks["Service"]["isKnown"] = ({ chain }, owner) => refusals.has(keyOf(chain.id, owner))

      return {
        isKnown,
        suspicion: (client, group) => {
          if (isKnown(client, ownerOf(group))) return 2
          return authorizationOf(group) === undefined ? 0 : 1
        },
        mayGoAlone,
        note,
        review
      }
    })
  ).pipe(Layer.provide(StandingAlerts.layer))
}

/** Beginning of the keys of a chain's alerts. */
const keysOf = (chainId: number): string => `${KIND}:${chainId}:`

const keyOf = (chainId: number, owner: Address.Address): string => `${keysOf(chainId)}${owner}`
