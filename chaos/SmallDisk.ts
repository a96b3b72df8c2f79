/** A file system of its own for the database's tables, which can be made full. Only root may mount one, and only on Linux. */
import { statfsSync } from "node:fs"
import * as PgClient from "@effect/sql-pg/PgClient"
import { Effect, FileSystem, Option, Redacted, type Scope } from "effect"
import { ChildProcessSpawner } from "effect/process/ChildProcessSpawner"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as Subprocess from "../src/devnet/Subprocess.ts"

/** Size while it is not full. Memory is taken only for what is stored. */
const SIZE = "2g"

/** Repeats of the change to a full disk while the server writes. */
const SHRINKS = 20

export interface SmallDisk {
  /** Leaves no free space until the scope closes. */
  readonly full: Effect.Effect<void, never, Scope.Scope>
}

const bytesUsed = (directory: string): number => {
  const { bfree, blocks, bsize } = statfsSync(directory)
  return (blocks - bfree) * bsize
}

/** Mounts a file system that belongs to the account of the server's data. It is unmounted with the scope. */
const mounted = Effect.fnUntraced(function* (dataDirectory: string) {
  const fs = yield* FileSystem.FileSystem
  const { gid, uid } = yield* fs.stat(dataDirectory)
  const directory = yield* fs.makeTempDirectoryScoped({ prefix: "sweep-disk-" })
  yield* fs.chmod(directory, 0o755)
  const owner = `mode=0700,uid=${Option.getOrThrow(uid)},gid=${Option.getOrThrow(gid)}`
  yield* Effect.acquireRelease(
    Subprocess.run("mount", ["-t", "tmpfs", "-o", `size=${SIZE},${owner}`, "tmpfs", directory]),
    // The server may still run.
    () => Effect.orDie(Subprocess.run("umount", ["--lazy", directory]))
  )
  return directory
})

/**
 * Moves a database, to which nobody is connected, to a file system of its own. The write-ahead log stays where it is, because a
 * server without space for that stops. None where no file system can be mounted.
 */
export const move = Effect.fn("SmallDisk.move")(function* (serverUrl: string, database: string) {
  const spawner = yield* ChildProcessSpawner
  const sql = yield* PgClient.makeClient({ url: Redacted.make(serverUrl) }).pipe(Effect.provide(Reactivity.layer))
  const [row] = yield* sql<{ directory: string }>`SELECT current_setting('data_directory') AS directory`
  const found = yield* Effect.option(mounted(row?.directory ?? ""))
  if (Option.isNone(found)) return undefined
  const directory = found.value
  yield* sql`CREATE TABLESPACE small_disk LOCATION ${sql.literal(`'${directory}'`)}`
  yield* sql`ALTER DATABASE ${sql(database)} SET TABLESPACE small_disk`
  const resize = (size: string) =>
    Subprocess.run("mount", ["-o", `remount,size=${size}`, directory]).pipe(
      Effect.provideService(ChildProcessSpawner, spawner)
    )
  // The kernel refuses a size below what is stored, and the server may have written since the size was read.
  const shrink = Effect.retry(
    Effect.suspend(() => resize(String(bytesUsed(directory)))),
    { times: SHRINKS }
  )
  return {
    full: Effect.acquireRelease(Effect.orDie(shrink), () => Effect.orDie(resize(SIZE)))
  } satisfies SmallDisk
})
