/** Judges Redis, in which replicas share counts and answers. Pure. */
import { type Finding, found, ok, warning } from "./Finding.ts"

export const kinds = {
  away: warning(
    "redis_unreachable",
    "Redis does not answer, or refuses what the service asks of it, so that each replica counts requests alone",
    "Check REDIS_URL, its password and the network. Redis must allow EVAL, GET, SET and PTTL."
  ),
  slow: warning(
    "redis_slow",
    "Redis answers later than the services wait, so that each replica counts requests alone",
    "Run Redis in the region of the services."
  ),
  well: ok("redis_ok", "Redis answers in time")
}

export interface RedisFacts {
  /** Host of the URL. */
  readonly host: string
  /** Time of an answer over an open connection in milliseconds, or the reason why there is none. */
  readonly answer: number | string
}

/** Time that the services wait for Redis, in milliseconds. */
const PATIENCE_MILLIS = 50

export const judge = ({ answer, host }: RedisFacts): Finding => {
  if (typeof answer === "string") return found(kinds.away, host, answer)
  return found(answer > PATIENCE_MILLIS ? kinds.slow : kinds.well, host, `${Math.ceil(answer)} ms`)
}
