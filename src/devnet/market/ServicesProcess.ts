/**
 * The outside services of a market in a process of their own, so that their work does not delay the services that ask them, as in
 * production.
 */
import { execPath } from "node:process"
import { fileURLToPath } from "node:url"
import { Effect, Option, type Scope } from "effect"
import { HttpClient, HttpClientRequest, HttpClientResponse } from "effect/http"
import type { ChildProcessSpawner } from "effect/process"
import * as Subprocess from "../Subprocess.ts"
import type { Mood } from "./Faults.ts"
import { CONTROL, FaultCounts } from "./Services.ts"
import type { Started } from "./ServicesServer.ts"

export interface Services {
  /** URL of the server. */
  readonly url: string
  /** Changes the mood of the services that are asked for routes. Others stay honest. */
  readonly setMood: (mood: Mood) => Effect.Effect<void>
  /** Answers so far with a fault, by its name. */
  readonly faults: Effect.Effect<ReadonlyMap<string, number>>
}

/** Starts the services. They stop when the scope closes. */
export const start = Effect.fn("ServicesProcess.start")(function* (
  started: Started
): Effect.fn.Return<
  Services,
  Subprocess.SubprocessFailed,
  Scope.Scope | ChildProcessSpawner.ChildProcessSpawner | HttpClient.HttpClient
> {
  const http = yield* HttpClient.HttpClient
  const { ready: url } = yield* Subprocess.start({
    name: "services of the market",
    command: execPath,
    args: [fileURLToPath(new URL("ServicesServer.ts", import.meta.url)), JSON.stringify(started)],
    ready: (line) => Option.fromNullishOr(/^Serving at (\S+)$/.exec(line)?.[1])
  })
  const control = `${url}/${CONTROL}`
  return {
    url,
    setMood: (mood) =>
      http
        .execute(HttpClientRequest.put(`${control}/mood/${mood}`))
        .pipe(Effect.flatMap(HttpClientResponse.filterStatusOk), Effect.orDie, Effect.asVoid),
    faults: http.get(`${control}/faults`).pipe(
      Effect.flatMap(HttpClientResponse.filterStatusOk),
      Effect.flatMap(HttpClientResponse.schemaBodyJson(FaultCounts)),
      Effect.map((counts) => new Map(Object.entries(counts))),
      Effect.orDie
    )
  }
})

export type { Started } from "./ServicesServer.ts"
