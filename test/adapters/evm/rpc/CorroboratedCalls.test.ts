/** Simulations that a second endpoint has to confirm, although it has an older head. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { keccak256, numberToHex, zeroHash } from "viem"
import type { ChainClient } from "../../../../src/ports/shared/Chains.ts"
import { address } from "../../../support/FakeChain.ts"
import { network, type Node } from "./scriptedNodes.ts"

/** A node at a height, which answers a balance that the probe of state overrides sets, and `said` to any other call. */
const at =
  (height: number, said: string): Node =>
  (method, params) => {
    if (method !== "eth_call") {
      return {
        result: {
          number: numberToHex(height),
          hash: keccak256(numberToHex(height)),
          parentHash: zeroHash,
          timestamp: "0x1",
          gasLimit: "0x1"
        }
      }
    }
    const isProbe = JSON.stringify(params[2] ?? {}).includes(`"balance":"0x2a"`)
    return { result: isProbe ? numberToHex(42, { size: 32 }) : said }
  }

const simulated = (client: ChainClient) =>
  client
    .call({ to: address(1), data: "0x", codeOverrides: [{ address: address(1), code: "0x00" }] })
    .pipe(Effect.catchTag("CallReverted", Effect.die))

const corroborated = (client: ChainClient) =>
  Effect.andThen(client.block("latest"), client.corroborated(simulated(client)))

const alone = (client: ChainClient) => Effect.andThen(client.block("latest"), simulated(client))

describe("a simulation of the endpoint with the newest head", () => {
  it.effect("is contradicted by one that is a block behind", () =>
    Effect.gen(function* () {
      const { use } = network({ newest: at(101, "0x0bad"), behind: at(100, "0x600d") })
      assert.strictEqual(yield* use(alone), "0x0bad")
      const { message } = yield* Effect.flip(use(corroborated))
      assert.include(message, "newest and behind gave different answers")
    })
  )

  it.effect("stands if the others cannot simulate", () =>
    Effect.gen(function* () {
      const refusing: Node = (method, params) =>
        method === "eth_call"
          ? { error: { code: -32_602, message: "too many arguments" } }
          : at(100, "0x")(method, params)
      const { use } = network({ newest: at(101, "0x0bad"), refusing })
      assert.strictEqual(yield* use(corroborated), "0x0bad")
    })
  )
})
