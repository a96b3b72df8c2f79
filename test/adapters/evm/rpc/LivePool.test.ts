import { assert, describe, it } from "@effect/vitest"
import { Effect, Ref } from "effect"
import type { RpcEndpoint } from "../../../../src/domain/RpcEndpoint.ts"
import type { ChainClient } from "../../../../src/ports/shared/Chains.ts"
import { EndpointChoices } from "../../../../src/ports/shared/EndpointChoices.ts"
import { address, chain } from "../../../support/FakeChain.ts"
import { network, type Reaction } from "./scriptedNodes.ts"

const answering = (balance: Reaction) => () => balance

const urlOf = (host: string) => ({ url: `http://${host}/v2/secret-api-key` })

/** Uses a client whose chain has the endpoint `first` in the chains file, and calls `choose` to change that. */
const used = <E>(
  body: (
    client: ChainClient,
    choose: (endpoints: ReadonlyArray<RpcEndpoint> | undefined) => Effect.Effect<void>,
    log: ReadonlyArray<string>
  ) => Effect.Effect<void, E>,
  second: Reaction = { result: "0x2" }
) =>
  Effect.gen(function* () {
    const { log, use } = network(
      { first: answering({ result: "0x1" }), second: answering(second), elsewhere: answering({ result: "0x3" }) },
      undefined,
      {},
      ["second", "elsewhere"]
    )
    const chosen = yield* Ref.make<ReadonlyMap<number, ReadonlyArray<RpcEndpoint>>>(new Map())
    const choose = (endpoints: ReadonlyArray<RpcEndpoint> | undefined) =>
      Ref.set(chosen, new Map(endpoints === undefined ? [] : [[chain.id, endpoints]]))
    yield* use((client) => body(client, choose, log)).pipe(Effect.provideService(EndpointChoices, Ref.get(chosen)))
  })

const balance = (client: ChainClient) => client.balance(address(1))

describe("a pool of chosen endpoints", () => {
  it.effect("asks those of the chains file until there is a choice, and again when it is dropped", () =>
    used((client, choose) =>
      Effect.gen(function* () {
        assert.strictEqual(yield* balance(client), 1n)
        yield* choose([urlOf("second")])
        assert.strictEqual(yield* balance(client), 2n)
        yield* choose(undefined)
        assert.strictEqual(yield* balance(client), 1n)
      })
    )
  )

  it.effect("checks the chain of a chosen endpoint before it is asked", () =>
    used((client, choose, log) =>
      Effect.gen(function* () {
        yield* choose([urlOf("elsewhere")])
        assert.strictEqual((yield* Effect.flip(balance(client)))._tag, "ChainUnavailable")
        assert.notInclude(log, "elsewhere eth_getBalance")
        assert.deepStrictEqual(yield* client.elsewhere, ["elsewhere"])
        yield* choose([urlOf("second")])
        assert.deepStrictEqual(yield* client.elsewhere, [])
      })
    )
  )

  it.effect("keeps what an endpoint was asked before, so that its chain is not checked again", () =>
    used(
      (client, choose, log) =>
        Effect.gen(function* () {
          yield* balance(client)
          yield* choose([urlOf("second"), urlOf("first")])
          assert.strictEqual(yield* balance(client), 1n)
          assert.lengthOf(
            log.filter((line) => line === "first eth_chainId"),
            1
          )
        }),
      "refuse connection"
    )
  )
})
