/** `./sweep payouts`: shows and pays owed amounts over the admin API of the builder backend. */
import { Console, Effect, FileSystem, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { Assignment, TreasuryView } from "../api/builder/Schemas.ts"
import * as Address from "../domain/Address.ts"
import { Uint256 } from "../domain/Amount.ts"
import { ChainId } from "../domain/ChainId.ts"
import { Hash } from "../domain/Hex.ts"
import { OpenedPayout, PayoutBatch } from "../domain/Payout.ts"
import * as BuilderClient from "./BuilderClient.ts"
import { json, printed } from "./Output.ts"
import * as Pages from "./Pages.ts"
import { asAssigned, assignAll } from "./PayoutAssigning.ts"
import { send } from "./PayoutSendCommand.ts"
import { asFacts, asOpened, asPositions, asTable } from "./PayoutTables.ts"
import { UsageError } from "./UsageError.ts"

const isHash = Schema.is(Hash)

const id = Argument.String("batch").pipe(Argument.withDescription("The batch's id, as `open` printed it"))

const owed = Command.make("owed", { json }, ({ json }) =>
  Effect.gen(function* () {
    const { console, explained } = yield* BuilderClient.connect
    yield* printed(TreasuryView, yield* explained(console.treasury()), json, ({ positions }) => asPositions(positions))
  })
).pipe(
  Command.withDescription(
    "Show the owed amount in each token, the part of it that open batches claim, and the balance of the vault that pays it"
  )
)

const assign = Command.make(
  "assign",
  {
    chainId: Flag.Int("chain").pipe(Flag.withSchema(ChainId), Flag.withDescription("Id of the chain")),
    token: Flag.String("token").pipe(
      Flag.withSchema(Address.NonZeroAddress),
      Flag.withDescription("Address of the token, as `owed` shows it")
    ),
    json
  },
  ({ chainId, json, token }) =>
    Effect.gen(function* () {
      const { console, explained } = yield* BuilderClient.connect
      const assigned = yield* assignAll(explained(console.assignAccruals({ payload: { chainId, token } })))
      yield* printed(Assignment, assigned, json, (all) => asAssigned(all, chainId))
    })
).pipe(
  Command.withDescription(
    "Assign a token's accruals that were reported without a chain to a chain, so that batches pay them. An assigned accrual keeps its chain"
  ),
  Command.withExamples([
    {
      command: "sweep payouts assign --chain 8453 --token 0x8335…",
      description: "They were earned on Base"
    }
  ])
)

const list = Command.make("list", { json }, ({ json }) =>
  Effect.gen(function* () {
    const { console, explained } = yield* BuilderClient.connect
    const batches = yield* Pages.all((query) =>
      explained(console.payouts({ query })).pipe(Effect.map(({ payouts, ...rest }) => ({ rows: payouts, ...rest })))
    )
    yield* printed(Schema.Array(PayoutBatch), batches, json, asTable)
  })
).pipe(Command.withDescription("List batches, newest first"))

const show = Command.make("show", { id, json }, ({ id, json }) =>
  Effect.gen(function* () {
    const { console, explained } = yield* BuilderClient.connect
    yield* printed(PayoutBatch, yield* explained(console.payout({ params: { id } })), json, asFacts)
  })
).pipe(Command.withDescription("Show a batch with its lines"))

const open = Command.make(
  "open",
  {
    chainId: Flag.Int("chain").pipe(Flag.withSchema(ChainId), Flag.withDescription("Id of the chain")),
    token: Flag.String("token").pipe(
      Flag.withSchema(Address.NonZeroAddress),
      Flag.withDescription("Address of the token, as `owed` shows it")
    ),
    minAmount: Flag.String("min-amount").pipe(
      Flag.withSchema(Uint256),
      Flag.withDescription("Minimum owed amount of a builder to include, in the token's smallest unit"),
      Flag.optional
    ),
    exclude: Flag.String("exclude").pipe(
      Flag.withDescription("Id of a builder to leave out. May be repeated"),
      Flag.between(0, 1_000)
    ),
    json
  },
  ({ chainId, exclude, json, minAmount, token }) =>
    Effect.gen(function* () {
      const { console, explained } = yield* BuilderClient.connect
      const least = Option.isSome(minAmount) ? { minAmount: minAmount.value } : {}
      const batch = yield* explained(console.openPayout({ payload: { chainId, token, ...least, exclude } }))
      yield* printed(OpenedPayout, batch, json, asOpened)
    })
).pipe(
  Command.withDescription(
    "Open a batch of the amounts owed in one token on one chain. Each amount is in one batch only"
  ),
  Command.withExamples([
    {
      command: "sweep payouts open --chain 8453 --token 0x8335…",
      description: "All builders who are owed USDC on Base"
    },
    {
      command: "sweep payouts open --chain 8453 --token 0x8335… --min-amount 10000000",
      description: "Builders who are owed at least 10 USDC"
    }
  ])
)

const exported = Effect.fnUntraced(function* (batch: string, format: "csv" | "safe") {
  const { console, explained } = yield* BuilderClient.connect
  const params = { id: batch }
  if (format === "csv") return yield* explained(console.payoutCsv({ params }))
  const file = yield* explained(
    console.payoutSafe({ params }).pipe(
      Effect.asSome,
      Effect.catchTag("PayoutClosed", () => Effect.succeedNone)
    )
  )
  if (Option.isSome(file)) return `${JSON.stringify(file.value, null, 2)}\n`
  return yield* new BuilderClient.BuilderCallFailed({
    detail: `batch ${batch} is closed, and a Safe that runs its file would pay it again. \`--format csv\` exports its lines`
  })
})

const exportBatch = Command.make(
  "export",
  {
    id,
    format: Flag.Literals("format", ["csv", "safe"]).pipe(
      Flag.withDescription("csv: one line per builder. safe: a file for the Transaction Builder of the vault's Safe"),
      Flag.withDefault("csv" as const)
    ),
    output: Flag.String("output").pipe(
      Flag.withDescription("Write to this file instead of standard output"),
      Flag.optional
    )
  },
  ({ format, id, output }) =>
    Effect.gen(function* () {
      const text = yield* exported(id, format)
      if (Option.isNone(output)) return yield* Console.log(text.trimEnd())
      const fs = yield* FileSystem.FileSystem
      yield* fs.writeFileString(output.value, text)
      yield* Console.error(`wrote ${output.value}`)
    })
).pipe(
  Command.withDescription(
    "Export a batch as CSV, or as a file that the vault's Safe imports and runs as one transaction"
  ),
  Command.withExamples([
    { command: "sweep payouts export 4f6c… --format safe --output payout.json", description: "Export for a Safe" }
  ])
)

const markPaid = Command.make(
  "mark-paid",
  {
    id,
    transaction: Argument.String("transaction").pipe(Argument.withDescription("Hash of the transaction that paid it")),
    json
  },
  ({ id, json, transaction }) =>
    Effect.gen(function* () {
      if (!isHash(transaction)) {
        return yield* new UsageError({
          detail: `the transaction hash ${transaction} is not valid: expected 0x followed by 64 hex digits`
        })
      }
      const { console, explained } = yield* BuilderClient.connect
      const paid = yield* explained(console.markPayoutPaid({ params: { id }, payload: { txHash: transaction } }))
      yield* printed(PayoutBatch, paid, json, asFacts)
    })
).pipe(
  Command.withDescription(
    "Book the payment of a batch. The transaction must be confirmed and transfer every line out of the vault"
  ),
  Command.withExamples([
    { command: "sweep payouts mark-paid 4f6c… 0x…", description: "Book a payment that a Safe made" }
  ])
)

const fail = Command.make(
  "fail",
  { id, reason: Flag.String("reason").pipe(Flag.withDescription("Reason, for the audit log")), json },
  ({ id, json, reason }) =>
    Effect.gen(function* () {
      const { console, explained } = yield* BuilderClient.connect
      const failed = yield* explained(console.failPayout({ params: { id }, payload: { reason } }))
      yield* printed(PayoutBatch, failed, json, asFacts)
    })
).pipe(
  Command.withDescription("Mark a batch as failed, if it was not and will not be paid. Its amounts are owed again"),
  Command.withExamples([
    {
      command: 'sweep payouts fail 4f6c… --reason "wrong threshold"',
      description: "Give up a batch, to open a corrected one"
    }
  ])
)

export const payoutsCommand = Command.make("payouts").pipe(
  Command.withDescription("Pay builders what they are owed, in batches"),
  Command.withSubcommands([owed, assign, list, open, show, exportBatch, send, markPaid, fail])
)
