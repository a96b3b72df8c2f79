/** Sweeps through the pool of a public node, whose rules a local node does not have. */
import { assert, layer } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { decodeFunctionData, parseEther, parseGwei, parseTransaction } from "viem"
import { sweepEntry } from "../../src/adapters/evm/abi/contracts.generated.ts"
import type { Hex } from "../../src/domain/Hex.ts"
import * as Scene from "../faults/Scene.ts"
import { ADMIN_TOKEN } from "../support/OrchestratorProcess.ts"
import * as PublicPool from "../support/PublicPool.ts"
import { freshOwner } from "../support/Services.ts"
import type { SweepClient } from "../support/SweepClient.ts"

const SWEEPS = 64
const AMOUNT = "50"

const OPERATOR = { authorization: `Bearer ${ADMIN_TOKEN}` }

const operator = (client: SweepClient, path: string) =>
  Effect.promise(() => client.get(path, OPERATOR).then(({ text }) => JSON.parse(text)))

/** Accounts that the signed transactions call, in lower case: a batch through the entry, and a single sweep directly. */
const calledBy = (raws: ReadonlyArray<Hex>, entry: string): ReadonlySet<string> =>
  new Set(
    raws
      .flatMap((raw) => {
        const { data = "0x", to } = parseTransaction(raw)
        return to?.toLowerCase() === entry.toLowerCase()
          ? decodeFunctionData({ abi: sweepEntry.abi, data }).args[0].map(({ account }) => account)
          : [String(to)]
      })
      .map((account) => account.toLowerCase())
  )

/** Ends a test that hangs. Milliseconds; a run takes 20 seconds, and the longest pause of a refused owner is 2 minutes. */
const TIMEOUT_MILLIS = 300_000

/** Has no bound of its own, since only a hang exceeds the test's. */
const until = <A>(question: Effect.Effect<A>, isExpected: (answer: A) => boolean) =>
  question.pipe(Effect.repeat({ schedule: Schedule.spaced("100 millis"), until: isExpected }))

layer(Scene.layer, { excludeTestServices: true })("A public node's pool", (it) => {
  it.effect(
    "that refuses one owner of 64 holds up nobody else, and an alert names the owner",
    () =>
      Effect.gen(function* () {
        const scene = yield* Scene.make()
        const { dev, info } = scene.alpha
        const route = yield* scene.route
        const pool = yield* PublicPool.make(dev.rpcUrl)
        yield* route.alpha.react(pool.reaction)

        // All are submitted before any is sent: no lane has so much.
        const paused = yield* scene.orchestrator(route, { MIN_LANE_BALANCE_WEI: String(parseEther("1000000000")) })
        const owners = yield* Effect.replicateEffect(freshOwner(scene.alpha, "DAI", AMOUNT), SWEEPS, { concurrency: 4 })
        const sweeps = yield* Effect.forEach(
          owners,
          (owner) =>
            scene.quoteFor(paused.client, owner, {
              owner: owner.address,
              chain: info,
              tokenIn: "DAI",
              amountIn: AMOUNT,
              tokenOut: "USDC"
            }),
          { concurrency: 4 }
        )
        yield* Effect.forEach(sweeps, (sweep) => scene.submit(paused.client, sweep), { concurrency: 4 })
        yield* paused.kill

        const [hostile, hostileSweep] = [owners[41], sweeps[41]]
        if (hostile === undefined || hostileSweep === undefined) return yield* Effect.die("no owners")
        yield* pool.withhold(hostile.address)
        yield* dev.node.ask("keep a transaction in the pool", async (node) => {
          await node.setBalance({ address: hostile.address, value: parseEther("1") })
          const raw = await hostile.signTransaction({
            chainId: node.chain.id,
            type: "eip1559",
            nonce: 0,
            to: hostile.address,
            gas: 21_000n,
            maxFeePerGas: parseGwei("1"),
            maxPriorityFeePerGas: 1n
          })
          const sent = await fetch(route.alpha.url, {
            method: "POST",
            headers: { "content-type": "application/json" },
            body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_sendRawTransaction", params: [raw] })
          })
          assert.notInclude(await sent.text(), "error")
          await node.setAutomine(false)
        })

        const before = yield* dev.node.ask("read the height", (node) => node.getBlockNumber())
        const { client } = yield* scene.orchestrator(route)
        const others = owners.filter((owner) => owner !== hostile)
        const called = Effect.map(pool.accepted, (raws) => calledBy(raws.slice(1), info.entry))
        yield* until(called, (accounts) => others.every(({ address }) => accounts.has(address.toLowerCase())))
        yield* dev.node.ask("mine three blocks", (node) => node.mine({ blocks: 3 }))

        const theirs = sweeps.filter((sweep) => sweep !== hostileSweep)
        yield* Effect.forEach(theirs, (sweep) => scene.delivered(client, sweep), { concurrency: 8 })
        assert.strictEqual(yield* dev.node.ask("read the height", (node) => node.getBlockNumber()), before + 3n)

        const blocked = (yield* operator(client, "/admin/alerts")).filter(
          ({ kind }: { readonly kind: string }) => kind === "owner_blocks_batch"
        )
        assert.lengthOf(blocked, 1)
        assert.include(blocked[0].message, hostile.address)
        assert.strictEqual(blocked[0].details.intentId, hostileSweep.id)
        // During an attempt, a transaction carries the sweep for a moment, and the explanation tells of that one.
        const explanation = Effect.map(
          operator(client, "/admin/intents?olderThanSeconds=0"),
          ({ intents }): string => intents.find(({ id }: { readonly id: string }) => id === hostileSweep.id).explanation
        )
        yield* until(explanation, (text) => text.includes(hostile.address))
        assert.include(
          (yield* pool.refusals).map(({ text }) => text),
          "authority already reserved"
        )

        // Once the owner's transaction has left the pool, its sweep is sent as well.
        yield* pool.drop(hostile.address)
        yield* dev.node.ask("mine again", (node) => node.setAutomine(true))
        yield* until(scene.status(client, hostileSweep), (status) => status === "delivered")
        // In a slow run, the chains have no new block for so long that they are reported as stale.
        yield* until(operator(client, "/admin/alerts"), (alerts) =>
          alerts.every(({ kind }: { readonly kind: string }) => kind === "chain_stale")
        )
        const { settlements } = yield* scene.check
        assert.lengthOf(settlements, SWEEPS)
      }),
    TIMEOUT_MILLIS
  )
})
