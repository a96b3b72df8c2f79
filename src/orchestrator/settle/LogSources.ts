/**
 * Watches each chain's source of logs, which may fail while its node answers everything else, and alerts when it stays down. Each process
 * has nodes of its own, so that one whose source answers does not clear the alert of another one.
 */
import { Clock, Context, Effect, Layer } from "effect"
import { zeroHash } from "viem"
import { ageOf } from "../../domain/Age.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import type { ChainClient, ChainUnavailable } from "../../ports/shared/Chains.ts"
import type { StoreUnavailable } from "../../ports/shared/Store.ts"
import * as Interval from "../shared/Interval.ts"
import { RenewedAlerts } from "../shared/RenewedAlerts.ts"

/** An alert is raised when the source fails for longer. */
const ALERT_MILLIS = 60_000

/** Interval of own reads while the source fails or nobody renews its alert, so that the alert ends when nothing else reads logs. */
const PROBE_MILLIS = 10_000

/** Age of the block that an own read asks for, in milliseconds. An endpoint that is a little behind has it. */
const PROBED_AGE_MILLIS = 60_000

interface Failing {
  sinceMs: number
  probedAtMs: number
  detail: string
}

export class LogSources extends Context.Service<
  LogSources,
  {
    /** Runs a read of logs, and notes its outcome. */
    readonly reading: <A>(
      client: ChainClient,
      read: Effect.Effect<A, ChainUnavailable>
    ) => Effect.Effect<A, ChainUnavailable>
    /** Notes the outcome of a read that another part has handled: its failure, or undefined if it succeeded. */
    readonly note: (client: ChainClient, failure: ChainUnavailable | undefined) => Effect.Effect<void>
    /** Reads a log source again that failed here, or whose alert nobody renews, and raises or ends the alert. */
    readonly review: (client: ChainClient) => Effect.Effect<void, StoreUnavailable>
  }
>()("sweep/orchestrator/LogSources") {
  static readonly layer = Layer.effect(
    LogSources,
    Effect.gen(function* () {
      const alerts = yield* RenewedAlerts
      /** For reads for an alert of another process. */
      const isDue = Interval.make<ChainId>(PROBE_MILLIS)
      const failing = new Map<number, Failing>()
      /** Chains whose alert this process renews. */
      const renewed = new Set<number>()

      const note: LogSources["Service"]["note"] = ({ chain }, failure) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          if (failure === undefined) {
            failing.delete(chain.id)
            return
          }
          const known = failing.get(chain.id)
          if (known === undefined) failing.set(chain.id, { sinceMs: now, probedAtMs: now, detail: failure.detail })
          else {
            // The clock may have been set back meanwhile.
            known.sinceMs = Math.min(now, known.sinceMs)
            known.detail = failure.detail
          }
        })

      const reading: LogSources["Service"]["reading"] = (client, read) =>
        read.pipe(
          Effect.tap(() => note(client, undefined)),
          Effect.tapError((failure) => note(client, failure))
        )

      /** True if the source answers. */
      const answers = Effect.fnUntraced(function* (client: ChainClient) {
        const head = yield* client.block("latest")
        if (head._tag === "None") return false
        const { blockTimeMillis, contracts } = client.chain
        const age = BigInt(Math.ceil(PROBED_AGE_MILLIS / blockTimeMillis))
        const block = head.value.number > age ? head.value.number - age : 0n
        yield* reading(
          client,
          client.logs({ address: contracts.guard, topics: [zeroHash], fromBlock: block, toBlock: block })
        )
        return true
      })

      const probe = Effect.fnUntraced(function* (client: ChainClient, known: Failing) {
        const now = yield* Clock.currentTimeMillis
        if (ageOf(now, known.probedAtMs) < PROBE_MILLIS) return
        known.probedAtMs = now
        yield* answers(client)
      })

      /**
       * Ends the alert of this process, or that of another one that no longer renews it. That this process has read no logs since does
       * not prove that the source answers.
       */
      const endAlert = Effect.fnUntraced(function* (client: ChainClient, key: string) {
        const { id } = client.chain
        if (renewed.has(id)) {
          yield* alerts.end(key)
          renewed.delete(id)
          return
        }
        if (!(yield* alerts.left).has(key)) return
        if (!(yield* isDue(id))) return
        if (yield* Effect.orElseSucceed(answers(client), () => false)) yield* alerts.end(key)
      })

      const review: LogSources["Service"]["review"] = Effect.fn("LogSources.review")(function* (client) {
        const { chain } = client
        const key = `logs_unavailable:${chain.id}`
        const before = failing.get(chain.id)
        if (before !== undefined) yield* Effect.ignore(probe(client, before))
        const known = failing.get(chain.id)
        if (known === undefined) return yield* endAlert(client, key)
        if ((yield* Clock.currentTimeMillis) - known.sinceMs < ALERT_MILLIS) return
        renewed.add(chain.id)
        yield* alerts.raise({
          key,
          severity: "warning",
          kind: "logs_unavailable",
          message: `The nodes of ${chain.name} return a process no logs (eth_getLogs). Deliveries are proved without them and lack their transaction. A sweep whose own transaction failed waits. Check the nodes, or add another one.`,
          details: { chainId: chain.id, detail: known.detail }
        })
      })

      return { reading, note, review }
    })
  ).pipe(Layer.provide(RenewedAlerts.layerOnDemand))
}
