/** The process dies in every step of a sale of collected fees. Each sale is made once, and none is forgotten. */
import { assert, layer } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import * as Accounts from "../../src/devnet/Accounts.ts"
import { ADMIN_TOKEN } from "../support/OrchestratorProcess.ts"
import { balanceOf, freshOwner } from "../support/Services.ts"
import { tokenOf } from "../support/SweepClient.ts"
import * as Scene from "./Scene.ts"

/** Ends a test that hangs. Milliseconds; a run takes about a minute. */
const TIMEOUT_MILLIS = 400_000

interface Step {
  readonly sale: string
  readonly intent: string | null
}

interface Entry {
  readonly token: string
  readonly collected: string
  readonly sold: string
  readonly held: string
  readonly unexplained: string
}

layer(Scene.layer, { excludeTestServices: true })("Sales of collected fees", (it) => {
  it.effect(
    "are made once, whenever the process dies",
    () =>
      Effect.gen(function* () {
        const scene = yield* Scene.make()
        const { info } = scene.alpha
        const route = yield* scene.route
        const env = {
          FEE_RECIPIENT_KEY: Accounts.feeRecipient().privateKey,
          TREASURY_ASSETS: `${info.id}:${tokenOf(info, "USDC").address}`,
          TREASURY_INTERVAL_HOURS: "0",
          TREASURY_MIN_USD: "0"
        }
        const start = scene.orchestrator(route, env)

        /** States of the sales and of their intents, once they are as expected. */
        const until = (isExpected: (steps: ReadonlyArray<Step>) => boolean) =>
          scene.sql<Step>`
            SELECT s.state AS sale, i.status AS intent FROM orchestrator.treasury_sales s
            LEFT JOIN orchestrator.intent_states i ON i.id = s.intent_id`.pipe(
            Effect.repeat({ schedule: Schedule.spaced("50 millis"), until: isExpected })
          )
        /** Kills the process, as if its leases then expired. */
        const dies = Effect.fnUntraced(function* ({ kill }: Effect.Success<typeof start>) {
          yield* kill
          yield* scene.endLeases
          yield* scene.sql`UPDATE orchestrator.treasury_sales SET due_at = now() - interval '1 second'`
        })

        const first = yield* start
        for (const [tokenIn, amountIn] of [
          ["DAI", "800"],
          ["WETH", "0.5"]
        ] as const) {
          const owner = yield* freshOwner(scene.alpha, tokenIn, amountIn)
          const request = { owner: owner.address, chain: info, tokenIn, amountIn, tokenOut: "USDC" }
          const sweep = yield* scene.quoteFor(first.client, owner, request)
          yield* scene.submit(first.client, sweep)
          yield* scene.delivered(first.client, sweep)
        }

        // It dies when the sales are planned.
        const headers = { authorization: `Bearer ${ADMIN_TOKEN}` }
        const sold = yield* Effect.promise(() =>
          fetch(`${first.url}/admin/treasury/sales`, { method: "POST", headers })
        )
        assert.strictEqual(sold.status, 200)
        yield* dies(first)

        // It dies when an order is submitted.
        const second = yield* start
        yield* until((steps) => steps.some(({ intent }) => intent !== null && intent !== "quoted"))
        yield* dies(second)

        // It dies when the chain has settled an order.
        const third = yield* start
        yield* until((steps) => steps.some(({ intent }) => intent === "delivered"))
        yield* dies(third)

        const last = yield* start
        const ends = yield* until((steps) => steps.every(({ sale }) => sale === "settled" || sale === "failed"))
        assert.deepStrictEqual(
          ends.map(({ sale }) => sale),
          ["settled", "settled"]
        )
        const { settlements } = yield* scene.check
        assert.lengthOf(settlements, 4)

        const books = yield* Effect.promise(() => fetch(`${last.url}/admin/treasury`, { headers }))
        const { entries } = (yield* Effect.promise(() => books.json())) as { readonly entries: ReadonlyArray<Entry> }
        assert.lengthOf(entries, 3)
        for (const { held, token, unexplained } of entries) {
          const symbol = Object.entries(info.tokens).find(([, { address }]) => address === token)?.[0] ?? token
          assert.strictEqual(unexplained, "0", symbol)
          assert.strictEqual(BigInt(held), yield* balanceOf(scene.alpha, symbol, info.feeRecipient))
        }
      }),
    TIMEOUT_MILLIS
  )
})
