/** Asks every kind of route all the time, and keeps the times of the responses. */
import { Effect, Schedule, type Scope } from "effect"
import { API_KEY } from "../Backend.ts"
import type { Slot } from "../Slot.ts"
import { ADMIN_TOKEN } from "../../test/support/OrchestratorProcess.ts"
import { ANSWER_MILLIS, type Response } from "./Bars.ts"

/** Pause between the requests of one route to one process, in milliseconds, and if their times are not judged. */
const PAUSE_MILLIS = { timed: 500, untimed: 4_000 }

/** A request without a response for so long counts as unanswered. */
const PATIENCE_MILLIS = 15_000

/** A process that requests go to. A response counts only if the same process runs before and after it. */
export type Target = Pick<Slot, "name" | "url" | "isUp" | "generation">

/** A request that can be repeated. */
export interface Probe {
  readonly route: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export interface Prober {
  /** Names the step that is played from now on. */
  readonly note: (step: string) => void
  /** Requests a target's routes until the scope closes. */
  readonly probe: (target: Target, probes: ReadonlyArray<Probe>) => Effect.Effect<void, never, Scope.Scope>
  /** Makes one request of a step's own, and keeps its time. */
  readonly time: (target: Target, route: string, ask: () => Promise<unknown>) => Effect.Effect<void>
  readonly report: () => {
    readonly asked: number
    readonly late: ReadonlyArray<Response>
    readonly slowest: Response | undefined
  }
}

const operator = { authorization: `Bearer ${ADMIN_TOKEN}` }

/** Routes of the orchestrator. `quote` is the body of a quote request that names no source chain. */
export const orchestratorProbes = (owner: string, quote: unknown): ReadonlyArray<Probe> => [
  { route: "GET /healthz" },
  { route: "GET /readyz" },
  { route: "GET /chains" },
  { route: "GET /prices" },
  { route: `GET /portfolio/${owner}` },
  { route: "GET /intents/00000000-0000-4000-8000-000000000000" },
  { route: "POST /quote", body: quote },
  { route: "POST /intents", body: {} },
  { route: "GET /admin/health", headers: operator },
  { route: "GET /admin/alerts", headers: operator }
]

/** Routes of the builder backend. */
export const builderProbes = (token: string): ReadonlyArray<Probe> => [
  { route: "GET /healthz" },
  { route: "GET /readyz" },
  { route: "POST /attribute", headers: { "x-api-key": API_KEY } },
  { route: "GET /admin/payouts", headers: { authorization: `Bearer ${token}` } },
  { route: "GET /admin/treasury", headers: { authorization: `Bearer ${token}` } }
]

const request = async (url: string, { body, headers, route }: Probe, signal: AbortSignal): Promise<boolean> => {
  const [method = "GET", path = "/"] = route.split(" ")
  const init = {
    method,
    headers: { "content-type": "application/json", ...headers },
    signal,
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  }
  try {
    await (await fetch(`${url}${path}`, init)).arrayBuffer()
    return true
  } catch {
    return false
  }
}

/** `isTimed`: false if no bar judges the times of responses, so that fewer requests do. */
export const make = (isTimed: boolean): Prober => {
  const pause = isTimed ? PAUSE_MILLIS.timed : PAUSE_MILLIS.untimed
  let step = "baseline"
  let asked = 0
  let slowest: Response | undefined
  const late: Array<Response> = []

  const count = (response: Response): void => {
    asked += 1
    if (slowest === undefined || response.millis > slowest.millis) slowest = response
    if (!response.isAnswered || response.millis > ANSWER_MILLIS) late.push(response)
  }

  const time = async (target: Target, route: string, ask: () => Promise<boolean>): Promise<void> => {
    const generation = target.generation()
    if (!target.isUp()) return
    const during = step
    const began = performance.now()
    const isAnswered = await ask()
    // A process that was killed meanwhile owes no response.
    if (!target.isUp() || target.generation() !== generation) return
    count({ route: `${route} of ${target.name}`, millis: performance.now() - began, isAnswered, step: during })
  }

  const ask = (target: Target, probe: Probe): Promise<void> =>
    time(target, probe.route.replace(/0x\w+|[0-9a-f-]{36}/u, ":id"), () =>
      request(target.url, probe, AbortSignal.timeout(PATIENCE_MILLIS))
    )

  return {
    note: (name) => {
      step = name
    },
    probe: (target, probes) =>
      Effect.forEach(
        probes,
        (probe) =>
          Effect.promise(() => ask(target, probe)).pipe(Effect.repeat(Schedule.spaced(pause)), Effect.forkScoped),
        { discard: true }
      ),
    time: (target, route, requested) =>
      Effect.promise(() =>
        time(target, route, () =>
          Promise.race([
            requested().then(
              () => true,
              () => false
            ),
            Bun.sleep(PATIENCE_MILLIS).then(() => false)
          ])
        )
      ),
    report: () => ({ asked, late: [...late], slowest })
  }
}
