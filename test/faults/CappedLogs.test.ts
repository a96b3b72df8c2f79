/** Nodes that return logs of 10 blocks at once and take no batches cost deliveries across chains no time. */
import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Schedule } from "effect"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import * as DevNetwork from "../../src/devnet/DevNetwork.ts"
import { capLogs } from "../support/FaultProxy.ts"
import { TestNetwork } from "../support/Network.ts"
import { balanceOf, freshOwner, type Place } from "../support/Services.ts"
import * as SweepClient from "../support/SweepClient.ts"
import * as Scene from "./Scene.ts"

const BLOCKS = 10

/** From the fill to the status that clients see: about a second, without a busy machine. */
const DELIVERY_MILLIS = 20_000

const AMOUNT = "50"

const widthOf = ([filter]: ReadonlyArray<unknown>): number => {
  const { fromBlock, toBlock } = filter as { readonly fromBlock: string; readonly toBlock: string }
  return Number(toBlock) - Number(fromBlock) + 1
}

layer(Scene.layer, { excludeTestServices: true })("Nodes that cap logs", (it) => {
  it.effect("prove deliveries across chains within five seconds of the fill, with their transactions", () =>
    Effect.gen(function* () {
      const scene = yield* Scene.make()
      const route = yield* scene.route
      for (const proxy of [route.alpha, route.beta]) yield* proxy.react(capLogs(BLOCKS))
      const { client } = yield* scene.orchestrator(route)
      const { chains } = yield* TestNetwork
      const [, betaChain] = chains
      assert.isDefined(betaChain)
      const beta: Place = { dev: betaChain, info: DevNetwork.describe(betaChain) }

      const bridged = Effect.fnUntraced(function* () {
        const owner = yield* freshOwner(scene.alpha, "USDC", AMOUNT)
        const destination = privateKeyToAccount(generatePrivateKey()).address
        const quote = yield* Effect.promise(() =>
          client.quote({
            owner: owner.address,
            chain: scene.alpha.info,
            tokenIn: "USDC",
            amountIn: AMOUNT,
            tokenOut: "USDC",
            destChain: beta.info,
            destination
          })
        )
        assert.strictEqual(quote.status, 200, quote.text)
        const signed = yield* Effect.promise(() => SweepClient.sign(owner, quote))
        yield* Effect.promise(() => client.submit(signed))
        yield* balanceOf(beta, "USDC", destination).pipe(
          Effect.repeat({ schedule: Schedule.spaced("20 millis"), until: (balance) => balance > 0n })
        )
        const filledAt = yield* Clock.currentTimeMillis
        const ended = yield* scene.delivered(client, { id: signed.quoteId, owner: owner.address, signed })
        const took = (yield* Clock.currentTimeMillis) - filledAt
        assert.isAtMost(took, DELIVERY_MILLIS)
        assert.match(ended.string("deliveryTxHash"), /^0x[0-9a-f]{64}$/)
      })

      yield* bridged()
      // Far more blocks than one request may ask for.
      yield* betaChain.node.ask("mine", (node) => node.mine({ blocks: 100, interval: 0 }))
      yield* Effect.all([bridged(), bridged(), bridged()], { concurrency: "unbounded" })
      const reads = (yield* route.beta.calls).filter(({ method }) => method === "eth_getLogs")
      assert.isTrue(reads.some(({ params }) => widthOf(params) === BLOCKS))
      assert.isTrue(reads.every(({ forwarded, params }) => forwarded === widthOf(params) <= BLOCKS))
    })
  )
})
