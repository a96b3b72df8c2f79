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

/** Values of the last 8 hex digits of an id. */
const VALUES = 2 ** 32

/** Draws the recorded `percent` by an id of a trace or of a span. Only for ids that this service made: a client would choose one that is drawn. */
export const isSampled = (id: string, percent: number): boolean =>
  (Number.parseInt(id.slice(-8), 16) / VALUES) * 100 < percent
