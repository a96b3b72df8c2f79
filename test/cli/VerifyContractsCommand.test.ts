/** `sweep verify-contracts` on a real node, with the real compiler. */
import * as BunServices from "@effect/platform-bun/BunServices"
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem, Layer } from "effect"
import { sweepGuard } from "../../src/adapters/evm/abi/contracts.generated.ts"
import * as Sources from "../../src/cli/verify/Sources.ts"
import type { Report } from "../../src/cli/verify/Report.ts"
import * as ChainsFile from "../support/ChainsFile.ts"
import { address } from "../support/FakeChain.ts"
import { withLiveClock } from "../support/LiveClock.ts"
import { OneChain } from "../support/OneChain.ts"
import { sweepHere } from "./inProcess.ts"

/** The command on a chains file with the local chain, whose addresses are computed unless `change` fixes them. */
const operator = Effect.fnUntraced(function* (change: Readonly<Record<string, unknown>> = {}) {
  const dev = yield* OneChain
  const fs = yield* FileSystem.FileSystem
  const file = yield* ChainsFile.write([dev], ({ rpcUrl }) => rpcUrl)
  const [{ contracts: _, ...entry }] = JSON.parse(yield* fs.readFileString(file)) as [Record<string, unknown>]
  yield* fs.writeFileString(file, JSON.stringify([{ ...entry, timelockSeconds: 60, ...change }]))
  // Compiled anew, the contracts would take a minute in every test. The first one fills the cache.
  const verify = (...args: ReadonlyArray<string>) =>
    withLiveClock(sweepHere(["verify-contracts", "--cached", ...args], { CHAINS_FILE: file }))
  const report = Effect.map(verify("--json"), ({ code, out }) => ({ code, ...(JSON.parse(out) as Report) }))
  return { dev, report, verify }
})

const states = ({ chains }: Report): Readonly<Record<string, string>> =>
  Object.fromEntries(chains.flatMap(({ contracts }) => contracts.map(({ name, state }) => [name, state])))

const EQUAL = { guard: "equal", delegate: "equal", entry: "equal" }

const environment = OneChain.layer.pipe(Layer.provideMerge(BunServices.layer))

layer(environment, { excludeTestServices: true })("sweep verify-contracts", (it) => {
  it.effect("finds everything equal on a chain where the service deployed its contracts", () =>
    Effect.gen(function* () {
      const { dev, report, verify } = yield* operator()
      const found = yield* report
      assert.deepStrictEqual([found.code, found.ok, states(found)], [0, true, EQUAL])
      assert.match(found.compiler, /^0\.8\.37\+commit\./)
      assert.match(found.compilerSha256, /^[0-9a-f]{64}$/)
      assert.deepInclude(found.settings, { viaIR: true, evmVersion: "prague" })
      assert.deepStrictEqual(
        found.sources.map(({ contract, state }) => [contract, state]),
        Sources.SourceName.literals.map((name) => [name, "equal"])
      )
      const guard = found.chains[0]?.contracts.find(({ name }) => name === "guard")
      assert.strictEqual(BigInt(guard?.immutables["timelock"] ?? 0), 60n)
      const { code, out } = yield* verify("--chain", String(dev.chain.id))
      assert.strictEqual(code, 0)
      assert.match(out, /\nguard +0x[0-9a-fA-F]{40} {2}equal\n/)
      assert.match(out, /\nAll code is what the sources compile to\.\n$/)
    })
  )

  it.effect("names a contract with other code, one with another constructor value, and one without code", () =>
    Effect.gen(function* () {
      const { dev, report, verify } = yield* operator()
      const { entry, guard } = dev.chain.contracts
      const before = yield* dev.node.ask("read the guard", (node) => node.getCode({ address: guard }))
      const place = (at: typeof guard, bytecode: `0x${string}`) =>
        dev.node.ask("place code", (node) => node.setCode({ address: at, bytecode }))
      // The last instruction of the guard is another one, as a backdoor's would be.
      yield* place(guard, `${(before ?? "0x").slice(0, -2)}00` as `0x${string}`)
      const original = yield* dev.node.ask("read the entry", (node) => node.getCode({ address: entry }))
      yield* place(entry, "0x")
      const found = yield* report
      assert.deepStrictEqual(
        [found.code, found.ok, states(found)],
        [1, false, { guard: "differs", delegate: "equal", entry: "no_code" }]
      )
      const { code, err, out } = yield* verify()
      assert.strictEqual(code, 1)
      assert.match(out, /\nguard: the code differs from byte \d+ on\n/)
      assert.match(out, /\nentry +0x[0-9a-fA-F]{40} {2}NO CODE\n/)
      assert.include(err, "not all code is what the sources compile to, see above")
      yield* place(guard, before ?? "0x")
      yield* place(entry, original ?? "0x")

      const fixed = yield* operator({ contracts: dev.chain.contracts, feeRecipient: address(0x66) })
      const differing = yield* fixed.report
      assert.deepStrictEqual(states(differing), { ...EQUAL, delegate: "differs" })
      const delegate = differing.chains[0]?.contracts.find(({ name }) => name === "delegate")
      assert.match(
        delegate?.differences.join() ?? "",
        /^the immutable feeRecipient is 0x[0-9a-f]{64}, and the settings say /
      )
    })
  )

  it.effect("says which chain did not answer, and which is not configured", () =>
    Effect.gen(function* () {
      const silent = yield* operator({ rpcUrls: ["http://127.0.0.1:9/secret-key-of-the-path"] })
      const found = yield* silent.report
      assert.deepStrictEqual([found.code, found.ok], [1, false])
      assert.isString(found.chains[0]?.failure)
      assert.notInclude(JSON.stringify(found), "secret-key-of-the-path")
      const unknown = yield* silent.verify("--chain", "1")
      assert.strictEqual(unknown.code, 1)
      assert.include(unknown.err, "chain 1 is not in the chains file")
    })
  )

  it.effect("notices checked-in code that the sources do not compile to", () =>
    Effect.gen(function* () {
      const compilation = yield* withLiveClock(Sources.compile(true))
      assert.isTrue(Sources.compare(compilation).every(({ state }) => state === "equal"))
      const [place = 0] = sweepGuard.immutables.owner
      const { SweepGuard } = compilation.contracts
      const planted = {
        ...compilation,
        contracts: {
          ...compilation.contracts,
          SweepGuard: {
            ...SweepGuard,
            creationCode: `${SweepGuard.creationCode}00` as const,
            immutables: { ...SweepGuard.immutables, owner: [place + 1] }
          }
        }
      }
      const [guard, ...others] = Sources.compare(planted)
      assert.deepInclude(guard, { state: "differs", differences: ["creationCode", "immutables"] })
      assert.isTrue(others.every(({ state }) => state === "equal"))
    })
  )
})
