/** Tokens that turn against the relayer once their sweeps are under way: what they cost, and whom. */
import { createRequire } from "node:module"
import { assert, layer } from "@effect/vitest"
import { Effect, Latch, Schedule } from "effect"
import { type Abi, encodeDeployData, getContractAddress, type Hex } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import * as Address from "../../src/domain/Address.ts"
import { hold, isSend, pass } from "../support/FaultProxy.ts"
import { freshOwner } from "../support/Services.ts"
import * as Scene from "./Scene.ts"

const TIMEOUT = 120_000

/** Tokens with what they turn into. */
const TURNCOATS = [
  { token: "BLK", amount: "40", mood: 0 },
  { token: "USDT", amount: "40", mood: 1 },
  { token: "WBTC", amount: "0.001", mood: 2 }
] as const

const SOURCE = new URL("../../contracts/test/mocks/TurncoatToken.sol", import.meta.url)

interface Output {
  readonly errors?: ReadonlyArray<{ readonly severity: string; readonly formattedMessage: string }>
  readonly contracts: {
    readonly source: {
      readonly TurncoatToken: { readonly abi: Abi; readonly evm: { readonly bytecode: { readonly object: string } } }
    }
  }
}

const compiled = Effect.promise(async () => {
  const solc: { readonly compile: (input: string) => string } = createRequire(import.meta.url)("solc")
  const output: Output = JSON.parse(
    solc.compile(
      JSON.stringify({
        language: "Solidity",
        sources: { source: { content: await Bun.file(SOURCE).text() } },
        settings: {
          evmVersion: "prague",
          optimizer: { enabled: true },
          outputSelection: { source: { TurncoatToken: ["abi", "evm.bytecode.object"] } }
        }
      })
    )
  )
  const { abi, evm } = output.contracts.source.TurncoatToken
  return { abi, bytecode: `0x${evm.bytecode.object}` as Hex }
})

layer(Scene.layer, { excludeTestServices: true })("Hostile tokens", (it) => {
  it.effect(
    "that behave while they are simulated fail alone in their batch, at the cost of their owners' budgets",
    () =>
      Effect.gen(function* () {
        const scene = yield* Scene.make()
        const { dev, info } = scene.alpha
        const contract = yield* compiled

        /** Puts the turncoat before a token's code, which moves elsewhere. */
        const turn = Effect.fnUntraced(function* ({ mood, token }: (typeof TURNCOATS)[number]) {
          const address = dev.tokens[token]
          const original = privateKeyToAccount(generatePrivateKey()).address
          yield* dev.node.ask("turn", async (node) => {
            const code = await node.getCode({ address })
            await node.setCode({ address: original, bytecode: code ?? "0x" })
            const account = privateKeyToAccount(dev.deployer.privateKey)
            const nonce = await node.getTransactionCount({ address: account.address, blockTag: "pending" })
            const data = encodeDeployData({ ...contract, args: [original, mood] })
            const hash = await node.sendTransaction({ account, chain: node.chain, nonce, data })
            await node.waitForTransactionReceipt({ hash })
            const turncoat = await node.getCode({
              address: getContractAddress({ from: account.address, nonce: BigInt(nonce) })
            })
            await node.setCode({ address, bytecode: turncoat ?? "0x" })
          })
        })

        const route = yield* scene.route
        // The relayer looks at its lanes before it claims anything: so it claims all sweeps at once.
        const gathered = yield* Latch.make()
        yield* route.alpha.react((call) => (scene.looksAtLane(call) ? hold(gathered.await) : pass))
        const { client } = yield* scene.orchestrator(route, { OWNER_FAILURE_BUDGET: "1" })
        const hostile = yield* Effect.forEach(TURNCOATS, ({ amount, token }) =>
          Effect.gen(function* () {
            const owner = yield* freshOwner(scene.alpha, token, amount)
            yield* dev.fund(Address.of(owner.address), { token: "DAI", amount: 10n ** 21n })
            const request = { owner: owner.address, chain: info, tokenIn: token, amountIn: amount, tokenOut: "USDC" }
            return { owner, sweep: yield* scene.quoteFor(client, owner, request) }
          })
        )
        const good = yield* Effect.replicateEffect(scene.quote(client), 3)
        const [first, second, third] = hostile
        assert.isDefined(first)
        assert.isDefined(second)
        assert.isDefined(third)
        // Each good one comes right after one of the others.
        for (const [index, { sweep }] of hostile.entries()) {
          yield* scene.submit(client, sweep)
          const next = good[index]
          assert.isDefined(next)
          yield* scene.submit(client, next)
        }
        // They turn once the batch has been simulated and signed, as no simulation can foresee.
        const turned = yield* Latch.make()
        yield* route.alpha.react((call) => (isSend(call) ? hold(turned.await) : pass))
        yield* gathered.open
        yield* route.alpha.awaitCall(isSend)
        yield* Effect.forEach(TURNCOATS, turn)
        yield* turned.open

        for (const sweep of good) yield* scene.delivered(client, sweep)
        const givenUp = (id: string, reason: string) =>
          scene.sql`SELECT reason FROM orchestrator.given_up_intents WHERE intent_id = ${id}`.pipe(
            Effect.repeat({ schedule: Schedule.spaced("100 millis"), until: (rows) => rows.length === 1 }),
            Effect.map((rows) => assert.deepStrictEqual(rows, [{ reason }]))
          )
        for (const { sweep } of hostile) yield* givenUp(sweep.id, "reverted")

        // They failed at the relayer's cost: what their owners ask for next waits.
        const again = yield* scene.quoteFor(client, first.owner, {
          owner: first.owner.address,
          chain: info,
          tokenIn: "DAI",
          amountIn: "50",
          tokenOut: "USDC"
        })
        yield* scene.submit(client, again)
        yield* scene.sql`SELECT not_before FROM orchestrator.intent_queue WHERE intent_id = ${again.id}`.pipe(
          Effect.repeat({
            schedule: Schedule.spaced("100 millis"),
            until: ([row]) => row !== undefined && row["not_before"] !== null
          })
        )

        // They end when a block shows that nobody can send them any more.
        yield* dev.node.ask("pass the deadlines", async (node) => {
          await node.increaseTime({ seconds: 3_600 })
          await node.mine({ blocks: dev.chain.confirmations })
        })
        for (const { sweep } of hostile) {
          const ended = yield* Effect.promise(() => client.ended(sweep.id))
          assert.deepStrictEqual([ended.string("status"), ended.string("failureReason")], ["failed", "reverted"])
        }
        const refused = yield* Effect.promise(() => client.ended(again.id))
        assert.deepStrictEqual([refused.string("status"), refused.string("failureReason")], ["failed", "expired"])
        const { mined, settlements } = yield* scene.check
        assert.lengthOf(settlements, good.length)
        assert.lengthOf(mined, 1)
      }),
    TIMEOUT
  )
})
