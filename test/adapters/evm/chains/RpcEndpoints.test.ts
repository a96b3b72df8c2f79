/** Endpoints that an operator wants to use, asked over HTTP. */
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { FetchHttpClient } from "effect/http"
import * as HttpRpcEndpoints from "../../../../src/adapters/evm/chains/RpcEndpoints.ts"
import { RpcEndpoints } from "../../../../src/ports/orchestrator/RpcEndpoints.ts"
import { chain } from "../../../support/FakeChain.ts"
import { type Seen, StubServer } from "../../../support/StubServer.ts"

const use = <A, E, R>(
  rpcUrls: ReadonlyArray<string>,
  body: (endpoints: RpcEndpoints["Service"]) => Effect.Effect<A, E, R>
) =>
  Effect.flatMap(RpcEndpoints, body).pipe(
    Effect.provide(HttpRpcEndpoints.layer([{ chain, rpcUrls }])),
    Effect.provide(FetchHttpClient.layer)
  )

const HEADER = { number: "0x3e8", timestamp: "0x10", hash: `0x${"ab".repeat(32)}` }

const node = ({ body }: Seen) => {
  const { id, method } = JSON.parse(body) as { readonly id: number; readonly method: string }
  const results: Readonly<Record<string, unknown>> = {
    eth_chainId: "0x7a69",
    eth_getBlockByNumber: HEADER,
    eth_call: "0x"
  }
  return { status: 200, body: { jsonrpc: "2.0", id, result: results[method] } }
}

describe("RPC endpoints that an operator wants to use", () => {
  it.effect("have public addresses, unless the chains file names their host", () =>
    use(["http://10.0.0.7:8545/key"], ({ isAllowed }) =>
      Effect.gen(function* () {
        for (const [url, isIt] of [
          ["https://1.1.1.1/key", true],
          ["http://10.0.0.7:9545", true],
          ["http://10.0.0.8:8545", false],
          ["http://127.0.0.1:8545", false],
          ["http://169.254.169.254/latest", false],
          ["http://[::1]:8545", false],
          ["http://[fd00::1]", false]
        ] as const) {
          assert.strictEqual(yield* isAllowed(url), isIt, url)
        }
      })
    )
  )

  it.live("are asked for their chain, head and overrides, and follow no redirect", () =>
    Effect.gen(function* () {
      const server = yield* StubServer
      yield* server.answer(node)
      const [well] = (yield* use([], ({ examine }) => examine([{ url: server.url }]))).endpoints
      assert.deepStrictEqual(well?.answer, { _tag: "Chain", id: "0x7a69" })
      assert.deepStrictEqual(well?.head, { number: 1_000n, timestamp: 16n })
      assert.strictEqual(well?.stateOverrides, false)
      assert.strictEqual(well?.commonHash, HEADER.hash)
      yield* server.answer(({ path }) => ({ status: 307, headers: { location: `${server.url}/elsewhere${path}` } }))
      const [led] = (yield* use([], ({ examine }) => examine([{ url: `${server.url}/key` }]))).endpoints
      assert.strictEqual(led?.answer._tag, "Silent")
      assert.isFalse((yield* server.seen).some(({ path }) => path.startsWith("/elsewhere")))
    }).pipe(Effect.provide(StubServer.layer))
  )

  it.live("that do not answer end within three seconds", () =>
    Effect.gen(function* () {
      const server = yield* StubServer
      yield* server.answer({ status: 200, silent: true })
      const [took, { endpoints }] = yield* Effect.timed(use([], ({ examine }) => examine([{ url: server.url }])))
      assert.strictEqual(endpoints[0]?.answer._tag, "Silent")
      assert.isBelow(Duration.toMillis(took), 3_500)
    }).pipe(Effect.provide(StubServer.layer))
  )
})
