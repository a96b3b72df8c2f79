/** Runs the client against the services on the local network. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { FetchHttpClient } from "effect/http"
import * as Address from "../../src/domain/Address.ts"
import { SweepApi } from "../../src/sdk/effect.ts"
import * as Sdk from "../../src/sdk/index.ts"
import { balanceOf, freshOwner, type Place, Services } from "../support/Services.ts"
import * as Support from "../support/SweepClient.ts"
import { losing, POLL, requestFor, setUp } from "./NetworkScene.ts"

layer(Services.layer(), { excludeTestServices: true })("The client on the local network", (it) => {
  it.effect("sweeps on one chain, and what arrives is what the review said", () =>
    Effect.gen(function* () {
      const { alpha, asked, sweeps } = yield* setUp(1)
      const owner = yield* freshOwner(alpha, "DAI", "40")
      const request = requestFor(owner, alpha, "DAI", "40", "USDC")
      assert.deepStrictEqual(
        yield* Effect.promise(() => sweeps.delegation(owner.address, { chainId: alpha.info.id })),
        { kind: "none" }
      )
      const seen: Array<string> = []
      const result = yield* Effect.promise(() =>
        sweeps.sweep(request, owner, {
          ...POLL,
          confirm: ({ fees, receive, send }) =>
            send.amount === request.amountIn && fees.total < send.amount && receive.guaranteedBy === "order",
          onProgress: ({ status }) => seen.push(status)
        })
      )
      assert.strictEqual(result?.intent.status, "delivered")
      assert.strictEqual(seen.at(-1), "delivered")
      // The service has events, so nothing is polled; the rest went to the node.
      assert.deepStrictEqual(
        asked.filter((path) => path !== "/"),
        ["/quote", "/intents", "/intents/:id/events"]
      )
      assert.strictEqual(yield* balanceOf(alpha, "DAI", owner.address), 0n)
      const received = yield* balanceOf(alpha, "USDC", owner.address)
      assert.isTrue(received >= (result?.review.receive.minAmount ?? received + 1n))
      assert.deepStrictEqual(
        yield* Effect.promise(() => sweeps.delegation(owner.address, { chainId: alpha.info.id })),
        { kind: "delegated", delegate: alpha.info.delegate }
      )
    })
  )

  it.effect("sweeps across two chains, on the bridge call's word", () =>
    Effect.gen(function* () {
      const { alpha, beta, sweeps } = yield* setUp(2)
      const owner = yield* freshOwner(alpha, "USDC", "30")
      const request = requestFor(owner, alpha, "USDC", "30", "USDC", beta)
      const result = yield* Effect.promise(() => sweeps.sweep(request, owner, POLL))
      assert.strictEqual(result?.review.receive.guaranteedBy, "bridge")
      assert.strictEqual(yield* balanceOf(beta, "USDC", owner.address), result?.review.receive.minAmount)
      assert.isDefined(result?.intent.deliveryTxHash)
    })
  )

  it.effect("sweeps the native currency across chains", () =>
    Effect.gen(function* () {
      const { alpha, beta, sweeps } = yield* setUp(3)
      const owner = yield* freshOwner(alpha, "ETH", "0.5")
      const result = yield* Effect.promise(() =>
        sweeps.sweep(requestFor(owner, alpha, "ETH", "0.5", "ETH", beta), owner, POLL)
      )
      assert.strictEqual(result?.review.receive.guaranteedBy, "bridge")
      assert.strictEqual(yield* balanceOf(beta, "ETH", owner.address), result?.review.receive.minAmount)
    })
  )

  it.effect("sweeps one asset into another across chains, by what is known of the bridge", () =>
    Effect.gen(function* () {
      const { alpha, beta, options, sweeps } = yield* setUp(12)
      for (const [amount, tokenIn, tokenOut, via] of [
        ["30", "USDC", "ETH", "WETH"],
        ["30", "DAI", "USDC", "USDC"]
      ] as const) {
        const owner = yield* freshOwner(alpha, tokenIn, amount)
        const request = requestFor(owner, alpha, tokenIn, amount, tokenOut, beta)

        const { bridges: _, ...review } = options.review ?? {}
        const uninformed = Sdk.createSweepClient({ ...options, review })
        const offer = yield* Effect.promise(() => uninformed.quote(request))
        assert.throws(() => uninformed.reviewOrder(offer, request), Sdk.OrderMismatchError, "is not confirmed")
        const trusting = Sdk.createSweepClient({ ...options, review: { ...review, unconfirmed: "warn" } })
        const doubtful = trusting.reviewOrder(offer, request)
        assert.strictEqual(doubtful.receive.guaranteedBy, "service")
        assert.isTrue(doubtful.warnings.some((warning) => warning.includes(alpha.dev.tokens[via])))

        const result = yield* Effect.promise(() => sweeps.sweep(request, owner, POLL))
        if (result === undefined) return assert.fail("the sweep was not confirmed")
        const { receive, warnings } = result.review
        if (receive.via === undefined) return assert.fail("nothing is swapped before the bridge")
        assert.strictEqual(result.intent.status, "delivered")
        assert.strictEqual(receive.guaranteedBy, "bridge")
        assert.deepStrictEqual(warnings, [])
        assert.strictEqual(receive.via.token, alpha.dev.tokens[via])
        assert.isTrue(receive.via.minAmount >= receive.minAmount)
        assert.isTrue(receive.estimatedAmount > receive.minAmount)
        assert.isTrue((yield* balanceOf(beta, tokenOut, owner.address)) >= receive.minAmount)
        assert.strictEqual(yield* balanceOf(alpha, tokenIn, owner.address), 0n)
      }
    })
  )

  it.effect("attributes a sweep to the builder of the client's key", () =>
    Effect.gen(function* () {
      const { alpha, options, services } = yield* setUp(4)
      const sweeps = Sdk.createSweepClient({ ...options, apiKey: services.builder.apiKey })
      const owner = yield* freshOwner(alpha, "DAI", "50")
      const result = yield* Effect.promise(() =>
        sweeps.sweep(requestFor(owner, alpha, "DAI", "50", "USDC"), owner, POLL)
      )
      const { builder, builderAddress = "0x" } = result?.review.fees ?? { builder: 0n }
      assert.strictEqual(builder, (50n * 10n ** 18n * 30n) / 10_000n)
      assert.strictEqual(yield* balanceOf(alpha, "DAI", builderAddress), builder)
    })
  )

  it.effect("tells refusals apart as the service means them", () =>
    Effect.gen(function* () {
      const { alpha, services, sweeps } = yield* setUp(8)
      const owner = yield* freshOwner(alpha, "DAI", "40")
      const request = requestFor(owner, alpha, "DAI", "40", "USDC")
      const failure = (promise: Promise<unknown>) => Effect.promise(() => promise.catch((error: unknown) => error))
      assert.instanceOf(yield* failure(sweeps.quote({ ...request, amountIn: 1n })), Sdk.QuoteUnavailableError)
      assert.instanceOf(
        yield* failure(sweeps.quote({ ...request, destination: services.info.sanctionedAddress })),
        Sdk.ScreeningBlockedError
      )
      const invalid = yield* failure(sweeps.quote({ ...request, owner: "0x12" }))
      assert.isTrue(invalid instanceof Sdk.InvalidRequestError && invalid.problems[0]?.startsWith("owner"))
      assert.instanceOf(yield* failure(sweeps.waitForIntent("nobody's")), Sdk.NotFoundError)

      const offer = yield* Effect.promise(() => sweeps.quote(request))
      const signed = yield* Effect.promise(() => sweeps.signSweep(offer, request, owner))
      const forged = { ...signed, signature: `0x${"11".repeat(65)}` } as const
      assert.instanceOf(yield* failure(sweeps.submit(forged)), Sdk.SubmissionRefusedError)
      yield* Effect.promise(() => sweeps.submit(signed))
      assert.instanceOf(yield* failure(sweeps.submit(signed)), Sdk.SubmissionRefusedError)
      yield* Effect.promise(() => sweeps.waitForIntent(offer.quote.id, POLL))
    })
  )

  it.effect("sweeps once although the answers to the quote and to the submission get lost", () =>
    Effect.gen(function* () {
      const { alpha, options } = yield* setUp(9)
      const owner = yield* freshOwner(alpha, "DAI", "40")
      const request = requestFor(owner, alpha, "DAI", "40", "USDC")
      const { fetch, keys, lost } = losing(options.fetch ?? globalThis.fetch)
      const sweeps = Sdk.createSweepClient({ ...options, fetch, retry: { pauseMillis: 10 } })
      const result = yield* Effect.promise(() => sweeps.sweep(request, owner, POLL))
      assert.strictEqual(result?.intent.status, "delivered")
      assert.deepStrictEqual(lost, ["/quote", "/intents"])
      const [quoted, again, submitted, resubmitted] = keys
      assert.deepStrictEqual([quoted, submitted], [again, resubmitted])
      assert.notStrictEqual(quoted, submitted)
      assert.strictEqual(yield* balanceOf(alpha, "DAI", owner.address), 0n)
    })
  )

  it.effect("tells a key that stood for another request", () =>
    Effect.gen(function* () {
      const { alpha, sweeps } = yield* setUp(10)
      const owner = yield* freshOwner(alpha, "DAI", "40")
      const request = requestFor(owner, alpha, "DAI", "40", "USDC")
      const idempotencyKey = "a key of mine"
      const first = yield* Effect.promise(() => sweeps.quote(request, { idempotencyKey }))
      const again = yield* Effect.promise(() => sweeps.quote(request, { idempotencyKey }))
      assert.deepStrictEqual(again, first)
      const other = sweeps.quote({ ...request, amountIn: request.amountIn - 1n }, { idempotencyKey })
      const error = yield* Effect.promise(() => other.catch((cause: unknown) => cause))
      assert.instanceOf(error, Sdk.IdempotencyKeyReusedError)
    })
  )

  it.effect("sweeps a wallet on two chains with one signature, and asks its nodes for the nonces", () =>
    Effect.gen(function* () {
      const { alpha, beta, options } = yield* setUp(13)
      const owner = yield* freshOwner(alpha, "DAI", "300")
      const fund = ({ dev, info }: Place, token: "USDT" | "USDC", amount: string) =>
        dev.fund(Address.of(owner.address), {
          token,
          amount: Support.amountOf({
            owner: owner.address,
            chain: info,
            tokenIn: token,
            amountIn: amount,
            tokenOut: token
          })
        })
      yield* fund(alpha, "USDT", "120")
      yield* fund(beta, "USDC", "200")
      const sweeps = Sdk.createSweepClient({
        ...options,
        nodes: { [alpha.info.id]: alpha.dev.rpcUrl, [beta.info.id]: beta.dev.rpcUrl }
      })
      const signatures: Array<string> = []
      const wallet: Sdk.SweepSigner = {
        address: owner.address,
        signTypedData: (typedData) => {
          signatures.push(typedData.primaryType)
          return owner.signTypedData(typedData)
        },
        signAuthorization: (authorization) => {
          signatures.push("authorization")
          return owner.signAuthorization(authorization)
        }
      }
      const usdc = Support.tokenOf(alpha.info, "USDC").address
      const events: Array<string> = []
      const result = yield* Effect.promise(() =>
        sweeps.sweepAll({ owner: owner.address, token: usdc, to: { chainId: alpha.info.id } }, wallet, {
          ...POLL,
          choose: ({ balance }) => balance > 0n,
          onEvent: ({ type }) => events.push(type)
        })
      )
      if (result === undefined) return assert.fail("the sweep was not confirmed")
      assert.deepStrictEqual(
        result.sweep.intents.map(({ status }) => status),
        ["delivered", "delivered", "delivered"]
      )
      assert.deepStrictEqual(signatures, ["SweepBatch", "authorization", "authorization"])
      assert.deepStrictEqual(events.slice(0, 5), ["portfolio", "quoted", "reviewed", "signed", "submitted"])
      const least = result.review.legs.reduce((sum, { receive }) => sum + receive.minAmount, 0n)
      assert.isTrue((yield* balanceOf(alpha, "USDC", owner.address)) >= least)
      const { sweeps: listed } = yield* Effect.promise(() => sweeps.sweepsOf(owner.address))
      assert.deepStrictEqual(
        listed.map(({ id }) => id),
        [result.sweep.id]
      )
    })
  )

  it.effect("sweeps by the Effect API", () =>
    Effect.gen(function* () {
      const { alpha, asked, options } = yield* setUp(11)
      const owner = yield* freshOwner(alpha, "DAI", "40")
      const { fetch, keys, lost } = losing(options.fetch ?? globalThis.fetch)
      const seen: Array<string> = []
      yield* Effect.gen(function* () {
        const sweeps = yield* SweepApi
        const request = requestFor(owner, alpha, "DAI", "40", "USDC")
        const declined = yield* Effect.flip(sweeps.sweep(request, owner, { confirm: () => Effect.succeed(false) }))
        assert.strictEqual(declined._tag, "Declined")
        const unwanted = { ...request, minAmountOut: 2n ** 200n }
        const mismatch = yield* Effect.flip(sweeps.sweep(unwanted, owner))
        assert.strictEqual(mismatch._tag, "OrderMismatch")
        const blocked = yield* Effect.flip(sweeps.quote({ ...request, amountIn: 1n }))
        assert.strictEqual(blocked._tag, "Unprocessable")
        const { intent } = yield* sweeps.sweep(request, owner, {
          onProgress: ({ status }) => Effect.sync(() => seen.push(status))
        })
        assert.strictEqual(intent.status, "delivered")
        assert.strictEqual(seen.at(-1), "delivered")
      }).pipe(
        Effect.provide(SweepApi.layer({ ...options, retry: { pauseMillis: 10 } })),
        Effect.provide(FetchHttpClient.layer),
        Effect.provideService(FetchHttpClient.Fetch, ((url, init) =>
          fetch(String(url), init ?? {})) as typeof globalThis.fetch)
      )
      assert.deepStrictEqual(lost, ["/quote", "/intents"])
      assert.deepStrictEqual(keys.slice(-2, -1), keys.slice(-1))
      // The service has events, so nothing is polled.
      assert.notInclude(asked, "/intents/:id")
      assert.strictEqual(asked.at(-1), "/intents/:id/events")
    })
  )
})
