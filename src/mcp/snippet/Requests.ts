/** Requests of the generated module. */
export const REQUESTS = `\
async function call<A>(method: "GET" | "POST", path: string, body?: unknown): Promise<A> {
  const response = await fetch(ORCHESTRATOR_URL + path, {
    method,
    headers: { "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
  const answer: { error?: unknown } = await response.json()
  // Decide by the status: the service masks most reasons on purpose.
  if (!response.ok) throw new Error(method + " " + path + ": " + response.status + " " + String(answer.error))
  return answer as A
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
  return call<Intent>("POST", "/intents", signed)
}

/** Resolves once the sweep is delivered or has failed. */
export async function follow(id: string): Promise<Intent> {
  for (;;) {
    const intent = await call<Intent>("GET", "/intents/" + id)
    if (intent.status === "delivered" || intent.status === "failed") return intent
    await new Promise((resolve) => setTimeout(resolve, 3000))
  }
}
`
