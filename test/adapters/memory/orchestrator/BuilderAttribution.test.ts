import { Effect, Redacted } from "effect"
import * as MemoryBuilderAttribution from "../../../../src/adapters/memory/orchestrator/BuilderAttribution.ts"
import type { Attribution } from "../../../../src/domain/Builder.ts"
import { suite } from "../../../ports/orchestrator/BuilderAttribution.suite.ts"
import { address } from "../../../support/IntentFixtures.ts"

const attributed = (builderId: string): Attribution => ({
  builderId,
  builderBps: 20,
  maxBuilderBps: 50,
  payoutAddress: address(0xaa),
  payoutMode: "ledger"
})

const builders = new Map([
  ["key-a", attributed("bld_a")],
  ["key-b", attributed("bld_b")]
])

suite(
  "memory",
  MemoryBuilderAttribution.layer({ builders }),
  Effect.succeed({
    known: Array.from(builders, ([key, attribution]) => ({ apiKey: Redacted.make(key), attribution })),
    unknown: Redacted.make("key-?")
  })
)
