/** Steps in which PostgreSQL says nothing, takes no writes, or has no space left. */
import { Effect, Fiber, Option, Result, Schema, type Scope } from "effect"
import { ADMIN_TOKEN } from "../../test/support/OrchestratorProcess.ts"
import * as Client from "../Client.ts"
import type { SmallDisk } from "../SmallDisk.ts"
import type { World } from "../World.ts"
import { nothing, type Played, type Stage, type Step, settling, stopped } from "./Step.ts"

/** Time in which health must name a database that takes no writes. */
const HEALTH_MILLIS = 5_000

type Offered = Client.Sweep | Client.Batch

/** The service recovers by itself in this time. */
const RECOVERY_MILLIS = 15_000

/** A batch has an `Idempotency-Key`, which stays taken for 30 seconds if the fault kept the service from freeing it. */
const KEY_LEASE_MILLIS = 30_000 + RECOVERY_MILLIS

/**
 * Submits sweeps that were quoted before the fault, of one token and of a wallet. Any response is right if it comes in time: the client
 * finds out afterwards, and submits again what did not arrive.
 */
const submitting = Effect.fnUntraced(function* ({ prober, traffic, world }: Stage, fault: Effect.Effect<Played>) {
  const { alpha, beta, client } = world
  const quotes: ReadonlyArray<Effect.Effect<Offered | undefined>> = [
    traffic.quoted(alpha),
    traffic.quoted(beta),
    traffic.quotedWallet(alpha)
  ]
  const quoted = yield* Effect.all(quotes, { concurrency: "unbounded" })
  const sweeps = quoted.filter((sweep) => sweep !== undefined)
  const submitted = yield* Effect.forEach(
    sweeps,
    (sweep) => {
      const slot = traffic.nextSlot()
      const route = "legs" in sweep ? "POST /sweeps" : "POST /intents"
      return prober.time(slot, route, () => Effect.runPromise(client.submit(slot.url, sweep)))
    },
    { concurrency: "unbounded", discard: true }
  ).pipe(Effect.forkChild)
  const { beside, findings } = yield* fault
  yield* Fiber.join(submitted)
  const missing = (some: ReadonlyArray<Offered>) =>
    Effect.gen(function* () {
      yield* client.followUp(traffic.nextSlot().url)
      const known = new Set(client.acknowledged())
      return some.flatMap((sweep) =>
        Client.idsOf(sweep).every((id) => known.has(id))
          ? []
          : [`${sweep.id} cannot be submitted after the fault: ${client.refusals.get(sweep.id) ?? "no response"}`]
      )
    })
  const lost = [
    ...(yield* settling(missing(sweeps.filter((sweep) => !("legs" in sweep))), RECOVERY_MILLIS)),
    ...(yield* settling(missing(sweeps.filter((sweep) => "legs" in sweep)), KEY_LEASE_MILLIS))
  ]
  const unquoted = quoted.length === sweeps.length ? [] : ["no quote before the fault"]
  return { beside, findings: [...findings, ...unquoted, ...lost] }
})

export interface Silence {
  /** `process`: PostgreSQL's processes are stopped. `one replica`: nothing passes between one replica and PostgreSQL. */
  readonly how: "process" | "one replica"
  readonly millis: number
}

export const silentDatabase = ({ how, millis }: Silence): Step => ({
  name: `silent database (${how}, ${millis} ms)`,
  explains: () => false,
  mayFail: false,
  play: (stage) =>
    submitting(
      stage,
      Effect.gen(function* () {
        const [replica] = stage.world.slots
        if (how === "process") yield* stopped(stage.world.databaseGroup())
        else if (replica !== undefined) yield* replica.tap.silence
        yield* Effect.sleep(millis)
        return nothing
      }).pipe(Effect.scoped)
    )
})

interface HealthAnswer {
  /** 0 without an answer. */
  readonly status: number
  readonly text: string
}

const health = (url: string) =>
  Effect.promise(async (): Promise<HealthAnswer> => {
    try {
      const response = await fetch(`${url}/admin/health`, {
        headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
        signal: AbortSignal.timeout(HEALTH_MILLIS)
      })
      return { status: response.status, text: await response.text() }
    } catch (error) {
      return { status: 0, text: String(error) }
    }
  })

const decodeHealth = Schema.decodeUnknownOption(
  Schema.fromJsonString(Schema.Struct({ database: Schema.Struct({ status: Schema.String }) }))
)

/** Finding about an answer of `GET /admin/health` while the database takes no writes. Undefined if it names the database. */
export const healthFinding = (name: string, { status, text }: HealthAnswer): string | undefined => {
  const health = Option.getOrUndefined(decodeHealth(text))
  if (health === undefined) return `${name} tells no health of its database: ${status} ${text}`.slice(0, 200)
  return health.database.status === "ok" ? `${name} calls a database healthy that takes no writes` : undefined
}

/** Health names the database while it takes no writes. */
const unhealthy = ({ world }: Stage) =>
  settling(
    Effect.forEach(world.slots, ({ name, url }) => Effect.map(health(url), (answer) => healthFinding(name, answer)), {
      concurrency: "unbounded"
    }).pipe(Effect.map((findings) => findings.filter((finding) => finding !== undefined))),
    HEALTH_MILLIS
  )

/** `fault` begins the fault, and finds what is wrong about it or about how the service shows it. */
const withoutWrites = (
  name: string,
  millis: number,
  fault: (stage: Stage) => Effect.Effect<ReadonlyArray<string>, never, Scope.Scope>
): Step => ({
  name: `${name} (${millis} ms)`,
  explains: () => false,
  mayFail: false,
  play: (stage) =>
    submitting(
      stage,
      Effect.gen(function* () {
        const findings = yield* fault(stage)
        yield* Effect.sleep(millis)
        return { ...nothing, findings }
      }).pipe(Effect.scoped)
    )
})

/** Transactions of all sessions are read-only until the scope closes, as after a failover to a standby. */
const readOnly = ({ sql }: World) =>
  Effect.acquireRelease(
    Effect.andThen(sql`ALTER SYSTEM SET default_transaction_read_only = on`, sql`SELECT pg_reload_conf()`).pipe(
      Effect.asVoid,
      Effect.orDie
    ),
    () =>
      Effect.andThen(sql`ALTER SYSTEM RESET default_transaction_read_only`, sql`SELECT pg_reload_conf()`).pipe(
        Effect.asVoid,
        Effect.orDie
      )
  )

export const readOnlyDatabase = (millis: number): Step =>
  withoutWrites("read-only database", millis, (stage) => Effect.andThen(readOnly(stage.world), unhealthy(stage)))

const TRIGGER = "chaos_disk_full"

/**
 * Every write of a row fails with 53100 (`disk_full`) until the scope closes, as PostgreSQL answers when it cannot extend a
 * table. A trigger raises it, so that no privileges are needed; reads, commits and the write-ahead log have space.
 */
const diskFullByTriggers = ({ sql }: World) => {
  const tables = sql<{ name: string }>`
    SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname IN ('orchestrator', 'builder')`
  const onEach = (statement: (table: string) => string) =>
    Effect.flatMap(tables, (rows) =>
      Effect.forEach(rows, ({ name }) => sql.unsafe(statement(name)), { discard: true })
    ).pipe(Effect.orDie)
  const raise = sql.unsafe(`
    CREATE OR REPLACE FUNCTION public.${TRIGGER}() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full';
      END
    $$`)
  return Effect.acquireRelease(
    Effect.andThen(
      Effect.orDie(raise),
      onEach(
        (table) =>
          `CREATE TRIGGER ${TRIGGER} BEFORE INSERT OR UPDATE OR DELETE ON ${table}
            FOR EACH STATEMENT EXECUTE FUNCTION public.${TRIGGER}()`
      )
    ),
    () => onEach((table) => `DROP TRIGGER IF EXISTS ${TRIGGER} ON ${table}`)
  )
}

/** Rows for which a table needs more space than its last page has. */
const ROWS = 20_000

/**
 * No table can grow until the scope closes. Rows that fit into the space of deleted ones are still written, so health may or may not
 * call the database healthy.
 */
const diskFull = ({ sql }: World, { full }: SmallDisk) =>
  Effect.gen(function* () {
    yield* sql`CREATE TABLE IF NOT EXISTS public.chaos_disk (n int)`
    yield* full
    const filled = yield* Effect.result(sql`INSERT INTO public.chaos_disk SELECT generate_series(1, ${ROWS})`)
    if (Result.isSuccess(filled)) return ["the disk was not full"]
    const { cause } = filled.failure.reason
    return String(cause).includes("No space left on device") ? [] : [`the full disk is reported as: ${String(cause)}`]
  }).pipe(Effect.orDie)

/** By a file system without space where one can be mounted, otherwise by triggers. */
export const fullDisk = (millis: number): Step =>
  withoutWrites("full disk", millis, (stage) => {
    const { disk } = stage.world
    return disk === undefined
      ? Effect.andThen(diskFullByTriggers(stage.world), unhealthy(stage))
      : diskFull(stage.world, disk)
  })
