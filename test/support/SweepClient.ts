/** A client of the HTTP API as an integrator would write one: fetch and viem, and none of the service's own code. */
import { type Address, type Hex, parseUnits, type PrivateKeyAccount, type TypedDataDefinition } from "viem"
import type { DevInfo } from "../../src/devnet/DevInfo.ts"

type Json = string | number | boolean | null | ReadonlyArray<Json> | { readonly [key: string]: Json }

/** An answer whose body is read field by field, so that a missing one fails the test that asks for it. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The value at a path such as `quote.id`, taken to be an `A`. Throws when there is none. */
  readonly at: <A = Json>(path: string) => A
  readonly string: (path: string) => string
}

const answerOf = async (response: Response): Promise<Answer> => {
  const text = await response.text()
  const at = <A = Json>(path: string): A =>
    path.split(".").reduce((value, key) => {
      if (typeof value !== "object" || value === null || !(key in value)) {
        throw new Error(`no ${path} in ${response.status} ${text}`)
      }
      return value[key]
    }, JSON.parse(text))
  return { status: response.status, headers: response.headers, text, at, string: (path) => String(at(path)) }
}

export interface SweepRequest {
  readonly owner: Address
  readonly chain: DevInfo["chains"][number]
  readonly tokenIn: string
  readonly amountIn: string
  readonly tokenOut: string
  readonly destination?: Address
  readonly destChain?: DevInfo["chains"][number]
  /** Public key of a builder. */
  readonly apiKey?: string
}

const NATIVE = { address: "0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE", decimals: 18 } as const

export const tokenOf = (chain: DevInfo["chains"][number], symbol: string) => {
  const token = symbol === "ETH" ? NATIVE : chain.tokens[symbol]
  if (token === undefined) throw new Error(`${chain.name} has no token ${symbol}`)
  return token
}

export const amountOf = (request: SweepRequest): bigint =>
  parseUnits(request.amountIn, tokenOf(request.chain, request.tokenIn).decimals)

export const quoteBody = (request: SweepRequest): { readonly [key: string]: Json } => {
  const destChain = request.destChain ?? request.chain
  return {
    owner: request.owner,
    tokenIn: tokenOf(request.chain, request.tokenIn).address,
    amountIn: amountOf(request).toString(),
    tokenOut: tokenOf(destChain, request.tokenOut).address,
    destination: request.destination ?? request.owner,
    destChainId: destChain.id,
    tier: "tier1",
    route: `${request.chain.name}->${destChain.name}`,
    subscriptionActive: false,
    userId: "test",
    ...(request.apiKey === undefined ? {} : { apiKey: request.apiKey })
  }
}

export interface Signed {
  readonly quoteId: string
  readonly signature: Hex
  readonly authorization: { readonly [key: string]: Json }
}

/** Signs the typed data and the authorization of a quote without a check. `nonce` replaces the authorization's. */
export const sign = async (account: PrivateKeyAccount, quote: Answer, nonce?: number): Promise<Signed> => {
  const typedData = quote.at<Parameters<typeof account.signTypedData>[0]>("signing.typedData")
  const signed = await account.signAuthorization({
    address: quote.string("signing.authorization.address") as Address,
    chainId: Number(quote.at("signing.authorization.chainId")),
    nonce: nonce ?? Number(quote.at("signing.authorization.nonce"))
  })
  return {
    quoteId: quote.string("quote.id"),
    signature: await account.signTypedData(typedData),
    authorization: {
      address: signed.address,
      chainId: signed.chainId,
      nonce: signed.nonce,
      r: signed.r,
      s: signed.s,
      yParity: signed.yParity ?? 0
    }
  }
}

/** The body of POST /sweeps. */
export interface SignedBatch {
  readonly quoteIds: ReadonlyArray<string>
  readonly signature: Hex
  readonly authorizations: ReadonlyArray<{ readonly [key: string]: Json }>
}

/** Signs the batch of an answer of POST /quotes without a check, and each authorization that it needs. */
export const signBatch = async (account: PrivateKeyAccount, quotes: Answer): Promise<SignedBatch> => ({
  quoteIds: quotes
    .at<ReadonlyArray<{ readonly quote?: { readonly id: string } }>>("quotes")
    .flatMap(({ quote }) => (quote === undefined ? [] : [quote.id])),
  signature: await account.signTypedData(quotes.at<TypedDataDefinition>("signing.typedData")),
  authorizations: await Promise.all(
    quotes
      .at<ReadonlyArray<{ readonly address: Hex; readonly chainId: number; readonly nonce: string }>>(
        "signing.authorizations"
      )
      .map(async ({ address, chainId, nonce }) => {
        const { r, s, yParity } = await account.signAuthorization({ address, chainId, nonce: Number(nonce) })
        return { address, chainId, nonce, r, s, yParity: yParity ?? 0 }
      })
  )
})

const POLL_MILLIS = 100

/** Attempts of a request that the service asks to repeat. A busy machine may answer too late for a deadline of the service. */
const ATTEMPTS = 8

/** Repeats a request after the pause that the answer names in `Retry-After`, as every client should. */
const patiently = async (ask: () => Promise<Answer>): Promise<Answer> => {
  let answer = await ask()
  for (let attempt = 1; attempt < ATTEMPTS; attempt++) {
    const seconds = answer.headers.get("retry-after")
    if (seconds === null) break
    await Bun.sleep(Number(seconds) * 1000)
    answer = await ask()
  }
  return answer
}

/** `client` numbers the caller: each has a rate limit of its own. */
export const make = (baseUrl: string, client = 1) => {
  const headers = { "content-type": "application/json", "x-forwarded-for": `198.51.100.${client}` }
  const post = async (path: string, body: unknown, more: Readonly<Record<string, string>> = {}) =>
    answerOf(
      await fetch(`${baseUrl}${path}`, { method: "POST", headers: { ...headers, ...more }, body: JSON.stringify(body) })
    )
  const get = async (path: string, more: Readonly<Record<string, string>> = {}) =>
    answerOf(await fetch(`${baseUrl}${path}`, { headers: { ...headers, ...more } }))

  /** Polls until `done` accepts the intent; fails after `seconds`, only to end a test that hangs. */
  const until = async (id: string, done: (intent: Answer) => boolean, seconds = 90): Promise<Answer> => {
    const patience = AbortSignal.timeout(seconds * 1000)
    let last = await get(`/intents/${id}`)
    while (!done(last)) {
      if (patience.aborted) throw new Error(`intent ${id} is still ${last.text}`)
      await Bun.sleep(POLL_MILLIS)
      last = await get(`/intents/${id}`)
    }
    return last
  }

  const submit = (signed: Signed) => post("/intents", signed)

  return {
    get,
    post,
    /** Asks for a quote, and asks again if the service says so. */
    quote: (request: SweepRequest) => patiently(() => post("/quote", quoteBody(request))),
    submit,
    /** Submits, and again if the service says so. Fails unless it accepts the sweep. */
    submitAccepted: async (signed: Signed) => {
      const answer = await patiently(() => submit(signed))
      if (answer.status !== 201) throw new Error(`the submission was refused: ${answer.status} ${answer.text}`)
    },
    until,
    ended: (id: string, seconds?: number) =>
      until(id, (intent) => ["delivered", "failed"].includes(intent.string("status")), seconds)
  }
}

export type SweepClient = ReturnType<typeof make>
