/** The Effect client with prepared responses. */
import { Effect, Fiber, Layer } from "effect"
import { FetchHttpClient } from "effect/http"
import { TestClock } from "effect/testing"
import { type Options, SweepApi } from "../../src/sdk/effect.ts"
import { settled } from "../support/EventLoop.ts"
import { type Answer, stub } from "./StubFetch.ts"

/** Runs with the given responses. The test clock advances while the effect waits. */
export const using = <A, E>(
  answers: ReadonlyArray<() => Answer | Promise<Answer>>,
  use: (sweeps: SweepApi["Service"]) => Effect.Effect<A, E>,
  options: Partial<Options> = {}
) => {
  const { asked, fetch } = stub(answers)
  const layer = SweepApi.layer({ orchestratorUrl: "https://sweep.test", ...options }).pipe(
    Layer.provide(FetchHttpClient.layer),
    Layer.provide(
      Layer.succeed(FetchHttpClient.Fetch, ((url, init) => fetch(String(url), init ?? {})) as typeof globalThis.fetch)
    )
  )
  return Effect.gen(function* () {
    const running = yield* Effect.forkChild(Effect.flatMap(SweepApi, use).pipe(Effect.provide(layer)))
    const time = yield* Effect.forkChild(Effect.forever(Effect.andThen(settled, TestClock.adjust("1 second"))))
    const result = yield* Effect.result(Fiber.join(running))
    yield* Fiber.interrupt(time)
    return { asked, result }
  })
}
