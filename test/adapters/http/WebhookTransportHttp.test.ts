/** Tests against real servers on the loopback interface. A refused address must get no connection. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { isPublic } from "../../../src/adapters/http/PublicAddress.ts"
import * as WebhookTransportHttp from "../../../src/adapters/http/WebhookTransportHttp.ts"
import { Endpoint, webhookTransportSuite } from "../../ports/builder/WebhookTransport.suite.ts"
import { certificate, key } from "../../support/HookCertificate.ts"
import * as HookEndpoint from "./HookEndpoint.ts"

/** A server on a free port of the loopback interface, with the received requests. */
const server = (answer: (request: Request) => Response | Promise<Response>, tls = false) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const seen: Array<{ readonly url: string; readonly headers: Headers; readonly body: string }> = []
      const running = Bun.serve({
        port: 0,
        hostname: "127.0.0.1",
        ...(tls ? { tls: { cert: certificate, key } } : {}),
        fetch: async (request) => {
          seen.push({ url: request.url, headers: request.headers, body: await request.text() })
          return answer(request)
        }
      })
      return { seen, port: running.port ?? 0, stop: () => running.stop(true) }
    }),
    ({ stop }) => Effect.promise(stop)
  )

const post = (transport: ReturnType<typeof WebhookTransportHttp.make>, url: string) =>
  transport.post({ url, headers: { "content-type": "application/json", "webhook-id": "m" }, body: '{"ü":1}' })

const resolvesTo = (...addresses: ReadonlyArray<string>) =>
  Promise.resolve(addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })))

const LOCAL = { allowPrivate: true, timeoutMillis: 2_000 }

webhookTransportSuite(
  "HTTPS",
  Layer.merge(
    Layer.effect(Endpoint, HookEndpoint.start),
    WebhookTransportHttp.layer({ allowPrivate: true, ca: certificate, resolve: () => resolvesTo("127.0.0.1") })
  )
)

describe("an address", () => {
  it.each([
    "0.0.0.0",
    "10.1.2.3",
    "100.64.0.1",
    "127.0.0.1",
    "127.255.255.255",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.8",
    "192.168.1.1",
    "198.18.0.1",
    "224.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::ffff:8.8.8.8",
    "::ffff:127.0.0.1",
    "64:ff9b::7f00:1",
    "100::1",
    "2001:db8::1",
    "2002:7f00:1::",
    "2001::1",
    "fc00::1",
    "fd12:3456::1",
    "fe80::1",
    "fe80::1%eth0",
    "fec0::1",
    "ff02::1",
    "",
    "localhost",
    "1.1.1"
  ])("%s is not of the internet", (address) => assert.isFalse(isPublic(address)))

  it.each(["1.1.1.1", "8.8.8.8", "172.32.0.1", "100.128.0.1", "192.167.255.255", "2606:4700::1111", "2a00:1450::1"])(
    "%s is of the internet",
    (address) => assert.isTrue(isPublic(address))
  )
})

describe("the transport of webhooks", () => {
  const strict = WebhookTransportHttp.make({
    allowPrivate: false,
    resolve: (hostname) => {
      if (hostname === "public.example.com") return resolvesTo("1.1.1.1", "2606:4700::1111")
      if (hostname === "mixed.example.com") return resolvesTo("1.1.1.1", "127.0.0.1")
      if (hostname === "private.example.com") return resolvesTo("10.0.0.1")
      return Promise.reject(new Error("ENOTFOUND"))
    }
  })

  it.effect.each<readonly [string, string]>([
    ["http://public.example.com/", "https"],
    ["https://user@public.example.com/", "credentials"],
    ["https://public.example.com/#x", "fragment"],
    ["ftp://public.example.com/", "https"],
    ["not a url", "URL"],
    ["https://127.0.0.1/", "not public"],
    ["https://0x7f000001/", "not public"],
    ["https://2130706433/", "not public"],
    ["https://127.1/", "not public"],
    ["https://[::1]/", "not public"],
    ["https://[::ffff:7f00:1]/", "not public"],
    ["https://169.254.169.254/latest/meta-data", "not public"],
    ["https://private.example.com/", "not public"],
    ["https://mixed.example.com/", "not public"],
    ["https://nowhere.example.com/", "resolved"]
  ])("refuses %s", ([url, said]) =>
    Effect.gen(function* () {
      const refused = yield* Effect.flip(strict.check(url))
      assert.include(refused.message, said)
    })
  )

  it.effect("does not tell a name that exists in a private network from one that does not", () =>
    Effect.gen(function* () {
      const hosts = ["private.example.com", "mixed.example.com", "nowhere.example.com", "10.0.0.1"]
      const texts = yield* Effect.forEach(hosts, (host) => Effect.flip(strict.check(`https://${host}/`)))
      assert.strictEqual(new Set(texts.map(({ message }) => message)).size, 1)
      const sent = yield* Effect.forEach(hosts, (host) => Effect.flip(post(strict, `https://${host}/`)))
      assert.deepStrictEqual(new Set(sent.map(({ message }) => message)), new Set(texts.map(({ message }) => message)))
    })
  )

  it.live("keeps no control characters of a response, which take six bytes each in JSON", () =>
    Effect.gen(function* () {
      const { port } = yield* server(() => new Response("\u0001".repeat(600)))
      const long = yield* post(WebhookTransportHttp.make(LOCAL), `http://127.0.0.1:${port}/`)
      assert.strictEqual(long.response, "\uFFFD".repeat(500))
      const lines = yield* server(() => new Response('{\r\n\t"a\u009f": 1\n}\0'))
      const short = yield* post(WebhookTransportHttp.make(LOCAL), `http://127.0.0.1:${lines.port}/`)
      assert.strictEqual(short.response, '{\r\n\t"a\uFFFD": 1\n}\uFFFD')
    })
  )

  it.effect("takes hosts of the internet", () =>
    Effect.gen(function* () {
      yield* strict.check("https://public.example.com:8443/hook?x=1")
      yield* strict.check("https://1.1.1.1/")
      yield* strict.check("https://[2606:4700::1111]/")
    })
  )

  it.live("connects to nobody whose name means a private address when it is used", () =>
    Effect.gen(function* () {
      const { port, seen } = yield* server(() => new Response("secret"), true)
      let asked = 0
      const rebound = WebhookTransportHttp.make({
        allowPrivate: false,
        ca: certificate,
        resolve: () => resolvesTo(asked++ === 0 ? "1.1.1.1" : "127.0.0.1")
      })
      const url = `https://hook.example.com:${port}/`
      yield* rebound.check(url)
      for (const each of [url, `https://127.0.0.1:${port}/`, `https://[::ffff:7f00:1]:${port}/`]) {
        assert.include((yield* Effect.flip(post(rebound, each))).message, "not public")
      }
      assert.include((yield* Effect.flip(post(rebound, `http://hook.example.com:${port}/`))).message, "https")
      assert.deepStrictEqual(seen, [])
    })
  )

  it.live("sends the bytes as they are, and says what came back", () =>
    Effect.gen(function* () {
      const { port, seen } = yield* server(() => new Response("thanks", { status: 201 }))
      const received = yield* post(WebhookTransportHttp.make(LOCAL), `http://127.0.0.1:${port}/hook?x=1`)
      assert.deepStrictEqual(received, { statusCode: 201, response: "thanks" })
      const request = seen[0] ?? assert.fail("nothing came")
      assert.strictEqual(request.body, '{"ü":1}')
      assert.strictEqual(request.headers.get("webhook-id"), "m")
      assert.include(request.url, "/hook?x=1")
    })
  )

  it.live("checks the certificate against the name, at the address that the name means", () =>
    Effect.gen(function* () {
      const { port, seen } = yield* server(() => new Response(null, { status: 204 }), true)
      const resolve = () => resolvesTo("127.0.0.1")
      const trusting = WebhookTransportHttp.make({ ...LOCAL, ca: certificate, resolve })
      assert.strictEqual((yield* post(trusting, `https://hook.example.com:${port}/`)).statusCode, 204)
      assert.strictEqual(seen[0]?.headers.get("host"), `hook.example.com:${port}`)
      const other = yield* Effect.flip(post(trusting, `https://other.example.com:${port}/`))
      assert.include(other.message, "ALTNAME")
      const untrusted = WebhookTransportHttp.make({ ...LOCAL, resolve })
      assert.include((yield* Effect.flip(post(untrusted, `https://hook.example.com:${port}/`))).message, "SELF_SIGNED")
      assert.strictEqual(seen.length, 1)
    })
  )

  it.live("follows no redirect", () =>
    Effect.gen(function* () {
      const target = yield* server(() => new Response("never"))
      const { port } = yield* server(() => Response.redirect(`http://127.0.0.1:${target.port}/`, 307))
      const received = yield* post(WebhookTransportHttp.make(LOCAL), `http://127.0.0.1:${port}/`)
      assert.strictEqual(received.statusCode, 307)
      assert.deepStrictEqual(target.seen, [])
    })
  )

  it.live("waits so long and reads so much, and no more", () =>
    Effect.gen(function* () {
      const within = (timeoutMillis: number) => WebhookTransportHttp.make({ allowPrivate: true, timeoutMillis })
      const silent = yield* server(() => new Promise<Response>(() => undefined))
      assert.include(
        (yield* Effect.flip(post(within(300), `http://127.0.0.1:${silent.port}/`))).message,
        "no answer within 0.3 s"
      )
      const endless = yield* server(
        () =>
          new Response(
            new ReadableStream({
              pull: async (controller) => {
                controller.enqueue(new TextEncoder().encode("x".repeat(100)))
                await Bun.sleep(5)
              }
            })
          )
      )
      const cut = yield* post(within(60_000), `http://127.0.0.1:${endless.port}/`)
      assert.deepStrictEqual([cut.statusCode, cut.response.length], [200, 500])
      const stalling = yield* server(
        () =>
          new Response(
            new ReadableStream({
              start: (controller) => controller.enqueue(new TextEncoder().encode("beginning"))
            })
          )
      )
      // The beginning must arrive in this time.
      assert.deepStrictEqual(yield* post(within(3_000), `http://127.0.0.1:${stalling.port}/`), {
        statusCode: 200,
        response: "beginning"
      })
    })
  )

  it.live("says when nobody is there", () =>
    Effect.gen(function* () {
      const { port, stop } = yield* server(() => new Response())
      yield* Effect.promise(stop)
      const failed = yield* Effect.flip(post(WebhookTransportHttp.make(LOCAL), `http://127.0.0.1:${port}/`))
      assert.include(failed.message, "ECONNREFUSED")
    })
  )
})
