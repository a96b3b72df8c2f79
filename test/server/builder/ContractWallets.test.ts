/** Sign-in with a contract wallet, whose address can have other owners, or no code, on another chain. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { bytesToHex } from "viem"
import * as Address from "../../../src/domain/Address.ts"
import type { Hex } from "../../../src/domain/Hex.ts"
import { type ChainClient, Chains, ChainUnavailable, UnsupportedChain } from "../../../src/ports/shared/Chains.ts"
import * as FakeChain from "../../support/FakeChain.ts"
import * as Harness from "./Harness.ts"

const { asAdmin, ask, field, text, wallet } = Harness
const live = { excludeTestServices: true }

const ONE = FakeChain.chain.id
const TWO = ONE + 1
const CODE = "0x60"

/** A chain whose validator accepts the signatures in `valid`, and on which the wallets in `deployed` have code. */
const scriptedChain = (id: number) => {
  const deployed = new Set<Address.Address>()
  const valid = new Set<Hex>()
  const state = { isSilent: false, beforeCode: Effect.void as Effect.Effect<void> }
  const away = new ChainUnavailable({ chainId: id, method: "eth_getCode", detail: "away" })
  const client: ChainClient = {
    ...FakeChain.client({
      code: (address) =>
        Effect.andThen(
          state.beforeCode,
          Effect.suspend(() =>
            state.isSilent ? Effect.fail(away) : Effect.succeed<Hex>(deployed.has(address) ? CODE : "0x")
          )
        ),
      call: ({ codeOverrides = [] }) =>
        Effect.sync((): Hex =>
          [...valid].some((signature) => codeOverrides.some(({ code }) => code.includes(signature.slice(2))))
            ? "0x01"
            : "0x00"
        )
    }),
    chain: { ...FakeChain.chain, id }
  }
  return { client, deployed, state, valid }
}

const one = scriptedChain(ONE)
const two = scriptedChain(TWO)
const scripts = new Map([
  [ONE, one],
  [TWO, two]
])

const chains = Layer.succeed(Chains, {
  all: [one.client, two.client],
  get: (chainId) => {
    const found = scripts.get(chainId)
    return found === undefined ? Effect.fail(new UnsupportedChain({ chainId })) : Effect.succeed(found.client)
  }
})

/** Address of a contract wallet. */
const safe = () => Address.of(wallet().address)

/** A message that a contract wallet signed, valid on the chain that it names. */
const contractSigned = Effect.fnUntraced(function* (address: Address.Address, chainId: number) {
  const signature = bytesToHex(crypto.getRandomValues(new Uint8Array(80)))
  scripts.get(chainId)?.valid.add(signature)
  return { message: Harness.message(address, { nonce: yield* Harness.nonce, chainId }), signature }
})

const verify = (body: object) => ask("POST /auth/verify", { body })
const register = (body: object) => ask("POST /builders/self", { body: { ...body, name: "Contract" } })

const signInOn = (address: Address.Address, chainId: number) => Effect.flatMap(contractSigned(address, chainId), verify)
const signUpOn = (address: Address.Address, chainId: number) =>
  Effect.flatMap(contractSigned(address, chainId), register)

const idOf = (address: Address.Address) => `bld_${address.slice(2).toLowerCase()}`
const storedChain = (id: string) =>
  Effect.map(asAdmin(`GET /admin/builders/${id}`), (answer) => field(answer, "builder", "walletChainId"))
const patch = (id: string, body: object) => asAdmin(`PATCH /admin/builders/${id}`, { body })

/** A builder whose payout address is a contract wallet, without a chain. */
const registered = Effect.fnUntraced(function* (address: Address.Address) {
  const body = { id: `op_${address.slice(2)}`, name: "Safe", builderBps: 0, maxBuilderBps: 0, payoutAddress: address }
  const answer = yield* asAdmin("POST /admin/builders", { body })
  assert.strictEqual(answer.status, 201)
  return body.id
})

const assertRefused = (answer: Harness.Answer) => {
  assert.strictEqual(answer.status, 401)
  assert.deepStrictEqual(answer.body, { error: "bad_signature" })
}

const deployOn = (address: Address.Address, ...on: ReadonlyArray<ReturnType<typeof scriptedChain>>) => {
  for (const { deployed } of on) deployed.add(address)
}

layer(Harness.layer({ chains }), live)("a contract wallet", (it) => {
  it.effect("signs in on the chain of its sign-up, and on no other", () =>
    Effect.gen(function* () {
      const address = safe()
      deployOn(address, one, two)
      const signedUp = yield* signUpOn(address, ONE)
      assert.strictEqual(yield* storedChain(idOf(address)), ONE)
      // Orchestrators and the builder are told, since sweeps and payouts of other chains do not pay the address.
      const told = ask("POST /attribute", { headers: { "x-api-key": Harness.text(signedUp, "apiKey") } })
      assert.strictEqual(field(yield* told, "walletChainId"), ONE)
      const accruals = yield* Harness.asBuilder(Harness.cookieOf(signedUp))("GET /me/accruals")
      assert.deepStrictEqual(accruals.body, { balances: [], lifetime: [], paid: [], walletChainId: ONE })
      const foreign = yield* contractSigned(address, TWO)
      assertRefused(yield* verify(foreign))
      assertRefused(yield* register(foreign))
      assert.strictEqual((yield* signInOn(address, ONE)).status, 200)
    })
  )

  it.effect("signs up with the message of its first sign-in, on that chain", () =>
    Effect.gen(function* () {
      const address = safe()
      deployOn(address, two)
      const body = yield* contractSigned(address, TWO)
      assert.strictEqual((yield* verify(body)).status, 404)
      assert.strictEqual((yield* register(body)).status, 201)
      assert.strictEqual(yield* storedChain(idOf(address)), TWO)
    })
  )

  it.effect("that is deployed on one chain does not count on another, where its first owners could deploy it", () =>
    Effect.gen(function* () {
      const address = safe()
      const id = yield* registered(address)
      deployOn(address, one)
      const counterfactual = yield* contractSigned(address, TWO)
      assertRefused(yield* verify(counterfactual))
      assertRefused(yield* register(counterfactual))
      assert.isUndefined(yield* storedChain(id))
      // The first sign-in that counts gives the builder its chain.
      assert.strictEqual((yield* signInOn(address, ONE)).status, 200)
      assert.strictEqual(yield* storedChain(id), ONE)
      const audit = yield* asAdmin("GET /admin/audit?limit=1")
      assert.deepStrictEqual(
        ["actor", "action", "subject", "details"].map((name) => field(audit, "records", 0, name)),
        [`builder:${id}`, "builder.bind_wallet", id, { walletChainId: ONE }]
      )
      deployOn(address, two)
      assertRefused(yield* signInOn(address, TWO))
    })
  )

  it.effect("that is deployed nowhere signs up, and signs in again", () =>
    Effect.gen(function* () {
      const address = safe()
      assert.strictEqual((yield* signUpOn(address, TWO)).status, 201)
      assert.strictEqual((yield* signInOn(address, TWO)).status, 200)
      assertRefused(yield* signInOn(address, ONE))
    })
  )

  it.effect("that may be deployed on a silent chain is not decided about", () =>
    Effect.gen(function* () {
      const address = safe()
      const body = yield* contractSigned(address, TWO)
      one.state.isSilent = true
      const answers = yield* Effect.ensuring(
        Effect.all([verify(body), register(body)]),
        Effect.sync(() => (one.state.isSilent = false))
      )
      assert.deepStrictEqual(
        answers.map(({ status }) => status),
        [502, 502]
      )
      // The nonce is not spent.
      assert.strictEqual((yield* register(body)).status, 201)
    })
  )

  it.effect(
    "of a builder without a chain does not count while it is deployed on several, until the operator chooses",
    () =>
      Effect.gen(function* () {
        const address = safe()
        const id = yield* registered(address)
        deployOn(address, one, two)
        for (const chainId of [ONE, TWO]) assertRefused(yield* signInOn(address, chainId))
        assert.strictEqual((yield* patch(id, { walletChainId: TWO })).status, 200)
        assertRefused(yield* signInOn(address, ONE))
        assert.strictEqual((yield* signInOn(address, TWO)).status, 200)
      })
  )

  it.effect("gets one chain, however many sign-ins race", () =>
    Effect.gen(function* () {
      const address = safe()
      const id = yield* registered(address)
      const bodies = [yield* contractSigned(address, ONE), yield* contractSigned(address, TWO)]
      // Each has found no chain stored before the other one stores its own.
      let arrived = 0
      const { promise: both, resolve } = Promise.withResolvers<void>()
      const barrier = Effect.promise(() => {
        arrived += 1
        if (arrived === bodies.length) resolve()
        return both
      })
      for (const { state } of [one, two]) state.beforeCode = barrier
      const answers = yield* Effect.ensuring(
        Effect.forEach(bodies, verify, { concurrency: "unbounded" }),
        Effect.sync(() => {
          for (const { state } of [one, two]) state.beforeCode = Effect.void
        })
      )
      assert.sameMembers(
        answers.map(({ status }) => status),
        [200, 401]
      )
      const winner = answers[0]?.status === 200 ? ONE : TWO
      assert.strictEqual(yield* storedChain(id), winner)
      for (const answer of answers) if (answer.status === 401) assertRefused(answer)
    })
  )

  it.effect("loses its sessions when it moves to another chain, where it may have another holder", () =>
    Effect.gen(function* () {
      const address = safe()
      deployOn(address, one, two)
      assert.strictEqual((yield* signUpOn(address, ONE)).status, 201)
      const former = Harness.asBuilder(Harness.cookieOf(yield* signInOn(address, ONE)))
      const id = idOf(address)
      for (const body of [{ name: "Renamed" }, { walletChainId: ONE }]) {
        assert.strictEqual((yield* patch(id, body)).status, 200)
        assert.strictEqual((yield* former("GET /me")).status, 200)
      }
      assert.strictEqual((yield* patch(id, { walletChainId: TWO })).status, 200)
      assert.strictEqual((yield* former("GET /me")).status, 401)
      const present = Harness.asBuilder(Harness.cookieOf(yield* signInOn(address, TWO)))
      assert.strictEqual((yield* present("GET /me")).status, 200)
      assert.strictEqual((yield* patch(id, { walletChainId: null })).status, 200)
      assert.strictEqual((yield* present("GET /me")).status, 401)
    })
  )

  it.effect("moves to another chain by its operator, on record", () =>
    Effect.gen(function* () {
      const address = safe()
      deployOn(address, one, two)
      assert.strictEqual((yield* signUpOn(address, ONE)).status, 201)
      const id = idOf(address)
      const moved = yield* patch(id, { walletChainId: TWO })
      assert.strictEqual(field(moved, "walletChainId"), TWO)
      assertRefused(yield* signInOn(address, ONE))
      assert.strictEqual((yield* signInOn(address, TWO)).status, 200)
      assert.strictEqual(field(yield* patch(id, { name: "Renamed" }), "walletChainId"), TWO)
      const forgotten = yield* patch(id, { walletChainId: null })
      assert.strictEqual(forgotten.status, 200)
      assert.isUndefined(field(forgotten, "walletChainId"))
      const audit = yield* asAdmin("GET /admin/audit?limit=3")
      assert.deepStrictEqual(
        [0, 1, 2].map((n) => field(audit, "records", n, "details")),
        [{ walletChainId: "none" }, { name: "Renamed" }, { walletChainId: TWO }]
      )
      assertRefused(yield* signInOn(address, ONE))
      for (const walletChainId of [0, -1, 1.5, "1"]) {
        assert.strictEqual((yield* patch(id, { walletChainId })).status, 422)
      }
    })
  )
})

layer(Harness.layer({ chains, settings: { siweChainIds: [ONE] } }), live)("where one chain is for sign-ins", (it) => {
  it.effect("a contract wallet does not sign in on another, and a key does", () =>
    Effect.gen(function* () {
      const address = safe()
      for (const chainId of [TWO, TWO + 1]) {
        assertRefused(yield* signUpOn(address, chainId))
        assertRefused(yield* signInOn(address, chainId))
      }
      assert.strictEqual((yield* signUpOn(address, ONE)).status, 201)
      const { account } = yield* Harness.signUp()
      for (const chainId of [TWO, TWO + 1]) {
        assert.strictEqual((yield* verify(yield* Harness.signed(account, { chainId }))).status, 200)
      }
    })
  )
})

layer(Harness.layer({ chains }), live)("a wallet with a key", (it) => {
  it.effect("signs in on any chain, and gets none", () =>
    Effect.gen(function* () {
      const { account, id } = yield* Harness.signUp()
      for (const chainId of [TWO, ONE]) {
        assert.strictEqual((yield* verify(yield* Harness.signed(account, { chainId }))).status, 200)
      }
      assert.isUndefined(yield* storedChain(id))
      // Nor does a chain that is stored bind its key.
      assert.strictEqual((yield* patch(id, { walletChainId: ONE })).status, 200)
      assert.strictEqual((yield* verify(yield* Harness.signed(account, { chainId: TWO }))).status, 200)
      assert.strictEqual(text(yield* asAdmin(`GET /admin/builders/${id}`), "builder", "payoutAddress"), account.address)
    })
  )
})
