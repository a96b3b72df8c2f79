/** `./sweep init`: writes the chains file and the settings of a new deployment, and generates its secrets. */
import { Console, DateTime, Effect, FileSystem, Option, Path, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { SecureRandom } from "effect/crypto"
import * as ChainsFile from "../adapters/evm/chains/ChainsFile.ts"
import * as Address from "../domain/Address.ts"
import { ChainId } from "../domain/ChainId.ts"
import * as EnvFile from "./init/EnvFile.ts"
import * as Files from "./init/Files.ts"
import * as Questions from "./init/Questions.ts"
import * as Sources from "./init/Sources.ts"
import { UsageError } from "./UsageError.ts"

const directory = Flag.String("directory").pipe(
  Flag.withDescription("Folder to write to. Default: the present one"),
  Flag.withDefault(".")
)
const chain = Flag.Int("chain").pipe(
  Flag.withSchema(ChainId),
  Flag.withDescription("Id of a chain to serve. May be given several times"),
  Flag.atLeast(0)
)
const rpc = Flag.String("rpc").pipe(
  Flag.withDescription("`<chain id>=<URL>`: a JSON-RPC endpoint. May be given several times"),
  Flag.atLeast(0)
)
const fact = Flag.String("fact").pipe(
  Flag.withDescription("`<chain id>.<field>=<value>`: a field of a chain's entry. May be given several times"),
  Flag.atLeast(0)
)
const address = (name: string, meaning: string) =>
  Flag.String(name).pipe(Flag.withSchema(Address.NonZeroAddress), Flag.withDescription(meaning), Flag.optional)
const feeRecipient = address("fee-recipient", "Receiver of protocol fees, on all chains")
const guardOwner = address("guard-owner", "Administrator of the swap targets, on all chains. Use a multisig")
const builderVault = address(
  "builder-vault",
  "Account that holds builders' fees until they are paid, on all chains. Default: the fee recipient, whose fees are then not sold"
)
const lanes = Flag.Int("lanes").pipe(
  Flag.withSchema(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 20 }))),
  Flag.withDescription("Number of lanes to generate keys for, instead of RELAYER_KEYS of the environment. Default: 2"),
  Flag.optional
)
const fromEnvironment = Flag.Boolean("from-environment").pipe(
  Flag.withDescription(
    "Take RELAYER_KEYS and DATABASE_URL from the environment for another folder too. The present one always takes them"
  ),
  Flag.withDefault(false)
)
const yes = Flag.Boolean("yes").pipe(
  Flag.withDescription("Ask nothing: what no flag says is a default, or an error"),
  Flag.withDefault(false)
)
const force = Flag.Boolean("force").pipe(
  Flag.withDescription(
    "Replace existing files. Copies of them are kept, and so are the settings of .env other than RELAYER_KEYS"
  ),
  Flag.withDefault(false)
)

const DEFAULT_LANES = 2

/** Only the owner may read and write it. */
const PRIVATE_MODE = 0o600

const RPC = /^([1-9]\d*)=(https?:\/\/\S+)$/
const FACT = /^([1-9]\d*)\.([A-Za-z0-9]+)=(.+)$/

const grouped = (entries: ReadonlyArray<readonly [id: number, value: string]>) =>
  new Map([...Map.groupBy(entries, ([id]) => id)].map(([id, group]) => [id, group.map(([, value]) => value)]))

const matched = Effect.fnUntraced(function* (
  pattern: RegExp,
  flag: string,
  form: string,
  texts: ReadonlyArray<string>
) {
  return yield* Effect.forEach(texts, (text) => {
    const found = pattern.exec(text)
    // The value may hold a key, and is not repeated.
    return found === null
      ? Effect.fail(new UsageError({ detail: `--${flag}: expected ${form}` }))
      : Effect.succeed(found)
  })
})

interface FlagValues {
  readonly chain: ReadonlyArray<number>
  readonly rpc: ReadonlyArray<string>
  readonly fact: ReadonlyArray<string>
  readonly feeRecipient: Option.Option<Address.Address>
  readonly guardOwner: Option.Option<Address.Address>
  readonly builderVault: Option.Option<Address.Address>
}

const givenBy = Effect.fnUntraced(function* (flags: FlagValues) {
  const recipient = Option.getOrUndefined(flags.feeRecipient)
  if (recipient !== undefined && Option.contains(flags.builderVault, recipient)) {
    return yield* new UsageError({
      detail: "--builder-vault is the fee recipient. Set it to another account, or leave it out"
    })
  }
  const urls = yield* matched(RPC, "rpc", "<chain id>=<URL>", flags.rpc)
  const facts = yield* matched(FACT, "fact", "<chain id>.<field>=<value>", flags.fact)
  const ids = [...flags.chain, ...urls.map(([, id]) => Number(id))]
  return {
    chains: [...new Set(ids)],
    rpcUrls: grouped(urls.map(([, id, url = ""]) => [Number(id), url])),
    facts: new Map(
      [...Map.groupBy(facts, ([, id]) => Number(id))].map(([id, group]) => [
        id,
        Object.fromEntries(group.map(([, , field = "", value = ""]) => [field, Files.factOf(value)]))
      ])
    ),
    feeRecipient: Option.getOrUndefined(flags.feeRecipient),
    guardOwner: Option.getOrUndefined(flags.guardOwner),
    builderVault: Option.getOrUndefined(flags.builderVault)
  } satisfies Questions.Given
})

/** The chains by the flags alone. The error names all that is missing. */
const chainsByFlags = Effect.fnUntraced(function* (given: Questions.Given) {
  const { builderVault, feeRecipient, guardOwner } = given
  const missing = [
    ...(given.chains.length === 0 ? ["--chain"] : []),
    ...given.chains.filter((id) => !given.rpcUrls.has(id)).map((id) => `--rpc ${id}=<URL>`),
    ...given.chains.flatMap((id) =>
      Files.missingFacts({ id, facts: given.facts.get(id) ?? {} }).map((field) => `--fact ${id}.${field}=<value>`)
    ),
    ...(feeRecipient === undefined ? ["--fee-recipient"] : []),
    ...(guardOwner === undefined ? ["--guard-owner"] : [])
  ]
  if (missing.length > 0 || feeRecipient === undefined || guardOwner === undefined) {
    return yield* new UsageError({
      detail: `set ${missing.join(", ")}, or run the command on a terminal without --yes`
    })
  }
  return given.chains.map((id) => ({
    id,
    rpcUrls: given.rpcUrls.get(id) ?? [],
    facts: given.facts.get(id) ?? {},
    feeRecipient,
    guardOwner,
    builderVault
  }))
})

/** Lines of a file; none if it does not exist. */
const linesOf = Effect.fnUntraced(function* (file: string) {
  const fs = yield* FileSystem.FileSystem
  return (yield* fs.exists(file)) ? EnvFile.parse(yield* fs.readFileString(file)) : []
})

/** Fails if the readers of `.env` would not agree on a setting. */
const agreed = Effect.fnUntraced(function* (answers: Files.Answers, former: ReadonlyArray<EnvFile.Line>) {
  const [name] = Files.unwritable(answers, former)
  if (name === undefined) return
  return yield* new UsageError({
    detail: `${name} has a $, a ', a \\ or a line break, which Bun, Docker Compose and shells read differently in .env. Set it to another value`
  })
})

/** Fails if a file exists and must not be replaced. Otherwise keeps a copy of it. */
const makeRoom = Effect.fnUntraced(function* (file: string, isForced: boolean) {
  const fs = yield* FileSystem.FileSystem
  if (!(yield* fs.exists(file))) return
  if (!isForced) {
    return yield* new UsageError({ detail: `${file} exists. Use --force to replace it, which keeps a copy of it` })
  }
  const now = DateTime.formatIso(yield* DateTime.now).replaceAll(":", "-")
  const copy = `${file}.${now}.bak`
  yield* fs.rename(file, copy)
  yield* fs.chmod(copy, PRIVATE_MODE)
  yield* Console.error(`kept ${copy}`)
})

const written = Effect.fnUntraced(function* (file: string, text: string) {
  const fs = yield* FileSystem.FileSystem
  // The mode counts from the first byte on, and an existing file is an error.
  yield* fs.writeFileString(file, text, { flag: "wx", mode: PRIVATE_MODE })
})

/** Id of the account in the image, and of its group. */
const IMAGE_ID = 1_000

/**
 * Makes the file readable for the services in containers, and returns the `uid:gid` that they need for it; none for the image's own
 * account. The file of root is handed over to that account, so that no service runs as root.
 */
const shared = Effect.fnUntraced(function* (file: string) {
  const fs = yield* FileSystem.FileSystem
  const { gid, uid } = yield* fs.stat(file)
  const owner = Option.getOrElse(uid, () => IMAGE_ID)
  if (owner === IMAGE_ID) return undefined
  if (owner !== 0) return `${owner}:${Option.getOrElse(gid, () => owner)}`
  yield* fs.chown(file, IMAGE_ID, IMAGE_ID)
  return undefined
})

export const initCommand = Command.make(
  "init",
  { builderVault, chain, directory, fact, feeRecipient, force, fromEnvironment, guardOwner, lanes, rpc, yes },
  (flags) =>
    Effect.gen(function* () {
      const path = yield* Path.Path
      const fs = yield* FileSystem.FileSystem
      const folder = path.resolve(flags.directory)
      const [chainsFile, environment] = [path.join(folder, "chains.json"), path.join(folder, ".env")]
      const existing = yield* Effect.filter([chainsFile, environment], (file) => fs.exists(file))
      if (existing.length > 0 && !flags.force) yield* makeRoom(existing[0] ?? chainsFile, false)

      const given = yield* givenBy(flags)
      const chains = yield* flags.yes ? chainsByFlags(given) : Questions.chains(given)
      const text = Files.chainsFile(chains)
      // As the services read it, so that nothing is written that they refuse.
      const entries = yield* ChainsFile.decode(chainsFile, text)
      const former = yield* linesOf(environment)
      const { accounts, ...secrets } = yield* Sources.secrets({
        folder,
        lanes: flags.lanes,
        fromEnvironment: flags.fromEnvironment,
        former,
        askLanes: flags.yes ? Effect.succeed(DEFAULT_LANES) : Questions.lanes,
        askDatabaseUrl: flags.yes ? Effect.succeed("") : Questions.databaseUrl
      })
      const answers: Files.Answers = { ...secrets, chains, chainsFile, user: undefined }
      yield* agreed(answers, former)
      yield* fs.makeDirectory(folder, { recursive: true })
      for (const file of [chainsFile, environment]) yield* makeRoom(file, flags.force)
      yield* written(chainsFile, text)
      yield* written(environment, Files.environment({ ...answers, user: yield* shared(chainsFile) }, former))
      for (const name of Files.misleading(answers, former)) {
        yield* Console.error(
          `${name} is left out, because DATABASE_URL is new. If that leads to a proxy, set ${name} to its database`
        )
      }
      const kept = Files.kept(answers, former)
      if (kept.length > 0) yield* Console.error(`kept of the former .env: ${kept.join(", ")}`)
      yield* Console.log(
        Files.nextSteps({
          directory: folder,
          lanes: accounts,
          chains: entries.map(({ id, name }) => ({ id, name })),
          hasDatabase: answers.databaseUrl !== undefined
        })
      )
    }).pipe(Effect.provide(SecureRandom.layerWebCrypto))
).pipe(
  Command.withDescription(
    "Write chains.json and .env for a new deployment: asks for chains and endpoints, and generates keys and tokens"
  ),
  Command.withExamples([
    { command: "sweep init", description: "Answer questions on a terminal" },
    {
      command: "sweep init --yes --chain 8453 --rpc 8453=https://rpc.example.com --fee-recipient 0x… --guard-owner 0x…",
      description: "Write the files for Base without questions"
    }
  ])
)
