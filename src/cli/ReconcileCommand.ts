/** `./sweep reconcile`: after a restore, books what the chains show and the database forgot. */
import { Console, Effect, Layer, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { SecureRandom } from "effect/crypto"
import { FetchHttpClient } from "effect/http"
import * as JsonRpcChains from "../adapters/evm/chains/Chains.ts"
import * as SweepContracts from "../adapters/evm/contracts/SweepContracts.ts"
import * as AllScreening from "../adapters/screening/All.ts"
import * as BuilderMigrated from "../adapters/sql/builder/Migrated.ts"
import * as Stores from "../adapters/sql/builder/Stores.ts"
import * as OrchestratorMigrated from "../adapters/sql/orchestrator/Migrated.ts"
import * as Database from "../adapters/sql/shared/Database.ts"
import { PayoutDesk } from "../builder/payout/PayoutDesk.ts"
import * as Address from "../domain/Address.ts"
import { ChainId } from "../domain/ChainId.ts"
import { Hash, lowerCase } from "../domain/Hex.ts"
import { configuredChains } from "./ConfiguredChains.ts"
import * as DatabaseFacts from "./DatabaseFacts.ts"
import { Moment } from "./Moment.ts"
import { json, printed } from "./Output.ts"
import * as Decisions from "./reconcile/Decisions.ts"
import { reconcile, restoreOf } from "./reconcile/Reconcile.ts"
import { Report, shown } from "./reconcile/Report.ts"
import { UsageError } from "./UsageError.ts"

/** Something remains open. The report is printed already. */
export class Unreconciled extends Schema.TaggedError<Unreconciled>()("Unreconciled", { open: Schema.Int }) {
  override get message(): string {
    return this.open === 1 ? "one item remains open, see above" : `${this.open} items remain open, see above`
  }
}

const isHash = Schema.is(Hash)

/** Statements over the whole ledger may take longer than those of the services. */
const STATEMENT_TIMEOUT_MILLIS = 60_000

/** The database of the settings with its schemas up to date, and the stores of the builder backend. */
const books = Layer.unwrap(
  Effect.gen(function* () {
    const database = Database.layer({
      // Through a proxy, the time limit would be the role's, which is that of the services.
      url: yield* DatabaseFacts.directUrl,
      poolSize: 4,
      statementTimeoutMillis: STATEMENT_TIMEOUT_MILLIS
    })
    const migrated = Layer.effectDiscard(Effect.andThen(OrchestratorMigrated.migrate, BuilderMigrated.migrate))
    return Stores.layer.pipe(Layer.provide(migrated), Layer.provideMerge(database))
  })
)

const chains = Layer.unwrap(Effect.map(configuredChains, (endpoints) => JsonRpcChains.layer(endpoints))).pipe(
  Layer.provide(FetchHttpClient.layer)
)

const desk = PayoutDesk.layer.pipe(Layer.provide([AllScreening.layerOracle(), SecureRandom.layerWebCrypto]))

/** Everything that a reconciliation needs. */
const everything = Layer.mergeAll(desk, SweepContracts.layer, SecureRandom.layerWebCrypto).pipe(
  Layer.provideMerge(books),
  Layer.provideMerge(chains)
)

const since = Flag.String("since").pipe(
  Flag.withSchema(Moment),
  Flag.withDescription(
    "Moment to which the database was restored, or an earlier one. Recording a restore pauses all sweeps. Default: the moment that `sweep restore` recorded"
  ),
  Flag.optional
)

const dryRun = Flag.Boolean("dry-run").pipe(
  Flag.withDescription("Show what would be booked, and book nothing"),
  Flag.withDefault(false)
)

const force = Flag.String("force").pipe(
  Flag.withDescription("Allow payouts although something remains open, for this reason, which the audit log keeps"),
  Flag.optional
)

const UNKNOWN =
  "no restore is recorded. If the database was restored, or a replica with missing data took over, give the moment with --since"

const run = Effect.fnUntraced(function* (options: {
  readonly dryRun: boolean
  readonly force: Option.Option<string>
  readonly json: boolean
  readonly since: Option.Option<string>
}) {
  const restore = yield* restoreOf(Option.getOrUndefined(Option.map(options.since, Date.parse)), options.dryRun)
  if (restore === undefined) return yield* new UsageError({ detail: UNKNOWN })
  const found = yield* reconcile({ restore, dryRun: options.dryRun })
  const isForced = !found.reconciled && !options.dryRun && Option.isSome(options.force)
  if (isForced) yield* Decisions.force(found, options.force.value)
  const report = isForced ? { ...found, reconciled: true } : found
  yield* printed(Report, report, options.json, shown)
  if (report.open.length > 0) return yield* new Unreconciled({ open: report.open.length })
})

const assign = Command.make(
  "assign",
  {
    builder: Flag.String("builder").pipe(Flag.withDescription("Id of the builder that earned the fees")),
    sweeps: Argument.String("sweep").pipe(
      Argument.withDescription("Ids of the sweeps, as `reconcile` lists them"),
      Argument.variadic({ min: 1 })
    )
  },
  ({ builder, sweeps }) =>
    Effect.gen(function* () {
      const booked = yield* Decisions.assign(builder, sweeps)
      if (booked.length > 0) yield* Console.log(`already booked for ${builder}: ${booked.join(", ")}`)
    }).pipe(Effect.provide(books), Effect.scoped)
).pipe(
  Command.withDescription(
    "Book fees of forgotten sweeps for the builder that earned them. An assigned fee stays with its builder"
  ),
  Command.withExamples([
    { command: "sweep reconcile assign --builder acme 0x…_7", description: "The fee of one sweep" }
  ])
)

const explain = Command.make(
  "explain",
  {
    chainId: Flag.Int("chain").pipe(Flag.withSchema(ChainId), Flag.withDescription("Id of the chain")),
    token: Flag.String("token").pipe(
      Flag.withSchema(Address.NonZeroAddress),
      Flag.withDescription("Token that was transferred")
    ),
    reason: Flag.String("reason").pipe(Flag.withDescription("Reason of the transfer, for the audit log")),
    transaction: Argument.String("transaction").pipe(Argument.withDescription("Hash of the transaction"))
  },
  ({ chainId, reason, token, transaction }) =>
    Effect.gen(function* () {
      if (!isHash(transaction)) {
        return yield* new UsageError({
          detail: `the transaction hash ${transaction} is not valid: expected 0x followed by 64 hex digits`
        })
      }
      yield* Decisions.explain({ chainId, token, txHash: lowerCase(transaction) }, reason)
    }).pipe(Effect.provide(books), Effect.scoped)
).pipe(
  Command.withDescription(
    "Record that a transfer out of the vault was no payout. It changes nothing that builders are owed"
  ),
  Command.withExamples([
    {
      command: 'sweep reconcile explain --chain 8453 --token 0x8335… --reason "moved to the new vault" 0x…',
      description: "A transfer that pays nobody"
    }
  ])
)

const accept = Command.make(
  "accept",
  {
    chainId: Flag.Int("chain").pipe(Flag.withSchema(ChainId), Flag.withDescription("Id of the chain")),
    reason: Flag.String("reason").pipe(
      Flag.withDescription("Reason for which the fees are accepted, for the audit log")
    ),
    sweeps: Argument.String("sweep").pipe(
      Argument.withDescription("Ids of the sweeps, as `reconcile` lists them"),
      Argument.variadic({ min: 1 })
    )
  },
  ({ chainId, reason, sweeps }) =>
    Effect.gen(function* () {
      const kept = yield* Decisions.accept(chainId, sweeps, reason)
      if (kept.length > 0) yield* Console.log(`already kept: ${kept.join(", ")}`)
    }).pipe(Effect.provide(everything), Effect.scoped)
).pipe(
  Command.withDescription(
    "Record that builder fees of sweeps went to an account that is no vault and no builder's. They count as paid for good"
  ),
  Command.withExamples([
    {
      command: 'sweep reconcile accept --chain 8453 --reason "not our vault" 0x…_7',
      description: "A sweep that names an unknown account as its builder"
    }
  ])
)

export const reconcileCommand = Command.make("reconcile", { since, dryRun, force, json }, (options) =>
  run(options).pipe(Effect.provide(everything), Effect.scoped)
).pipe(
  Command.withDescription(
    "After a restore, book the sweeps, payouts and gas that the chains show and the database forgot. Safe to repeat. Fails while something is open"
  ),
  Command.withExamples([
    { command: "sweep reconcile --dry-run", description: "Show what the database forgot" },
    { command: "sweep reconcile", description: "Book it, and allow payouts again" },
    {
      command: "sweep reconcile --since 2026-01-31T12:00:00Z",
      description: "After a restore that `sweep restore` did not make"
    }
  ]),
  Command.withSubcommands([assign, explain, accept])
)
