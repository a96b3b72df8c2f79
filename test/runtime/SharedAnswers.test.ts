/** Answers that replicas share: asked once for all, and by each alone while the memory is away, silent or strange. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber, Option, Ref, Schema } from "effect"
import { TestClock } from "effect/testing"
import { type SharedMemory, SharedMemoryUnavailable } from "../../src/ports/shared/SharedMemory.ts"
import * as SharedAnswers from "../../src/runtime/SharedAnswers.ts"
import { isolated, series } from "../support/Metrics.ts"

type Mood = "answers" | "fails" | "silent" | "strange"

/** A memory in this process, which can be away. */
const makeMemory = () => {
  const values = new Map<string, { readonly value: string; readonly endsAt: number }>()
  const state: { mood: Mood; asked: number } = { mood: "answers", asked: 0 }
  const reached = <A>(answer: Effect.Effect<A>): Effect.Effect<A, SharedMemoryUnavailable> =>
    Effect.suspend(() => {
      state.asked += 1
      if (state.mood === "silent") return Effect.never
      return state.mood === "fails" ? Effect.fail(new SharedMemoryUnavailable({ detail: "refused" })) : answer
    })
  const memory: SharedMemory["Service"] = {
    recall: (key) =>
      reached(
        Effect.map(Clock.currentTimeMillis, (now) => {
          const { endsAt = 0, value = "" } = values.get(key) ?? {}
          if (endsAt <= now) return Option.none()
          return Option.some({ value: state.mood === "strange" ? "{" : value, remainingMillis: endsAt - now })
        })
      ),
    remember: (key, value, lifetimeMillis) =>
      reached(
        Effect.map(Clock.currentTimeMillis, (now) => void values.set(key, { value, endsAt: now + lifetimeMillis }))
      )
  }
  return { memory, state }
}

const question = { kind: "opinion", key: "k", schema: Schema.Struct({ text: Schema.String }), lifetimeMillis: 60_000 }

/** Two replicas on one memory, and a service that counts its questions. */
const scene = Effect.gen(function* () {
  const { memory, state } = makeMemory()
  const questions = yield* Ref.make(0)
  const lookup = Effect.map(
    Ref.updateAndGet(questions, (count) => count + 1),
    (count) => ({ text: `answer ${count}` })
  )
  const [a, b] = [SharedAnswers.make(memory), SharedAnswers.make(memory)]
  return { a: a.of(question, lookup), b: b.of(question, lookup), other: a, questions: Ref.get(questions), state }
})

describe("SharedAnswers", () => {
  it.effect("asks once for all replicas, and again when the answer counts no more", () =>
    Effect.gen(function* () {
      const { a, b, questions } = yield* scene
      assert.deepStrictEqual(yield* a, { value: { text: "answer 1" }, remainingMillis: 60_000 })
      yield* TestClock.adjust("20 seconds")
      assert.deepStrictEqual(yield* b, { value: { text: "answer 1" }, remainingMillis: 40_000 })
      yield* TestClock.adjust("40 seconds")
      assert.deepStrictEqual((yield* b).value, { text: "answer 2" })
      assert.strictEqual(yield* questions, 2)
      assert.deepStrictEqual(yield* series("sweep_shared_answers_total"), [
        'sweep_shared_answers_total{kind="opinion",outcome="asked"} 2',
        'sweep_shared_answers_total{kind="opinion",outcome="shared"} 1'
      ])
    }).pipe(isolated)
  )

  it.effect("asks for itself while the memory is silent, and lets one request a second wait 50 ms for it", () =>
    Effect.gen(function* () {
      const { a, questions, state } = yield* scene
      state.mood = "silent"
      const waiting = yield* Effect.forkChild(a)
      yield* TestClock.adjust("50 millis")
      yield* Fiber.join(waiting)
      assert.strictEqual(state.asked, 1)
      // The clock stands: nothing waits.
      yield* Effect.all([a, a, a], { concurrency: "unbounded" })
      assert.deepStrictEqual([state.asked, yield* questions], [1, 4])

      yield* TestClock.adjust("1 second")
      const probe = yield* Effect.forkChild(Effect.all([a, a, a], { concurrency: "unbounded" }))
      yield* TestClock.adjust("50 millis")
      yield* Fiber.join(probe)
      assert.strictEqual(state.asked, 2)

      state.mood = "answers"
      yield* TestClock.adjust("1 second")
      yield* a
      const before = yield* questions
      yield* a
      assert.strictEqual(yield* questions, before)
    }).pipe(isolated)
  )

  it.effect("asks the memory again a second later although the clock was set back", () =>
    Effect.gen(function* () {
      const { a, state } = yield* scene
      yield* TestClock.setTime(7_200_000)
      state.mood = "fails"
      yield* a
      const { asked } = state
      yield* TestClock.setTime(3_600_000)
      yield* TestClock.adjust("1 second")
      yield* a
      assert.isAbove(state.asked, asked)
    }).pipe(isolated)
  )

  it.effect("asks for itself if the memory fails or has what it cannot read", () =>
    Effect.gen(function* () {
      for (const mood of ["fails", "strange"] as const) {
        const { a, b, questions, state } = yield* scene
        yield* a
        state.mood = mood
        assert.deepStrictEqual((yield* b).value, { text: "answer 2" })
        assert.strictEqual(yield* questions, 2)
      }
    }).pipe(isolated)
  )

  it.effect("tells no failure", () =>
    Effect.gen(function* () {
      const { b, other } = yield* scene
      assert.strictEqual(yield* Effect.flip(other.of(question, Effect.fail("down"))), "down")
      assert.deepStrictEqual((yield* b).value, { text: "answer 1" })
    }).pipe(isolated)
  )
})
