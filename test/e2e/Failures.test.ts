/** Sweeps that fail on the real parts leave the owner's tokens where they were. */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Semaphore } from "effect"
import { encodeFunctionData, erc20Abi, parseAbi, parseEther } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import * as Address from "../../src/domain/Address.ts"
import { balanceOf, freshOwner, transactionOf, type Owner, type Place, place, Services } from "../support/Services.ts"
import * as SweepClient from "../support/SweepClient.ts"

const oracleAbi = parseAbi(["function addToSanctionsList(address[] accounts)"])

/** The tests run side by side, since most of their time is spent until a deadline. They share the chain's mining. */
class Mining extends Context.Service<Mining, Semaphore.Semaphore>()("sweep/test/Mining") {
  static readonly layer = Layer.effect(Mining, Semaphore.make(1))
}

/** Has the chain for itself: no other test stops or needs its blocks meanwhile. */
const alone = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.flatMap(Mining, (mining) => mining.withPermit(effect))

/** Nothing is mined while `effect` runs; afterwards blocks come every second again. */
const withoutBlocks = <A, E, R>({ dev }: Place, effect: Effect.Effect<A, E, R>) =>
  Effect.acquireUseRelease(
    dev.node.ask("stop mining", (node) => node.setIntervalMining({ interval: 0 })),
    () => effect,
    () => Effect.orDie(dev.node.ask("mine again", (node) => node.setIntervalMining({ interval: 1 })))
  )

/** A transaction of the owner's own, paid with what it is given for it. */
const sendAs = Effect.fnUntraced(function* (
  { dev }: Place,
  account: Owner,
  transaction: { readonly to: `0x${string}`; readonly data?: `0x${string}`; readonly authorization?: `0x${string}` }
) {
  yield* dev.node.ask("give gas", (node) => node.setBalance({ address: account.address, value: parseEther("1") }))
  return yield* dev.node.ask("send as the owner", async (node) => {
    const { authorization, ...call } = transaction
    const nonce = await node.getTransactionCount({ address: account.address, blockTag: "pending" })
    const authorizationList =
      authorization === undefined
        ? undefined
        : [await account.signAuthorization({ address: authorization, chainId: node.chain.id, nonce: nonce + 1 })]
    return node.sendTransaction({
      ...call,
      account,
      nonce,
      gas: 200_000n,
      // Ahead of the relayer's in the next block.
      maxFeePerGas: parseEther("0.000001"),
      maxPriorityFeePerGas: parseEther("0.0000005"),
      ...(authorizationList === undefined ? {} : { authorizationList })
    })
  })
})

/** The same, and waits until the transaction is mined. */
const mineAs = Effect.fnUntraced(function* (...args: Parameters<typeof sendAs>) {
  const hash = yield* sendAs(...args)
  yield* args[0].dev.node.ask("await the transaction", (node) => node.waitForTransactionReceipt({ hash }))
})

/** A busy machine must submit within the lifetime of the quote, and broadcast within both. */
const services = Services.layer({ settings: { quoteLifetimeMillis: 15_000, orderGraceSeconds: 10 } })

// A sweep fails only after its deadline, unless its nonce is spent: until then anybody may still send it.
layer(Layer.merge(services, Mining.layer), {
  excludeTestServices: true,
  concurrent: true
})("Failures end to end", (it) => {
  const quoted = Effect.fnUntraced(function* (
    client: SweepClient.SweepClient,
    where: Place,
    owner: Owner,
    request: Pick<SweepClient.SweepRequest, "tokenIn" | "amountIn" | "tokenOut"> & {
      readonly destination?: `0x${string}`
    }
  ) {
    const quote = yield* Effect.promise(() => client.quote({ owner: owner.address, chain: where.info, ...request }))
    assert.strictEqual(quote.status, 200, quote.text)
    return quote
  })

  // So much that it can pay for the priority fees of the transactions here, by which the service estimates its own.
  const usd = { tokenIn: "DAI", amountIn: "5000", tokenOut: "USDC" } as const
  const amount = 5_000n * 10n ** 18n

  /** An owner with a signed quote; `number` makes it a client of its own. */
  const prepared = Effect.fnUntraced(function* (
    number: number,
    options: { readonly destination?: `0x${string}`; readonly authorizationNonce?: number } = {}
  ) {
    const services = yield* Services
    const alpha = place(services, 0)
    const client = SweepClient.make(services.info.orchestratorUrl, number)
    const owner = yield* freshOwner(alpha, "DAI", "5000")
    const { authorizationNonce, ...destination } = options
    const quote = yield* quoted(client, alpha, owner, { ...usd, ...destination })
    const signed = yield* Effect.promise(() => SweepClient.sign(owner, quote, authorizationNonce))
    return { services, alpha, client, owner, quote, signed }
  })

  /** Submits, waits until the relayer has broadcast, and returns the transaction. */
  const broadcast = Effect.fnUntraced(function* (
    where: Place,
    client: SweepClient.SweepClient,
    signed: SweepClient.Signed
  ) {
    yield* Effect.promise(() => client.submitAccepted(signed))
    return yield* transactionOf(where, client, signed.quoteId)
  })

  it.effect("refuses a quote that has expired", () =>
    Effect.gen(function* () {
      const { client, quote, signed } = yield* alone(prepared(1))
      yield* Effect.sleep(quote.at<number>("quote.expiresAtMs") - Date.now() + 50)
      const refused = yield* Effect.promise(() => client.submit(signed))
      assert.strictEqual(refused.status, 400)
      assert.strictEqual(refused.text, `{"error":"internal error"}`)
      const intent = yield* Effect.promise(() => client.get(`/intents/${signed.quoteId}`))
      assert.strictEqual(intent.string("status"), "quoted")
    })
  )

  /** A sweep that was broadcast, and whose owner's tokens a thief takes before it is mined. */
  const drained = Effect.gen(function* () {
    const alpha = place(yield* Services, 0)
    const client = SweepClient.make((yield* Services).info.orchestratorUrl, 2)
    const owner = yield* freshOwner(alpha, "DAI", "5000")
    const thief = privateKeyToAccount(generatePrivateKey())
    const dai = SweepClient.tokenOf(alpha.info, "DAI").address as `0x${string}`
    yield* mineAs(alpha, owner, {
      to: dai,
      data: encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [thief.address, 2n ** 256n - 1n] })
    })
    const quote = yield* quoted(client, alpha, owner, usd)
    const signed = yield* Effect.promise(() => SweepClient.sign(owner, quote))
    const take = encodeFunctionData({
      abi: erc20Abi,
      functionName: "transferFrom",
      args: [owner.address, thief.address, amount]
    })
    yield* withoutBlocks(
      alpha,
      Effect.andThen(broadcast(alpha, client, signed), sendAs(alpha, thief, { to: dai, data: take }))
    )
    return { client, signed }
  })

  it.effect("fails a sweep whose owner was drained between submission and inclusion", () =>
    Effect.gen(function* () {
      const { client, signed } = yield* alone(drained)
      const ended = yield* Effect.promise(() => client.ended(signed.quoteId))
      assert.strictEqual(ended.string("status"), "failed", ended.text)
      assert.strictEqual(ended.string("failureReason"), "insufficient_balance")
    })
  )

  it.effect("fails a sweep whose authorization is for another nonce, and moves nothing", () =>
    Effect.gen(function* () {
      const { alpha, client, owner, signed } = yield* alone(prepared(3, { authorizationNonce: 7 }))
      const accepted = yield* Effect.promise(() => client.submit(signed))
      assert.strictEqual(accepted.status, 201, accepted.text)
      const ended = yield* Effect.promise(() => client.ended(signed.quoteId))
      assert.strictEqual(ended.string("failureReason"), "stale_authorization", ended.text)
      assert.strictEqual(yield* balanceOf(alpha, "DAI", owner.address), amount)
    })
  )

  it.effect("fails a sweep whose owner's nonce moved after broadcast: the silent no-op of a type-4 transaction", () =>
    Effect.gen(function* () {
      const { alpha, client, owner, signed } = yield* alone(
        Effect.tap(prepared(4), ({ alpha, client, owner, signed }) =>
          withoutBlocks(
            alpha,
            Effect.andThen(broadcast(alpha, client, signed), sendAs(alpha, owner, { to: owner.address }))
          )
        )
      )
      const ended = yield* Effect.promise(() => client.ended(signed.quoteId))
      assert.strictEqual(ended.string("status"), "failed", ended.text)
      assert.strictEqual(ended.string("failureReason"), "stale_authorization")
      const receipt = yield* alpha.dev.node.ask("read the receipt", (node) =>
        node.getTransactionReceipt({ hash: ended.string("txHash") as `0x${string}` })
      )
      assert.strictEqual(receipt.status, "success")
      assert.strictEqual(receipt.logs.length, 0)
      assert.strictEqual(yield* balanceOf(alpha, "DAI", owner.address), amount)
    })
  )

  it.effect("fails a sweep whose account was delegated to somebody else meanwhile", () =>
    Effect.gen(function* () {
      const { alpha, client, owner, signed } = yield* alone(
        Effect.tap(prepared(5), ({ alpha, owner }) =>
          mineAs(alpha, owner, { to: owner.address, authorization: alpha.info.permit2 })
        )
      )
      yield* Effect.promise(() => client.submitAccepted(signed))
      const ended = yield* Effect.promise(() => client.ended(signed.quoteId))
      assert.strictEqual(ended.string("failureReason"), "delegation_replaced", ended.text)
      assert.strictEqual(yield* balanceOf(alpha, "DAI", owner.address), amount)
    })
  )

  it.effect("blocks sanctioned owners and destinations at the quote", () =>
    Effect.gen(function* () {
      const services = yield* Services
      const alpha = place(services, 0)
      const client = SweepClient.make(services.info.orchestratorUrl, 6)
      const owner = yield* alone(freshOwner(alpha, "DAI", "5000"))
      const { sanctionedAddress } = services.info
      const blocked = yield* Effect.promise(() =>
        Promise.all([
          client.quote({ ...usd, owner: owner.address, chain: alpha.info, destination: sanctionedAddress }),
          client.quote({ ...usd, owner: sanctionedAddress, chain: alpha.info, destination: owner.address })
        ])
      )
      for (const answer of blocked) {
        assert.strictEqual(answer.status, 403)
        assert.strictEqual(answer.text, `{"error":"request blocked by sanctions screening"}`)
      }
    })
  )

  it.effect("blocks a destination at submission that was listed since the quote", () =>
    Effect.gen(function* () {
      const destination = Address.of(privateKeyToAccount(generatePrivateKey()).address)
      const { client, signed } = yield* alone(
        Effect.tap(prepared(8, { destination }), ({ alpha }) =>
          mineAs(alpha, privateKeyToAccount(alpha.dev.deployer.privateKey), {
            to: alpha.info.sanctionsOracle,
            data: encodeFunctionData({ abi: oracleAbi, functionName: "addToSanctionsList", args: [[destination]] })
          })
        )
      )
      const refused = yield* Effect.promise(() => client.submit(signed))
      assert.strictEqual(refused.status, 400, refused.text)
      assert.strictEqual(refused.text, `{"error":"internal error"}`)
    })
  )

  /** A sweep whose transaction somebody else sends first, with a higher fee. */
  const overtaken = Effect.gen(function* () {
    const { alpha, client, owner, signed } = yield* prepared(7)
    const other = privateKeyToAccount(generatePrivateKey())
    yield* withoutBlocks(
      alpha,
      Effect.gen(function* () {
        const ours = yield* broadcast(alpha, client, signed)
        yield* alpha.dev.node.ask("front-run", async (node) => {
          await node.setBalance({ address: other.address, value: parseEther("10") })
          return node.sendTransaction({
            account: other,
            to: ours.to,
            data: ours.input,
            gas: 600_000n,
            maxFeePerGas: parseEther("0.000001"),
            maxPriorityFeePerGas: parseEther("0.0000005"),
            authorizationList: [...(ours.authorizationList ?? [])]
          })
        })
      })
    )
    return { alpha, client, other, owner, signed }
  })

  it.effect("settles an order that somebody else sent first, once", () =>
    Effect.gen(function* () {
      const { alpha, client, other, owner, signed } = yield* alone(overtaken)
      const ended = yield* Effect.promise(() => client.ended(signed.quoteId))
      assert.strictEqual(ended.string("status"), "delivered", ended.text)
      const settling = yield* alpha.dev.node.ask("read the settling transaction", (node) =>
        node.getTransaction({ hash: ended.string("txHash") as `0x${string}` })
      )
      assert.strictEqual(Address.of(settling.from), Address.of(other.address))
      assert.strictEqual(yield* balanceOf(alpha, "DAI", owner.address), 0n)
    })
  )
})
