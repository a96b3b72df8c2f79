/** The generated code's requests: a submission is sent again under its key, and a failed poll does not end the wait. */
import { mkdtemp, mkdir, rm, symlink } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, afterEach, assert, beforeAll, beforeEach, describe, it, vi } from "vitest"
import { LASTING, PASSING } from "../../../src/domain/SweepRefusal.ts"
import { snippet } from "../../../src/mcp/snippet/Snippet.ts"
import * as Project from "../../examples/Project.ts"
import { type Answer, json, stub } from "../../sdk/StubFetch.ts"

interface Generated {
  readonly submit: (signed: object) => Promise<unknown>
  readonly submitWallet: (signed: object) => Promise<unknown>
  readonly follow: (id: string) => Promise<unknown>
  readonly followWallet: (id: string) => Promise<unknown>
}

const reset = () => new TypeError("connection reset")
const html = (status: number) => () => new Response("<html>", { status })
const limited = () => json(429, { error: "rate limit exceeded" }, { "retry-after": "7" })
const inProgress = () => json(409, { error: "in progress" }, { "retry-after": "1" })

describe("the generated code's requests", () => {
  let directory = ""
  let generated: Generated

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "sweep-snippet-"))
    await mkdir(join(directory, "node_modules"))
    await symlink(join(Project.root, "node_modules", "viem"), join(directory, "node_modules", "viem"))
    const options = { orchestratorUrl: "https://sweep.test", builderApiKey: undefined, sweepRouter: undefined }
    const path = join(directory, "snippet.ts")
    await Bun.write(path, snippet({ ...options, domainName: "Service", sourceChainId: 8453 }))
    generated = await import(path)
  })
  afterAll(() => rm(directory, { recursive: true, force: true }))
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "Date"] }))
  afterEach(() => {
    vi.useRealTimers()
    vi.unstubAllGlobals()
  })

  /** Runs with these responses, and lets the pauses pass. */
  const run = async (answers: ReadonlyArray<() => Answer>, call: () => Promise<unknown>, seconds = 60) => {
    const { asked, fetch } = stub(answers)
    const signals: Array<unknown> = []
    vi.stubGlobal("fetch", (url: string, init: RequestInit) => {
      signals.push(init.signal)
      return fetch(url, init)
    })
    const state: { outcome?: unknown } = {}
    void call().then(
      (value) => void (state.outcome = { value }),
      (error: unknown) => void (state.outcome = error)
    )
    for (let round = 0; round < seconds; round++) await vi.advanceTimersByTimeAsync(1_000)
    for (const signal of signals) assert.instanceOf(signal, AbortSignal)
    return { asked, outcome: state.outcome ?? "still waits" }
  }

  const one = { id: "q1", status: "delivered" }
  const many = { id: "s1", intents: [one] }

  for (const [name, follow, last] of [
    ["follow", () => generated.follow("q1"), one],
    ["followWallet", () => generated.followWallet("s1"), many]
  ] as const) {
    it(`${name} goes on after failed polls`, async () => {
      const answers = [reset, limited, html(502), html(200), () => json(403, { error: "no" }), () => json(200, last)]
      const { asked, outcome } = await run(answers, follow)
      assert.deepStrictEqual(outcome, { value: last })
      assert.lengthOf(asked, 6)
    })

    it(`${name} ends for an unknown id`, async () => {
      const { asked, outcome } = await run([() => json(404, { error: "not found" })], follow)
      assert.include(String(outcome), "404 not found")
      assert.lengthOf(asked, 1)
    })
  }

  const follow = () => generated.follow("q1")
  const quoted = () => json(200, { id: "q1", status: "quoted" })

  it("follow ends with an error if nobody submitted the quote while it could live", async () => {
    const { outcome } = await run([quoted], follow, 3_610)
    assert.include(String(outcome), "the quote was never submitted")
  })

  it("follow waits for a quote that may still be submitted, and for a sweep that takes long", async () => {
    assert.strictEqual((await run([quoted], follow, 3_500)).outcome, "still waits")
    const submitted = () => json(200, { id: "q1", status: "submitted" })
    assert.strictEqual((await run([quoted, submitted], follow, 3_700)).outcome, "still waits")
  })

  for (const [name, submit, quoteIds] of [
    ["submit", () => generated.submit({ quoteId: "q1" }), "q1"],
    ["submitWallet", () => generated.submitWallet({ quoteIds: ["q1", "q2"] }), "q1,q2"]
  ] as const) {
    it(`${name} sends the same submission again under its key`, async () => {
      const { asked, outcome } = await run([reset, html(503), limited, inProgress, () => json(201, one)], submit)
      assert.deepStrictEqual(outcome, { value: one })
      assert.lengthOf(asked, 5)
      for (const each of asked) assert.deepStrictEqual(each, asked[0])
      assert.match(asked[0]?.idempotencyKey ?? "", /^\d+(-\d+){3}$/)
    })

    it(`${name} does not repeat a refusal, and gives up in the end with the quotes to follow`, async () => {
      const refused = await run([() => json(400, { error: "internal error" })], submit)
      assert.include(String(refused.outcome), "400 internal error")
      assert.lengthOf(refused.asked, 1)
      const lost = await run([reset], submit)
      assert.include(String(lost.outcome), `do not sign again before you follow ${quoteIds}`)
      assert.lengthOf(lost.asked, 5)
    })

    it(`${name} says what to follow if a refusal comes after an attempt without an answer`, async () => {
      const refusals = [400, 403, 404, 408].flatMap((status) => [
        [reset, html(status)],
        [html(502), html(status)]
      ])
      const masked = () => json(400, { error: "internal error" })
      for (const answers of [...refusals, [inProgress, masked], [reset, limited, masked]]) {
        const { asked, outcome } = await run(answers, submit)
        assert.include(String(outcome), `do not sign again before you follow ${quoteIds}`)
        assert.lengthOf(asked, answers.length)
      }
      const { outcome } = await run([limited, html(403)], submit)
      assert.include(String(outcome), "403", "a limit stores nothing")
      assert.notInclude(String(outcome), "do not sign again")
    })

    it(`${name} takes a postponed submission for one that is not stored`, async () => {
      for (const reason of Object.keys(PASSING)) {
        const postponed = () => json(503, { error: reason }, { "retry-after": "2", "sweep-reason": "unavailable" })
        for (const refusal of [() => json(400, { error: "expired_quote" }), html(403)]) {
          const { asked, outcome } = await run([postponed, limited, refusal], submit)
          assert.notInclude(String(outcome), "do not sign again", reason)
          assert.lengthOf(asked, 3)
        }
        const { asked, outcome } = await run([postponed], submit)
        assert.include(String(outcome), `503 ${reason}`)
        assert.notInclude(String(outcome), "do not sign again", "the service stored nothing in five attempts")
        assert.lengthOf(asked, 5)
        const lost = await run([postponed, postponed, postponed, postponed, reset], submit)
        assert.include(String(lost.outcome), `do not sign again before you follow ${quoteIds}`)
      }
      const masked = () => json(503, { error: "internal error" }, { "sweep-reason": "unavailable", "retry-after": "2" })
      const unknown = await run([masked, html(403)], submit)
      assert.include(String(unknown.outcome), `do not sign again before you follow ${quoteIds}`)
    })

    it(`${name} believes a reason that only the service gives, also after an attempt without an answer`, async () => {
      for (const reason of Object.keys(LASTING)) {
        const { asked, outcome } = await run([reset, () => json(400, { error: reason })], submit)
        assert.include(String(outcome), reason === "already_submitted" ? "do not sign again" : `400 ${reason}`)
        if (reason !== "already_submitted") assert.notInclude(String(outcome), "do not sign again")
        assert.lengthOf(asked, 2)
      }
      const { outcome } = await run([reset, () => json(400, { error: "bad_request" })], submit)
      assert.include(String(outcome), "do not sign again", "a gateway may say so")
      const twice = await run([() => json(400, { error: "already_submitted" })], submit)
      assert.include(String(twice.outcome), `do not sign again before you follow ${quoteIds}`)
    })
  }
})
