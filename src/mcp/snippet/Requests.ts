/** Requests of the generated module. */
export const REQUESTS = `\
async function call<A>(method: "GET" | "POST", path: string, body?: unknown, key?: string): Promise<A> {
  const response = await fetch(ORCHESTRATOR_URL + path, {
    method,
    headers: { "content-type": "application/json", ...(key === undefined ? {} : { "idempotency-key": key }) },
    signal: AbortSignal.timeout(30_000),
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
  if (response.ok) return (await response.json()) as A
  // A gateway may answer in HTML.
  const answer: { error?: unknown } = await response.json().catch(() => ({}))
  // Decide by the status: the service masks most reasons on purpose.
  const problem = method + " " + path + ": " + response.status + " " + String(answer.error)
  throw new Error(problem, { cause: response })
}

/** The response behind an error of \`call\`. Undefined if none arrived. */
function responseOf(error: unknown): Response | undefined {
  return error instanceof Error && error.cause instanceof Response ? error.cause : undefined
}

/** Waits 3 seconds, or as long as the response asks, up to a minute. */
function pause(response?: Response): Promise<void> {
  const asked = Number(response?.headers.get("retry-after")) || 0
  return new Promise((resolve) => setTimeout(resolve, 1000 * Math.min(Math.max(asked, 3), 60)))
}

/** Submits, and repeats a submission without a final answer. The key makes all attempts one request to the service. */
async function submitOnce<A>(path: string, signed: object, quoteIds: string[]): Promise<A> {
  const key = crypto.getRandomValues(new Uint32Array(4)).join("-")
  // A refusal says nothing about an earlier attempt that may have reached the service.
  let mayBeAccepted = false
  for (let sent = 1; ; sent++) {
    try {
      return await call<A>("POST", path, signed, key)
    } catch (error) {
      const response = responseOf(error)
      const isFinal =
        response !== undefined && response.status < 500 && response.status !== 429 && !response.headers.has("retry-after")
      if (isFinal && !mayBeAccepted) throw error
      if (isFinal || sent === 5) {
        const advice = "the sweep may be executed: do not sign again before you follow "
        throw new Error(advice + quoteIds.join(), { cause: error })
      }
      mayBeAccepted ||= response === undefined || response.status >= 500 || response.status === 409
      await pause(response)
    }
  }
}

/** Polls until the state is an end. A failed poll says nothing about the sweep, unless its id is unknown. */
async function poll<A>(path: string, isEnd: (state: A) => boolean): Promise<A> {
  for (;;) {
    let response: Response | undefined
    try {
      const state = await call<A>("GET", path)
      if (isEnd(state)) return state
    } catch (error) {
      response = responseOf(error)
      if (response?.status === 404) throw error
    }
    await pause(response)
  }
}

function isEnded({ status }: Intent): boolean {
  return status === "delivered" || status === "failed"
}

export function quote(owner: Hex, request: SweepRequest): Promise<Offer> {
  return call<Offer>("POST", "/quote", {
    owner,
    tokenIn: request.tokenIn,
    amountIn: request.amountIn.toString(),
    tokenOut: request.tokenOut,
    destination: request.destination ?? owner,
    destChainId: request.destChainId,
    sourceChainId: request.sourceChainId ?? SOURCE_CHAIN_ID,
    tier: "tier1",
    subscriptionActive: false,
    userId: request.userId ?? owner,
    ...(request.route === undefined ? {} : { route: request.route }),
    ...(BUILDER_API_KEY === undefined ? {} : { apiKey: BUILDER_API_KEY })
  })
}

export function submit(signed: Awaited<ReturnType<typeof sign>>): Promise<Intent> {
  return submitOnce<Intent>("/intents", signed, [signed.quoteId])
}

/** Resolves once the sweep is delivered or has failed. */
export function follow(id: string): Promise<Intent> {
  return poll<Intent>("/intents/" + id, isEnded)
}
`
