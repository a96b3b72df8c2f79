/** Requests of the generated module. */
import { LASTING, PASSING } from "../../domain/SweepRefusal.ts"
import { literal } from "./Literal.ts"

const listOf = (reasons: ReadonlyArray<string>): string => reasons.map((reason) => `  ${literal(reason)}`).join(",\n")

/** The refusal of a quote that the service has stored as submitted. */
const SUBMITTED_BEFORE: keyof typeof LASTING = "already_submitted"

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
  throw Object.assign(new Error(problem, { cause: response }), { reason: answer.error })
}

/** The response behind an error of \`call\`. Undefined if none arrived. */
function responseOf(error: unknown): Response | undefined {
  return error instanceof Error && error.cause instanceof Response ? error.cause : undefined
}

/** Member \`error\` of that response. Empty if it has none. */
function reasonOf(error: unknown): string {
  return error instanceof Error && "reason" in error && typeof error.reason === "string" ? error.reason : ""
}

/** Reasons of a refusal (400). The service stored nothing. */
const REFUSALS = [
${listOf(Object.keys(LASTING).filter((reason) => reason !== SUBMITTED_BEFORE))}
]

/** Reasons of a postponement (503). The service stored nothing. */
const POSTPONEMENTS = [
${listOf(Object.keys(PASSING))}
]

/** Waits 3 seconds, or as long as the response asks, up to a minute. */
function pause(response?: Response): Promise<void> {
  const asked = Number(response?.headers.get("retry-after")) || 0
  return new Promise((resolve) => setTimeout(resolve, 1000 * Math.min(Math.max(asked, 3), 60)))
}

/** Submits, and repeats a submission without a final answer. The key makes all attempts one request to the service. */
async function submitOnce<A>(path: string, signed: object, quoteIds: string[]): Promise<A> {
  const key = crypto.getRandomValues(new Uint32Array(4)).join("-")
  // A refusal by a gateway or a limit says nothing about an earlier attempt that may have reached the service.
  let mayBeAccepted = false
  for (let sent = 1; ; sent++) {
    try {
      return await call<A>("POST", path, signed, key)
    } catch (error) {
      const response = responseOf(error)
      const reason = reasonOf(error)
      if (response?.status === 400 && REFUSALS.includes(reason)) throw error
      const isFinal =
        response !== undefined && response.status < 500 && response.status !== 429 && !response.headers.has("retry-after")
      const isPostponed = response?.status === 503 && POSTPONEMENTS.includes(reason)
      const isUnanswered = response === undefined || (response.status >= 500 && !isPostponed)
      mayBeAccepted ||= isUnanswered || (response.status === 409 && !isFinal) || reason === ${literal(SUBMITTED_BEFORE)}
      if (isFinal || sent === 5) {
        if (!mayBeAccepted) throw error
        const advice = "the sweep may be executed: do not sign again before you follow "
        throw new Error(advice + quoteIds.join(), { cause: error })
      }
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

/** Resolves once the sweep is delivered or has failed. Fails if nobody submits the quote while it can live. */
export async function follow(id: string): Promise<Intent> {
  const since = Date.now()
  const hasLapsed = () => Date.now() - since > 1000 * MAX_LIFETIME_SECONDS
  const last = await poll<Intent>("/intents/" + id, (intent) =>
    intent.status === "quoted" ? hasLapsed() : isEnded(intent)
  )
  if (last.status === "quoted") throw new Error("the quote was never submitted: request a new one and sign again")
  return last
}
`
