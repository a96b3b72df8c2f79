import { assert, it } from "@effect/vitest"
import { batchClass, classOf, firstClass, funderClass } from "../../src/domain/Exposure.ts"
import { ofReserved } from "../../src/domain/LossClasses.ts"

it("the loss of a first sweep counts for its owner, and that of any other for all of its classes", () => {
  const owner = classOf("listed", "owner", 1, "0xaa")
  const classes = [classOf("listed", "all", 1), owner, classOf("listed", "network", 1, "203.0.113.0/24")]
  for (const pots of [[firstClass(1, false)], [firstClass(1, true), funderClass(1, "0xf0")]]) {
    assert.deepStrictEqual(ofReserved(classes, pots), [owner])
  }
  for (const pots of [[], [batchClass(1)]]) assert.deepStrictEqual(ofReserved(classes, pots), classes)
})

it("the loss of a sweep that reserved as an unlisted one counts for those classes, and for no listed one", () => {
  const classes = [classOf("listed", "all", 1), classOf("listed", "owner", 1, "0xaa")]
  const reserved = [classOf("unlisted", "all", 1), classOf("unlisted", "token_out", 1, "0xdd")]
  assert.deepStrictEqual(ofReserved(classes, reserved), reserved)
  // The owner caused it, and others pay the same account.
  const ofOwner = [classOf("listed", "owner", 1, "0xaa"), classOf("unlisted", "owner", 1, "0xaa")]
  const ofFirst = [firstClass(1, false), funderClass(1, "0xf0"), ...reserved, classOf("unlisted", "owner", 1, "0xaa")]
  assert.deepStrictEqual(ofReserved(classes, ofFirst, false), ofOwner)
  assert.deepStrictEqual(ofReserved(classes, reserved, false), reserved)
  // Claims of two replicas may have reserved both.
  assert.deepStrictEqual(ofReserved(classes, [firstClass(1, false), ...reserved]), reserved)
})
