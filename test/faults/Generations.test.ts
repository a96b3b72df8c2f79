/** A chain's contracts were upgraded, and the service was restarted with the new ones. Orders for the old ones still settle. */
import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { type Hex, parseEther, type PrivateKeyAccount } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import * as DevNetwork from "../../src/devnet/DevNetwork.ts"
import * as Ports from "../../src/devnet/Ports.ts"
import * as Address from "../../src/domain/Address.ts"
import { designator } from "../../src/domain/Delegation.ts"
import { DEFAULT_DOMAIN_NAME, digest, type SweepOrder, typedData } from "../../src/domain/SweepOrder.ts"
import * as ChainsFile from "../support/ChainsFile.ts"
import { deployFirst } from "../support/FirstGeneration.ts"
import { TestNetwork } from "../support/Network.ts"
import * as OrchestratorProcess from "../support/OrchestratorProcess.ts"
import { TestServer } from "../support/Postgres.ts"
import { freshOwner, type Place } from "../support/Services.ts"
import * as SweepClient from "../support/SweepClient.ts"
import * as Scene from "./Scene.ts"

const TIMEOUT = 120_000
const PATIENCE_SECONDS = 60

/** The order of a quote's answer. */
const orderOf = (quote: SweepClient.Answer): SweepOrder => {
  const amount = (field: string) => BigInt(quote.string(`order.${field}`))
  const address = (field: string) => Address.of(quote.string(`order.${field}`))
  return {
    owner: address("owner"),
    tokenIn: address("tokenIn"),
    amountIn: amount("amountIn"),
    feeAmount: amount("feeAmount"),
    builder: address("builder"),
    builderFee: amount("builderFee"),
    tokenOut: address("tokenOut"),
    minAmountOut: amount("minAmountOut"),
    destination: address("destination"),
    swapTarget: address("swapTarget"),
    swapCalldata: quote.string("order.swapCalldata") as Hex,
    deadline: amount("deadline"),
    nonce: amount("nonce"),
    destChainId: amount("destChainId")
  }
}

const make = Effect.gen(function* () {
  const { chains } = yield* TestNetwork
  const [dev] = chains
  assert.isDefined(dev)
  const alpha: Place = { dev, info: DevNetwork.describe(dev) }
  const first = yield* deployFirst(dev)
  const chainsFile = yield* ChainsFile.write(
    [{ ...dev, chain: { ...dev.chain, earlierContracts: [first] } }, ...chains.slice(1)],
    ({ rpcUrl }) => rpcUrl
  )
  const databaseUrl = yield* (yield* TestServer).createDatabase
  const sql = yield* PgClient.make({ url: Redacted.make(databaseUrl), maxConnections: 2 }).pipe(
    Effect.provide(Reactivity.layer)
  )
  const lane = generatePrivateKey()
  for (const chain of chains) {
    yield* chain.node.ask("fund the lane", (node) =>
      node.setBalance({ address: privateKeyToAccount(lane).address, value: parseEther("100") })
    )
  }

  const service = Effect.gen(function* () {
    const port = yield* Ports.free
    const running = yield* OrchestratorProcess.start({ port, chainsFile, databaseUrl, relayerKeys: [lane] })
    return { ...running, client: SweepClient.make(running.url) }
  })

  const quote = Effect.fnUntraced(function* (client: SweepClient.SweepClient, owner: PrivateKeyAccount) {
    const request = { owner: owner.address, chain: alpha.info, tokenIn: "DAI", amountIn: "50", tokenOut: "USDC" }
    const answer = yield* Effect.promise(() => client.quote(request))
    assert.strictEqual(answer.status, 200, answer.text)
    return answer
  })

  /** Rows of a quote as the release before the upgrade stored it: its nonce names no guard. Returns the signatures for it. */
  const asFirst = Effect.fnUntraced(function* (owner: PrivateKeyAccount, answer: SweepClient.Answer, nonce: bigint) {
    const id = answer.string("quote.id")
    const order = { ...orderOf(answer), nonce }
    const domain = { name: DEFAULT_DOMAIN_NAME, chainId: dev.chain.id }
    const hash = digest(order, domain).slice(2)
    const [state] = yield* sql<{ number: bigint }>`
      UPDATE orchestrator.intent_states
      SET order_nonce = ${String(nonce)}::numeric, order_digest = decode(${hash}, 'hex')
      WHERE id = ${id} RETURNING number`
    yield* sql`
      UPDATE orchestrator.intent_terms
      SET quote = jsonb_set(quote, '{settlementAddress}', to_jsonb(${first.delegate}::text))
      WHERE number = ${state?.number ?? 0n}`
    const nonceOfAccount = Number(answer.at("signing.authorization.nonce"))
    const authorization = yield* Effect.promise(() =>
      owner.signAuthorization({ address: first.delegate, chainId: dev.chain.id, nonce: nonceOfAccount })
    )
    const { address, chainId, r, s, yParity } = authorization
    return {
      quoteId: id,
      signature: yield* Effect.promise(() => owner.signTypedData(typedData(order, domain))),
      authorization: { address, chainId, nonce: nonceOfAccount, r, s, yParity: yParity ?? 0 }
    } satisfies SweepClient.Signed
  })

  /** Submits and waits for the end. Returns the transaction's type, and the contracts that logged in it. */
  const settled = Effect.fnUntraced(function* (client: SweepClient.SweepClient, signed: SweepClient.Signed) {
    const accepted = yield* Effect.promise(() => client.submit(signed))
    assert.strictEqual(accepted.status, 201, accepted.text)
    const ended = yield* Effect.promise(() => client.ended(signed.quoteId, PATIENCE_SECONDS))
    assert.strictEqual(ended.string("status"), "delivered", ended.text)
    const hash = ended.string("txHash") as Hex
    return yield* dev.node.ask("read the transaction", async (node) => {
      const [transaction, receipt] = await Promise.all([
        node.getTransaction({ hash }),
        node.getTransactionReceipt({ hash })
      ])
      return { type: transaction.type, loggers: receipt.logs.map(({ address }) => Address.of(address)) }
    })
  })

  const codeOf = (owner: PrivateKeyAccount) =>
    dev.node.ask("read the code", (node) => node.getCode({ address: owner.address }))

  return { alpha, asFirst, codeOf, first, quote, second: dev.chain.contracts, service, settled }
})

layer(Scene.layer, { excludeTestServices: true, timeout: "60 seconds" })("An upgrade of the contracts", (it) => {
  it.effect(
    "lets orders of the first generation settle after a restart, and moves the account at the next quote",
    () =>
      Effect.gen(function* () {
        const { alpha, asFirst, codeOf, first, quote, second, service, settled } = yield* make
        const owner = yield* freshOwner(alpha, "DAI", "150")
        const before = yield* service
        const old = yield* asFirst(owner, yield* quote(before.client, owner), 7n)
        const older = yield* asFirst(owner, yield* quote(before.client, owner), 5n)
        yield* before.kill
        const { client } = yield* service

        const delegating = yield* settled(client, old)
        assert.strictEqual(delegating.type, "eip7702")
        assert.include(delegating.loggers, first.guard)
        assert.notInclude(delegating.loggers, second.guard)
        assert.strictEqual(yield* codeOf(owner), designator(first.delegate))

        const delegated = yield* settled(client, older)
        assert.strictEqual(delegated.type, "eip1559")
        assert.include(delegated.loggers, first.guard)
        assert.strictEqual(yield* codeOf(owner), designator(first.delegate))

        const next = yield* quote(client, owner)
        assert.strictEqual(next.string("signing.authorization.address"), second.delegate)
        const moved = yield* settled(client, yield* Effect.promise(() => SweepClient.sign(owner, next)))
        assert.strictEqual(moved.type, "eip7702")
        assert.include(moved.loggers, second.guard)
        assert.notInclude(moved.loggers, first.guard)
        assert.strictEqual(yield* codeOf(owner), designator(second.delegate))
      }),
    TIMEOUT
  )
})
