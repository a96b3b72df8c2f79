/** Judges the relayer's lanes: their balance in hours, their nonces and their code. Pure. */
import type { LaneState } from "../LaneState.ts"
import { error, type Finding, found, type Kind, ok, warning } from "./Finding.ts"

export const kinds = {
  empty: error(
    "lane_below_minimum",
    "the balance of a lane is below its minimum, so that it is paused",
    "Send native currency to the lane."
  ),
  short: warning("lane_low", "the balance of a lane lasts for less than a day", "Send native currency to the lane."),
  code: error(
    "lane_has_code",
    "a lane has code or is delegated, so that nodes keep one pending transaction of it",
    "Use another account as lane, and remove the delegation of this one."
  ),
  foreign: warning(
    "lane_foreign_nonces",
    "a lane has sent transactions that this database does not know",
    "Use each lane for this service and this database alone. The relayer continues at the chain's nonce."
  ),
  publicKey: error(
    "lane_key_public",
    "the key of a lane is publicly known, so that anybody can take its balance",
    "Generate fresh keys."
  ),
  noneActive: error(
    "lane_none_active",
    "no lane of RELAYER_KEYS is active, so that no batch is sent",
    "Run `./sweep operate lanes activate 0x…` for a lane, or add a key to RELAYER_KEYS."
  ),
  unused: ok("lane_unused", "an operator has taken a lane out of use, so that it takes no new batches"),
  well: ok("lane_ok", "a lane has gas for more than a day, and nobody else uses it")
}

/** Accounts of the mnemonic with which anvil and Hardhat start, in lower case. */
const PUBLIC_ACCOUNTS: ReadonlySet<string> = new Set([
  "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",
  "0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
  "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
  "0x90f79bf6eb2c4f870365e785982e1f101e93b906",
  "0x15d34aaf54267db7d7c367839aaf71a00a2c6a65",
  "0x9965507d1a55bcc2695c58ba16fb37d819b0a4dc",
  "0x976ea74026e726554db657fa54763abd0c3a0aa9",
  "0x14dc79964da2c08b23698b3d3cc7ca32193d9955",
  "0x23618e81e3f5cdf7f54c3d65f7fbc0abf5b21e8f",
  "0xa0ee7a142d267c1f36714e4a8f75612f20a79720"
])

/** Rate that is assumed without a history: 30 sweeps an hour, each with 150,000 gas. */
const ASSUMED_GAS_AN_HOUR = 30n * 150_000n

const DAY_HOURS = 24

export interface LaneFacts {
  readonly chain: string
  readonly symbol: string
  readonly address: string
  /** Only an active lane takes new batches. A draining one needs gas for those under way. Default: active. */
  readonly state?: LaneState
  /** Wei. */
  readonly balance: bigint
  readonly code: string
  /** Transactions that the chain has of it. */
  readonly count: bigint
  /** Highest nonce in the database; undefined without one, or if the database was not read. */
  readonly highestNonce: bigint | undefined
  /** True if the database was read. */
  readonly isHistoryKnown: boolean
  /** Wei. */
  readonly minimum: bigint
  /** Wei that all lanes of the chain spent in the last day; undefined if it is not known. */
  readonly spentInDay: bigint | undefined
  /** Active lanes of the chain, which share what is spent. */
  readonly lanes: number
  /** Wei per gas. */
  readonly gasPrice: bigint
  /** True for a public chain, on which coins are worth something. */
  readonly isPublicChain: boolean
}

/** Hours for which the balance above the minimum lasts, at the rate of the last day or at an assumed one. Undefined if nothing is spent. */
export const runwayHours = ({
  balance,
  gasPrice,
  lanes,
  minimum,
  spentInDay = 0n
}: Pick<LaneFacts, "balance" | "gasPrice" | "lanes" | "minimum" | "spentInDay">): number | undefined => {
  const usable = balance > minimum ? balance - minimum : 0n
  const share = BigInt(Math.max(1, lanes))
  const perDay = (spentInDay > 0n ? spentInDay : ASSUMED_GAS_AN_HOUR * gasPrice * BigInt(DAY_HOURS)) / share
  return perDay === 0n ? undefined : Number((usable * BigInt(DAY_HOURS)) / perDay)
}

/** Wei as a decimal number of coins with at most six places, rounded down. */
export const coins = (wei: bigint): string => {
  const micro = wei / 10n ** 12n
  const text = `${micro / 1_000_000n}.${(micro % 1_000_000n).toString().padStart(6, "0")}`
  return text.replace(/\.?0+$/, "")
}

export interface ChainLanes {
  readonly chain: string
  /** States of the lanes whose keys can be used. */
  readonly states: ReadonlyArray<LaneState>
  /** True if the database was read. */
  readonly isHistoryKnown: boolean
}

/** Judges all lanes of a chain together. Without a usable key, the keys have findings of their own. */
export const judgeChain = ({ chain, isHistoryKnown, states }: ChainLanes): ReadonlyArray<Finding> =>
  isHistoryKnown && states.length > 0 && !states.includes("active")
    ? [found(kinds.noneActive, chain, `${states.length} configured, of which none is active`)]
    : []

export const judge = (facts: LaneFacts): ReadonlyArray<Finding> => {
  const subject = `${facts.chain} ${facts.address}`
  const is = (condition: boolean, kind: Kind, seen: string) => (condition ? [found(kind, subject, seen)] : [])
  const amount = `${coins(facts.balance)} ${facts.symbol}`
  const hours = runwayHours(facts)
  const rate = (facts.spentInDay ?? 0n) > 0n ? "at the rate of the last day" : "at 30 sweeps an hour"
  const lasting = hours === undefined ? amount : `${amount}, about ${hours} hours ${rate}`
  const next = facts.highestNonce === undefined ? 0n : facts.highestNonce + 1n
  const { state = "active" } = facts
  const isUsed = state === "active"
  const isBelow = facts.balance < facts.minimum
  const findings = [
    ...is(
      facts.isPublicChain && PUBLIC_ACCOUNTS.has(facts.address.toLowerCase()),
      kinds.publicKey,
      "it is an account of the local nodes' default mnemonic"
    ),
    // A retired lane sends no more than its rest.
    ...is(state !== "retired" && facts.code !== "0x", kinds.code, `${(facts.code.length - 2) / 2} bytes of code`),
    ...is(
      state !== "retired" && isBelow,
      kinds.empty,
      `${amount}, and the minimum is ${coins(facts.minimum)} ${facts.symbol}`
    ),
    ...is(isUsed && !isBelow && hours !== undefined && hours < DAY_HOURS, kinds.short, lasting),
    ...is(
      facts.isHistoryKnown && facts.count > next,
      kinds.foreign,
      `the chain has ${facts.count} transactions of it, and the database knows nonces up to ${facts.highestNonce ?? "none"}`
    )
  ]
  if (findings.length > 0) return findings
  return [
    isUsed ? found(kinds.well, subject, lasting) : found(kinds.unused, subject, `it is ${state}, and has ${amount}`)
  ]
}
