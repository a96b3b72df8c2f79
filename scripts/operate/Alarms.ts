/** A receiver of alerts, as `ALERT_WEBHOOK_URL` names one. */
import { createHmac } from "node:crypto"
import { Duration, Effect } from "effect"
import type { AlertKind } from "../../src/domain/AlertKind.ts"
import { failed } from "./Report.ts"

interface Notice {
  readonly type: string
  readonly kind: string
}

/** Key of the signatures: 32 bytes, as the setting takes it. */
const KEY = Buffer.alloc(32, 7)
export const SECRET = `whsec_${KEY.toString("base64")}`

/** Longest time in seconds until a notice has arrived, from when its condition counts as an alert. */
const LIMIT_SECONDS = 60

export const make = Effect.gen(function* () {
  const notices: Array<Notice> = []
  let forged = 0
  const server = yield* Effect.acquireRelease(
    Effect.sync(() =>
      Bun.serve({
        port: 0,
        hostname: "127.0.0.1",
        fetch: async (request) => {
          const body = await request.text()
          // `sweep doctor` asks if the receiver can be reached.
          if (body === "") return new Response("ok")
          const [id, time] = [request.headers.get("webhook-id"), request.headers.get("webhook-timestamp")]
          const tag = createHmac("sha256", KEY).update(`${id}.${time}.${body}`).digest("base64")
          if (request.headers.get("webhook-signature") !== `v1,${tag}`) forged++
          const { data, type } = JSON.parse(body) as { readonly type: string; readonly data: { readonly kind: string } }
          notices.push({ type, kind: data.kind })
          return new Response("ok")
        }
      })
    ),
    (running) => Effect.promise(() => running.stop(true))
  )

  const arrived = (type: string, kind: AlertKind, from: number, conditionSeconds = 0) =>
    Effect.promise(async () => {
      const isIt = (notice: Notice) => notice.type === type && notice.kind === kind
      while (!notices.slice(from).some(isIt)) await Bun.sleep(100)
    }).pipe(
      Effect.timeoutOrElse({
        duration: Duration.seconds(conditionSeconds + LIMIT_SECONDS),
        orElse: () => Effect.fail(failed(`${type} of ${kind} did not arrive`))
      })
    )

  return {
    url: `http://127.0.0.1:${server.port}/alerts`,
    /**
     * Provokes an alert, waits until its notice arrives, ends its cause, and waits for the end's notice. The condition counts
     * as an alert once it holds for `conditionSeconds`. Default: 0.
     */
    provoked: <E, R, E2, R2>(
      kind: AlertKind,
      cause: Effect.Effect<unknown, E, R>,
      end: Effect.Effect<unknown, E2, R2>,
      conditionSeconds = 0
    ) =>
      Effect.gen(function* () {
        const from = notices.length
        yield* cause
        yield* arrived("alert.raised", kind, from, conditionSeconds)
        yield* end
        yield* arrived("alert.resolved", kind, from)
        return kind
      }),
    counts: Effect.sync(() => ({ notices: notices.length, forged }))
  }
})

export type Alarms = Effect.Success<typeof make>
