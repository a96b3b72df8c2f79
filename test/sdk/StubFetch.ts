/** A `fetch` with prepared responses that records the requests. */
import type { Fetch } from "../../src/sdk/index.ts"

export interface Asked {
  readonly method: string
  readonly url: string
  readonly body: unknown
  readonly idempotencyKey: string | undefined
}

export type Answer = Response | Error

export const json = (status: number, body: unknown, headers: Record<string, string> = {}): Response =>
  new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json", ...headers } })

/** Returns the responses in order, and the last one repeatedly. Rejects if the signal is aborted. */
export const stub = (answers: ReadonlyArray<(asked: Asked) => Answer | Promise<Answer>>) => {
  const asked: Array<Asked> = []
  const fetch: Fetch = async (url, init) => {
    init.signal?.throwIfAborted()
    const request = {
      method: init.method ?? "GET",
      url,
      body: typeof init.body === "string" ? JSON.parse(init.body) : undefined,
      idempotencyKey: new Headers(init.headers).get("idempotency-key") ?? undefined
    }
    const answer = answers[Math.min(asked.length, answers.length - 1)]
    asked.push(request)
    if (answer === undefined) throw new Error("no answer")
    const given = await answer(request)
    if (given instanceof Error) throw given
    return given
  }
  return { asked, fetch }
}
