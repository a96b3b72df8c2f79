/** Sign-up with the message that sign-in answered with `no_builder`: one signature, for one account, once. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as Harness from "./Harness.ts"

const { ask, signed, signUp, wallet } = Harness
const live = { excludeTestServices: true }

const verify = (body: object) => ask("POST /auth/verify", { body })
const register = (body: object, name = "One signature") => ask("POST /builders/self", { body: { ...body, name } })

const BAD_NONCE = { error: "bad_nonce" }
const BAD_SIGNATURE = { error: "bad_signature" }
const NO_BUILDER = { error: "no_builder" }

const RACERS = 10

/** Number of answers by status. */
const tally = (answers: ReadonlyArray<Harness.Answer>) => {
  const counts: Record<number, number> = {}
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

layer(Harness.layer(), live)("one signature", (it) => {
  it.effect("tells an unregistered wallet so, once, and then signs it up", () =>
    Effect.gen(function* () {
      const account = wallet()
      const body = yield* signed(account)
      const told = yield* verify(body)
      assert.strictEqual(told.status, 404)
      assert.deepStrictEqual(told.body, NO_BUILDER)
      assert.isNull(told.headers.get("set-cookie"))
      assert.deepStrictEqual((yield* verify(body)).body, BAD_NONCE)
      const made = yield* register(body)
      assert.strictEqual(made.status, 201)
      assert.strictEqual(Harness.field(made, "builder", "payoutAddress"), account.address)
      assert.strictEqual((yield* Harness.asBuilder(Harness.cookieOf(made))("GET /me")).status, 200)
      // Nothing is left of the message, for sign-up or sign-in.
      assert.deepStrictEqual((yield* register(body)).body, BAD_NONCE)
      assert.deepStrictEqual((yield* verify(body)).body, BAD_NONCE)
    })
  )

  it.effect("may sign up with a fresh nonce at once, as before", () =>
    Effect.gen(function* () {
      const body = yield* signed(wallet())
      assert.strictEqual((yield* register(body)).status, 201)
      assert.deepStrictEqual((yield* verify(body)).body, BAD_NONCE)
    })
  )

  it.effect("is worth nothing for another message or another wallet", () =>
    Effect.gen(function* () {
      const account = wallet()
      const nonce = yield* Harness.nonce
      const body = yield* signed(account, { nonce })
      assert.deepStrictEqual((yield* verify(body)).body, NO_BUILDER)
      const others = [
        yield* signed(wallet(), { nonce }),
        yield* signed(account, { nonce, notBefore: new Date(Date.now() - 1_000) })
      ]
      for (const other of others) {
        assert.deepStrictEqual((yield* register(other)).body, BAD_NONCE)
        assert.deepStrictEqual((yield* verify(other)).body, BAD_NONCE)
      }
      const forged = yield* signed(wallet())
      assert.deepStrictEqual((yield* register({ ...body, signature: forged.signature })).body, BAD_SIGNATURE)
      // None of these attempts took the message from its wallet.
      assert.strictEqual((yield* register(body)).status, 201)
    })
  )

  it.effect("gives one account, however many sign-ups race", () =>
    Effect.gen(function* () {
      const body = yield* signed(wallet())
      const told = yield* Effect.all(
        Array.from({ length: RACERS }, () => verify(body)),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(tally(told), { 404: 1, 401: RACERS - 1 })
      const made = yield* Effect.all(
        Array.from({ length: RACERS }, () => register(body)),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(tally(made), { 201: 1, 401: RACERS - 1 })
    })
  )

  it.effect("leaves the message usable after a name that is refused", () =>
    Effect.gen(function* () {
      const body = yield* signed(wallet())
      yield* verify(body)
      assert.strictEqual((yield* register(body, " ")).status, 422)
      assert.strictEqual((yield* register(body)).status, 201)
    })
  )

  it.effect("tells nobody but the wallet's owner whether it is registered", () =>
    Effect.gen(function* () {
      const { account: registered } = yield* signUp()
      const stranger = wallet()
      for (const account of [registered, wallet()]) {
        const nonce = yield* Harness.nonce
        const message = Harness.message(account.address, { nonce })
        const signature = yield* Effect.promise(() => stranger.signMessage({ message }))
        const unsigned = { message, signature: `0x${"00".repeat(65)}` }
        for (const body of [{ message, signature }, unsigned]) {
          for (const answer of [yield* verify(body), yield* register(body)]) {
            assert.strictEqual(answer.status, 401)
            assert.deepStrictEqual(answer.body, BAD_SIGNATURE)
          }
        }
      }
    })
  )
})

layer(Harness.layer({ settings: { selfSignupEnabled: false } }), live)("without self-signup", (it) => {
  it.effect("nothing is kept", () =>
    Effect.gen(function* () {
      const body = yield* signed(wallet())
      assert.deepStrictEqual((yield* verify(body)).body, NO_BUILDER)
      assert.deepStrictEqual((yield* register(body)).body, { error: "signup_disabled" })
      assert.deepStrictEqual((yield* verify(body)).body, BAD_NONCE)
    })
  )
})
