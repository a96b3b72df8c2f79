/** Watches each chain's source of logs, which may fail while its node answers everything else, and alerts when it stays down. */
import { Clock, Context, Effect, Layer } from "effect"
import { zeroHash } from "viem"
import type { ChainClient, ChainUnavailable } from "../../ports/shared/Chains.ts"
import type { StoreUnavailable } from "../../ports/shared/Store.ts"
import { Alerts } from "../../ports/shared/Alerts.ts"
import { StandingAlerts } from "../shared/StandingAlerts.ts"

/** An alert is raised when the source fails for longer. */
const ALERT_MILLIS = 60_000

/** Interval of own reads while the source fails or its alert stands, so that the alert ends when nothing else reads logs. */
const PROBE_MILLIS = 10_000

interface Failing {
  readonly sinceMs: number
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
    /** Reads a log source again that failed here, or whose alert stands, and raises or clears the alert. */
    readonly review: (client: ChainClient) => Effect.Effect<void, StoreUnavailable>
  }
>()("sweep/orchestrator/LogSources") {
  static readonly layer = Layer.effect(
    LogSources,
    Effect.gen(function* () {
      const alerts = yield* StandingAlerts
      const { list } = yield* Alerts
      /** UNIX milliseconds of the newest look for a standing alert, by chain id. */
      const looked = new Map<number, number>()
      const failing = new Map<number, Failing>()

      const note: LogSources["Service"]["note"] = ({ chain }, failure) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          if (failure === undefined) {
            failing.delete(chain.id)
            return
          }
          const known = failing.get(chain.id)
          if (known === undefined) failing.set(chain.id, { sinceMs: now, probedAtMs: now, detail: failure.detail })
          else known.detail = failure.detail
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
        const { number } = head.value
        const { guard } = client.chain.contracts
        yield* reading(
          client,
          client.logs({ address: guard, topics: [zeroHash], fromBlock: number, toBlock: number, requests: 1 })
        )
        return true
      })

      const probe = Effect.fnUntraced(function* (client: ChainClient, known: Failing) {
        const now = yield* Clock.currentTimeMillis
        if (now - known.probedAtMs < PROBE_MILLIS) return
        known.probedAtMs = now
        yield* answers(client)
      })

      /** Another process may have raised the alert. That this one has read no logs since does not prove that the source answers. */
      const endStanding = Effect.fnUntraced(function* (client: ChainClient, key: string) {
        const now = yield* Clock.currentTimeMillis
        if (now - (looked.get(client.chain.id) ?? Number.NEGATIVE_INFINITY) < PROBE_MILLIS) return
        looked.set(client.chain.id, now)
        if (!(yield* list).some((alert) => alert.key === key)) return
        if (yield* Effect.orElseSucceed(answers(client), () => false)) yield* alerts.clear(key)
      })

      const review: LogSources["Service"]["review"] = Effect.fn("LogSources.review")(function* (client) {
        const { chain } = client
        const key = `logs_unavailable:${chain.id}`
        const before = failing.get(chain.id)
        if (before !== undefined) yield* Effect.ignore(probe(client, before))
        const known = failing.get(chain.id)
        if (known === undefined) return yield* endStanding(client, key)
        if ((yield* Clock.currentTimeMillis) - known.sinceMs < ALERT_MILLIS) return
        yield* alerts.raise({
          key,
          severity: "warning",
          kind: "logs_unavailable",
          message: `The nodes of ${chain.name} return no logs (eth_getLogs). Deliveries are proved without them and lack their transaction. A sweep whose own transaction failed waits. Check the nodes, or add another one.`,
          details: { chainId: chain.id, detail: known.detail }
        })
      })

      return { reading, note, review }
    })
  ).pipe(Layer.provide(StandingAlerts.layer))
}
