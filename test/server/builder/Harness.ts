/** The real backend on a free port and a database of its own, and clients for it: plain, signed in, operator. */
import { Effect, Layer, Logger, Redacted, References } from "effect"
import { HttpServer } from "effect/http"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { createSiweMessage } from "viem/siwe"
import * as GatewayAssertions from "../../../src/adapters/jose/GatewayAssertions.ts"
import * as SignInMessages from "../../../src/adapters/siwe/SignInMessages.ts"
import * as WalletSignatures from "../../../src/adapters/siwe/WalletSignatures.ts"
import * as Migrated from "../../../src/adapters/sql/builder/Migrated.ts"
import * as Stores from "../../../src/adapters/sql/builder/Stores.ts"
import * as BuilderBackend from "../../../src/builder/BuilderBackend.ts"
import { BuilderSettings, type BuilderSettingsShape } from "../../../src/builder/BuilderSettings.ts"
import type { ChainClient, Chains } from "../../../src/ports/Chains.ts"
import type { OperatorAssertions } from "../../../src/ports/OperatorAssertions.ts"
import * as BuilderServer from "../../../src/server/builder/BuilderServer.ts"
import * as RateLimitStore from "../../../src/server/shared/RateLimitStore.ts"
import { ServerSettings, type ServerSettingsShape } from "../../../src/server/shared/ServerSettings.ts"
import * as FakeChain from "../../support/FakeChain.ts"
import { testDatabase } from "../../support/Postgres.ts"

export const DASHBOARD = "https://dashboard.example.com"
export const ADMIN_TOKEN = "an-admin-token-of-the-tests"
export const CHAIN_ID = FakeChain.chain.id
export const TOKEN = FakeChain.address(0xd1)
export const OTHER_TOKEN = FakeChain.address(0xd2)

export interface Options {
  readonly settings?: Partial<BuilderSettingsShape>
  readonly server?: Partial<ServerSettingsShape>
  /** What the only chain's node answers. */
  readonly node?: Partial<ChainClient>
  readonly chains?: Layer.Layer<Chains>
  readonly assertions?: Layer.Layer<OperatorAssertions>
}

/** Windows that tests never fill by accident. */
const UNLIMITED = { limit: 1_000_000, windowMillis: 60_000 }

/** A chain without contract wallets. */
const refusesSignatures = () => Effect.succeed("0x00" as const)

/** The server, with its stores beside it. */
export const layer = (options: Options = {}) => {
  const settings = BuilderSettings.layer({
    dashboardOrigins: [DASHBOARD],
    selfSignupEnabled: true,
    ...options.settings
  })
  const stores = Stores.layer.pipe(Layer.provideMerge(Migrated.layer), Layer.provideMerge(testDatabase))
  const chains = options.chains ?? FakeChain.layer({ call: refusesSignatures, ...options.node })
  return BuilderServer.listen({ port: 0, hostname: "127.0.0.1" }).pipe(
    Layer.provide(BuilderBackend.layer),
    Layer.provide(WalletSignatures.layer),
    Layer.provide([
      chains,
      SignInMessages.layer,
      options.assertions ?? GatewayAssertions.disabled,
      RateLimitStore.layerMemory,
      settings,
      ServerSettings.layer({
        adminToken: Redacted.make(ADMIN_TOKEN),
        rateLimits: { orchestrator: UNLIMITED, attribution: UNLIMITED, signup: UNLIMITED, builder: UNLIMITED },
        ...options.server
      })
    ]),
    Layer.provideMerge(stores),
    Layer.provide(Logger.layer([])),
    Layer.provide(Layer.succeed(References.MinimumLogLevel, "None"))
  )
}

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

/** Sends `"METHOD /path"` to the running server. */
export const ask = Effect.fnUntraced(function* (request: string, options: Ask = {}) {
  const { address } = yield* HttpServer.HttpServer
  const [method = "GET", path = "/"] = request.split(" ")
  const body = options.raw ?? (options.body === undefined ? undefined : JSON.stringify(options.body))
  const response = yield* Effect.promise(() =>
    fetch(`http://127.0.0.1:${address._tag === "UnixPathAddress" ? 0 : address.port}${path}`, {
      method,
      ...(body === undefined ? {} : { body }),
      headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...options.headers }
    })
  )
  const text = yield* Effect.promise(() => response.text())
  const answer: Answer = { status: response.status, headers: response.headers, body: parsed(text), text }
  return answer
})

export const asAdmin = (request: string, options: Ask = {}) =>
  ask(request, { ...options, headers: { authorization: `Bearer ${ADMIN_TOKEN}`, ...options.headers } })

/** A session as a browser keeps it. */
export const asBuilder = (cookie: string) => (request: string, options: Ask = {}) =>
  ask(request, { ...options, headers: { cookie, origin: DASHBOARD, ...options.headers } })

/** `name=value` of the session cookie that an answer sets. */
export const cookieOf = (answer: Answer): string => answer.headers.get("set-cookie")?.split(";")[0] ?? ""

/** A member of an answer's body, by its path. */
export const field = (answer: Answer, ...path: ReadonlyArray<string | number>): unknown =>
  path.reduce<unknown>(
    (value, key) =>
      typeof value === "object" && value !== null ? Object.entries(value).find(([k]) => k === String(key))?.[1] : undefined,
    answer.body
  )

export const text = (answer: Answer, ...path: ReadonlyArray<string | number>): string => String(field(answer, ...path))

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
