/** Calls of the pages agree with the contract: they send what its generated client sends, and read what its schemas decode. */
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect, Schema } from "effect"
import { FetchHttpClient } from "effect/http"
import { HttpApiClient } from "effect/http-api"
import { afterAll, beforeAll, vi } from "vitest"
import { BuilderApi } from "../../src/api/builder/BuilderApi.ts"
import * as Address from "../../src/domain/Address.ts"
import * as ApiKey from "../../src/domain/ApiKey.ts"
import { EarningStatus } from "../../src/domain/LedgerEntry.ts"
import * as Money from "../../src/domain/Money.ts"
import * as Pause from "../../src/domain/Pause.ts"
import * as Token from "../../src/domain/Token.ts"
import * as Webhook from "../../src/domain/Webhook.ts"
import { builderOf, tokenOf } from "../../src/web/admin/controls/pauseSubject.ts"
import type { Ask } from "../../src/web/api/contract.ts"
import { UNREACHABLE } from "../../src/web/api/ServiceError.ts"
import * as earningStatus from "../../src/web/dashboard/earningStatus.ts"
import * as keyLimits from "../../src/web/dashboard/keys/limits.ts"
import { MAX_ENDPOINTS, MESSAGE_TYPES } from "../../src/web/dashboard/webhooks/words.ts"
import { NATIVE } from "../../src/web/lib/native.ts"
import { PERIODS } from "../../src/web/lib/periods.ts"

const ORIGIN = "https://builders.example.com"

type Group = Readonly<Record<string, (asked?: unknown) => Ask<unknown>>>

/** The clients of all pages, which need the address of a page when they are loaded. */
const clients = async () => {
  vi.stubGlobal("document", { querySelector: () => null })
  vi.stubGlobal("location", { origin: ORIGIN })
  const [builders, keys, sweeps, webhooks, console] = await Promise.all([
    import("../../src/web/api/client.ts"),
    import("../../src/web/dashboard/keys/client.ts"),
    import("../../src/web/dashboard/sweeps/client.ts"),
    import("../../src/web/dashboard/webhooks/client.ts"),
    import("../../src/web/admin/client.ts")
  ])
  return { ...builders.client, ...keys.client, ...sweeps.client, ...webhooks.client, ...console.client }
}

let pages: Awaited<ReturnType<typeof clients>>

beforeAll(async () => {
  pages = await clients()
})
afterAll(() => void vi.unstubAllGlobals())

const groups: Readonly<Record<string, { readonly endpoints: Readonly<Record<string, Endpoint>> }>> = BuilderApi.groups

interface Endpoint {
  readonly success: ReadonlySet<Schema.Top>
  readonly error: ReadonlySet<Schema.Top>
}

/** Has the page receive an answer. */
const answering = (body: string | null, init: ResponseInit = {}) =>
  vi.stubGlobal("fetch", () =>
    Promise.resolve(new Response(body, { headers: { "content-type": "application/json" }, ...init }))
  )

const samplesOf = <A>(schema: Schema.Schema<A>) =>
  Effect.orDie(Arbitrary.sampleEffect(Arbitrary.schema(schema), { count: 5, size: 4, seed: "pages" }))

/** Values of a schema with their wire form. */
const wired = Effect.fnUntraced(function* (schema: Schema.Codec<unknown, unknown>) {
  const encoded = yield* samplesOf(Schema.toEncoded(schema))
  return encoded.map((sample) => {
    const value = Schema.decodeUnknownSync(schema)(sample)
    return { value, wire: JSON.stringify(Schema.encodeUnknownSync(schema)(value)) }
  })
})

const used = () =>
  Object.entries(pages as unknown as Readonly<Record<string, Group>>).flatMap(([group, calls]) =>
    Object.entries(calls).map(([name, call]) => ({
      name: `${group}.${name}`,
      call,
      of: groups[group]?.endpoints[name]
    }))
  )

describe("an answer", () => {
  it.effect("is read as the contract decodes it, whatever it holds", () =>
    Effect.gen(function* () {
      let compared = 0
      for (const { call, name, of } of used()) {
        const [schema] = of?.success ?? []
        // The text of a file is no JSON, and the story of a sweep is too large to be drawn: it is composed of what others have.
        if (schema === undefined || name === "console.payoutCsv" || name === "operations.story") continue
        for (const { value, wire } of yield* wired(schema as Schema.Codec<unknown, unknown>)) {
          answering(wire)
          assert.deepStrictEqual(yield* Effect.promise(call({ params: { id: "x" } })), value, name)
          compared++
        }
      }
      assert.isAbove(compared, 150)
    })
  )

  it.effect("that is an error of the contract has its name and its members", () =>
    Effect.gen(function* () {
      const names = new Set<string>()
      for (const { call, name, of } of used()) {
        for (const schema of of?.error ?? []) {
          const codec = schema as Schema.Codec<{ readonly _tag: string }, object>
          const status = Number(Reflect.get(Object(schema.ast.annotations), "httpApiStatus"))
          for (const { value, wire } of yield* wired(codec)) {
            const { _tag } = value as { readonly _tag: string }
            answering(wire, { status })
            const failure = yield* Effect.promise(() =>
              call({ params: { id: "x" } })().catch((error: unknown) => error)
            )
            assert.deepInclude(failure, { _tag, ...(value as object) }, `${name}: ${status} ${wire}`)
            names.add(_tag)
          }
        }
      }
      assert.isAbove(names.size, 15)
    })
  )

  it("that a middleware gives has its name, and the seconds to wait if there were too many requests", async () => {
    const failureOf = async (status: number, error: unknown, headers: Record<string, string> = {}) => {
      answering(JSON.stringify({ error }), { status, headers })
      return pages.me
        .me()()
        .catch((failure: unknown) => failure)
    }
    assert.deepInclude(await failureOf(401, "unauthorized"), { _tag: "Unauthorized" })
    assert.deepInclude(await failureOf(403, "forbidden_origin"), { _tag: "ForbiddenOrigin" })
    assert.deepInclude(await failureOf(403, "signup_disabled"), { _tag: "SignupDisabled" })
    assert.deepInclude(await failureOf(413, "request body too large"), { _tag: "BodyTooLarge" })
    assert.deepInclude(await failureOf(422, "limit: expected an integer"), { _tag: "ValidationFailed" })
    assert.deepInclude(await failureOf(422, "bad_request"), { _tag: "BadRequest" })
    const issues = [{ path: ["url"], message: "expected a URL" }]
    const problems = { message: "invalid request", issues }
    assert.deepInclude(await failureOf(422, problems), { _tag: "InvalidRequest", error: problems })
    assert.deepInclude(await failureOf(429, "rate limit exceeded", { "retry-after": "7" }), {
      _tag: "RateLimitExceeded",
      retryAfterSeconds: 7
    })
    assert.notProperty(await failureOf(503, "internal error", { "retry-after": "7" }), "retryAfterSeconds")
  })

  it("that is not of the service, or does not come, is unreachable", async () => {
    const failure = () =>
      pages.me
        .me()()
        .catch((error: unknown) => error)
    answering("<html>bad gateway</html>", { status: 502 })
    assert.deepInclude(await failure(), { _tag: UNREACHABLE })
    answering("<html>a portal</html>")
    assert.deepInclude(await failure(), { _tag: UNREACHABLE })
    vi.stubGlobal("fetch", () => Promise.reject(new TypeError("Failed to fetch")))
    assert.deepInclude(await failure(), { _tag: UNREACHABLE })
    const asking = new AbortController()
    asking.abort(new Error("left the page"))
    const left = await pages.me
      .me()(asking.signal)
      .catch((error: unknown) => error)
    assert.deepInclude(left, { message: "left the page" })
  })
})

describe("a request", () => {
  const generated = Effect.runSync(
    HttpApiClient.make(BuilderApi, { baseUrl: ORIGIN }).pipe(Effect.provide(FetchHttpClient.layer))
  )

  const requestOf = async (url: RequestInfo | URL, init: RequestInit = {}) => {
    const { body, headers, method, url: sent } = new Request(url, init)
    const text = await new Response(body).text()
    return { method, url: sent, type: headers.get("content-type"), body: text === "" ? undefined : JSON.parse(text) }
  }

  const sent = async (send: (fetch: typeof globalThis.fetch) => Promise<unknown>) => {
    let request: unknown
    await send(((url: RequestInfo | URL, init?: RequestInit) => {
      request = requestOf(url, init)
      return Promise.reject(new Error("enough"))
    }) as typeof globalThis.fetch).catch(() => undefined)
    return request
  }

  const same = async (ours: () => Ask<unknown>, theirs: () => Effect.Effect<unknown, unknown>) => {
    const [ask, generates] = [
      await sent((fetch) => {
        vi.stubGlobal("fetch", fetch)
        return ours()()
      }),
      await sent((fetch) => Effect.runPromise(Effect.provideService(theirs(), FetchHttpClient.Fetch, fetch)))
    ]
    assert.isDefined(ask)
    assert.deepStrictEqual(ask, generates)
  }

  it("is sent as the generated client sends it", async () => {
    const token = Address.of("0x00000000000000000000000000000000000000d1")
    const id = "a/b c?ü&="
    const query = {
      limit: 50,
      cursor: "7",
      status: "owed",
      chainId: 8453,
      token,
      fromMs: 1,
      toMs: 2,
      q: "0x 1&ü"
    } as const
    await same(
      () => pages.me.activity({ query }),
      () => generated.me.activity({ query })
    )
    await same(
      () => pages.me.money({ query: { days: "30" } }),
      () => generated.me.money({ query: { days: "30" } })
    )
    await same(
      () => pages.auth.logout(),
      () => generated.auth.logout()
    )
    await same(
      () => pages.keys.revoke({ params: { id } }),
      () => generated.keys.revoke({ params: { id } })
    )
    const patch = {
      params: { id },
      payload: { url: "https://example.com/ü", events: ["sweep.failed"], enabled: true }
    } as const
    await same(
      () => pages.webhooks.patch(patch),
      () => generated.webhooks.patch(patch)
    )
    await same(
      () => pages.console.builders({ query: { limit: 50 } }),
      () => generated.console.builders({ query: { limit: 50 } })
    )
    const payout = { chainId: 8453, token, exclude: ["acme"] }
    await same(
      () => pages.console.openPayout({ payload: { ...payout, minAmount: "5000000000000000000" } }),
      () => generated.console.openPayout({ payload: { ...payout, minAmount: 5_000_000_000_000_000_000n } })
    )
    const change = { subject: { scope: "token", chainId: 8453, token }, state: "paused", reason: "ü" } as const
    await same(
      () => pages.operations.changePause({ payload: change }),
      () => generated.operations.changePause({ payload: change })
    )
  })
})

describe("facts of the service that the pages repeat", () => {
  it("are those of the domain", () => {
    assert.deepStrictEqual(earningStatus.STATUSES, EarningStatus.literals)
    assert.deepStrictEqual(PERIODS, Money.PERIODS)
    assert.strictEqual(NATIVE, Token.NATIVE)
    assert.strictEqual(keyLimits.DEFAULT_KEY_ID, ApiKey.DEFAULT_KEY.id)
    assert.strictEqual(keyLimits.MAX_KEYS, ApiKey.MAX_KEYS)
    assert.strictEqual(MAX_ENDPOINTS, Webhook.MAX_ENDPOINTS)
    assert.deepStrictEqual(MESSAGE_TYPES, Webhook.WebhookMessageType.literals)
  })

  it("name subjects of pauses, and refuse what is none", () => {
    const token = Address.of("0x00000000000000000000000000000000000000d1")
    const subjects = [
      builderOf("acme-1"),
      builderOf("Team@acme.example:eu"),
      builderOf("x".repeat(128)),
      tokenOf(8453, token),
      { scope: "all" },
      { scope: "chain", chainId: 1 }
    ] as const
    for (const subject of subjects) {
      assert.isDefined(subject)
      if (subject === undefined) continue
      assert.deepStrictEqual(subject, Pause.parse(Pause.nameOf(subject)))
    }
    for (const id of ["", "a b", "-a", ":a", "x".repeat(129)]) assert.isUndefined(builderOf(id), id)
    for (const address of ["", "0x1", `0x${"0".repeat(40)}`]) assert.isUndefined(tokenOf(1, address), address)
  })
})
