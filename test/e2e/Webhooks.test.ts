/** A builder's receiver hears of its sweeps from the running services: late, again, and from the guide's own program. */
import { assert, layer } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { Webhook } from "standardwebhooks"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { createSiweMessage } from "viem/siwe"
import * as Ports from "../../src/devnet/Ports.ts"
import type { DevInfo } from "../../src/devnet/DevInfo.ts"
import { codeBlocks } from "../docs/Markdown.ts"
import { freshOwner, place, Services } from "../support/Services.ts"
import * as SweepClient from "../support/SweepClient.ts"

interface Sent {
  readonly id: string
  readonly type: string
  readonly intentId: string
}

/** Waits for what must come, two minutes at most. */
const eventually = <A>(what: string, look: Effect.Effect<A>, found: (value: A) => boolean) =>
  Effect.flatMap(look, (value) =>
    found(value) ? Effect.succeed(value) : Effect.fail(`${what}: ${JSON.stringify(value)}`)
  ).pipe(Effect.retry(Schedule.spaced(100).pipe(Schedule.upTo({ times: 1_200 }))), Effect.orDie)

/** A new builder, and its own routes. */
const signUp = Effect.fnUntraced(function* ({ builderUrl, chains, dashboardUrl }: DevInfo) {
  const wallet = privateKeyToAccount(generatePrivateKey())
  const ask = (headers: Readonly<Record<string, string>>, request: string, body?: unknown) =>
    Effect.promise(async () => {
      const [method = "GET", path = "/"] = request.split(" ")
      const response = await fetch(`${builderUrl}${path}`, {
        method,
        headers: { "content-type": "application/json", ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
      const text = await response.text()
      assert.isTrue(response.ok, `${request}: ${response.status} ${text}`)
      return { cookie: response.headers.get("set-cookie")?.split(";")[0] ?? "", json: JSON.parse(text) }
    })
  const { json } = yield* ask({}, "GET /auth/nonce")
  const message = createSiweMessage({
    address: wallet.address,
    chainId: chains[0]?.id ?? 0,
    domain: new URL(dashboardUrl).host,
    uri: dashboardUrl,
    version: "1",
    nonce: json.nonce
  })
  const signature = yield* Effect.promise(() => wallet.signMessage({ message }))
  const signedUp = yield* ask({}, "POST /builders/self", { message, signature, name: "Told" })
  const apiKey: string = signedUp.json.apiKey
  const own = <A>(request: string, body?: unknown): Effect.Effect<A> =>
    Effect.map(ask({ cookie: signedUp.cookie }, request, body), (answer) => answer.json)
  return { apiKey, own }
})

/** A receiver that verifies with the standard's own library. */
const receiver = (port: number, secret: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const heard: Array<Sent> = []
      const server = Bun.serve({
        port,
        hostname: "127.0.0.1",
        fetch: async (request) => {
          const { data, type } = new Webhook(secret).verify(
            await request.text(),
            Object.fromEntries(request.headers)
          ) as {
            readonly type: string
            readonly data: { readonly intentId: string }
          }
          heard.push({ id: request.headers.get("webhook-id") ?? "", type, intentId: data.intentId })
          return new Response(null, { status: 204 })
        }
      })
      return { heard, server }
    }),
    ({ server }) => Effect.promise(() => server.stop(true))
  ).pipe(Effect.map(({ heard }) => heard))

/** The program of the guide, run by Node, and the lines that it printed so far. */
const guidesReceiver = (port: number, secret: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const program =
        codeBlocks("docs/reference/webhooks.md").find(({ info }) => info === "e2e=receiver.mjs")?.code ?? ""
      const child = Bun.spawn(["node", "--input-type=module", "--eval", program], {
        env: { ...process.env, PORT: String(port), WEBHOOK_SECRET: secret },
        stdout: "pipe",
        stderr: "inherit"
      })
      const printed = { text: "" }
      const read = async () => {
        const decoder = new TextDecoder()
        for await (const chunk of child.stdout) printed.text += decoder.decode(chunk)
      }
      void read()
      return { child, printed }
    }),
    ({ child }) =>
      Effect.promise(() => {
        child.kill()
        return child.exited
      })
  ).pipe(Effect.map(({ printed }) => Effect.sync(() => printed.text)))

layer(Services.layer(), { excludeTestServices: true })("a builder's webhooks", (it) => {
  it.effect("tell of every status, also when nobody listened at first, and again when asked", () =>
    Effect.gen(function* () {
      const services = yield* Services
      const { info } = services
      const [alpha, beta] = [place(services, 0), place(services, 1)]
      const { apiKey, own } = yield* signUp(info)
      const [port, guidesPort] = yield* Effect.all([Ports.free, Ports.free])
      const { secret, webhook } = yield* own<{ webhook: { id: string }; secret: string }>("POST /me/webhooks", {
        url: `http://127.0.0.1:${port}/hook`
      })
      const guide = yield* own<{ webhook: { id: string }; secret: string }>("POST /me/webhooks", {
        url: `http://127.0.0.1:${guidesPort}/`,
        events: ["sweep.delivered"]
      })
      const printed = yield* guidesReceiver(guidesPort, guide.secret)
      yield* eventually("the guide's receiver listens", printed, (text) => text.includes("listening"))
      yield* own(`POST /me/webhooks/${guide.webhook.id}/test`)

      const client = SweepClient.make(info.orchestratorUrl)
      const sweep = Effect.fnUntraced(function* (destChain: typeof alpha.info) {
        const owner = yield* freshOwner(alpha, "USDC", "40")
        const request = { owner: owner.address, chain: alpha.info, tokenIn: "USDC", amountIn: "40", destChain }
        const quote = yield* Effect.promise(() => client.quote({ ...request, tokenOut: "USDC", apiKey }))
        assert.strictEqual(quote.status, 200, quote.text)
        const signed = yield* Effect.promise(() => SweepClient.sign(owner, quote))
        yield* Effect.promise(() => client.submitAccepted(signed))
        const ended = yield* Effect.promise(() => client.ended(signed.quoteId))
        assert.strictEqual(ended.string("status"), "delivered", ended.text)
        return signed.quoteId
      })
      const near = yield* sweep(beta.info)

      // Nobody has listened so far: the first attempts are on record, and the next ones get through.
      type Log = {
        deliveries: ReadonlyArray<{
          id: string
          messageId: string
          state: string
          attempts: ReadonlyArray<{ error?: string }>
        }>
      }
      const log = own<Log>(`GET /me/webhooks/${webhook.id}/deliveries`)
      const failed = yield* eventually("a failed attempt", log, ({ deliveries }) =>
        deliveries.some(({ attempts }) => attempts.length > 0)
      )
      assert.include(failed.deliveries.at(-1)?.attempts[0]?.error, "ECONNREFUSED")
      const heard = yield* receiver(port, secret)
      const of = (intentId: string) =>
        Effect.sync(() =>
          [...new Set(heard.filter((sent) => sent.intentId === intentId).map(({ type }) => type))].toSorted()
        )
      const all = ["sweep.delivered", "sweep.settled_source", "sweep.submitted"]
      yield* eventually("every status", of(near), (types) => types.length === 3)
      assert.deepStrictEqual(yield* of(near), all)
      for (const { id, intentId, type } of heard) assert.strictEqual(id, `${intentId}:${type.replace("sweep.", "")}`)

      const delivered = yield* eventually("delivered", log, ({ deliveries }) =>
        deliveries.every(({ state }) => state === "delivered")
      )
      const before = heard.length
      const replayed = delivered.deliveries.at(-1)
      yield* own(`POST /me/webhooks/deliveries/${replayed?.id}/replay`)
      yield* eventually(
        "the replay",
        Effect.sync(() => heard.length),
        (count) => count > before
      )
      assert.strictEqual(heard.at(-1)?.id, replayed?.messageId)

      const history = yield* own<{ events: ReadonlyArray<{ status: string }> }>(`GET /me/sweeps/${near}`)
      assert.deepStrictEqual(
        history.events.map(({ status }) => status),
        ["submitted", "settled_source", "delivered"]
      )
      assert.deepInclude(yield* own<object>("GET /me/overview"), { sweeps: 1, delivered: 1, successRateBps: 10_000 })
      const lines = yield* eventually("the guide's receiver", printed, (text) => text.includes(near))
      assert.deepStrictEqual(lines.trim().split("\n"), [
        "listening",
        `webhook.test ${guide.webhook.id}`,
        `sweep.delivered ${near}`
      ])
    })
  )
})
