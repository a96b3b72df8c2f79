/** `./sweep keys address` and `./sweep keys check`: the accounts of keys, and whether they sign. */
import { Console, Effect, FileSystem, Option, Redacted, Result, Schema } from "effect"
import { Argument, Command } from "effect/cli"
import { FetchHttpClient } from "effect/http"
import type { Account } from "../adapters/evm/keys/KeyAccount.ts"
import * as ConfiguredKey from "../adapters/signers/ConfiguredKey.ts"
import { orchestrator } from "../config/Orchestrator.ts"
import { payouts } from "../config/Payouts.ts"
import { type Authorization } from "../domain/Delegation.ts"
import * as KeyReference from "../domain/KeyReference.ts"
import type { UnsignedTransaction } from "../ports/shared/Transaction.ts"
import * as Keys from "./Keys.ts"
import { json, printed } from "./Output.ts"
import { table } from "./Table.ts"
import { UsageError } from "./UsageError.ts"

/** Signs nothing that a chain accepts: a transaction needs 21,000 gas. */
const probe = (
  authorizationList: ReadonlyArray<Authorization>,
  to: UnsignedTransaction["to"]
): UnsignedTransaction => ({
  chainId: 1,
  nonce: 0n,
  to,
  data: "0x",
  gas: 0n,
  maxFeePerGas: 0n,
  maxPriorityFeePerGas: 0n,
  authorizationList
})

const Row = Schema.Struct({
  setting: Schema.String,
  key: Schema.String,
  address: Schema.NullOr(Schema.String),
  problems: Schema.Array(Schema.String)
})
type Row = typeof Row.Type

/** True if others than the owner may read a file. */
const isOpen = Effect.fnUntraced(function* (path: string) {
  const fs = yield* FileSystem.FileSystem
  const info = yield* Effect.option(fs.stat(path))
  return Option.exists(info, ({ mode }) => (mode & 0o077) !== 0)
})

const filesOf = (reference: KeyReference.KeyReference, common: string | undefined): ReadonlyArray<string> => {
  if (reference.kind !== "keystore") return []
  const passphrase = reference.passphraseFile ?? common
  return [reference.file, ...(passphrase === undefined ? [] : [passphrase])]
}

/** Signs one transaction of each type. */
const trySigning = Effect.fnUntraced(function* ({ address, signTransaction }: Account) {
  const word = `0x${"11".repeat(32)}` as const
  const authorization: Authorization = { address, chainId: 1, nonce: 0n, r: word, s: word, yParity: 0 }
  for (const list of [[], [authorization]]) {
    const signed = yield* Effect.result(signTransaction(probe(list, address)))
    if (Result.isFailure(signed)) return [`cannot sign type ${list.length === 0 ? 2 : 4}: ${signed.failure.detail}`]
  }
  return []
})

const rowOf = Effect.fnUntraced(function* (
  setting: string,
  reference: KeyReference.KeyReference,
  options: ConfiguredKey.Options
) {
  const key = KeyReference.describe(reference)
  const open = yield* Effect.filter(filesOf(reference, options.passphraseFile), isOpen)
  const exposed = open.map((path) => `${path} can be read by others. Run: chmod 600 ${path}`)
  const made = yield* Effect.result(ConfiguredKey.make(reference, options))
  if (Result.isFailure(made)) return { setting, key, address: null, problems: [...exposed, made.failure.detail] }
  return {
    setting,
    key,
    address: made.success.address,
    problems: [...exposed, ...(yield* trySigning(made.success))]
  } satisfies Row
})

/** Keys of the settings that are set. */
const configured = Effect.gen(function* () {
  const { feeRecipientKey, feeRecipientKmsKey, relayerKeys } = orchestrator
  const inKms = yield* feeRecipientKmsKey.config
  const named: ReadonlyArray<readonly [string, ReadonlyArray<Redacted.Redacted>]> = [
    [relayerKeys.name, yield* relayerKeys.config],
    [feeRecipientKey.name, Option.toArray(yield* feeRecipientKey.config)],
    [payouts.vaultKey.name, Option.toArray(yield* payouts.vaultKey.config)]
  ]
  const references = yield* Effect.forEach(
    named.filter(([, keys]) => keys.length > 0),
    ([setting, keys]) =>
      Effect.map(Keys.parse(setting, "a key", keys), (parsed) => parsed.map((each) => [setting, each] as const))
  )
  const kms = Option.map(inKms, (key) => [feeRecipientKmsKey.name, { kind: "kms", key }] as const)
  return [...references.flat(), ...Option.toArray(kms)]
})

const asTable = (rows: ReadonlyArray<Row>): string =>
  table(
    ["SETTING", "KEY", "ACCOUNT", "STATE"],
    rows.map(({ address, key, problems, setting }) => [
      setting,
      key,
      address ?? "–",
      problems.length === 0 ? "signs" : problems.join("; ")
    ]),
    "no keys are set"
  )

export const checkCommand = Command.make("check", { json }, ({ json }) =>
  Effect.gen(function* () {
    const options = yield* Keys.options
    const rows = yield* Effect.forEach(yield* configured, ([setting, key]) => rowOf(setting, key, options))
    yield* printed(Schema.Array(Row), rows, json, asTable)
    const wrong = rows.filter(({ problems }) => problems.length > 0).length
    if (wrong > 0) return yield* new UsageError({ detail: `${wrong} of ${rows.length} keys have a problem` })
  }).pipe(Effect.scoped, Effect.provide(FetchHttpClient.layer))
).pipe(
  Command.withDescription(
    "Check RELAYER_KEYS, FEE_RECIPIENT_KEY and VAULT_KEY as they are set: open keystores, ask signers, and sign a transaction of each type that no chain accepts"
  ),
  Command.withExamples([{ command: "sweep keys check", description: "Check the keys before a restart" }])
)

export const addressCommand = Command.make(
  "address",
  {
    key: Argument.String("key").pipe(
      Argument.withDescription(
        "Place of a key, such as keystore:<file>. A private key does not belong on a command line"
      )
    )
  },
  ({ key }) =>
    Effect.gen(function* () {
      const [reference] = yield* Keys.parse("the key", "the place of a key", [Redacted.make(key)])
      if (reference.kind === "raw") {
        return yield* new UsageError({
          detail: "a private key on a command line is visible to others. Import it with sweep keys import"
        })
      }
      const named = yield* ConfiguredKey.namedAddress(reference)
      const address = Option.isSome(named)
        ? named.value
        : (yield* ConfiguredKey.make(reference, yield* Keys.options)).address
      yield* Console.log(address)
    }).pipe(Effect.scoped, Effect.provide(FetchHttpClient.layer))
).pipe(
  Command.withDescription("Print the account of a key, without its passphrase if the keystore names it"),
  Command.withExamples([
    { command: "sweep keys address keystore:keys/lane-1.json", description: "Find out which account to fund" }
  ])
)
