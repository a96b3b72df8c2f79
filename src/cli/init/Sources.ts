/** Secrets of a new deployment: those of the environment, those of the `.env` that is replaced, and generated ones. */
import { Console, Effect, FileSystem, Option, Path, Redacted, type Terminal } from "effect"
import type { Prompt } from "effect/cli"
import { SecureRandom } from "effect/crypto"
import { bytesToHex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { common } from "../../config/Common.ts"
import { orchestrator } from "../../config/Orchestrator.ts"
import * as Keys from "../Keys.ts"
import * as EnvFile from "./EnvFile.ts"
import type { Answers } from "./Files.ts"

/** Asks on a terminal. */
type Asked<A> = Effect.Effect<A, Terminal.QuitError, Prompt.Environment>

export interface Options {
  readonly folder: string
  /** Number of keys to generate, if the operator gave one. */
  readonly lanes: Option.Option<number>
  /** True if the operator takes over the environment also for another folder. */
  readonly fromEnvironment: boolean
  /** Lines of the `.env` that is replaced. */
  readonly former: ReadonlyArray<EnvFile.Line>
  readonly askLanes: Asked<number>
  /** Empty for the database of Docker Compose. */
  readonly askDatabaseUrl: Asked<string>
}

const randomHex = Effect.map(
  Effect.flatMap(SecureRandom.SecureRandom, ({ randomBytes }) => randomBytes(32)),
  bytesToHex
)

const token = Effect.map(randomHex, (hex) => hex.slice(2))

/** Bun reads `.env` of the present folder into the environment, so its secrets may belong to another deployment. */
const isPresentFolder = Effect.fnUntraced(function* (folder: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const real = (name: string) => Effect.orElseSucceed(fs.realPath(name), () => name)
  return (yield* real(folder)) === (yield* real(path.resolve(".")))
})

/** Reads the environment, and names on stderr all that is taken from it or left out. */
const ofEnvironment = Effect.fnUntraced(function* ({ folder, fromEnvironment, lanes }: Options) {
  const isTaken = fromEnvironment || (yield* isPresentFolder(folder))
  const keys = yield* orchestrator.relayerKeys.config
  const url = yield* common.databaseUrl.config
  const { name } = orchestrator.relayerKeys
  const areGenerated = Option.isSome(lanes)
  const found = [
    ...(keys.length > 0 && !areGenerated ? [name] : []),
    ...(Option.isSome(url) ? [common.databaseUrl.name] : [])
  ]
  const taken = isTaken ? found : []
  const left = isTaken ? [] : found
  if (taken.length > 0) yield* Console.error(`took ${taken.join(" and ")} from the environment`)
  if (left.length > 0) {
    const [are, them] = left.length === 1 ? ["is", "it"] : ["are", "them"]
    yield* Console.error(
      `${left.join(" and ")} of the environment ${are} left out, because ${folder} is another folder. Use --from-environment to take ${them} over`
    )
  }
  if (keys.length > 0 && areGenerated) {
    yield* Console.error(`${name} of the environment is left out, because --lanes generates keys`)
  }
  if (taken.includes(name)) yield* Keys.parse(name, "keys of lanes", keys)
  return {
    keys: taken.includes(name) ? keys.map((key) => Redacted.value(key)) : undefined,
    databaseUrl: isTaken ? Option.getOrUndefined(Option.map(url, (secret) => Redacted.value(secret))) : undefined
  }
})

/** Gathers the secrets, and the accounts of generated keys. */
export const secrets = Effect.fnUntraced(function* (options: Options) {
  const { askDatabaseUrl, askLanes, former, lanes } = options
  const taken = yield* ofEnvironment(options)
  const count = taken.keys === undefined ? (Option.isSome(lanes) ? lanes.value : yield* askLanes) : 0
  const generated = yield* Effect.replicateEffect(randomHex, count)
  const keys = taken.keys ?? generated
  const kept = (...names: ReadonlyArray<string>) =>
    names.map((name) => EnvFile.valueOf(former, name)).find((value) => value !== undefined)
  const keptUrl = kept(common.databaseUrl.name)
  const given = taken.databaseUrl ?? keptUrl ?? (yield* askDatabaseUrl)
  const formerKeys = kept(orchestrator.relayerKeys.name)
  if (formerKeys !== undefined && formerKeys !== keys.join(",")) {
    yield* Console.error("RELAYER_KEYS is new. The copy has the former keys, whose accounts may hold gas")
  }
  return {
    accounts: generated.map((key) => privateKeyToAccount(key).address),
    relayerKeys: keys,
    databaseUrl: given === "" ? undefined : given,
    isDatabaseKept: taken.databaseUrl === undefined && keptUrl !== undefined,
    adminToken: kept("ORCH_ADMIN_TOKEN", "ORCHESTRATOR_ADMIN_TOKEN") ?? (yield* token),
    builderToken: kept("BUILDER_ADMIN_TOKEN", "ADMIN_TOKEN") ?? (yield* token),
    databasePassword: kept("POSTGRES_PASSWORD") ?? (yield* token)
  } satisfies Omit<Answers, "chains" | "chainsFile" | "user"> & { readonly accounts: ReadonlyArray<string> }
})
