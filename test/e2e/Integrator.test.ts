/** Repeated requests and the catalog, over the running services and their database. */
import { assert, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { PgClient } from "@effect/sql-pg"
import type { DevInfo } from "../../src/devnet/DevInfo.ts"
import { freshOwner, place, Services } from "../support/Services.ts"

const key = () => ({ "content-type": "application/json", "idempotency-key": crypto.randomUUID() })

const post = (info: DevInfo, path: string, headers: Record<string, string>, body: unknown) =>
  Effect.promise(async () => {
    const answer = await fetch(`${info.orchestratorUrl}${path}`, {
      method: "POST",
      headers,
      body: JSON.stringify(body)
    })
    return { status: answer.status, replayed: answer.headers.get("idempotent-replayed"), json: await answer.json() }
  })

/** Signs what the quote asks for. */
const sign = (owner: Effect.Success<ReturnType<typeof freshOwner>>, { quote, signing }: Quoted) =>
  Effect.promise(async () => {
    const { address, chainId, nonce } = signing.authorization
    const { r, s, yParity } = await owner.signAuthorization({ address, chainId, nonce: Number(nonce) })
    return {
      quoteId: quote.id,
      signature: await owner.signTypedData(signing.typedData),
      authorization: { address, chainId, nonce, r, s, yParity }
    }
  })

interface Quoted {
  readonly quote: { readonly id: string }
  readonly signing: {
    readonly typedData: Parameters<Effect.Success<ReturnType<typeof freshOwner>>["signTypedData"]>[0]
    readonly authorization: { readonly address: `0x${string}`; readonly chainId: number; readonly nonce: string }
  }
}

layer(Services.layer(), { excludeTestServices: true })("the running orchestrator", (it) => {
  it.effect("answers repeated requests as the first time, also when that answer was lost", () =>
    Effect.gen(function* () {
      const app = yield* Services
      const { info } = app
      const alpha = place(app, 0)
      const owner = yield* freshOwner(alpha, "DAI", "25")
      const request = {
        owner: owner.address,
        tokenIn: alpha.info.tokens["DAI"]?.address,
        amountIn: (25n * 10n ** 18n).toString(),
        tokenOut: alpha.info.tokens["USDC"]?.address,
        destination: owner.address,
        destChainId: alpha.info.id,
        route: "alpha->alpha",
        tier: "tier1",
        subscriptionActive: false,
        userId: "e2e"
      }
      const quoteKey = key()
      const first = yield* post(info, "/quote", quoteKey, request)
      assert.strictEqual(first.status, 200)
      const second = yield* post(info, "/quote", quoteKey, request)
      assert.deepStrictEqual(second, { ...first, replayed: "true" })

      const submission = yield* sign(owner, first.json as Quoted)
      const submissionKey = key()
      const taken = yield* post(info, "/intents", submissionKey, submission)
      assert.strictEqual(taken.status, 201)
      // As if the process had died after the submission was durable and before it could answer.
      const lost = Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        yield* sql`UPDATE orchestrator.idempotency_keys SET status = NULL, body = NULL, lease_until = now()`
      }).pipe(Effect.provide(PgClient.layer({ url: Redacted.make(info.databaseUrl), maxConnections: 1 })))
      yield* lost
      const resumed = yield* post(info, "/intents", submissionKey, submission)
      assert.strictEqual(resumed.status, 201)
      assert.isNull(resumed.replayed)
      assert.strictEqual((resumed.json as { id: string }).id, (taken.json as { id: string }).id)
      assert.deepStrictEqual(yield* post(info, "/intents", submissionKey, submission), { ...resumed, replayed: "true" })
      assert.strictEqual((yield* post(info, "/intents", key(), submission)).status, 400)
    })
  )

  it.effect("lists the chains and tokens of the network", () =>
    Effect.gen(function* () {
      const { info } = yield* Services
      const get = (path: string) =>
        Effect.promise(async (): Promise<unknown> => (await fetch(`${info.orchestratorUrl}${path}`)).json())
      const { chains } = (yield* get("/chains")) as {
        chains: ReadonlyArray<{ id: number; contracts: { delegate: string }; features: unknown }>
      }
      assert.deepStrictEqual(
        chains.map(({ contracts, features, id }) => ({ id, delegate: contracts.delegate, features })),
        info.chains.map(({ delegate, id }) => ({
          id,
          delegate,
          features: {
            source: true,
            swap: true,
            bridgeDestinations: info.chains.filter((other) => other.id !== id).map((other) => other.id),
            swapBeforeBridge: true
          }
        }))
      )
      const { tokens } = (yield* get(`/tokens?chainId=${info.chains[0]?.id}`)) as {
        tokens: ReadonlyArray<{ symbol: string }>
      }
      assert.includeMembers(
        tokens.map(({ symbol }) => symbol),
        ["ETH", "USDC", "DAI"]
      )
    })
  )
})
