/** The files that `./sweep init` writes, from the answers of an operator. Pure. */
import { KNOWN_CHAINS } from "../../catalog/KnownChains.ts"

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

/** Text of `.env`, for Bun, for Docker Compose and for a shell. Values have no spaces. */
export const environment = (answers: Answers): string =>
  [
    "# Secrets of the deployment, written by ./sweep init. Keep this file private, and a copy of it in a safe place.",
    `CHAINS_FILE=${answers.chainsFile}`,
    ...(answers.user === undefined
      ? []
      : [
          "# Account in the containers of Docker Compose: the one that owns these files.",
          `SWEEP_USER=${answers.user}`
        ]),
    ...(answers.databaseUrl === undefined
      ? [
          "# PostgreSQL of Docker Compose. Without Docker, set DATABASE_URL instead.",
          `POSTGRES_PASSWORD=${answers.databasePassword}`
        ]
      : [`DATABASE_URL=${answers.databaseUrl}`]),
    "# Orchestrator",
    `RELAYER_KEYS=${answers.relayerKeys.join(",")}`,
    `ORCH_ADMIN_TOKEN=${answers.adminToken}`,
    "BUILDER_URL=http://127.0.0.1:8788",
    `BUILDER_ADMIN_TOKEN=${answers.builderToken}`,
    "# Builder backend",
    `ADMIN_TOKEN=${answers.builderToken}`,
    "ORCHESTRATOR_URL=http://127.0.0.1:8787",
    `ORCHESTRATOR_ADMIN_TOKEN=${answers.adminToken}`,
    // Docker Compose has an origin of its own.
    ...(answers.databaseUrl === undefined ? [] : ["DASHBOARD_URL=http://127.0.0.1:8788"]),
    ""
  ].join("\n")

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
