/** Whether everything the orchestrator depends on works, for operators and load balancers. */
import { Clock, Context, Duration, Effect, Layer, Option } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { Health } from "../../domain/Health.ts"
import { type ChainClient, Chains } from "../../ports/shared/Chains.ts"
import { Intents } from "../../ports/orchestrator/Intents.ts"
import { Outbox } from "../../ports/orchestrator/Outbox.ts"
import { RelayTransactions } from "../../ports/orchestrator/RelayTransactions.ts"
import { RelayerKeys } from "../../ports/orchestrator/RelayerKeys.ts"
import { OrchestratorSettings } from "../shared/OrchestratorSettings.ts"
import { ProviderProbes } from "./ProviderProbes.ts"

const DAY_MILLIS = 86_400_000

type Condition = Health["status"]

/** No part of the answer may wait longer for what it asks. */
const PROBE_MILLIS = 3_000

/** A node is behind when its newest block is older than this many block times, and than a minute. */
const STALE_BLOCKS = 20
const STALE_SECONDS = 60

export class HealthCheck extends Context.Service<
  HealthCheck,
  {
    /** Never fails: what cannot be reached is reported as down. */
    readonly check: Effect.Effect<Health>
  }
>()("sweep/orchestrator/HealthCheck") {
  static readonly layer = Layer.effect(
    HealthCheck,
    Effect.gen(function* () {
      const chains = yield* Chains
      const intents = yield* Intents
      const keys = yield* RelayerKeys
      const outbox = yield* Outbox
      const probes = yield* ProviderProbes
      const settings = yield* OrchestratorSettings
      const transactions = yield* RelayTransactions

      /** What the parts tell of the database: how fast it answers, and what waits in it. */
      const queues = Effect.gen(function* () {
        const [elapsed, counts] = yield* Effect.timed(intents.counts)
        const messages = yield* outbox.counts
        return {
          latencyMs: Math.round(Duration.toMillis(elapsed)),
          queues: {
            quoted: counts.quoted,
            submitted: counts.submitted,
            settledSource: counts.settled_source,
            outboxPending: messages.pending,
            outboxRejected: messages.rejected
          }
        }
      })

      const database = Effect.map(answered(queues), (answer) => ({
        database: {
          status: Option.isSome(answer) ? ("ok" as const) : ("down" as const),
          latencyMs: Option.getOrNull(Option.map(answer, ({ latencyMs }) => latencyMs))
        },
        queues: Option.match(answer, {
          onNone: () => ({ quoted: 0, submitted: 0, settledSource: 0, outboxPending: 0, outboxRejected: 0 }),
          onSome: ({ queues }) => queues
        })
      }))

      const chain = Effect.fnUntraced(function* ({ block, chain, code }: ChainClient) {
        const { contracts } = chain
        const [head, codes, nowMs] = yield* Effect.all(
          [
            Effect.map(answered(block("latest")), Option.flatten),
            answered(Effect.forEach([contracts.delegate, contracts.guard, contracts.entry], code, { concurrency: 3 })),
            Clock.currentTimeMillis
          ],
          { concurrency: "unbounded" }
        )
        const blockAgeSeconds = Option.map(head, ({ timestamp }) =>
          Math.max(0, Math.floor(nowMs / 1000) - Number(timestamp))
        )
        const contractsDeployed = Option.map(codes, (found) => found.every((bytes) => bytes !== "0x"))
        const staleAfter = Math.max(STALE_SECONDS, (STALE_BLOCKS * chain.blockTimeMillis) / 1000)
        const isStale = Option.exists(blockAgeSeconds, (age) => age > staleAfter)
        const isUsable = Option.isSome(head) && Option.contains(contractsDeployed, true)
        return {
          id: chain.id,
          name: chain.name,
          status: condition(isUsable ? (isStale ? "degraded" : "ok") : "down"),
          blockNumber: Option.getOrNull(Option.map(head, ({ number }) => number)),
          blockAgeSeconds: Option.getOrNull(blockAgeSeconds),
          contractsDeployed: Option.getOrNull(contractsDeployed)
        }
      })

      const lanes = Effect.fnUntraced(function* (client: ChainClient) {
        const unfinished = yield* answered(transactions.unfinished(client.chain.id))
        return yield* Effect.forEach(
          keys.lanes(client.chain.id),
          Effect.fnUntraced(function* (address: Address.Address) {
            const balance = yield* answered(client.balance(address))
            const canSend = Option.exists(balance, (wei) => wei >= settings.relayer.minLaneBalance)
            return {
              chainId: client.chain.id,
              address,
              status: condition(canSend ? "ok" : "down"),
              balance: Option.getOrNull(balance),
              unconfirmed: Option.match(unfinished, {
                onNone: () => 0,
                onSome: (rows) => rows.filter((row) => row.lane === address && row.status === "pending").length
              })
            }
          }),
          { concurrency: "unbounded" }
        )
      })

      /** What holds the relayer back on a chain, though its parts are well. */
      const relaying = Effect.fnUntraced(function* ({ chain }: ChainClient) {
        const { dailySpendCap, pausedChains } = settings.relayer
        const paused = pausedChains.includes(chain.id)
        const spent = yield* answered(
          Effect.flatMap(Clock.currentTimeMillis, (now) => transactions.spending(chain.id, now - DAY_MILLIS))
        )
        const isCapped = dailySpendCap !== undefined && Option.exists(spent, (wei) => wei >= dailySpendCap)
        return {
          chainId: chain.id,
          status: condition(paused || isCapped ? "degraded" : "ok"),
          paused,
          spent: Option.getOrNull(spent),
          dailyCap: dailySpendCap ?? null
        }
      })

      const everywhere = { concurrency: "unbounded" } as const

      const check = Effect.fn("HealthCheck.check")(function* () {
        const [stored, chainParts, laneParts, relayParts, providers] = yield* Effect.all(
          [
            database,
            Effect.forEach(chains.all, chain, everywhere),
            Effect.map(Effect.forEach(chains.all, lanes, everywhere), (perChain) => perChain.flat()),
            Effect.forEach(chains.all, relaying, everywhere),
            Effect.forEach(
              probes,
              ({ name, probe }) =>
                Effect.map(answered(probe), (answer) => ({
                  name,
                  status: condition(Option.isSome(answer) ? "ok" : "down")
                })),
              everywhere
            )
          ],
          everywhere
        )
        const isRejected = stored.queues.outboxRejected > 0
        const status = worst([
          stored.database.status,
          isRejected ? "degraded" : "ok",
          ...[...chainParts, ...laneParts, ...relayParts, ...providers].map((part) => part.status)
        ])
        return { status, ...stored, chains: chainParts, lanes: laneParts, relaying: relayParts, providers }
      })

      return { check: check() }
    })
  )
}

/** The answer to a question, if there is one in time. */
const answered = <A, E>(question: Effect.Effect<A, E>): Effect.Effect<Option.Option<A>> =>
  question.pipe(
    Effect.timeoutOption(PROBE_MILLIS),
    Effect.catchCause(() => Effect.succeed(Option.none<A>()))
  )

const condition = (status: Condition): Condition => status

const worst = (statuses: ReadonlyArray<Condition>): Condition => {
  if (statuses.includes("down")) return "down"
  return statuses.includes("degraded") ? "degraded" : "ok"
}
