import { assert, layer } from "@effect/vitest"
import { Effect, Option } from "effect"
import * as MemoryRelayerKeys from "../../../../src/adapters/memory/orchestrator/RelayerKeys.ts"
import * as Address from "../../../../src/domain/Address.ts"
import { RelayerKeys } from "../../../../src/ports/orchestrator/RelayerKeys.ts"
import { relayerKeysSuite, unsigned } from "../../../ports/orchestrator/RelayerKeys.suite.ts"

const lanes = [
  Address.of("0x70997970C51812dc3A010C7d01b50e0d17dc79C8"),
  Address.of("0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC")
]
const [lane = Address.zero] = lanes

relayerKeysSuite("memory RelayerKeys", { layer: MemoryRelayerKeys.layer(lanes), lanes })

layer(MemoryRelayerKeys.layer(lanes))("memory RelayerKeys.read", (it) => {
  it.effect("reads back what was signed, and nothing else", () =>
    Effect.gen(function* () {
      const signed = yield* (yield* RelayerKeys).sign(lane, unsigned)
      assert.deepStrictEqual(MemoryRelayerKeys.read(signed.raw), Option.some({ lane, transaction: unsigned }))
      assert.deepStrictEqual(MemoryRelayerKeys.read("0x02f870"), Option.none())
    })
  )
})
