/** `sweep targets` against the real guard on a local node. */
import * as BunServices from "@effect/platform-bun/BunServices"
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem, Layer } from "effect"
import { parseAbi } from "viem"
import * as Address from "../../src/domain/Address.ts"
import { OneChain } from "../support/OneChain.ts"
import { address } from "../support/FakeChain.ts"
import * as ChainsFile from "../support/ChainsFile.ts"
import { deployFirst } from "../support/FirstGeneration.ts"
import { withLiveClock } from "../support/LiveClock.ts"
import { sweepHere } from "./inProcess.ts"

const NEW = address(0x7a)
const OTHER = address(0x79)
const LATE = address(0x78)
const TOKEN_LIKE = address(0x7b)

interface Row {
  readonly address: string
  readonly name?: string
  readonly kind?: string
  readonly state: string
}

/** The chain's file with more targets, and the command on it. */
const operator = Effect.fnUntraced(function* (
  targets: ReadonlyArray<Record<string, unknown>> = [],
  money: Readonly<Record<string, string>> = {}
) {
  const dev = yield* OneChain
  const fs = yield* FileSystem.FileSystem
  const file = yield* ChainsFile.write([dev], ({ rpcUrl }) => rpcUrl)
  const [entry] = JSON.parse(yield* fs.readFileString(file)) as [Record<string, unknown>]
  yield* fs.writeFileString(file, JSON.stringify([{ ...entry, ...money, targets }]))
  const env = { CHAINS_FILE: file }
  const run = (...args: ReadonlyArray<string>) => withLiveClock(sweepHere(["targets", ...args], env))
  const asOwner = (...args: ReadonlyArray<string>) =>
    withLiveClock(sweepHere(["targets", ...args], { ...env, GUARD_OWNER_KEY: dev.deployer.privateKey }))
  const asOther = (...args: ReadonlyArray<string>) =>
    withLiveClock(sweepHere(["targets", ...args], { ...env, GUARD_OWNER_KEY: `0x${"11".repeat(32)}` }))
  const rows = Effect.map(run("list", "--json"), ({ err, out }) => {
    assert.strictEqual(err, "")
    return JSON.parse(out) as ReadonlyArray<Row>
  })
  const row = (target: string) => Effect.map(rows, (all) => all.find((each) => each.address === target))
  yield* dev.node.ask("place the contracts", async (node) => {
    await node.setCode({ address: NEW, bytecode: "0x00" })
    await node.setCode({ address: OTHER, bytecode: "0x00" })
    await node.setCode({ address: LATE, bytecode: "0x00" })
    // Returns one word for every call, as a token returns an allowance.
    await node.setCode({ address: TOKEN_LIKE, bytecode: "0x60205ff3" })
  })
  const chain = String(dev.chain.id)
  return { asOther, asOwner, chain, dev, fs, row, rows, run }
})

const passTimelock = Effect.flatMap(OneChain, ({ node }) =>
  node.ask("pass the timelock", async (client) => {
    await client.increaseTime({ seconds: 61 })
    await client.mine({ blocks: 1 })
  })
)

const environment = OneChain.layer.pipe(Layer.provideMerge(BunServices.layer))

layer(environment, { excludeTestServices: true })("sweep targets", (it) => {
  it.effect("lists the targets of the chains file with their names", () =>
    Effect.gen(function* () {
      const { dev, rows, run } = yield* operator([
        { address: NEW, kind: "bridge", name: "relay", expiresAt: "2099-01-01" }
      ])
      assert.deepStrictEqual(
        (yield* rows).map(({ address: target, kind, name, state }) => [name, target, kind, state]),
        [
          ["relay", NEW, "bridge", "unlisted"],
          ["swapRouter", dev.chain.swapRouter, "router", "listed"],
          ["spokePool", dev.spokePool, "bridge", "listed"],
          ["spokePoolPeriphery", dev.spokePoolPeriphery, "bridge", "listed"]
        ]
      )
      const { out } = yield* run("list", "--chain", String(dev.chain.id))
      assert.match(out, /^CHAIN +NAME +TARGET +KIND +STATE +ACTIVE FROM +EXPIRES\n/)
      assert.match(out, new RegExp(`relay +${NEW} +bridge +unlisted +– +2099-01-01`))
    })
  )

  it.effect("rotates a target through the guard's timelock", () =>
    Effect.gen(function* () {
      const { asOther, asOwner, chain, dev, row } = yield* operator()
      const stranger = yield* asOther("propose", "--chain", chain, "--target", NEW, "--kind", "bridge")
      assert.strictEqual(stranger.code, 1)
      assert.include(stranger.err, `belongs to ${dev.deployer.address}`)

      const early = yield* asOwner("apply", "--chain", chain, "--target", NEW)
      assert.include(early.err, "is not proposed")
      const proposed = yield* asOwner("propose", "--chain", chain, "--target", NEW, "--kind", "bridge")
      assert.strictEqual(proposed.code, 0, proposed.err)
      assert.include(proposed.out, `proposed ${NEW} in transaction 0x`)
      // The chains file does not name it. The guard's event does, with its kind.
      const waiting = yield* row(NEW)
      assert.deepStrictEqual([waiting?.state, waiting?.kind, waiting?.name], ["proposed", "bridge", undefined])
      const twice = yield* asOwner("propose", "--chain", chain, "--target", NEW, "--kind", "router")
      assert.include(twice.err, "is listed already, active from")

      const tooSoon = yield* asOwner("apply", "--chain", chain, "--target", NEW, "--replaces", dev.spokePool)
      assert.strictEqual(tooSoon.code, 1)
      assert.include(tooSoon.err, "becomes active at")
      assert.strictEqual((yield* row(dev.spokePool))?.state, "listed")

      yield* passTimelock
      const router = String(dev.chain.swapRouter)
      const otherKind = yield* asOwner("apply", "--chain", chain, "--target", NEW, "--replaces", router)
      assert.include(otherKind.err, `${router} is not another bridge`)
      const applied = yield* asOwner("apply", "--chain", chain, "--target", NEW, "--replaces", dev.spokePoolPeriphery)
      assert.strictEqual(applied.code, 0, applied.err)
      assert.include(applied.out, `removed ${dev.spokePoolPeriphery}`)
      assert.strictEqual((yield* row(dev.spokePoolPeriphery))?.state, "unlisted")

      const removed = yield* asOwner("remove", "--chain", chain, "--target", NEW)
      assert.strictEqual(removed.code, 0, removed.err)
      // Neither the file nor an event of its listing names it any more.
      assert.strictEqual(yield* row(NEW), undefined)
      const again = yield* asOwner("remove", "--chain", chain, "--target", NEW)
      assert.include(again.err, "is not listed")
    })
  )

  it.effect("removes a target while the base fee is above the chain's limit, and proposes none", () =>
    Effect.gen(function* () {
      const cheap = yield* operator()
      const target = ["--chain", cheap.chain, "--target", LATE] as const
      const proposed = yield* cheap.asOwner("propose", ...target, "--kind", "router")
      assert.strictEqual(proposed.code, 0, proposed.err)
      const { asOwner, row } = yield* operator([], { maxFeePerGasWei: "1", minPriorityFeePerGasWei: "0" })
      const refused = yield* asOwner("propose", "--chain", cheap.chain, "--target", OTHER, "--kind", "router")
      assert.strictEqual(refused.code, 1)
      assert.include(refused.err, "raise maxFeePerGasWei")
      const removed = yield* asOwner("remove", ...target)
      assert.strictEqual(removed.code, 0, removed.err)
      assert.match(
        removed.out,
        new RegExp(`removed ${LATE} in transaction 0x[0-9a-f]{64}, for a fee of [1-9][0-9]* wei`)
      )
      assert.strictEqual(yield* row(LATE), undefined)
    })
  )

  it.effect("refuses tokens and accounts without code", () =>
    Effect.gen(function* () {
      const { asOwner, chain, dev } = yield* operator()
      const outcome = (target: string) => asOwner("propose", "--chain", chain, "--target", target, "--kind", "router")
      assert.include((yield* outcome(dev.tokens.USDC)).err, "is a token")
      assert.include((yield* outcome(TOKEN_LIKE)).err, "is a token")
      assert.include((yield* outcome(address(0x7c))).err, "is not a contract")
    })
  )

  it.effect("prints the transaction for a Safe without the owner's key, and sends nothing", () =>
    Effect.gen(function* () {
      const { chain, dev, fs, row, run } = yield* operator()
      const path = yield* Effect.map(fs.makeTempDirectoryScoped(), (directory) => `${directory}/proposal.json`)
      const target = ["--chain", chain, "--target", OTHER, "--kind", "router"]
      const { code, err } = yield* run("propose", ...target, "--output", path)
      assert.strictEqual(code, 0, err)
      const batch = JSON.parse(yield* fs.readFileString(path)) as {
        readonly chainId: string
        readonly meta: Record<string, unknown>
        readonly transactions: ReadonlyArray<Record<string, unknown>>
      }
      assert.strictEqual(batch.chainId, chain)
      assert.strictEqual(batch.meta["createdFromSafeAddress"], dev.deployer.address)
      assert.deepStrictEqual(batch.transactions[0]?.["to"], dev.chain.contracts.guard)
      assert.deepStrictEqual(batch.transactions[0]?.["contractInputsValues"], {
        target: OTHER,
        kind: "0",
        allowed: "true"
      })
      assert.strictEqual(yield* row(OTHER), undefined)
    })
  )

  it.effect("removes every target from the guard of the first generation", () =>
    Effect.gen(function* () {
      const first = yield* deployFirst(yield* OneChain)
      const { asOther, asOwner, chain, dev, fs, row, run } = yield* operator([], { priorGuard: first.guard })
      const targets = [String(dev.chain.swapRouter), dev.spokePool, dev.spokePoolPeriphery]
      const at = (target: string) => ["remove", "--chain", chain, "--guard", first.guard, "--target", target]
      const listings = dev.node.ask("read the first guard", (node) =>
        Promise.all(
          targets.map((target) =>
            node.readContract({
              address: first.guard,
              abi: parseAbi(["function isTarget(address target) view returns (bool)"]),
              functionName: "isTarget",
              args: [Address.of(target)]
            })
          )
        )
      )
      const [router = ""] = targets
      assert.deepStrictEqual(yield* listings, [true, true, true])

      assert.include((yield* asOther(...at(router))).err, `belongs to ${dev.deployer.address}`)
      const strange = yield* asOwner("remove", "--chain", chain, "--guard", NEW, "--target", router)
      assert.include(strange.err, `names no guard of the first generation at ${NEW}`)
      const path = yield* Effect.map(fs.makeTempDirectoryScoped(), (directory) => `${directory}/removal.json`)
      const planned = yield* run(...at(router), "--output", path)
      assert.strictEqual(planned.code, 0, planned.err)
      const batch = JSON.parse(yield* fs.readFileString(path)) as {
        readonly transactions: ReadonlyArray<{ readonly to: string; readonly contractInputsValues: unknown }>
      }
      assert.deepStrictEqual(
        batch.transactions.map(({ contractInputsValues, to }) => [to, contractInputsValues]),
        [[first.guard, { target: router, allowed: "false" }]]
      )
      assert.deepStrictEqual(yield* listings, [true, true, true])

      const atCurrent = yield* run("remove", "--chain", chain, "--target", router)
      assert.strictEqual(atCurrent.code, 0, atCurrent.err)
      assert.include(atCurrent.err, `the guard ${first.guard} lists ${router} too`)

      for (const target of targets) {
        const removed = yield* asOwner(...at(target))
        assert.strictEqual(removed.code, 0, removed.err)
        assert.include(removed.out, `removed ${target} in transaction 0x`)
        const isListed = (yield* row(target))?.state === "listed"
        assert.strictEqual(removed.err.includes(`the guard ${dev.chain.contracts.guard} lists ${target} too`), isListed)
      }
      assert.deepStrictEqual(yield* listings, [false, false, false])
      // The current guard keeps its own list.
      assert.strictEqual((yield* row(router))?.state, "listed")
      const again = yield* asOwner(...at(router))
      assert.strictEqual(again.code, 1)
      assert.include(again.err, `${router} is not listed at ${first.guard}`)
      assert.include(again.err, `the guard ${dev.chain.contracts.guard} lists ${router} too`)
    })
  )
})
