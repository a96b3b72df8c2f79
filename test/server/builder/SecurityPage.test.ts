/** `GET /.well-known/security.txt` of the builder backend. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as Harness from "./Harness.ts"

const PATH = "GET /.well-known/security.txt"
const live = { excludeTestServices: true }

layer(Harness.layer({ server: { securityContact: { contacts: ["tel:+1-201-555-0123"] } } }), live)(PATH, (it) => {
  it.effect("names the contact", () =>
    Effect.gen(function* () {
      const answer = yield* Harness.ask(PATH)
      assert.strictEqual(answer.status, 200)
      assert.match(answer.text, /^Contact: tel:\+1-201-555-0123\nExpires: \d{4}-\d\d-\d\dT00:00:00Z\n$/)
    })
  )
})

layer(Harness.layer(), live)(`${PATH} without a contact`, (it) => {
  it.effect("does not exist", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* Harness.ask(PATH)).status, 404)
    })
  )
})
