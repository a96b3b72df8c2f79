/** Position in a distributed trace (W3C Trace Context), as it is stored with a sweep. */
import { Option } from "effect"
import type { Hex } from "./Hex.ts"

export interface TraceContext {
  /** 32 hex digits. */
  readonly traceId: string
  /** 16 hex digits. */
  readonly spanId: string
}

/** Something that belongs to a trace. The context is absent if the trace is not recorded. */
export interface Traced {
  readonly trace?: TraceContext
}

const BYTES = /^0x([0-9a-f]{32})([0-9a-f]{16})$/

/** The 24 bytes of both ids. */
export const toBytes = ({ spanId, traceId }: TraceContext): Hex => `0x${traceId}${spanId}`

/** Reverses {@link toBytes}. None for other bytes. */
export const fromBytes = (bytes: string): Option.Option<TraceContext> => {
  const [, traceId, spanId] = BYTES.exec(bytes) ?? []
  return traceId === undefined || spanId === undefined ? Option.none() : Option.some({ traceId, spanId })
}

/** Values of the first 8 hex digits of a trace id. */
const VALUES = 2 ** 32

/**
 * True if the trace is among the recorded `percent`. Every service and every stage of a sweep decides the same about a trace, since
 * only its id counts.
 */
export const isSampled = (traceId: string, percent: number): boolean =>
  (Number.parseInt(traceId.slice(-8), 16) / VALUES) * 100 < percent
