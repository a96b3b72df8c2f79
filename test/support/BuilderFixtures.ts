/** Sweep events that differ only in the options that a test gives. */
import { Effect } from "effect"
import type { IntentEvent } from "../../src/domain/Intent.ts"
import { sweepEvent, type SweepEvent, type SweepStatus } from "../../src/domain/SweepEvent.ts"
import { Builders } from "../../src/ports/builder/Builders.ts"
import { address, hash, type IntentOptions, newIntent } from "./IntentFixtures.ts"

export const BUILDERS = ["alpha", "beta"] as const

/** Registers {@link BUILDERS}. */
export const register = Effect.gen(function* () {
  const builders = yield* Builders
  yield* Effect.forEach(BUILDERS, (id, position) =>
    builders.create({
      id,
      name: id,
      builderBps: 0,
      maxBuilderBps: 0,
      payoutAddress: address(0x80 + position),
      payoutMode: "ledger",
      createdAtMs: 0
    })
  )
})

/** The event by which an intent reaches `status`. */
const reaching = (status: SweepStatus, id: string): IntentEvent => {
  switch (status) {
    case "submitted":
      return { _tag: "Submitted" }
    case "settled_source":
      return { _tag: "SettledAtSource", txHash: hash(`tx ${id}`) }
    case "delivered":
      return { _tag: "Delivered", txHash: hash(`delivery ${id}`) }
    case "failed":
      return { _tag: "Failed", reason: "reverted" }
  }
}

/** The builder's event about an intent that reaches `status`. */
export const event = (
  status: SweepStatus,
  { atMs = 0, builderId = "alpha", id = "intent", ...options }: Partial<IntentOptions> & { readonly atMs?: number } = {}
): SweepEvent =>
  sweepEvent(
    { ...newIntent({ id, ...options }), id, ...(status === "submitted" ? {} : { txHash: hash(`tx ${id}`) }) },
    builderId,
    reaching(status, id),
    atMs
  )
