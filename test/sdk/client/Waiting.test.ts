/** Waiting for an intent: by events, by polling, and through failures. */
import { assert, describe, it, vi } from "vitest"
import * as Sdk from "../../../src/sdk/index.ts"
import { owner, request } from "../Offers.ts"
import { json, stub } from "../StubFetch.ts"

const ID = "6f1e5f6c-8f0e-4d3c-9a5b-2d7c1f0e9b4a"
const TX = `0x${"ab".repeat(32)}`

const intent = (status: string, more: Record<string, string> = {}) => ({ id: ID, status, crossChain: false, ...more })
const notFound = () => json(404, { error: "not found" })

const sse = (text: string) => () =>
  new Response(
    new ReadableStream({
      start(controller) {
        // In pieces that end within lines.
        for (const piece of text.match(/[^]{1,7}/g) ?? []) controller.enqueue(new TextEncoder().encode(piece))
        controller.close()
      }
    }),
    { headers: { "content-type": "text/event-stream; charset=utf-8" } }
  )

const event = (status: string, id = ID) =>
  `event: status\nid: 1\ndata: ${JSON.stringify({ ...intent(status), id })}\n\n`

const pollMillis = { first: 1, longest: 2 }

const waiting = (answers: Parameters<typeof stub>[0], options: Sdk.WaitOptions = {}) => {
  const { asked, fetch } = stub(answers)
  const seen: Array<string> = []
  const client = Sdk.createSweepClient({ orchestratorUrl: "https://sweep.test", fetch })
  const ended = client.waitForIntent(ID, {
    pollMillis,
    onProgress: ({ status, txHash }) => seen.push(txHash === undefined ? status : `${status} ${txHash}`),
    ...options
  })
  return { asked, ended, seen }
}

describe("waiting", () => {
  it("polls where the service has no events, and tells each change once", async () => {
    const { asked, ended, seen } = waiting([
      notFound,
      () => json(200, intent("submitted")),
      () => json(200, intent("submitted")),
      () => json(200, intent("submitted", { txHash: TX })),
      () => json(200, intent("settled_source", { txHash: TX })),
      () => json(200, intent("delivered", { txHash: TX }))
    ])
    assert.strictEqual((await ended).status, "delivered")
    assert.deepStrictEqual(seen, ["submitted", `submitted ${TX}`, `settled_source ${TX}`, `delivered ${TX}`])
    assert.deepStrictEqual(
      asked.map(({ url }) => url.replace("https://sweep.test/intents/", "")),
      [`${ID}/events`, ...Array.from({ length: 5 }, () => ID)]
    )
  })

  it("follows the events where there are some", async () => {
    const { asked, ended, seen } = waiting([
      sse(`: hello\n\n${event("submitted")}${event("delivered", "another")}data: nonsense\n\n${event("delivered")}`)
    ])
    assert.strictEqual((await ended).status, "delivered")
    assert.deepStrictEqual(seen, ["submitted", "delivered"])
    assert.lengthOf(asked, 1)
  })

  it("closes the events once the intent has ended", async () => {
    const signals: Array<AbortSignal | null | undefined> = []
    const { fetch } = stub([sse(`${event("delivered")}: more to come`)])
    const client = Sdk.createSweepClient({
      orchestratorUrl: "https://sweep.test",
      fetch: (url, init) => {
        signals.push(init.signal)
        return fetch(url, init)
      }
    })
    await client.waitForIntent(ID)
    assert.deepStrictEqual(
      signals.map((signal) => signal?.aborted),
      [true]
    )
  })

  it("polls on when the events stop, or are something else", async () => {
    for (const stream of [sse(event("submitted")), () => json(200, {}), () => new TypeError("reset")]) {
      const { ended } = waiting([stream, () => json(200, intent("failed", { failureReason: "expired" }))])
      const found = await ended
      assert.deepStrictEqual([found.status, found.failureReason], ["failed", "expired"])
    }
  })

  it("leaves the events alone when told", async () => {
    const { asked, ended } = waiting([() => json(200, intent("delivered"))], { events: false })
    await ended
    assert.deepStrictEqual(
      asked.map(({ url }) => url),
      [`https://sweep.test/intents/${ID}`]
    )
  })

  it("rides out what passes", async () => {
    const { ended } = waiting([
      notFound,
      () => new TypeError("offline"),
      () => json(503, { error: "internal error" }),
      () => json(502, { error: "internal error" }),
      () => json(200, intent("delivered"))
    ])
    assert.strictEqual((await ended).status, "delivered")
  })

  it("waits as long as a 429 says", async () => {
    const start = performance.now()
    const { ended } = waiting([
      notFound,
      () => json(429, { error: "rate limit exceeded" }, { "retry-after": "1" }),
      () => json(200, intent("delivered"))
    ])
    await ended
    assert.isAtLeast(performance.now() - start, 990)
  })

  it("rejects at once for what does not pass", async () => {
    const { asked, ended } = waiting([notFound])
    assert.instanceOf(await ended.catch((error: unknown) => error), Sdk.NotFoundError)
    assert.lengthOf(asked, 2)
  })

  it("slows down to the longest pause", async () => {
    const timers = vi.spyOn(globalThis, "setTimeout")
    const [first, longest] = [20, 60]
    const polls = Array.from({ length: 6 }, () => () => json(200, intent("submitted")))
    const { ended } = waiting([...polls, () => json(200, intent("delivered"))], {
      events: false,
      pollMillis: { first, longest }
    })
    await ended
    // Requests have timers too, of many seconds.
    const pauses = timers.mock.calls.map(([, millis = 0]) => millis).filter((millis) => millis <= longest)
    timers.mockRestore()
    assert.strictEqual(pauses[0], first)
    assert.strictEqual(pauses.at(-1), longest)
    assert.deepStrictEqual(
      pauses,
      [...pauses].sort((one, other) => one - other)
    )
  })

  it("rejects with the signal's reason, in the midst of a pause", async () => {
    const controller = new AbortController()
    const reason = new Error("enough")
    const { ended } = waiting([notFound, () => json(200, intent("submitted"))], {
      signal: controller.signal,
      pollMillis: { first: 60_000, longest: 60_000 },
      onProgress: () => setTimeout(() => controller.abort(reason), 5)
    })
    assert.strictEqual(await ended.catch((error: unknown) => error), reason)
  })

  it("rejects after its time with what was last seen", async () => {
    const { ended } = waiting([notFound, () => json(200, intent("submitted"))], { timeoutMillis: 1_000 })
    const error = await ended.catch((cause: unknown) => cause)
    assert.instanceOf(error, Sdk.WaitTimeoutError)
    if (error instanceof Sdk.WaitTimeoutError) assert.strictEqual(error.intent?.status, "submitted")
  })

  it("takes a timeout of any length, and ends after 24 days at most", async () => {
    for (const timeoutMillis of [Infinity, 2 ** 31, 2 ** 33]) {
      const timers = vi.spyOn(AbortSignal, "timeout")
      const { ended } = waiting([() => json(200, intent("delivered"))], { events: false, timeoutMillis })
      const delays = timers.mock.calls.map(([millis]) => millis)
      timers.mockRestore()
      assert.strictEqual((await ended).status, "delivered")
      assert.include(delays, 2 ** 31 - 1)
      assert.isBelow(Math.max(...delays), 2 ** 31)
    }
  })

  it("pauses for 24 days at most between polls", async () => {
    const timers = vi.spyOn(globalThis, "setTimeout")
    const controller = new AbortController()
    const { promise: polled, resolve } = Promise.withResolvers<void>()
    const { ended } = waiting([() => json(200, intent("submitted"))], {
      events: false,
      signal: controller.signal,
      pollMillis: { first: Infinity, longest: Infinity },
      // The pause begins after this.
      onProgress: () => void setImmediate(resolve)
    })
    const rejected = ended.catch((error: unknown) => error)
    await polled
    const pauses = timers.mock.calls.map(([, millis = 0]) => millis)
    timers.mockRestore()
    controller.abort(new Error("enough"))
    assert.match(String(await rejected), /enough/)
    assert.include(pauses, 2 ** 31 - 1)
    assert.isBelow(Math.max(...pauses), 2 ** 31)
  })

  it("refuses a timeout that is negative or no number before it requests anything", async () => {
    for (const timeoutMillis of [Number.NaN, -1]) {
      const { asked, fetch } = stub([notFound])
      const client = Sdk.createSweepClient({ orchestratorUrl: "https://sweep.test", fetch })
      for (const call of [
        () => client.waitForIntent(ID, { timeoutMillis }),
        () => client.waitForSweep(ID, { timeoutMillis }),
        () => client.sweep(request, owner, { timeoutMillis }),
        () =>
          client.sweepAll({ owner: owner.address, token: request.tokenOut, to: { chainId: 10 } }, owner, {
            timeoutMillis
          })
      ]) {
        const error = await call().catch((cause: unknown) => cause)
        assert.instanceOf(error, Sdk.UsageError)
        assert.include(String(error), `timeoutMillis is ${timeoutMillis}`)
      }
      assert.lengthOf(asked, 0)
      assert.throws(
        () => Sdk.createSweepClient({ orchestratorUrl: "https://sweep.test", fetch, timeoutMillis }),
        Sdk.UsageError
      )
    }
  })

  it("passes on what the caller's own function throws", async () => {
    const bug = new Error("a bug of the caller's")
    for (const answers of [[sse(event("submitted"))], [notFound, () => json(200, intent("submitted"))]]) {
      const { ended } = waiting(answers, {
        onProgress: () => {
          throw bug
        }
      })
      assert.strictEqual(await ended.catch((error: unknown) => error), bug)
    }
  })
})
