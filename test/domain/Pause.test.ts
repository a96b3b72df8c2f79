import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { nameOf, parse, pausedNames, pauseOf, PauseSubject, PauseState } from "../../src/domain/Pause.ts"
import * as Address from "../../src/domain/Address.ts"
import { BuilderId } from "../../src/domain/Builder.ts"

const TOKEN = Address.of(`0x${"ab".repeat(20)}`)
const OTHER = Address.of(`0x${"cd".repeat(20)}`)

const ChainId = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 4 }))
const Subject = Schema.Union([
  Schema.Struct({ scope: Schema.Literal("all") }),
  Schema.Struct({ scope: Schema.Literal("chain"), chainId: ChainId }),
  Schema.Struct({ scope: Schema.Literal("token"), chainId: ChainId, token: Schema.Literals([TOKEN, OTHER]) }),
  Schema.Struct({ scope: Schema.Literal("builder"), builderId: Schema.Literals(["bld_a", "acme:eu"]) })
])
const Choices = Schema.Array(Schema.Struct({ subject: Subject, state: PauseState }))
const Configured = Schema.Array(ChainId)

const sweep = {
  chainIds: [1, 2],
  tokens: [
    { chainId: 1, token: TOKEN },
    { chainId: 2, token: OTHER }
  ],
  builderId: "bld_a"
}

describe("pauses", () => {
  it.prop("subjects have names of their own, in which addresses may have any case", [Subject], ([subject]) => {
    assert.isTrue(Schema.is(PauseSubject)(subject))
    assert.deepStrictEqual(parse(nameOf(subject)), subject)
    if (subject.scope === "token") assert.deepStrictEqual(parse(nameOf(subject).toLowerCase()), subject)
  })

  it.prop("every builder that can be registered can be paused by name", [BuilderId], ([builderId]) => {
    const subject = { scope: "builder", builderId } as const
    assert.isTrue(Schema.is(PauseSubject)(subject))
    assert.deepStrictEqual(parse(nameOf(subject)), subject)
    assert.deepStrictEqual(pauseOf(new Set([nameOf(subject)]), { chainIds: [], tokens: [], builderId }), subject)
  })

  it("names of builders keep their colons and their case", () => {
    for (const builderId of ["acme:eu", "all:1", "a:", "a::b", "chain:1", "Team@acme.example", "b".repeat(128)]) {
      assert.deepStrictEqual(parse(`builder:${builderId}`), { scope: "builder", builderId })
    }
  })

  it("other names name nothing", () => {
    for (const name of [
      "",
      "all:1",
      "chain",
      "chain:0",
      "chain:01",
      "chain:1:2",
      "token:1",
      "token:1:0x12",
      `token:1:${TOKEN}:`,
      "builder",
      "builder:",
      "builder:-a",
      "builder:a b",
      `builder:${"b".repeat(129)}`,
      "Builder:a"
    ]) {
      assert.isUndefined(parse(name), name)
    }
  })

  it.prop("the last choice for a subject holds in place of the setting", [Configured, Choices, Subject], (input) => {
    const [configured, choices, subject] = input
    const last = choices.findLast((choice) => nameOf(choice.subject) === nameOf(subject))
    const isConfigured = subject.scope === "chain" && configured.includes(subject.chainId)
    const expected = last === undefined ? isConfigured : last.state === "paused"
    assert.strictEqual(pausedNames(configured, choices).has(nameOf(subject)), expected)
  })

  it.prop(
    "a sweep is paused exactly if a subject is that applies to it",
    [Configured, Choices],
    ([configured, choices]) => {
      const paused = pausedNames(configured, choices)
      const applying = ["all", "chain:1", "chain:2", `token:1:${TOKEN}`, `token:2:${OTHER}`, "builder:bld_a"]
      const found = pauseOf(paused, sweep)
      assert.strictEqual(
        found === undefined ? undefined : nameOf(found),
        applying.find((name) => paused.has(name))
      )
    }
  )
})
