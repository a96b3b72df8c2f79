/** A node that accepts requests and never answers costs users of the other chains nothing. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { pass, swallow } from "../support/FaultProxy.ts"
import * as SweepClient from "../support/SweepClient.ts"
import { TestNetwork } from "../support/Network.ts"
import * as Scene from "./Scene.ts"

/** Less than the 10 seconds that a silent node would take, and more than a busy machine needs. */
const ANSWER_MILLIS = 9_000

layer(Scene.layer, { excludeTestServices: true })("A silent chain", (it) => {
  it.effect("is named by reads for users, which answer with the others, and quoted as unavailable", () =>
    Effect.gen(function* () {
      const scene = yield* Scene.make()
      const route = yield* scene.route
      const { client } = yield* scene.orchestrator(route)
      const { chains } = yield* TestNetwork
      const [, beta] = chains
      assert.isDefined(beta)
      const request = yield* scene.quoteRequest
      const get = (path: string) =>
        Effect.timeout(
          Effect.promise(() => client.get(path)),
          ANSWER_MILLIS
        )
      const { route: _hint, ...body } = SweepClient.quoteBody(request)
      const quote = Effect.promise(() => client.post("/quote", body))
      const whole = yield* get(`/portfolio/${request.owner}`)
      assert.notInclude(whole.text, "unavailableChains")

      yield* route.beta.react(() => swallow)
      for (const path of [`/portfolio/${request.owner}`, `/portfolio/${request.owner}/sweepable`, "/prices"]) {
        const answer = yield* get(path)
        assert.strictEqual(answer.status, 200, answer.text)
        assert.deepStrictEqual(answer.at("unavailableChains"), [beta.chain.id], path)
      }
      // The owner holds the amount on the chain that answers.
      const quoted = yield* Effect.timeout(quote, ANSWER_MILLIS)
      assert.strictEqual(quoted.status, 200, quoted.text)

      yield* route.alpha.react(() => swallow)
      yield* route.beta.react(() => pass)
      const refused = yield* Effect.timeout(quote, ANSWER_MILLIS)
      assert.strictEqual(refused.status, 503, refused.text)
      assert.strictEqual(refused.headers.get("retry-after"), "1")
    })
  )
})
