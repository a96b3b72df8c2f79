/** The real backend on a database of its own, and clients for it: plain, signed in, operator. */
import { Effect, Layer, Schedule } from "effect"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { createSiweMessage } from "viem/siwe"
import { migratedDatabase } from "../../support/Postgres.ts"
import { ADMIN_TOKEN, CHAIN_ID, DASHBOARD, type Options, serverOnStores, stores, url } from "./Server.ts"

export * from "./Server.ts"

/** The server on a database, with its stores beside it. */
export const layerOn = <A, E, R>(database: Layer.Layer<A, E, R>, options: Options = {}) =>
  serverOnStores(options).pipe(Layer.provideMerge(stores), Layer.provideMerge(database))

/** The server on a fresh database of the test run. */
export const layer = (options: Options = {}) => layerOn(migratedDatabase, options)

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: unknown
  readonly text: string
}

export interface Ask {
  readonly body?: unknown
  /** Sent as it is. */
  readonly raw?: string
  readonly headers?: Readonly<Record<string, string>>
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Sends `"METHOD /path"` to a server. */
export const askAt = Effect.fnUntraced(function* (base: string, request: string, options: Ask = {}) {
  const [method = "GET", path = "/"] = request.split(" ")
  const body = options.raw ?? (options.body === undefined ? undefined : JSON.stringify(options.body))
  const response = yield* Effect.tryPromise((signal) =>
    fetch(`${base}${path}`, {
      method,
      signal,
      ...(body === undefined ? {} : { body }),
      headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...options.headers }
    })
  )
  const text = yield* Effect.tryPromise(() => response.text())
  const answer: Answer = { status: response.status, headers: response.headers, body: parsed(text), text }
  return answer
})

/** Sends `"METHOD /path"` to the running server, which is there. */
export const ask = (request: string, options: Ask = {}) =>
  Effect.flatMap(url, (base) => Effect.orDie(askAt(base, request, options)))

export const asAdmin = (request: string, options: Ask = {}) =>
  ask(request, { ...options, headers: { authorization: `Bearer ${ADMIN_TOKEN}`, ...options.headers } })

/** A session as a browser keeps it. */
export const asBuilder =
  (cookie: string) =>
  (request: string, options: Ask = {}) =>
    ask(request, { ...options, headers: { cookie, origin: DASHBOARD, ...options.headers } })

/** `name=value` of the session cookie that an answer sets. */
export const cookieOf = (answer: Answer): string => answer.headers.get("set-cookie")?.split(";")[0] ?? ""

/** A member of an answer's body, by its path. */
export const field = (answer: Answer, ...path: ReadonlyArray<string | number>): unknown =>
  path.reduce<unknown>(
    (value, key) =>
      typeof value === "object" && value !== null
        ? Object.entries(value).find(([k]) => k === String(key))?.[1]
        : undefined,
    answer.body
  )

export const text = (answer: Answer, ...path: ReadonlyArray<string | number>): string => String(field(answer, ...path))

/** Asks again until the answer is as expected, for what the server does in the background. */
export const until = <E, R>(request: Effect.Effect<Answer, E, R>, isExpected: (answer: Answer) => boolean) =>
  request.pipe(
    Effect.filterOrFail(isExpected, () => "not yet" as const),
    Effect.retry({ while: (error) => error === "not yet", schedule: Schedule.spaced("20 millis"), times: 1_000 })
  )

export const wallet = () => privateKeyToAccount(generatePrivateKey())

export type Wallet = ReturnType<typeof wallet>

export const nonce = Effect.map(ask("GET /auth/nonce"), (answer) => text(answer, "nonce"))

export interface MessageOptions {
  readonly nonce: string
  readonly domain?: string
  readonly uri?: string
  readonly chainId?: number
  readonly scheme?: string
  readonly issuedAt?: Date
  readonly expirationTime?: Date
  readonly notBefore?: Date
}

/** A sign-in message that the dashboard would make. */
export const message = (address: Wallet["address"], options: MessageOptions): string =>
  createSiweMessage({
    address,
    domain: new URL(DASHBOARD).host,
    uri: DASHBOARD,
    version: "1",
    chainId: CHAIN_ID,
    statement: "Sign in to the builder dashboard.",
    ...options
  })

/** A fresh message with the wallet's signature. */
export const signed = Effect.fnUntraced(function* (account: Wallet, options: Partial<MessageOptions> = {}) {
  const text = message(account.address, { nonce: yield* nonce, ...options })
  return { message: text, signature: yield* Effect.promise(() => account.signMessage({ message: text })) }
})

/** A builder that signed up itself. */
export const signUp = Effect.fnUntraced(function* (name = "Test builder", account = wallet()) {
  const answer = yield* ask("POST /builders/self", { body: { ...(yield* signed(account)), name } })
  return {
    account,
    answer,
    id: text(answer, "builder", "id"),
    apiKey: text(answer, "apiKey"),
    cookie: cookieOf(answer)
  }
})
