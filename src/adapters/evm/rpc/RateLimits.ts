/**
 * Recognises refusals for the rate of requests. No standard defines them: EIP-1474 has -32005 "limit exceeded", which providers
 * also use for results that are too large. So an error counts by its code or by the messages of hosted providers, unless its
 * text speaks of something else.
 */
import { Option, Schema } from "effect"
import type { RpcError } from "./JsonRpc.ts"

/**
 * -32005: EIP-1474, Infura, Chainstack. -32007: QuickNode. -32029, -32090, -32097: Ankr and gateways. 429: the HTTP
 * status in the body, as of Alchemy.
 */
const CODES: ReadonlySet<number> = new Set([-32_005, -32_007, -32_029, -32_090, -32_097, 429])

const MESSAGES =
  /rate.?limit|too many requests?\b|request rate|(requests?|calls?|compute units?|credits?|throughput)( per |\/)second|exceeded .*\b(capacity|quota|rps|throughput|plan)\b|quota (usage )?(is )?exceeded|throttled|daily request (count|limit)|capacity limit|\brps\b|slow down/i

/** About the size of a batch, of a range of blocks or of a result, or said by a contract that reverted. */
const OTHER_LIMITS =
  /\bbatch|\brange\b|\bresults?\b|\blogs\b|too many blocks|response (is )?(too|size)|quer(y|ies) (block|duration|must|return|time)|revert/i

/** A revert (EIP-1474 has no code for it; nodes use 3). */
const REVERT_CODE = 3

/** True when the error refuses the request for its rate. */
export const isRateLimit = ({ code, text }: Pick<RpcError, "code" | "text">): boolean =>
  code !== REVERT_CODE && !OTHER_LIMITS.test(text) && (CODES.has(code) || MESSAGES.test(text))

const WAIT_IN_TEXT =
  /(?:try again|retry|wait)\D{0,20}?(\d+(?:\.\d+)?)\s?(ms|milliseconds?|s|sec|seconds?|m|minutes?)\b/i

/** Infura: seconds until the next request. */
const decodeBackoff = Schema.decodeUnknownOption(
  Schema.Struct({ rate: Schema.Struct({ backoff_seconds: Schema.Finite }) })
)

const millisPer = (unit: string): number => {
  if (/^m(s|illi)/i.test(unit)) return 1
  return /^m/i.test(unit) ? 60_000 : 1_000
}

/** The wait that the error names, in milliseconds; undefined if it names none. */
export const namedWait = ({ data, text }: Pick<RpcError, "data" | "text">): number | undefined => {
  const backoff = Option.getOrUndefined(decodeBackoff(data))
  if (backoff !== undefined) return 1_000 * backoff.rate.backoff_seconds
  const [, amount, unit] = WAIT_IN_TEXT.exec(text) ?? []
  return amount === undefined || unit === undefined ? undefined : Number(amount) * millisPer(unit)
}

/**
 * Milliseconds of a `Retry-After` header, which is a number of seconds or an HTTP date (RFC 9110, section 10.2.3); undefined if
 * it is neither. `now` is the current time in UNIX milliseconds.
 */
export const retryAfter = (header: string | undefined, now: number): number | undefined => {
  if (header === undefined || header.trim() === "") return undefined
  const seconds = Number(header)
  if (Number.isFinite(seconds)) return seconds < 0 ? undefined : 1_000 * seconds
  const date = Date.parse(header)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}
