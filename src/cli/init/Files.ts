/** The files that `./sweep init` writes, from the answers of an operator. Pure. */
import { KNOWN_CHAINS } from "../../catalog/KnownChains.ts"
import * as EnvFile from "./EnvFile.ts"

export interface ChainAnswers {
  readonly id: number
  readonly rpcUrls: ReadonlyArray<string>
  readonly feeRecipient: string
  readonly guardOwner: string
  /** Vault that pays builders. Undefined for the fee recipient, whose fees are then not sold. */
  readonly builderVault?: string | undefined
  /** More fields of the entry. For a chain that is not built in, all {@link REQUIRED_FACTS}. */
  readonly facts: Readonly<Record<string, unknown>>
}

export interface Answers {
  readonly chains: ReadonlyArray<ChainAnswers>
  /** Keys of the lanes, as the setting takes them. */
  readonly relayerKeys: ReadonlyArray<string>
  /** Undefined for that of Docker Compose. */
  readonly databaseUrl: string | undefined
  /** True if the database is that of the `.env` that is replaced, whose line then stays. */
  readonly isDatabaseKept: boolean
  readonly adminToken: string
  readonly builderToken: string
  readonly databasePassword: string
  /** Path of the chains file as it is written to `.env`. */
  readonly chainsFile: string
  /** `uid:gid` of the owner of the files. Absent if the image's own account owns them. */
  readonly user: string | undefined
}

/** Facts that an entry of a chain needs that is not built in, with the question for each. */
export const REQUIRED_FACTS = [
  { field: "name", question: "Name in lower case, such as `base`" },
  { field: "nativeSymbol", question: "Symbol of the native currency" },
  { field: "wrappedNative", question: "Address of the wrapped native token" },
  { field: "sanctionsOracle", question: "Address of a contract that answers isSanctioned(address)" },
  { field: "confirmations", question: "Blocks after which a sweep counts as settled" },
  { field: "blockTimeMillis", question: "Milliseconds between blocks" }
] as const

/** Facts that the chain lacks. None for a built-in one. */
export const missingFacts = ({ facts, id }: Pick<ChainAnswers, "facts" | "id">): ReadonlyArray<string> =>
  KNOWN_CHAINS[id] === undefined ? REQUIRED_FACTS.map(({ field }) => field).filter((field) => !(field in facts)) : []

/** A fact as it was typed: JSON, such as a number or a list, or else text. */
export const factOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Text of the chains file. */
export const chainsFile = (chains: ReadonlyArray<ChainAnswers>): string =>
  `${JSON.stringify(
    chains.map(({ builderVault, facts, feeRecipient, guardOwner, id, rpcUrls }) => ({
      id,
      rpcUrls,
      feeRecipient,
      ...(builderVault === undefined ? {} : { builderVault }),
      guardOwner,
      ...(KNOWN_CHAINS[id] === undefined ? { stables: [], tokens: [] } : {}),
      ...facts
    })),
    null,
    2
  )}\n`

/** A comment, or a setting with its value. */
type Part = string | readonly [name: string, value: string]

const parts = (answers: Answers): ReadonlyArray<Part> => [
  "# Secrets of the deployment, written by ./sweep init. Keep this file private, and a copy of it in a safe place.",
  ["CHAINS_FILE", answers.chainsFile],
  ...(answers.user === undefined
    ? []
    : ([
        "# Account in the containers of Docker Compose: the one that owns these files.",
        ["SWEEP_USER", answers.user]
      ] satisfies ReadonlyArray<Part>)),
  ...((answers.databaseUrl === undefined
    ? [
        "# PostgreSQL of Docker Compose. Without Docker, set DATABASE_URL instead.",
        ["POSTGRES_PASSWORD", answers.databasePassword]
      ]
    : [["DATABASE_URL", EnvFile.plainUrl(answers.databaseUrl)]]) satisfies ReadonlyArray<Part>),
  "# Orchestrator",
  ["RELAYER_KEYS", answers.relayerKeys.join(",")],
  ["ORCH_ADMIN_TOKEN", answers.adminToken],
  ["BUILDER_URL", "http://127.0.0.1:8788"],
  ["BUILDER_ADMIN_TOKEN", answers.builderToken],
  "# Builder backend",
  ["ADMIN_TOKEN", answers.builderToken],
  ["ORCHESTRATOR_URL", "http://127.0.0.1:8787"],
  ["ORCHESTRATOR_ADMIN_TOKEN", answers.adminToken],
  // Docker Compose has an origin of its own.
  ...(answers.databaseUrl === undefined
    ? []
    : ([["DASHBOARD_URL", "http://127.0.0.1:8788"]] satisfies ReadonlyArray<Part>))
]

const settings = (answers: Answers) => parts(answers).flatMap((part) => (typeof part === "string" ? [] : [part]))

/** True if `.env` gets another database than the former file had. */
const isDatabaseNew = ({ databaseUrl, isDatabaseKept }: Answers, former: ReadonlyArray<EnvFile.Line>): boolean => {
  if (isDatabaseKept || databaseUrl === undefined) return false
  const previous = EnvFile.expandedValueOf(former, "DATABASE_URL")
  return previous === undefined || EnvFile.plainUrl(previous) !== EnvFile.plainUrl(databaseUrl)
}

/** Settings with a value that lead to the former database, and so are not kept. */
export const misleading = (answers: Answers, former: ReadonlyArray<EnvFile.Line>): ReadonlyArray<string> =>
  ["DATABASE_LISTEN_URL"].filter(
    (name) => EnvFile.valueOf(former, name) !== undefined && isDatabaseNew(answers, former)
  )

/** Settings that belong to the files that are written now. Those of a former file do not count. */
const replaced = (answers: Answers, former: ReadonlyArray<EnvFile.Line>): ReadonlySet<string> =>
  new Set([
    "CHAINS_FILE",
    "SWEEP_USER",
    "RELAYER_KEYS",
    ...(answers.isDatabaseKept ? [] : ["DATABASE_URL"]),
    ...misleading(answers, former)
  ])

/** Lines of the former file that stay as they are. An empty setting counts as missing. */
const keptLines = (answers: Answers, former: ReadonlyArray<EnvFile.Line>): ReadonlyArray<EnvFile.Line> => {
  const gone = replaced(answers, former)
  const own = new Set(settings(answers).map(([name]) => name))
  return former.filter(({ name, value }) => name === undefined || (!gone.has(name) && (value !== "" || !own.has(name))))
}

/** Settings of the former file that stay, each once. */
export const kept = (answers: Answers, former: ReadonlyArray<EnvFile.Line>): ReadonlyArray<string> => [
  ...new Set(keptLines(answers, former).flatMap(({ name }) => (name === undefined ? [] : [name])))
]

/** Settings whose values the readers of `.env` would read differently. */
export const unwritable = (answers: Answers, former: ReadonlyArray<EnvFile.Line>): ReadonlyArray<string> => {
  const stays = new Set(kept(answers, former))
  return settings(answers).flatMap(([name, value]) => (stays.has(name) || EnvFile.isWritable(value) ? [] : [name]))
}

/**
 * Text of `.env`, for Bun, for Docker Compose and for a shell. A former file keeps its order and all but the settings that are replaced,
 * since a line may use the variables of the lines before it.
 */
export const environment = (answers: Answers, former: ReadonlyArray<EnvFile.Line>): string => {
  if (former.length === 0) {
    const lines = parts(answers).map((part) => (typeof part === "string" ? part : EnvFile.assignment(...part)))
    return `${lines.join("\n")}\n`
  }
  const stays = new Set(keptLines(answers, former))
  const written = new Map(settings(answers).filter(([name]) => !kept(answers, former).includes(name)))
  const taken = new Set<string>()
  const edited = former.flatMap((line) => {
    if (stays.has(line)) return [line.text]
    const value = line.name === undefined ? undefined : written.get(line.name)
    if (line.name === undefined || value === undefined || taken.has(line.name)) return []
    taken.add(line.name)
    return [EnvFile.assignment(line.name, value)]
  })
  const added = [...written]
    .filter(([name]) => !taken.has(name))
    .map(([name, value]) => EnvFile.assignment(name, value))
  return `${[...edited, ...added].join("\n")}\n`
}

export interface Next {
  readonly directory: string
  readonly lanes: ReadonlyArray<string>
  readonly chains: ReadonlyArray<{ readonly id: number; readonly name: string }>
  readonly hasDatabase: boolean
}

/** The steps after `./sweep init`. */
export const nextSteps = ({ chains, directory, hasDatabase, lanes }: Next): string =>
  [
    `Wrote chains.json and .env in ${directory}. Commands in this folder read .env by themselves.`,
    "",
    `1. Send native currency for gas to each lane, on ${chains.map(({ name }) => name).join(", ")}:`,
    ...(lanes.length === 0 ? ["   the accounts of RELAYER_KEYS"] : lanes.map((lane) => `   ${lane}`)),
    "2. Deploy the contracts, with the key of any account that has gas:",
    ...chains.map(({ id }) => `   DEPLOYER_KEY=0x… ./sweep deploy --chain ${id}`),
    "3. Check the deployment:",
    "   ./sweep doctor",
    "4. Start:",
    ...(hasDatabase
      ? ["   ./sweep orchestrator", "   ./sweep builder-backend"]
      : [
          "   docker compose --file <checkout>/docker-compose.yml --env-file .env up",
          "   Without Docker, set DATABASE_URL in .env, and run ./sweep orchestrator and ./sweep builder-backend."
        ])
  ].join("\n")
