/** Judges the JSON-RPC endpoints of a chain: each alone, and all of them beside each other. Pure. */
import { ahead } from "./Database.ts"
import { error, type Finding, found, type Kind, ok, warning } from "./Finding.ts"

export const kinds = {
  silent: error(
    "endpoint_silent",
    "an endpoint gives no usable answer",
    "Check the URL and the key in the chains file, and that the provider is up."
  ),
  refused: error(
    "endpoint_refused",
    "an endpoint refuses its key (401 or 403)",
    "Correct the key in the endpoint's URL in the chains file."
  ),
  otherChain: error(
    "endpoint_other_chain",
    "an endpoint serves another chain and is never used",
    "Correct the endpoint's URL in the chains file."
  ),
  stale: error(
    "endpoint_stale",
    "the newest block of an endpoint is too old",
    "Wait until the node has synchronized, or use another endpoint."
  ),
  behind: warning(
    "endpoint_behind",
    "an endpoint is several blocks behind another one of the chain",
    "Use it only if it catches up. It does not simulate while it is behind."
  ),
  fork: error(
    "endpoint_fork",
    "endpoints of a chain have different blocks at one height",
    "Find out which one is on a fork, and remove it."
  ),
  noOverrides: warning(
    "endpoint_no_state_overrides",
    "an endpoint takes no state overrides in `eth_call`, and cannot simulate",
    "Keep it for reads and sending, and add one that does."
  ),
  cannotSimulate: error(
    "chain_cannot_simulate",
    "no endpoint of a chain takes state overrides, so that nothing can be quoted there",
    "Add an endpoint that takes state overrides in `eth_call` to rpcUrls."
  ),
  noBlockOverrides: warning(
    "chain_no_block_overrides",
    "no endpoint of a chain takes block overrides, so that simulations do not run in the next block",
    "Add an endpoint that takes block overrides (geth does), if you serve unlisted tokens."
  ),
  noArchive: warning(
    "chain_no_archive",
    "no endpoint of a chain keeps old states, so that ages of pools, and deliveries of large sweeps by Across, are proved from logs alone, if at all",
    "Add an archive endpoint, if prices of young pools are missing, or if `watch.deliveries_failed` is logged."
  ),
  noLogs: error(
    "endpoint_no_logs",
    "an endpoint refuses `eth_getLogs` for a single block",
    "Use an endpoint that serves logs. Settlements and deliveries are found in them."
  ),
  narrowLogs: warning(
    "endpoint_narrow_logs",
    "an endpoint searches logs in fewer than 500 blocks at a time",
    "Searches take many requests there. Prefer a plan without this limit."
  ),
  slow: warning(
    "endpoint_slow",
    "an endpoint takes more than a second for a small request",
    "Use an endpoint that is nearer. A quote waits for two or three such requests."
  ),
  clockOff: warning(
    "clock_off",
    "this machine's clock differs by more than 5 seconds from the dates of endpoints",
    "Synchronize the clock of this machine (NTP). Quotes and deadlines depend on it."
  ),
  future: warning(
    "clock_behind_chain",
    "the newest block is more than 15 seconds in the future",
    "Synchronize the clock of this machine (NTP)."
  ),
  single: warning(
    "endpoint_single",
    "a chain has one endpoint, so that the chain stops with it, and everything that it says is believed",
    "Add an endpoint of another provider to rpcUrls."
  ),
  noFeeLimit: warning(
    "chain_no_fee_limit",
    "a chain has no maximum fee per gas, so that quotes count any base fee that an endpoint names, and the lanes may pay it",
    "Set maxFeePerGasWei of the chain in the chains file, well above its usual base fee. The built-in chains have one."
  ),
  plain: warning(
    "endpoint_unencrypted",
    "an endpoint outside this machine is asked without encryption",
    "Use its https or wss URL."
  ),
  well: ok("endpoint_ok", "an endpoint answers and is on its chain")
}

/** Answer to the first question, for the chain's id. */
export type Answer =
  | { readonly _tag: "Chain"; readonly id: string }
  | { readonly _tag: "Silent"; readonly detail: string }
  | { readonly _tag: "Refused"; readonly status: number }

export interface Head {
  readonly number: bigint
  /** UNIX seconds. */
  readonly timestamp: bigint
}

/** Answers of one endpoint. Undefined for a question without an answer. */
export interface EndpointFacts {
  readonly host: string
  /** Endpoints for sending and for heads need not answer more than the chain's id. */
  readonly role: "rpcUrls" | "broadcastUrls" | "privateUrls" | "wsUrl"
  readonly isEncrypted: boolean
  readonly isLocal: boolean
  readonly answer: Answer
  readonly latencyMillis?: number | undefined
  readonly head?: Head | undefined
  readonly stateOverrides?: boolean | undefined
  readonly blockOverrides?: boolean | undefined
  /** True if it has the state of the first block. */
  readonly archive?: boolean | undefined
  /** Widest range of blocks in which it searched logs. 0 if it searched none. */
  readonly logBlocks?: number | undefined
  /** Date of the answer less this machine's time, in milliseconds. Dates are whole seconds. */
  readonly clockOffsetMillis?: number | undefined
  /** Hash of the block at {@link ChainFacts.commonHeight}. */
  readonly commonHash?: string | undefined
}

export interface ChainFacts {
  readonly id: number
  readonly name: string
  /** Age of the newest block in seconds from which the chain is stale. */
  readonly staleSeconds: number
  /** UNIX milliseconds. */
  readonly nowMillis: number
  /** A height that all endpoints have; undefined if there is none. */
  readonly commonHeight: bigint | undefined
  /** True if the chain's settings have a maximum fee per gas. Undefined where that is not judged. */
  readonly hasFeeLimit?: boolean | undefined
  readonly endpoints: ReadonlyArray<EndpointFacts>
}

const SLOW_MILLIS = 1_000
const NARROW_BLOCKS = 500
const BEHIND_BLOCKS = 5n
const CLOCK_MILLIS = 5_000
const FUTURE_SECONDS = 15

const subjectOf = (chain: ChainFacts, { host, role }: EndpointFacts): string =>
  role === "rpcUrls" ? `${chain.name} ${host}` : `${chain.name} ${host} (${role})`

/** True if the endpoint must answer all that the service asks. */
const serves = ({ answer, role }: EndpointFacts, chain: ChainFacts): boolean =>
  role === "rpcUrls" && answer._tag === "Chain" && isOwn(answer.id, chain)

const isOwn = (id: string, chain: ChainFacts): boolean => id.toLowerCase() === `0x${chain.id.toString(16)}`

const judgeAnswer = (chain: ChainFacts, endpoint: EndpointFacts): ReadonlyArray<Finding> => {
  const { answer } = endpoint
  const subject = subjectOf(chain, endpoint)
  const plain =
    endpoint.isEncrypted || endpoint.isLocal ? [] : [found(kinds.plain, subject, "its URL has no encryption")]
  if (answer._tag === "Silent") return [...plain, found(kinds.silent, subject, answer.detail)]
  if (answer._tag === "Refused") return [...plain, found(kinds.refused, subject, `HTTP ${answer.status}`)]
  if (isOwn(answer.id, chain)) return plain
  return [...plain, found(kinds.otherChain, subject, `it serves chain ${idText(answer.id)}, not ${chain.id}`)]
}

const idText = (hex: string): string => (/^0x[0-9a-f]{1,13}$/i.test(hex) ? String(Number(hex)) : "of an unknown id")

const judgeOne = (chain: ChainFacts, endpoint: EndpointFacts): ReadonlyArray<Finding> => {
  const subject = subjectOf(chain, endpoint)
  const { head, latencyMillis = 0, logBlocks } = endpoint
  const is = (condition: boolean, kind: Kind, seen: string) => (condition ? [found(kind, subject, seen)] : [])
  const age = head === undefined ? 0 : Math.floor(chain.nowMillis / 1_000) - Number(head.timestamp)
  const newest = newestHead(chain)
  return [
    ...is(head === undefined, kinds.silent, "it answers for the chain's id, but not for the newest block"),
    ...is(age > chain.staleSeconds, kinds.stale, `its newest block is ${age} s old`),
    ...is(-age > FUTURE_SECONDS, kinds.future, `its newest block is ${-age} s in the future`),
    ...is(
      head !== undefined && newest !== undefined && head.number + BEHIND_BLOCKS < newest,
      kinds.behind,
      `it is at block ${head?.number}, and the chain at ${newest}`
    ),
    ...is(endpoint.stateOverrides === false, kinds.noOverrides, "it gave another answer with state overrides"),
    ...is(logBlocks === 0, kinds.noLogs, "it refused the logs of one block"),
    ...is(
      logBlocks !== undefined && logBlocks > 0 && logBlocks < NARROW_BLOCKS,
      kinds.narrowLogs,
      `it searches ${logBlocks} blocks at a time`
    ),
    ...is(latencyMillis > SLOW_MILLIS, kinds.slow, `${Math.round(latencyMillis)} ms`)
  ]
}

const newestHead = ({ endpoints }: ChainFacts): bigint | undefined =>
  endpoints
    .flatMap(({ head }) => (head === undefined ? [] : [head.number]))
    .reduce<bigint | undefined>((top, number) => (top === undefined || number > top ? number : top), undefined)

const capabilities = ({ archive, blockOverrides, head, latencyMillis = 0, logBlocks }: EndpointFacts): string =>
  [
    ...(head === undefined ? [] : [`block ${head.number}`]),
    `${Math.round(latencyMillis)} ms`,
    ...(archive === undefined ? [] : [archive ? "archive" : "recent states"]),
    ...(blockOverrides === true ? ["block overrides"] : []),
    ...(logBlocks === undefined || logBlocks === 0 ? [] : [`logs of ${logBlocks} blocks`])
  ].join(", ")

/** Findings about the chain as a whole. Endpoints without an answer say nothing of it. */
const judgeTogether = (chain: ChainFacts): ReadonlyArray<Finding> => {
  const serving = chain.endpoints.filter((endpoint) => serves(endpoint, chain))
  const configured = chain.endpoints.filter(({ role }) => role === "rpcUrls")
  const none = (fact: (endpoint: EndpointFacts) => boolean | undefined) =>
    serving.length > 0 && serving.every((endpoint) => fact(endpoint) === false)
  const is = (condition: boolean, kind: Kind, seen: string) => (condition ? [found(kind, chain.name, seen)] : [])
  const isLocal = configured.every((endpoint) => endpoint.isLocal)
  const hashes = new Set(serving.flatMap(({ commonHash }) => (commonHash === undefined ? [] : [commonHash])))
  const offset = median(serving.flatMap(({ clockOffsetMillis: each }) => (each === undefined ? [] : [each])))
  return [
    ...is(configured.length === 1 && !isLocal, kinds.single, "rpcUrls has one entry"),
    ...is(chain.hasFeeLimit === false && !isLocal, kinds.noFeeLimit, "maxFeePerGasWei is not set"),
    ...is(
      none(({ stateOverrides }) => stateOverrides),
      kinds.cannotSimulate,
      "none takes state overrides"
    ),
    ...is(
      none(({ blockOverrides }) => blockOverrides),
      kinds.noBlockOverrides,
      "none takes block overrides"
    ),
    ...is(
      none(({ archive }) => archive),
      kinds.noArchive,
      "none has the state of the first block"
    ),
    ...is(hashes.size > 1, kinds.fork, `${hashes.size} different blocks at height ${chain.commonHeight}`),
    ...is(
      offset !== undefined && Math.abs(offset) > CLOCK_MILLIS,
      kinds.clockOff,
      `this machine's clock is ${ahead(-(offset ?? 0))}`
    )
  ]
}

/** The lower one of two in the middle. Undefined without numbers. */
export const median = (numbers: ReadonlyArray<number>): number | undefined =>
  numbers.toSorted((a, b) => a - b)[Math.ceil(numbers.length / 2) - 1]

/** Findings about one endpoint. */
export const judgeEndpoint = (chain: ChainFacts, endpoint: EndpointFacts): ReadonlyArray<Finding> => {
  const own = judgeAnswer(chain, endpoint)
  return serves(endpoint, chain) ? [...own, ...judgeOne(chain, endpoint)] : own
}

export const judge = (chain: ChainFacts): ReadonlyArray<Finding> => [
  ...chain.endpoints.flatMap((endpoint) => {
    const findings = judgeEndpoint(chain, endpoint)
    if (findings.some(({ level }) => level === "error")) return findings
    return [...findings, found(kinds.well, subjectOf(chain, endpoint), capabilities(endpoint))]
  }),
  ...judgeTogether(chain)
]
