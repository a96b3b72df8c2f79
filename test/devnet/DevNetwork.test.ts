import { spawn } from "node:child_process"
import * as BunServices from "@effect/platform-bun/BunServices"
import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem, Path, Redacted, Schedule, Schema } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { createPublicClient, erc20Abi, http } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { DevInfo } from "../../src/devnet/DevInfo.ts"

/** Starts a network in its own process and waits until it is up or has failed. It ends with the test at the latest. */
const launch = Effect.fnUntraced(function* (directory: string) {
  const path = yield* Path.Path
  const { child, ended } = yield* Effect.acquireRelease(
    Effect.sync(() => {
      const script = path.join(import.meta.dirname, "devNetworkProcess.ts")
      const child = spawn(process.execPath, [script, directory], { stdio: "pipe" })
      return { child, ended: new Promise<number | null>((resolve) => child.on("exit", resolve)) }
    }),
    ({ child, ended }) =>
      Effect.promise(() => {
        child.kill("SIGTERM")
        return ended
      })
  )
  let output = ""
  child.stderr.on("data", (chunk) => (output += String(chunk)))
  const up = new Promise<void>((resolve) =>
    child.stdout.on("data", (chunk) => {
      output += String(chunk)
      if (output.includes("ready")) resolve()
    })
  )
  yield* Effect.promise(() => Promise.race([up, ended]))
  return { child, file: path.join(directory, "dev.json"), output: () => output, ended: Effect.promise(() => ended) }
})

/** Decodes `dev.json` of the network in the directory. Fails the test if it does not have the documented shape. */
const published = Effect.fnUntraced(function* (file: string) {
  const fs = yield* FileSystem.FileSystem
  return yield* fs
    .readFileString(file)
    .pipe(Effect.flatMap(Schema.decodeEffect(Schema.fromJsonString(DevInfo))), Effect.orDie)
})

const isGone = Effect.fnUntraced(function* (info: DevInfo) {
  const ports = [info.databaseUrl, ...info.chains.map((chain) => chain.rpcUrl)].map((url) => Number(new URL(url).port))
  for (const port of ports) {
    const refused = yield* Effect.tryPromise(() =>
      Bun.connect({ hostname: "127.0.0.1", port, socket: { data: () => {} } }).then((socket) => socket.end())
    ).pipe(
      Effect.as(false),
      Effect.catch(() => Effect.succeed(true))
    )
    if (!refused) return false
  }
  return true
})

/** A directory that the account that runs PostgreSQL for root can reach. */
const directory = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const root = yield* fs.makeTempDirectoryScoped({ prefix: "sweep-test-" })
  yield* fs.chmod(root, 0o755)
  return path.join(root, ".sweep")
})

describe("DevNetwork", () => {
  it.live.each(["SIGINT", "SIGTERM"] as const)("comes up, says where it is, and leaves nothing after %s", (signal) =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const network = yield* launch(yield* directory)
      const info = yield* published(network.file)
      assert.strictEqual((yield* fs.stat(network.file)).mode & 0o777, 0o600)

      for (const chain of info.chains) {
        const client = createPublicClient({ transport: http(chain.rpcUrl) })
        assert.strictEqual(yield* Effect.promise(() => client.getChainId()), chain.id)
        const usdc = chain.tokens["USDC"]
        if (usdc === undefined) return assert.fail("no USDC")
        assert.strictEqual(usdc.decimals, 6)
        for (const { address, privateKey } of info.accounts) {
          assert.strictEqual(privateKeyToAccount(privateKey).address, address)
          const balance = yield* Effect.promise(() =>
            client.readContract({ address: usdc.address, abi: erc20Abi, functionName: "balanceOf", args: [address] })
          )
          assert.isTrue(balance > 0n)
        }
      }
      const answer = yield* Effect.gen(function* () {
        const sql = yield* PgClient.makeClient({ url: Redacted.make(info.databaseUrl) })
        return yield* sql`SELECT 1 AS one`
      }).pipe(Effect.scoped, Effect.provide(Reactivity.layer))
      assert.deepStrictEqual(answer[0], { one: 1 })

      network.child.kill(signal)
      yield* network.ended
      assert.isFalse(yield* fs.exists(network.file))
      assert.isTrue(yield* isGone(info))
    }).pipe(Effect.scoped, Effect.provide(BunServices.layer))
  )

  it.live("starts again where a killed one was, refuses a directory in use, and runs beside another", () =>
    Effect.gen(function* () {
      const [used, other] = [yield* directory, yield* directory]
      const killed = yield* launch(used)
      const left = yield* published(killed.file)
      killed.child.kill("SIGKILL")
      yield* killed.ended
      const gone = yield* isGone(left).pipe(
        Effect.repeat({ schedule: Schedule.spaced("100 millis"), times: 600, until: (isOver) => isOver })
      )
      assert.isTrue(gone, "no process outlives a killed network")

      const [again, beside] = yield* Effect.all([launch(used), launch(other)], { concurrency: 2 })
      const [first, second] = [yield* published(again.file), yield* published(beside.file)]
      assert.notStrictEqual(first.databaseUrl, second.databaseUrl)
      assert.deepStrictEqual(first.accounts, second.accounts)

      const refused = yield* launch(used)
      assert.notStrictEqual(yield* refused.ended, 0)
      assert.include(refused.output(), "another server runs in")
      assert.isFalse(yield* isGone(first))
    }).pipe(Effect.scoped, Effect.provide(BunServices.layer))
  )
})
