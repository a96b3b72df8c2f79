/**
 * Width of the block ranges that an endpoint is asked for by `eth_getLogs`: it shrinks at refusals, and grows again slowly. Pure
 * and total, so that a search covers every block once, whatever the endpoint accepts.
 */
import type { BlockRange } from "../../../ports/shared/Chains.ts"
import type { LogRefusal } from "./LogRefusals.ts"

export interface LogWindow {
  /** Blocks to ask for at once. At least 1. */
  readonly blocks: bigint
  /** UNIX time in milliseconds before which the window does not grow. */
  readonly growAtMillis: number
  /** Answers in a row that filled the window. */
  readonly granted: number
}

/** No endpoint is asked for more blocks at once. */
export const WIDEST = 5_000n

/** Answers in a row after which the window doubles. */
const GROW_AFTER = 8

/** Time after a refusal in which no wider range is tried, in milliseconds. An operator may change a plan or a node's limit. */
const NARROW_MILLIS = 600_000

/** Silence does not narrow a window below this, since no node is too slow for so few blocks. */
const SILENT_FLOOR = 50n

/**
 * Widths that endpoints commonly accept, descending. A refusal that names no width goes to the next of them, so that a limit of
 * 10 blocks is found by six refusals.
 */
const COMMON: ReadonlyArray<bigint> = [3_000n, 2_000n, 1_000n, 500n, 100n, 50n, 10n, 5n, 1n]

export const initial: LogWindow = { blocks: WIDEST, growAtMillis: 0, granted: 0 }

export const widthOf = ({ fromBlock, toBlock }: BlockRange): bigint => toBlock - fromBlock + 1n

/** Next part of a range that is not empty: its oldest or its newest blocks. */
export const part = ({ blocks }: LogWindow, range: BlockRange, from: "oldest" | "newest"): BlockRange => {
  if (widthOf(range) <= blocks) return range
  return from === "oldest"
    ? { fromBlock: range.fromBlock, toBlock: range.fromBlock + blocks - 1n }
    : { fromBlock: range.toBlock - blocks + 1n, toBlock: range.toBlock }
}

/** The rest of a range after one of its ends was read; undefined if nothing is left. */
export const rest = (range: BlockRange, read: BlockRange, from: "oldest" | "newest"): BlockRange | undefined => {
  const left =
    from === "oldest"
      ? { fromBlock: read.toBlock + 1n, toBlock: range.toBlock }
      : { fromBlock: range.fromBlock, toBlock: read.fromBlock - 1n }
  return widthOf(left) > 0n ? left : undefined
}

const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b)

/** True until the window may grow. A longer time than any refusal sets means that the clock was set back. */
const isHeld = ({ growAtMillis }: LogWindow, nowMillis: number): boolean =>
  nowMillis < growAtMillis && growAtMillis - nowMillis <= NARROW_MILLIS

/** The window after an answer to a range of `width` blocks. */
export const granted = (window: LogWindow, width: bigint, nowMillis: number): LogWindow => {
  // A range that was narrower than the window says nothing about a wider one.
  if (width < window.blocks || isHeld(window, nowMillis)) return window
  if (window.granted + 1 < GROW_AFTER) return { ...window, granted: window.granted + 1 }
  return { ...window, blocks: smaller(window.blocks * 2n, WIDEST), granted: 0 }
}

/** Narrower than `width`, or 1. */
const narrowed = (width: bigint, { because, blocks }: LogRefusal): bigint => {
  if (width <= 1n) return 1n
  if (blocks !== undefined && blocks < width) return blocks
  // An exclusive limit, or a limit that counts the distance of both ends: one block fewer.
  if (blocks === width) return width - 1n
  return because === "result" ? width / 2n : (COMMON.find((common) => common < width) ?? 1n)
}

/** The window after a refusal of a range of `width` blocks. It is narrower than that, unless it is 1. */
export const refused = (window: LogWindow, width: bigint, refusal: LogRefusal, nowMillis: number): LogWindow => {
  const blocks = smaller(window.blocks, narrowed(width, refusal))
  // A dense range says nothing about the next one, so a wider one may be tried soon.
  const growAtMillis = refusal.because === "result" ? window.growAtMillis : nowMillis + NARROW_MILLIS
  return { blocks, growAtMillis, granted: 0 }
}

/** The window after a range of `width` blocks got no answer, which may be due to its width. */
export const unanswered = (window: LogWindow, width: bigint): LogWindow => {
  const half = width / 2n
  return half >= SILENT_FLOOR && half < window.blocks ? { ...window, blocks: half, granted: 0 } : window
}
