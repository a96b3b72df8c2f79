/** No secret is ever said: not in a log of any level, not in metrics or traces, whatever succeeds and whatever fails. */
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Schedule, Schema } from "effect"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { createSiweMessage } from "viem/siwe"
import { users } from "../../src/devnet/Accounts.ts"
import { address } from "../support/FakeChain.ts"
import { type Canary, formsOf, leaksIn } from "../support/Canaries.ts"
import * as Scene from "./SecretsScene.ts"

const TIMEOUT = 120_000

const ask = (url: string, init: RequestInit = {}) =>
  Effect.promise(async () => {
    const response = await fetch(url, init)
    return { status: response.status, cookie: response.headers.get("set-cookie") ?? "", text: await response.text() }
  })

const json = (body: unknown, headers: Readonly<Record<string, string>> = {}): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json", ...headers },
  body: typeof body === "string" ? body : JSON.stringify(body)
})

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

const read = <S extends Schema.Codec<unknown, unknown>>(schema: S, text: string): S["Type"] =>
  Schema.decodeUnknownSync(Schema.fromJsonString(schema))(text)

/** Canaries that requests bring. */
const brought = {
  bearer: Scene.made("wrong token of a client"),
  body: Scene.made("body that is no JSON"),
  query: Scene.made("query of a request"),
  idempotency: Scene.made("idempotency key"),
  cookie: Scene.made("wrong session"),
  apiKey: Scene.made("unknown API key")
}

/** A builder signs up, rotates its key, and adds a webhook that fails. Returns everything secret of it. */
const asBuilder = Effect.fnUntraced(function* (url: string, dashboardUrl: string, hookUrl: string) {
  const wallet = privateKeyToAccount(generatePrivateKey())
  const { nonce } = read(Schema.Struct({ nonce: Schema.String }), (yield* ask(`${url}/auth/nonce`)).text)
  const message = createSiweMessage({
    address: wallet.address,
    chainId: 31337,
    domain: new URL(dashboardUrl).host,
    uri: dashboardUrl,
    version: "1",
    nonce
  })
  const signature = yield* Effect.promise(() => wallet.signMessage({ message }))
  const signedUp = yield* ask(
    `${url}/builders/self`,
    json({ message, signature, name: "Canary" }, { origin: dashboardUrl })
  )
  assert.strictEqual(signedUp.status, 201, signedUp.text)
  const { apiKey } = read(Schema.Struct({ apiKey: Schema.String }), signedUp.text)
  const cookie = signedUp.cookie.split(";")[0] ?? ""
  const own = (path: string, body?: unknown) =>
    ask(`${url}${path}`, body === undefined ? { headers: { cookie } } : json(body, { cookie, origin: dashboardUrl }))
  const rotated = yield* own("/me/apikey/rotate", {})
  assert.strictEqual(rotated.status, 200, rotated.text)
  const hook = yield* own("/me/webhooks", { url: hookUrl })
  assert.strictEqual(hook.status, 201, hook.text)
  const { secret, webhook } = read(
    Schema.Struct({ secret: Schema.String, webhook: Schema.Struct({ id: Schema.String }) }),
    hook.text
  )
  const tested = yield* own(`/me/webhooks/${webhook.id}/test`, {})
  assert.strictEqual(tested.status, 202, tested.text)
  assert.strictEqual((yield* own("/me/webhooks", { url: "no url" })).status, 422)
  // A message counts once.
  const again = yield* ask(`${url}/auth/verify`, json({ message, signature }, { origin: dashboardUrl }))
  assert.strictEqual(again.status, 401, again.text)
  const newKey = read(Schema.Struct({ apiKey: Schema.String }), rotated.text).apiKey
  const canaries: ReadonlyArray<Canary> = [
    { name: "nonce of a sign-in", secret: nonce },
    { name: "signature of a sign-in", secret: signature },
    { name: "API key", secret: apiKey },
    { name: "rotated API key", secret: newKey },
    { name: "session", secret: cookie.slice(cookie.indexOf("=") + 1) },
    { name: "secret of a webhook", secret: secret.replace("whsec_", "") }
  ]
  return { apiKey: newKey, canaries }
})

/** Asks, and fails if the answer has another status. A route that does not exist would say nothing. */
const asked = Effect.fnUntraced(function* (status: number, url: string, init?: RequestInit) {
  const answer = yield* ask(url, init)
  assert.strictEqual(answer.status, status, `${url}: ${answer.text}`)
  return answer
})

const asStranger = Effect.fnUntraced(function* (url: string, builderUrl: string) {
  const { apiKey, bearer: token, body, cookie, idempotency, query } = brought
  yield* asked(401, `${url}/admin/alerts`, { headers: bearer(token.secret) })
  yield* asked(401, `${url}/metrics`, { headers: bearer(token.secret) })
  yield* asked(422, `${url}/quote`, json(`{"${body.secret}`, { "idempotency-key": idempotency.secret }))
  yield* asked(422, `${url}/quote`, json({ owner: body.secret }))
  yield* asked(200, `${url}/portfolio/${address(1)}?api_key=${query.secret}`)
  yield* asked(404, `${url}/nowhere?api_key=${query.secret}`)
  yield* asked(401, `${builderUrl}/me`, {
    headers: { cookie: `session=${cookie.secret}; sweep_session=${cookie.secret}` }
  })
  yield* asked(401, `${builderUrl}/accruals`, json({ key: body.secret }, bearer(token.secret)))
  yield* asked(422, `${builderUrl}/auth/verify`, json({ message: body.secret, signature: "0x" }))
  yield* asked(404, `${builderUrl}/attribute`, json({}, { "x-api-key": apiKey.secret }))
})

const asOperator = Effect.fnUntraced(function* (url: string, builderUrl: string) {
  yield* asked(200, `${url}/admin/health`, { headers: bearer(Scene.secretOf("ORCH_ADMIN_TOKEN")) })
  yield* asked(200, `${url}/admin/alerts`, { headers: bearer(Scene.secretOf("ORCH_ADMIN_TOKEN")) })
  yield* asked(200, `${builderUrl}/admin/builders`, { headers: bearer(Scene.secretOf("ADMIN_TOKEN")) })
  const scraped = yield* Effect.forEach([url, builderUrl], (each) =>
    ask(`${each}/metrics`, { headers: bearer(Scene.secretOf("METRICS_TOKEN")) })
  )
  assert.deepStrictEqual(
    scraped.map(({ status }) => status),
    [200, 200]
  )
  return scraped.map(({ text }) => text)
})

const quote = (apiKey: string) => ({
  owner: address(1),
  tokenIn: address(0xb1),
  amountIn: "1000000000000000000",
  tokenOut: address(0xd1),
  destChainId: 31337,
  destination: address(1),
  route: "fake->fake",
  sourceChainId: 31337,
  userId: "canary",
  tier: "tier1",
  subscriptionActive: false,
  apiKey
})

/** Asks for quotes on one chain and across chains, whose tokens the owner has, so that every service is asked for prices and routes. */
const asOwner = Effect.fnUntraced(function* (url: string, { arbitrum, base }: Scene.GoodChains, apiKey: string) {
  const [owner] = users()
  const common = {
    owner: owner?.address,
    destination: owner?.address,
    userId: "canary",
    tier: "tier1",
    subscriptionActive: false,
    apiKey
  }
  const { DAI, USDC } = base.tokens
  const amountIn = "2000000000"
  const here = { sourceChainId: base.chain.id, destChainId: base.chain.id, route: "base->base" }
  const there = { sourceChainId: base.chain.id, destChainId: arbitrum.chain.id, route: "base->arbitrum" }
  const back = { sourceChainId: arbitrum.chain.id, destChainId: base.chain.id, route: "arbitrum->base" }
  return yield* Effect.all(
    [
      ask(`${url}/quote`, json({ ...common, ...here, tokenIn: USDC, amountIn, tokenOut: DAI })),
      ask(`${url}/quote`, json({ ...common, ...there, tokenIn: USDC, amountIn, tokenOut: arbitrum.tokens.USDC })),
      ask(`${url}/quote`, json({ ...common, ...back, tokenIn: arbitrum.tokens.USDC, amountIn, tokenOut: USDC }))
    ],
    { concurrency: "unbounded" }
  )
})

/** Ids of the traces that both services added to. */
const sharedTraces = (collected: ReadonlyArray<Scene.Collected>): ReadonlyArray<string> => {
  const ids = (service: string) =>
    collected
      .filter(({ body, path }) => path === "/v1/traces" && body.includes(service))
      .flatMap(({ body }) => [...body.matchAll(/"traceId":"([0-9a-f]{32})"/g)].map(([, id = ""]) => id))
  const ofBuilder = new Set(ids("sweep-builder-backend"))
  return [...new Set(ids("sweep-orchestrator"))].filter((id) => ofBuilder.has(id))
}

describe("the search for a secret", () => {
  const canary = { name: "key", secret: "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d" }
  const text = { name: "text", secret: "canary+/with=signs" }

  it("finds it in every form", () => {
    const bytes = Buffer.from(canary.secret.slice(2), "hex")
    const said = [
      canary.secret,
      canary.secret.slice(2).toUpperCase(),
      bytes.toString("base64"),
      Buffer.concat([Buffer.from("x"), bytes, Buffer.from("y")]).toString("base64"),
      Buffer.concat([Buffer.from("xy"), bytes]).toString("base64url"),
      Buffer.from(`user:${canary.secret}`).toString("base64")
    ]
    for (const each of said) assert.lengthOf(leaksIn(`before ${each} after`, [canary]), 1, each)
    for (const each of [text.secret, encodeURIComponent(text.secret), Buffer.from(text.secret).toString("hex")]) {
      assert.lengthOf(leaksIn(each, [text]), 1, each)
    }
  })

  it("finds nothing elsewhere", () => {
    assert.deepStrictEqual(leaksIn("canary with signs", [canary, text]), [])
    for (const form of formsOf(text.secret)) assert.isAbove(form.length, 12)
  })
})

/** Paths of parties that repeat what they are asked. The search is worth nothing if one of them was not asked. */
const REPEATING = ["/rpc/", "/sdn.xml", "/hook/", "/subscriptions", ...Scene.API_PATHS]

const PATIENCE = "30 seconds"

layer(Scene.layer, { excludeTestServices: true })("Services between parties that repeat secrets", (it) => {
  it.effect(
    "say none of them, in logs of all levels, metrics and traces",
    () =>
      Effect.gen(function* () {
        const good = yield* Scene.goodChains
        const { builderPort, dashboardUrl, quotingPort, start, upstream } = yield* Scene.make(good.entries)
        const [orchestrator, builder, quoting] = yield* Effect.all(
          [
            start({}),
            start({ command: "builder-backend", port: builderPort }),
            start({ port: quotingPort }, Scene.UNSCREENED)
          ],
          { concurrency: 3 }
        )
        const hook = Scene.made("key in the URL of a webhook")
        const { apiKey, canaries } = yield* asBuilder(builder.url, dashboardUrl, `${upstream.url}/hook/${hook.secret}`)
        yield* Effect.forEach([apiKey, brought.apiKey.secret], (key) =>
          asked(503, `${orchestrator.url}/quote`, json(quote(key)))
        )
        const quotes = yield* asOwner(quoting.url, good, apiKey)
        yield* asStranger(orchestrator.url, builder.url)
        const metrics = yield* asOperator(orchestrator.url, builder.url)
        const unasked = () => REPEATING.filter((path) => !upstream.asked.some((each) => each.startsWith(path)))
        yield* Effect.sync(unasked).pipe(
          Effect.repeat({ schedule: Schedule.spaced("50 millis"), until: ({ length }) => length === 0 }),
          Effect.timeoutOption(PATIENCE)
        )
        assert.deepStrictEqual(unasked(), [], quotes.map(({ text }) => text).join("\n"))
        // A stopping service sends what it has gathered.
        yield* Effect.forEach([orchestrator, quoting, builder], ({ exitCode, signal }) =>
          Effect.andThen(signal("SIGTERM"), exitCode)
        )
        const logs = [...(yield* orchestrator.output), ...(yield* quoting.output), ...(yield* builder.output)]
        const all = [...Scene.canaries, ...canaries, hook, ...Object.values(brought)]
        const said = [...logs, ...metrics, ...upstream.collected.map(({ body }) => body)].join("\n")
        assert.deepStrictEqual(leaksIn(said, all), [])

        // The search is worth nothing if nothing was said.
        assert.isAbove(logs.length, 50)
        assert.include(said, "[hidden]")
        assert.sameMembers(
          [...new Set(upstream.collected.map(({ path }) => path))],
          ["/v1/logs", "/v1/metrics", "/v1/traces"]
        )
        assert.isAbove(sharedTraces(upstream.collected).length, 0, "no trace has spans of both services")
      }),
    TIMEOUT
  )

  it.effect(
    "say none of them when they cannot start",
    () =>
      Effect.gen(function* () {
        const { start } = yield* Scene.make()
        const key = Scene.secretOf("RELAYER_KEYS")
        const failures = yield* Effect.all(
          [
            Effect.flip(
              start(
                {},
                {
                  RELAYER_KEYS: `${key}f`,
                  FEE_RECIPIENT_KEY: `key ${Scene.secretOf("FEE_RECIPIENT_KEY")}`,
                  OTLP_HEADERS: `no pair ${Scene.secretOf("OTLP_HEADERS")}`
                }
              )
            ),
            Effect.flip(start({}, { OTLP_ENDPOINT: `no url ${Scene.secretOf("METRICS_TOKEN")}` }))
          ],
          { concurrency: 2 }
        )
        const said = failures.map(({ message }) => message)
        assert.deepStrictEqual(leaksIn(said.join("\n"), Scene.canaries), [])
        assert.include(said[0], "RELAYER_KEYS")
        assert.include(said[0], "OTLP_HEADERS")
        assert.include(said[1], "OTLP_ENDPOINT")
      }),
    TIMEOUT
  )
})
