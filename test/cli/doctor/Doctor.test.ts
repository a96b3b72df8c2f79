/** Checks run side by side: one that fails, dies or hangs stops no other, and no secret leaves. */
import * as BunServices from "@effect/platform-bun/BunServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Option } from "effect"
import { FetchHttpClient } from "effect/http"
import { TestClock } from "effect/testing"
import { type Check, type Deployment, BOTH, type Service } from "../../../src/cli/doctor/Check.ts"
import * as Doctor from "../../../src/cli/doctor/Doctor.ts"
import * as Report from "../../../src/cli/doctor/Report.ts"
import { ok, error, found } from "../../../src/domain/doctor/Finding.ts"
import { scrubber } from "../../../src/domain/doctor/Scrub.ts"

const SECRET = "3f6c9a55e1"

const missing = Effect.fail({ message: "nothing is configured" })

const deployment = (...services: ReadonlyArray<Service>): Deployment => ({
  services,
  listed: Option.none(),
  served: missing,
  lanes: missing,
  feeRecipientKey: missing,
  withDatabase: () => missing
})

const check = (name: string, findings: Check["findings"], services: ReadonlyArray<Service> = BOTH): Check => ({
  name,
  services,
  findings
})

const well = check("well", () => Effect.succeed([found(ok("well", "it is well"), "it", `is well with ${SECRET}`)]))
const wrong = check("wrong", () =>
  Effect.succeed([found(error("wrong", "it is wrong", `Remove ${SECRET}.`), SECRET, "is wrong")])
)
const failing = check("failing", () => Effect.fail({ message: `it failed at ${SECRET}` }))
const dying = check("dying", () => Effect.die(new Error(`it died of ${SECRET}`)))
const hanging = check("hanging", () => Effect.never)

const examine = (checks: ReadonlyArray<Check>, ...services: ReadonlyArray<Service>) =>
  Doctor.examine(checks, deployment(...services), scrubber([SECRET]), () => Effect.void).pipe(
    Effect.provide(Layer.merge(BunServices.layer, FetchHttpClient.layer))
  )

describe("doctor", () => {
  it.effect("turns every end of a check into a finding, in the order of the checks", () =>
    Effect.gen(function* () {
      const running = yield* Effect.forkChild(examine([hanging, failing, dying, wrong, well], "orchestrator"))
      yield* TestClock.adjust("31 seconds")
      const all = yield* Fiber.join(running)
      assert.deepStrictEqual(
        all.map(({ check, findings }) => [check, ...findings.map(({ code }) => code)]),
        [
          ["hanging", "check_too_slow"],
          ["failing", "not_checked"],
          ["dying", "check_broken"],
          ["wrong", "wrong"],
          ["well", "well"]
        ]
      )
      assert.notInclude(JSON.stringify(all), SECRET)
      const report = Report.of(["orchestrator"], all)
      assert.deepStrictEqual([report.ok, report.errors, report.warnings], [false, 2, 2])
      const text = Report.asText(report)
      assert.include(text, "Not checked: failing (it failed at <hidden>)")
      assert.match(text, /\n2 errors, 1 warning, 1 ok, 1 not checked$/)
    })
  )

  it.effect("runs the checks of the services that are asked for", () =>
    Effect.gen(function* () {
      const checks = [check("ofOrchestrator", () => Effect.succeed([]), ["orchestrator"]), well]
      const names = (...services: ReadonlyArray<Service>) =>
        Effect.map(examine(checks, ...services), (all) => all.map((each) => each.check))
      assert.deepStrictEqual(yield* names("builder-backend"), ["well"])
      assert.deepStrictEqual(yield* names("orchestrator", "builder-backend"), ["ofOrchestrator", "well"])
    })
  )
})
