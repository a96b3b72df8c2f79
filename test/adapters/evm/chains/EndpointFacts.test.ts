/** Abilities of endpoints as they are found: on both nodes of the local network, and on endpoints that misbehave. */
import * as BunServices from "@effect/platform-bun/BunServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { FetchHttpClient } from "effect/http"
import * as EndpointFacts from "../../../../src/adapters/evm/chains/EndpointFacts.ts"
import * as Anvil from "../../../../src/devnet/Anvil.ts"
import * as Edr from "../../../../src/devnet/Edr.ts"
import { address } from "../../../support/FakeChain.ts"
import { type Answer, type Seen, StubServer } from "../../../support/StubServer.ts"

const ask = (url: string) => EndpointFacts.ask(url, "rpcUrls", address(1)).pipe(Effect.provide(FetchHttpClient.layer))

interface Call {
  readonly id: number
  readonly method: string
  readonly params: ReadonlyArray<unknown>
}

/** A node that answers each method so; an error for methods without an answer. */
const node =
  (answers: Readonly<Record<string, (params: ReadonlyArray<unknown>) => unknown>>, date = new Date()) =>
  ({ body }: Seen): Answer => {
    const { id, method, params } = JSON.parse(body) as Call
    const result = answers[method]?.(params)
    const said = result === undefined ? { error: { code: -32_000, message: "refused" } } : { result }
    return { status: 200, headers: { date: date.toUTCString() }, body: { jsonrpc: "2.0", id, ...said } }
  }

const HEADER = { number: "0x3e8", timestamp: "0x10", hash: `0x${"ab".repeat(32)}` }

const asked = (answer: (seen: Seen) => Answer) =>
  Effect.gen(function* () {
    const server = yield* StubServer
    yield* server.answer(answer)
    return yield* ask(server.url)
  }).pipe(Effect.provide(StubServer.layer))

describe("an endpoint", () => {
  it.live.each([
    ["anvil", Anvil.start, true],
    ["EDR", Edr.start, false]
  ] as const)("shows its capabilities on %s", ([, start, blockOverrides]) =>
    Effect.gen(function* () {
      const { rpcUrl } = yield* start({ chainId: 31_337 })
      const { facts, hashAt } = yield* ask(rpcUrl)
      assert.deepStrictEqual(facts.answer, { _tag: "Chain", id: "0x7a69" })
      assert.strictEqual(facts.stateOverrides, true)
      assert.strictEqual(facts.blockOverrides, blockOverrides)
      assert.strictEqual(facts.archive, true)
      assert.strictEqual(facts.logBlocks, 5_000)
      assert.isTrue(facts.isLocal)
      assert.isBelow(facts.latencyMillis ?? Number.POSITIVE_INFINITY, 5_000)
      assert.match((yield* hashAt(0n)) ?? "", /^0x[0-9a-f]{64}$/)
    }).pipe(Effect.scoped, Effect.provide(BunServices.layer))
  )

  it.live("for heads is asked for its chain over its socket", () =>
    Effect.gen(function* () {
      const { rpcUrl } = yield* Anvil.start({ chainId: 31_337 })
      const socket = yield* EndpointFacts.askSocket(rpcUrl.replace("http:", "ws:"))
      assert.deepStrictEqual([socket.facts.role, socket.facts.answer], ["wsUrl", { _tag: "Chain", id: "0x7a69" }])
      const closed = yield* EndpointFacts.askSocket("ws://127.0.0.1:9")
      assert.strictEqual(closed.facts.answer._tag, "Silent")
    }).pipe(Effect.scoped, Effect.provide(BunServices.layer))
  )

  it.live("that answers without an end is silent", () =>
    Effect.gen(function* () {
      const { facts } = yield* asked(() => ({ status: 200, body: " ".repeat(65_537) }))
      assert.deepStrictEqual(facts.answer, { _tag: "Silent", detail: "answer above 65536 bytes" })
    })
  )

  it.live("that can do little is said to", () =>
    Effect.gen(function* () {
      const now = new Date()
      const { facts } = yield* asked(
        node(
          {
            eth_chainId: () => "0x1",
            eth_getBlockByNumber: () => HEADER,
            // Ignores overrides, as a node that does not know them.
            eth_call: () => "0x",
            eth_getLogs: ([filter]) => {
              const { fromBlock, toBlock } = filter as { readonly fromBlock: string; readonly toBlock: string }
              return Number(toBlock) - Number(fromBlock) < 100 ? [] : undefined
            }
          },
          new Date(now.getTime() - 60_000)
        )
      )
      assert.deepInclude(facts, {
        head: { number: 1_000n, timestamp: 16n },
        stateOverrides: false,
        blockOverrides: false,
        archive: false,
        logBlocks: 100
      })
      assert.isBelow(Math.abs((facts.clockOffsetMillis ?? 0) + 60_000), 3_000)
    })
  )

  it.live.each([
    ["refuses its key", { status: 401, body: "no" }, { _tag: "Refused", status: 401 }],
    ["is no node", { status: 200, body: "<html>" }, { _tag: "Silent", detail: "HTTP 200 without JSON" }],
    [
      "redirects",
      { status: 302, headers: { location: "http://127.0.0.1:9/" } },
      { _tag: "Silent", detail: "HTTP 302 without JSON" }
    ]
  ] as const)("that %s gives no more", ([, answer, expected]) =>
    Effect.gen(function* () {
      const { facts } = yield* asked(() => answer)
      assert.deepStrictEqual<unknown>(facts.answer, expected)
      assert.strictEqual(facts.head, undefined)
    })
  )

  it.live.each([
    { number: 7, hash: null },
    { ...HEADER, number: "0xzz" }
  ])("that gives the block %j breaks nothing", (block) =>
    Effect.gen(function* () {
      const { facts } = yield* asked(
        node({ eth_chainId: () => "0x1", eth_getBlockByNumber: () => block, eth_call: () => ({}) })
      )
      assert.strictEqual(facts.head, undefined)
      assert.strictEqual(facts.stateOverrides, false)
      assert.strictEqual(facts.logBlocks, undefined)
    })
  )

  it("is named without its key", () => {
    const identity = EndpointFacts.identityOf("https://user:pass@rpc.example.com/v2/key?token=x", "rpcUrls")
    assert.deepStrictEqual(identity, {
      host: "rpc.example.com",
      role: "rpcUrls",
      isEncrypted: true,
      isLocal: false
    })
  })
})
